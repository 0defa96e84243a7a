import { spawnSync } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { closesWithFile } from '../../harness/closes-with-file.ts';

/** Certificates and API keys of a test's own, as an operator would give them to Temporal's server and to the service. */

/** What the server's certificate names in place of its address. */
export const HOST = 'temporal.test';

/** Files, as PEM. */
export interface Certificate {
  certificate: string;
  key: string;
}

export interface Authority extends Certificate {
  /** Signs a certificate of this name, for the host `HOST`. */
  issue(name: string): Certificate;
}

/** A certificate authority in a folder, made by `openssl`. */
export function makeAuthority(folder: string, name: string): Authority {
  mkdirSync(folder, { recursive: true });
  const config = path.join(folder, 'openssl.cnf');
  // Without this file the extensions of the machine's own would be added.
  writeFileSync(config, '[req]\ndistinguished_name = dn\n[dn]\n');
  const make = (of: string, extensions: readonly string[], signedBy: readonly string[]): Certificate => {
    const [certificate, key] = [path.join(folder, `${of}.pem`), path.join(folder, `${of}.key`)];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    const added = extensions.flatMap((extension) => ['-addext', extension]);
    const files = ['-keyout', key, '-out', certificate];
    const args = ['req', '-x509', '-config', config, ...curve, '-days', '2', '-subj', `/CN=${of}`, ...added, ...files];
    const { status, stderr, error } = spawnSync('openssl', [...args, ...signedBy], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl: ${error?.message ?? stderr}`);
    return { certificate, key };
  };
  const own = make(name, ['basicConstraints=critical,CA:TRUE'], []);
  const signedByOwn = ['-CA', own.certificate, '-CAkey', own.key];
  const ofHost = ['basicConstraints=critical,CA:FALSE', `subjectAltName=DNS:${HOST}`];
  return { ...own, issue: (of) => make(of, ofHost, signedByOwn) };
}

export interface KeyIssuer {
  /** Where the server reads the public keys. */
  url: string;
  /** An API key with these permissions, as `default:write`. */
  apiKey(permissions: readonly string[]): string;
}

const KEY_ID = 'test';
const LIFE_SECONDS = 3_600;
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Issues API keys as the server's own claim mapper wants them: signed JWTs. It closes with the file. */
export async function startKeyIssuer(): Promise<KeyIssuer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: KEY_ID, alg: 'RS256', use: 'sig' }];
  const server = createServer((_, reply) => reply.end(JSON.stringify({ keys })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closesWithFile(async () => {
    server.closeAllConnections();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys.json`,
    apiKey(permissions) {
      const exp = Math.floor(Date.now() / 1_000) + LIFE_SECONDS;
      const signed = `${base64({ alg: 'RS256', typ: 'JWT', kid: KEY_ID })}.${base64({ sub: 'test', permissions, exp })}`;
      return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
    },
  };
}

/** What the server's image takes to ask for client certificates and API keys at its frontend. */
export function serverSettings(authority: Authority, keys: KeyIssuer): Record<string, string> {
  const own = authority.issue('server');
  return {
    TEMPORAL_TLS_REQUIRE_CLIENT_AUTH: 'true',
    TEMPORAL_TLS_FRONTEND_CERT: own.certificate,
    TEMPORAL_TLS_FRONTEND_KEY: own.key,
    TEMPORAL_TLS_CLIENT1_CA_CERT: authority.certificate,
    TEMPORAL_TLS_CLIENT2_CA_CERT: authority.certificate,
    TEMPORAL_JWT_KEY_SOURCE1: keys.url,
    TEMPORAL_AUTH_AUTHORIZER: 'default',
    TEMPORAL_AUTH_CLAIM_MAPPER: 'default',
    USE_INTERNAL_FRONTEND: '1', // its own worker calls it without an API key
  };
}

/** How a client of the SDK presents them. */
export function clientOptions(authority: Certificate, own: Certificate, apiKey: string) {
  const [ca, crt, key] = [authority.certificate, own.certificate, own.key].map((file) => readFileSync(file));
  if (ca === undefined || crt === undefined || key === undefined) throw new Error('three files make three buffers');
  return { apiKey, tls: { serverNameOverride: HOST, serverRootCACertificate: ca, clientCertPair: { crt, key } } };
}
