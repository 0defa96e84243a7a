import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TemporalConnectionOptions } from '../domain/temporal-connection.ts';

/** A server that refuses our certificate says so behind the handshake. One that takes it sends the first frame of HTTP/2. */
const LOOK_TIMEOUT_MS = 1_500;

/** By the code of Node's error. What has no line here is told in Node's own words. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/, 'its certificate is not signed by an authority of TEMPORAL_TLS_CA'],
  [/CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/, 'its certificate is not valid now'],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, 'its certificate does not name this host: see TEMPORAL_TLS_SERVER_NAME'],
  [/ALERT_CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/, 'it asks for a client certificate: see TEMPORAL_TLS_CERT'],
  [/ERR_SSL_.*ALERT/, 'it refuses the certificate of TEMPORAL_TLS_CERT'],
  [/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/, 'it does not speak TLS: see TEMPORAL_TLS'],
];

/**
 * Connects to Temporal. Where that fails, the error's message says why: gRPC says no more than that its time is over, or it speaks of
 * its own parts. No file and no key is named.
 */
export async function connectOrSayWhy<T>(options: TemporalConnectionOptions, connect: () => Promise<T>): Promise<T> {
  try {
    return await connect();
  } catch (error) {
    const reason = (await failureOf(options)) ?? (error instanceof Error ? error.message : String(error));
    throw new Error(`Temporal does not answer at ${options.address}: ${reason}`, { cause: error });
  }
}

/** Returns null where a plain connection, or a handshake, succeeds. */
async function failureOf({ address, tls }: TemporalConnectionOptions): Promise<string | null> {
  const { hostname: host, port } = new URL(`tcp://${address}`);
  const at = { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
  const socket = tls === false ? connectTcp(at) : connectTls({ ...at, ...secured(at.host, tls) });
  try {
    return await new Promise<string | null>((resolve) => {
      socket.setTimeout(LOOK_TIMEOUT_MS, () => resolve(null));
      socket.once('data', () => resolve(null));
      socket.once('close', () => resolve(null));
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(inWords(error)));
      if (tls === false) socket.once('connect', () => resolve(null));
    });
  } finally {
    socket.destroy();
  }
}

function secured(host: string, tls: Exclude<TemporalConnectionOptions['tls'], false>) {
  const name = tls.serverNameOverride ?? (isIP(host) === 0 ? host : undefined);
  return {
    ALPNProtocols: ['h2'],
    ...(name === undefined ? {} : { servername: name }),
    ...(tls.serverRootCACertificate === undefined ? {} : { ca: tls.serverRootCACertificate }),
    ...(tls.clientCertPair === undefined ? {} : { cert: tls.clientCertPair.crt, key: tls.clientCertPair.key }),
  };
}

function inWords({ code = '', message }: NodeJS.ErrnoException): string {
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? message;
}
