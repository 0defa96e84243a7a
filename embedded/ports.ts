import { createServer } from 'node:net';

export const LOOPBACK = '127.0.0.1';

/** A port that nothing listens on now. Another process may take it before it is used: callers retry where they can. */
export async function freePort(host = LOOPBACK): Promise<number> {
  const port = await tryListen(0, host);
  if (port === null) throw new Error(`no free port could be opened on ${host}`);
  return port;
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
