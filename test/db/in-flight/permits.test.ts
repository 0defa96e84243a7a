import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Tenant } from '../../../db/client.ts';
import { releasePermit } from '../../../db/in-flight/release-permit.ts';
import { acquirePermit } from '../../../db/in-flight/acquire-permit.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';

let database: TestDatabase;
let development: Tenant;
beforeAll(async () => {
  database = await createTestDatabase({ poolMax: 20 });
  development = database.tenants.development;
});
afterAll(() => database.close());
beforeEach(() => database.asOwner('DELETE FROM in_flight_permits'));

const ask = (holder: string, { tenant = development, most = 2, leaseMs = 60_000 } = {}): Promise<number | null> =>
  database.db.withEnvironment(tenant, (tx) => acquirePermit(tx, { kind: 'dispatch', holder, most, leaseMs }));
/** Asks until nobody else in the workspace is asking. */
async function acquire(...asked: Parameters<typeof ask>): Promise<number> {
  for (;;) {
    const position = await ask(...asked);
    if (position !== null) return position;
  }
}
const release = (holder: string, tenant = development) =>
  database.db.withEnvironment(tenant, (tx) => releasePermit(tx, 'dispatch', holder));

test('as many as the cap are taken, however many ask at once, and the others have each a position of their own', async () => {
  const positions = await Promise.all(Array.from({ length: 20 }, (_, n) => acquire(`inv_${n}`, { most: 5 })));
  expect(positions.sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, ...Array.from({ length: 15 }, (_, n) => n + 1)]);
});

test('first come, first served: a newcomer does not get a permit that somebody in the queue is told of', async () => {
  for (const holder of ['a', 'b']) expect(await acquire(holder)).toBe(0);
  expect([await acquire('c'), await acquire('d')]).toEqual([1, 2]);
  expect(await release('a')).toBe('c');
  expect(await acquire('e')).toBe(2);
  expect(await acquire('d')).toBe(1);
  expect(await acquire('c')).toBe(0);
});

test('two that release at once tell two', async () => {
  for (const holder of ['a', 'b']) await acquire(holder);
  for (const holder of ['c', 'd']) await acquire(holder);
  expect((await Promise.all([release('a'), release('b')])).sort()).toEqual(['c', 'd']);
});

test('who holds a permit holds it when it asks again, and releases it once', async () => {
  for (const holder of ['a', 'b']) await acquire(holder);
  expect(await acquire('a')).toBe(0);
  await acquire('c');
  expect([await release('a'), await release('a')]).toEqual(['c', null]);
});

test('the permit of a holder that died expires, and who waited and is gone keeps nobody waiting', async () => {
  await acquire('a', { leaseMs: 1 });
  await acquire('b');
  await expect.poll(() => acquire('c')).toBe(0);
  expect(await acquire('gone')).toBe(1);
  expect(await acquire('d')).toBe(2);
  await database.asOwner(`UPDATE in_flight_permits SET expires_at = now() - interval '1 second' WHERE holder = 'gone'`);
  expect(await acquire('d')).toBe(1);
  expect(await release('b')).toBe('d');
  expect(await acquire('d')).toBe(0);
});

test('environments of a workspace share its cap; another workspace has its own', async () => {
  const { staging } = database.tenants;
  const another = (await database.anotherWorkspace()).development;
  expect([await acquire('a'), await acquire('b', { tenant: staging })]).toEqual([0, 0]);
  expect(await acquire('c', { tenant: staging })).toBe(1);
  expect(await acquire('a', { tenant: another })).toBe(0);
  // One environment cannot release what another holds.
  expect(await release('a', staging)).toBeNull();
  expect(await acquire('c', { tenant: staging })).toBe(1);
  expect(await release('a')).toBe('c');
});

test('what is rolled back has taken nothing', async () => {
  const failing = database.db.withEnvironment(development, async (tx) => {
    await acquirePermit(tx, { kind: 'dispatch', holder: 'a', most: 1, leaseMs: 60_000 });
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect(await acquire('b', { most: 1 })).toBe(0);
});

test('who asks while another transaction of the workspace is asking is told so at once, and has written nothing', async () => {
  const another = (await database.anotherWorkspace()).development;
  await database.db.withEnvironment(development, async (tx) => {
    await acquirePermit(tx, { kind: 'dispatch', holder: 'a', most: 2, leaseMs: 60_000 });
    // Awaited while the first transaction is open: a call that waited for that transaction would never return.
    expect(await ask('b')).toBeNull();
    expect(await ask('b', { tenant: database.tenants.staging })).toBeNull();
    expect(await ask('b', { tenant: another })).toBe(0);
  });
  expect(await database.asOwner(`SELECT holder FROM in_flight_permits ORDER BY asked_at`)).toEqual([
    { holder: 'a' },
    { holder: 'b' },
  ]);
  expect(await ask('b')).toBe(0);
});

test('each kind has a cap of its own', async () => {
  const kinds = ['dispatch', 'delivery', 'provider_read'] as const;
  for (const kind of kinds) {
    const acquired = await database.db.withEnvironment(development, (tx) =>
      acquirePermit(tx, { kind, holder: 'a', most: 1, leaseMs: 60_000 }),
    );
    expect(acquired).toBe(0);
  }
});
