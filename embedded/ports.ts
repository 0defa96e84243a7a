import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/**
 * Below the ports that the system gives to outgoing connections (from 32768 on Linux, 49152 elsewhere): such a port that is
 * free now may carry another connection a moment later, or be handed out twice.
 */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_767;
const TRIES = 100;

/** A port that nothing listens on now. Another process may take it before it is used: callers retry where they can. */
export async function freePort(host = LOOPBACK): Promise<number> {
  const [port = 0] = await freePorts(1, host);
  return port;
}

/** Several such ports, all different. */
export async function freePorts(count: number, host = LOOPBACK): Promise<number[]> {
  const free = new Set<number>();
  for (let tries = 0; free.size < count; tries++) {
    if (tries === TRIES) throw new Error(`no free port could be opened on ${host}`);
    const port = randomInt(LOWEST_PORT, HIGHEST_PORT + 1);
    if (await isPortFree(port, host)) free.add(port);
  }
  return [...free];
}

export async function isPortFree(port: number, host = LOOPBACK): Promise<boolean> {
  return (await tryListen(port, host)) !== null;
}

function tryListen(port: number, host: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.unref();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(null);
      else reject(error);
    });
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      const listened = address !== null && typeof address === 'object' ? address.port : null;
      server.close(() => resolve(listened));
    });
  });
}
