/** The part of a configuration that says how Temporal is reached; the same for the API, the worker and the commands. */
export interface TemporalConfiguration {
  readonly TEMPORAL_TLS: boolean;
  readonly TEMPORAL_TLS_SERVER_NAME: string | null;
  readonly TEMPORAL_TLS_CA: string | null;
  readonly TEMPORAL_TLS_CERT: string | null;
  readonly TEMPORAL_TLS_KEY: string | null;
  readonly TEMPORAL_API_KEY: string | null;
}

/** Understood by `Connection.connect` and `NativeConnection.connect` alike. */
export interface TemporalConnectionOptions {
  address: string;
  tls: TemporalTls | false;
  apiKey?: string;
}

export interface TemporalTls {
  serverNameOverride?: string;
  serverRootCACertificate?: Buffer;
  clientCertPair?: { crt: Buffer; key: Buffer };
}

/** TLS is on if it was asked for, or if any TLS setting was given. `readFile` is passed in: no I/O here. */
export function temporalConnectionOptions(
  address: string,
  configuration: TemporalConfiguration,
  readFile: (file: string) => Buffer,
): TemporalConnectionOptions {
  const {
    TEMPORAL_TLS_SERVER_NAME: serverName,
    TEMPORAL_TLS_CA: ca,
    TEMPORAL_TLS_CERT: certificate,
    TEMPORAL_TLS_KEY: key,
    TEMPORAL_API_KEY: apiKey,
  } = configuration;
  const read = (name: string, file: string): Buffer => {
    try {
      return readFile(file);
    } catch (error) {
      throw new Error(`${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  };
  const usesTls = configuration.TEMPORAL_TLS || [serverName, ca, certificate, apiKey].some((value) => value !== null);
  return {
    address,
    tls: usesTls && {
      ...(serverName === null ? {} : { serverNameOverride: serverName }),
      ...(ca === null ? {} : { serverRootCACertificate: read('TEMPORAL_TLS_CA', ca) }),
      ...(certificate === null || key === null
        ? {}
        : { clientCertPair: { crt: read('TEMPORAL_TLS_CERT', certificate), key: read('TEMPORAL_TLS_KEY', key) } }),
    },
    ...(apiKey === null ? {} : { apiKey }),
  };
}
