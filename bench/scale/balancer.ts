import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface Balancer {
  port: number;
  /** Connections that each port was given, in the order of the ports. */
  given: readonly number[];
  close(): Promise<void>;
}

/** A TCP balancer as plain as one can be: each new connection goes to the next port, whatever it carries. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const given = ports.map(() => 0);
  const sockets = new Set<Socket>();
  let next = 0;
  const server = createServer((near) => {
    const at = next++ % ports.length;
    given[at] = (given[at] ?? 0) + 1;
    const far = connect(ports[at] ?? 0, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true).pipe(to);
      from.once('error', () => to.destroy()).once('close', () => sockets.delete(from));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { port: (server.address() as AddressInfo).port, given, close };
}
