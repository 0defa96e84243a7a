import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { closesWithFile } from './closes-with-file.ts';

/** One request that the target saw, in the order of arrival. */
export interface SeenRequest {
  method: string;
  path: string;
  /** Path and query as received. */
  url: string;
  headers: Record<string, string>;
  /** Null until the whole body has arrived. */
  body: string | null;
  bodySha256: string | null;
}

export interface Target {
  baseUrl: string;
  host: string;
  port: number;
  requests(path?: string): Promise<SeenRequest[]>;
  /** TCP connections; without TLS the count includes the control requests. */
  connections(): Promise<number>;
  /** Answers every hanging request with 200. */
  release(): Promise<void>;
  /** Clears requests and orders. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('target-process.mjs', import.meta.url));
export const SELF_SIGNED_CERTIFICATE_FILE = fileURLToPath(new URL('self-signed-certificate.pem', import.meta.url));
export const SELF_SIGNED_KEY_FILE = fileURLToPath(new URL('self-signed-key.pem', import.meta.url));

/**
 * Starts the misbehaving target in its own process; target-process.mjs describes its paths. A target
 * with `tls` serves https with an untrusted certificate.
 */
export async function startTarget(options: { tls?: boolean; port?: number } = {}): Promise<Target> {
  const args = [PROGRAM, ...(options.tls === true ? ['--tls'] : []), `--port=${options.port ?? 0}`];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(() => Promise.reject(new Error('the target did not start'))),
  ])) as [string];
  const { port, controlPort } = JSON.parse(line) as { port: number; controlPort: number };
  const host = `${options.tls === true ? 'localhost' : '127.0.0.1'}:${port}`;
  const baseUrl = `${options.tls === true ? 'https' : 'http'}://${host}`;
  const control = async (path: string, method: string): Promise<Response> => {
    const response = await fetch(`http://127.0.0.1:${controlPort}${path}`, {
      method,
      headers: { connection: 'close' },
    });
    if (!response.ok) throw new Error(`the target answered ${response.status} to ${method} ${path}`);
    return response;
  };
  const seen = async (): Promise<{ requests: SeenRequest[]; connections: number }> => {
    const response = await control('/__requests', 'GET');
    return (await response.json()) as { requests: SeenRequest[]; connections: number };
  };
  return {
    baseUrl,
    host,
    port,
    requests: async (path) => (await seen()).requests.filter((request) => path === undefined || request.path === path),
    connections: async () => (await seen()).connections,
    release: async () => void (await control('/__release', 'POST')),
    reset: async () => void (await control('/__requests', 'DELETE')),
    stop: closesWithFile(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.stdin.end();
      await gone;
    }),
  };
}
