import { beforeEach, describe, expect, test } from 'vitest';
import { everyCap } from '../../harness/in-flight-caps.ts';
import { takePlace, discountUntoldGrant, releasePlace } from '../../../db/in-flight/places.ts';
import { grantFreePlaces } from '../../../db/in-flight/directory.ts';
import { type InFlightCaps, UNCLAIMED_GRANTS_MAX } from '../../../domain/in-flight.ts';
import { createTestDatabase } from '../../harness/database.ts';

const database = await createTestDatabase({ poolMax: 20 });
const development = database.tenants.development;
beforeEach(() => database.asOwner('DELETE FROM lane_places'));

const ask = (holder: string, { tenant = development, most = 2, leaseMs = 60_000 } = {}): Promise<number | null> =>
  database.db.withEnvironment(tenant, (tx) => takePlace(tx, { kind: 'dispatch', holder, most, leaseMs }));
/** Asks until nobody else in the workspace is asking. */
async function acquire(...asked: Parameters<typeof ask>): Promise<number> {
  for (;;) {
    const position = await ask(...asked);
    if (position !== null) return position;
  }
}
/** Who was granted the place. */
const release = async (holder: string, { tenant = development, most = 2 } = {}): Promise<string | null> => {
  const released = { kind: 'dispatch', holder, most } as const;
  return (await database.db.withEnvironment(tenant, (tx) => releasePlace(tx, released)))?.holder ?? null;
};
const grantFree = async (most = 2): Promise<string[]> =>
  (await grantFreePlaces(database.db, everyCap(most))).map(({ holder }) => holder);
const lapse = (holder: string) =>
  database.asOwner('UPDATE lane_places SET expires_at = now() WHERE holder = $1', [holder]);

test('as many as the cap are taken, however many ask at once, and the others have each a position of their own', async () => {
  const positions = await Promise.all(Array.from({ length: 20 }, (_, n) => acquire(`inv_${n}`, { most: 5 })));
  expect(positions.sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, ...Array.from({ length: 15 }, (_, n) => n + 1)]);
});

test('first come, first served: a newcomer does not get a place that was granted to somebody in the queue', async () => {
  for (const holder of ['a', 'b']) expect(await acquire(holder)).toBe(0);
  expect([await acquire('c'), await acquire('d')]).toEqual([1, 2]);
  expect(await release('a')).toBe('c');
  expect(await acquire('e')).toBe(2);
  expect(await acquire('d')).toBe(1);
  expect(await acquire('c')).toBe(0);
});

test('two that release at once grant two, and never more than the cap', async () => {
  for (const holder of ['a', 'b']) await acquire(holder);
  for (const holder of ['c', 'd']) await acquire(holder);
  await acquire('e');
  expect((await Promise.all([release('a'), release('b')])).sort()).toEqual(['c', 'd']);
  expect(await acquire('e')).toBe(1);
});

test('who holds a place holds it when it asks again, and releases it once', async () => {
  for (const holder of ['a', 'b']) await acquire(holder);
  expect(await acquire('a')).toBe(0);
  await acquire('c');
  expect([await release('a'), await release('a')]).toEqual(['c', null]);
});

test('the place of a holder that died expires, and goes to who waits', async () => {
  await acquire('a', { leaseMs: 1 });
  await acquire('b');
  await expect.poll(() => acquire('c')).toBe(0);
  expect(await acquire('d')).toBe(1);
  expect(await grantFree()).toEqual([]);
  await lapse('c');
  expect(await grantFree()).toEqual(['d']);
  expect(await acquire('d')).toBe(0);
  // Its place is another's by now: the end of its call frees none.
  await acquire('e');
  expect(await release('c')).toBeNull();
});

test('a grant that nobody claims is granted again, and its holder keeps its turn, until it counts as gone', async () => {
  for (const holder of ['a', 'b']) await acquire(holder);
  for (const holder of ['c', 'd']) await acquire(holder);
  expect(await release('a')).toBe('c');
  expect(await grantFree()).toEqual([]);
  for (let lapses = 0; lapses < UNCLAIMED_GRANTS_MAX; lapses++) {
    await lapse('c');
    expect(await grantFree()).toEqual(['c']);
  }
  await lapse('c');
  expect(await grantFree()).toEqual(['d']);
});

test.each(['before', 'after'])(
  'grants that cannot be told, which their teller finds out %s they lapse, do not make their holder count as gone',
  async (found) => {
    const discount = (tenant = development) =>
      database.db.withEnvironment(tenant, (tx) => discountUntoldGrant(tx, { kind: 'dispatch', holder: 'c' }));
    for (const holder of ['a', 'b', 'c', 'd']) await acquire(holder);
    expect(await release('a')).toBe('c');
    for (let lapses = 0; lapses < UNCLAIMED_GRANTS_MAX + 2; lapses++) {
      if (found === 'before') await discount();
      await lapse('c');
      expect(await grantFree()).toEqual(['c']);
      if (found === 'after') await discount();
    }
  },
);

test('a lapse is taken back from its holder alone, and not for another environment', async () => {
  for (const holder of ['a', 'b', 'c']) await acquire(holder);
  await database.asOwner('UPDATE lane_places SET unclaimed_grants = 2');
  for (const tenant of [development, database.tenants.staging])
    await database.db.withEnvironment(tenant, (tx) => discountUntoldGrant(tx, { kind: 'dispatch', holder: 'c' }));
  expect(await database.asOwner('SELECT holder, unclaimed_grants AS lapses FROM lane_places ORDER BY holder')).toEqual([
    { holder: 'a', lapses: 2 },
    { holder: 'b', lapses: 2 },
    { holder: 'c', lapses: 1 },
  ]);
});

test('an ask and a release that do not see each other leave a free place, which is granted after', async () => {
  for (const holder of ['a', 'b']) await acquire(holder);
  await database.db.withEnvironment(development, async (tx) => {
    expect(await releasePlace(tx, { kind: 'dispatch', holder: 'a', most: 2 })).toBeNull();
    expect(await ask('c')).toBe(1);
  });
  expect(await grantFree()).toEqual(['c']);
  expect(await acquire('c')).toBe(0);
});

test('a worker that knows no cap of a kind grants none of it, and leaves them to one that does', async () => {
  for (const holder of ['a', 'b', 'c', 'd', 'e']) await acquire(holder);
  for (const holder of ['a', 'b']) await lapse(holder);
  const { dispatch: _unknown, ...caps } = everyCap(2);
  expect(await grantFreePlaces(database.db, caps as InFlightCaps)).toEqual([]);
  expect((await grantFree()).sort()).toEqual(['c', 'd']);
});

test('while somebody asks, nothing is granted beside it', async () => {
  for (const holder of ['a', 'b', 'c']) await acquire(holder);
  await lapse('a');
  await database.db.withEnvironment(development, async (tx) => {
    expect(await takePlace(tx, { kind: 'dispatch', holder: 'd', most: 2, leaseMs: 60_000 })).toBe(1);
    expect(await grantFree()).toEqual([]);
  });
  expect(await grantFree()).toEqual(['c']);
});

test('under a lower cap releases grant nothing until there is room, under a higher one all at once', async () => {
  for (const holder of ['a', 'b', 'c']) await acquire(holder, { most: 3 });
  for (const holder of ['d', 'e', 'f', 'g']) await acquire(holder, { most: 3 });
  expect(await release('a', { most: 2 })).toBeNull();
  expect(await release('b', { most: 2 })).toBe('d');
  expect(await grantFree(4)).toEqual(['e', 'f']);
});

test('environments of a workspace share its cap; another workspace has its own', async () => {
  const { staging } = database.tenants;
  const another = (await database.anotherWorkspace()).development;
  expect([await acquire('a'), await acquire('b', { tenant: staging })]).toEqual([0, 0]);
  expect(await acquire('c', { tenant: staging })).toBe(1);
  expect(await acquire('a', { tenant: another })).toBe(0);
  // One environment cannot release what another holds.
  expect(await release('a', { tenant: staging })).toBeNull();
  expect(await acquire('c', { tenant: staging })).toBe(1);
  expect(await release('a')).toBe('c');
});

test('what is rolled back has taken nothing', async () => {
  const failing = database.db.withEnvironment(development, async (tx) => {
    await takePlace(tx, { kind: 'dispatch', holder: 'a', most: 1, leaseMs: 60_000 });
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect(await acquire('b', { most: 1 })).toBe(0);
});

test('who asks while another transaction of the workspace is asking is told so at once, and has written nothing', async () => {
  const another = (await database.anotherWorkspace()).development;
  await database.db.withEnvironment(development, async (tx) => {
    await takePlace(tx, { kind: 'dispatch', holder: 'a', most: 2, leaseMs: 60_000 });
    // Awaited while the first transaction is open: a call that waited for that transaction would never return.
    expect(await ask('b')).toBeNull();
    expect(await ask('b', { tenant: database.tenants.staging })).toBeNull();
    expect(await ask('b', { tenant: another })).toBe(0);
  });
  expect(await database.asOwner(`SELECT holder FROM lane_places ORDER BY asked_at`)).toEqual([
    { holder: 'a' },
    { holder: 'b' },
  ]);
  expect(await ask('b')).toBe(0);
});

test('each kind has a cap of its own', async () => {
  const kinds = ['dispatch', 'maintenance', 'provider_read'] as const;
  for (const kind of kinds) {
    const acquired = await database.db.withEnvironment(development, (tx) =>
      takePlace(tx, { kind, holder: 'a', most: 1, leaseMs: 60_000 }),
    );
    expect(acquired).toBe(0);
  }
});

describe('where the statistics say that nobody waits, as after an autovacuum between two crowds', () => {
  const holders = Array.from({ length: 100 }, (_, n) => `h${String(n).padStart(3, '0')}`);
  const granted = async (): Promise<string[]> =>
    (await database.asOwner<{ holder: string }>('SELECT holder FROM lane_places WHERE is_taken ORDER BY holder')).map(
      ({ holder }) => holder,
    );
  beforeEach(async () => {
    await database.asOwner('VACUUM ANALYZE lane_places');
    for (const holder of holders) await acquire(holder, { most: 1 });
  });

  test('a release grants one', async () => {
    expect(await release('h000', { most: 1 })).toBe('h001');
    expect(await granted()).toEqual(['h001']);
  });

  test('as many are granted as are free', async () => {
    expect(await grantFree(4)).toEqual(['h001', 'h002', 'h003']);
    expect(await granted()).toEqual(['h000', 'h001', 'h002', 'h003']);
  });
});
