import { randomInt } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

export const LOOPBACK = '127.0.0.1';

/**
 * Below the ports that the system gives to outgoing connections (from 32768 on Linux, 49152 elsewhere): such a port that is
 * free now may carry another connection a moment later, or be handed out twice.
 */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_767;
const TRIES = 100;

/** Time for which a drawn port is reserved: on a busy machine a stack listens by then, and again after some restarts. */
const CLAIM_MS = 600_000;
/** One file for each port drawn lately by any process of this machine. */
const CLAIMS = path.join(tmpdir(), 'agent-action-runtime-ports');

/** Returns a port that nothing listens on and that no other call reserves meanwhile. Another program may still bind it: callers retry. */
export async function freePort(host = LOOPBACK): Promise<number> {
  const [port = 0] = await freePorts(1, host);
  return port;
}

export async function freePorts(count: number, host = LOOPBACK): Promise<number[]> {
  const free = new Set<number>();
  forgetOldClaims();
  for (let tries = 0; free.size < count; tries++) {
    if (tries === TRIES) throw new Error(`no free port could be opened on ${host}`);
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    if (claim(port) && (await isPortFree(port, host))) free.add(port);
  }
  return [...free];
}

/**
 * Returns false when another call reserved the port. When the claim cannot be written (the folder belongs to another account), the port
 * counts as free.
 */
function claim(port: number): boolean {
  try {
    mkdirSync(CLAIMS, { recursive: true });
    closeSync(openSync(path.join(CLAIMS, String(port)), 'wx'));
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'EEXIST';
  }
}

function forgetOldClaims(): void {
  try {
    for (const port of readdirSync(CLAIMS)) {
      const file = path.join(CLAIMS, port);
      const claimedAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
      if (Date.now() - claimedAtMs > CLAIM_MS) rmSync(file, { force: true });
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'EPERM') throw error;
  }
}

export function isPortFree(port: number, host = LOOPBACK): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
