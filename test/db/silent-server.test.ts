import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isPassing } from '../../api/http/failures.ts';
import { Database } from '../../db/client.ts';
import { createTestDatabase } from '../harness/database.ts';

/** A way to PostgreSQL that can go dead as a network does: it takes bytes and tells nobody that they go nowhere. */
class Network {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();
  isDead = false;

  constructor({ hostname, port }: URL) {
    this.server = createServer((near) => {
      const far = connect(Number(port), hostname);
      const toward = (to: Socket) => (bytes: Buffer) => void (this.isDead || to.write(bytes));
      near.on('data', toward(far)).on('error', () => undefined);
      far.on('data', toward(near)).on('error', () => undefined);
      for (const socket of [near, far]) this.sockets.add(socket);
    });
  }

  async open(): Promise<number> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return (this.server.address() as AddressInfo).port;
  }

  die(): void {
    this.isDead = true;
  }

  revive(): void {
    this.isDead = false;
  }

  close(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
}

const database = await createTestDatabase();

async function throughNetwork(): Promise<{ db: Database; network: Network }> {
  const url = new URL(database.applicationUrl);
  const network = new Network(url);
  url.port = String(await network.open());
  url.hostname = '127.0.0.1';
  const db = new Database({ url: url.href, applicationName: 'silent', poolMax: 2, silenceMaxMs: 500 });
  onTestFinished(async () => {
    network.revive();
    await db.close();
    network.close();
  });
  return { db, network };
}

test('a server that says nothing more fails what waits for it, and its connections are others’ again', async () => {
  const { db, network } = await throughNetwork();
  const read = () => db.directory.raw(null, 'SELECT 1');
  const write = () => db.withEnvironment(database.tenant, (tx) => tx.raw(null, 'SELECT 1'));
  await Promise.all([read(), write()]);
  network.die();
  const [ofRead, ofWrite] = await Promise.allSettled([read(), write()]);
  for (const outcome of [ofRead, ofWrite]) {
    expect(outcome).toMatchObject({ status: 'rejected' });
    expect(
      isPassing((outcome as PromiseRejectedResult).reason),
      String((outcome as PromiseRejectedResult).reason),
    ).toBe(true);
  }
  network.revive();
  await Promise.all([read(), write(), read(), write()]);
});

test('a pool whose server says nothing more is closed', async () => {
  const { db, network } = await throughNetwork();
  await db.directory.raw(null, 'SELECT 1');
  const waiting = db
    .withEnvironment(database.tenant, (tx) => {
      network.die(); // it holds a connection by now
      return tx.raw(null, 'SELECT 1');
    })
    .catch((error: unknown) => error);
  await expect.poll(() => network.isDead).toBe(true);
  await db.close();
  expect(await waiting).toMatchObject({ code: 'ETIMEDOUT' });
});
