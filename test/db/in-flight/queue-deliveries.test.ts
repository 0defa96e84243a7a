import { beforeEach, describe, expect, test } from 'vitest';
import { everyCap } from '../../harness/in-flight-caps.ts';
import {
  takePlace,
  queueBehindMany,
  queueBehindOthers,
  queueDeliveries,
  releasePlace,
} from '../../../db/in-flight/places.ts';
import { grantFreePlaces } from '../../../db/in-flight/directory.ts';
import { createTestDatabase } from '../../harness/database.ts';

const MOST = 2;

const database = await createTestDatabase();
beforeEach(() => database.asOwner('DELETE FROM lane_places'));

const queue = (...ids: string[]): Promise<string[] | null> =>
  database.db.oneStatement(database.tenant, (tx) => queueDeliveries(tx, ids, MOST));
const queueBehind = (...ids: string[]): Promise<string[]> =>
  database.db.oneStatement(database.tenant, (tx) => queueBehindOthers(tx, ids));
const acquire = (holder: string): Promise<number | null> =>
  database.db.withEnvironment(database.tenant, (tx) =>
    takePlace(tx, { kind: 'delivery', holder, most: MOST, leaseMs: 60_000 }),
  );
const release = async (holder: string): Promise<string | null> =>
  (await database.db.oneStatement(database.tenant, (tx) => releasePlace(tx, { kind: 'delivery', holder, most: MOST })))
    ?.holder ?? null;
const rows = () =>
  database.asOwner<{ holder: string; taken: boolean }>(
    'SELECT holder, is_taken AS taken FROM lane_places ORDER BY asked_at, holder',
  );

test('where nobody waits all are to be started, and none is in the queue', async () => {
  await acquire('running');
  expect(await queueBehind('z', 'a')).toEqual(['z', 'a']);
  expect(await rows()).toEqual([{ holder: 'running', taken: true }]);
});

test('behind others that wait all queue in the given order, and each release grants the next', async () => {
  for (const holder of ['first', 'second', 'waits']) await acquire(holder);
  expect(await queueBehind('z', 'a', 'm')).toEqual([]);
  expect(await release('first')).toBe('waits');
  expect([await release('second'), await release('waits'), await release('z')]).toEqual(['z', 'a', 'm']);
  expect(await acquire('m')).toBe(0);
});

describe('a message in the transaction that accepts it', () => {
  const accept = (id: string) => database.db.withEnvironment(database.tenant, (tx) => queueBehindMany(tx, id));
  const waiting = async (count: number): Promise<string[]> => {
    for (const holder of ['running', 'also-running']) await acquire(holder);
    const ids = Array.from({ length: count }, (_, n) => `waits-${n}`);
    for (const id of ids) await acquire(id);
    return ids;
  };

  test('is to be started where nobody waits', async () => {
    await waiting(0);
    expect(await accept('mine')).toBe('nobody_waits');
    expect(await rows()).toHaveLength(2);
  });

  test('asks after the commit where few wait: the last of them might be granted before it', async () => {
    await waiting(99);
    expect(await accept('mine')).toBeNull();
    expect(await rows()).toHaveLength(101);
  });

  test('queues behind many, and is granted in its turn', async () => {
    const ids = await waiting(100);
    expect([await accept('mine'), await accept('mine')]).toEqual(['queued', 'queued']);
    const granted: (string | null)[] = [];
    for (const holder of ['running', 'also-running', ...ids]) granted.push(await release(holder));
    expect(granted).toEqual([...ids, 'mine', null]);
  });

  test('leaves nothing in the queue where it is not accepted', async () => {
    await waiting(100);
    const accepting = database.db.withEnvironment(database.tenant, async (tx) => {
      expect(await queueBehindMany(tx, 'mine')).toBe('queued');
      throw new Error('refused');
    });
    await expect(accepting).rejects.toThrow('refused');
    expect((await rows()).map(({ holder }) => holder)).not.toContain('mine');
  });
});

test('of a batch the first are granted what is free of the cap; they hold it, and the others wait behind them', async () => {
  await acquire('running');
  expect(await queue('z', 'a', 'm')).toEqual(['z']);
  expect(await acquire('newcomer')).toBe(3);
  expect(await acquire('z')).toBe(0);
  expect((await rows()).filter(({ taken }) => taken)).toHaveLength(MOST);
  expect([await release('running'), await release('z')]).toEqual(['a', 'm']);
});

test('asked again, who queues keeps its place and nobody is granted twice', async () => {
  expect(await queue('z', 'a', 'm', 'b')).toEqual(['z', 'a']);
  expect(await queue('z', 'a', 'm', 'b')).toEqual([]);
  expect(await rows()).toEqual(['z', 'a', 'm', 'b'].map((holder, at) => ({ holder, taken: at < MOST })));
});

test('a grant whose message was not started, for a crash, is granted and told again', async () => {
  expect(await queue('z', 'a', 'm')).toEqual(['z', 'a']);
  await database.asOwner(`UPDATE lane_places SET expires_at = now() WHERE holder = 'z'`);
  const granted = await grantFreePlaces(database.db, everyCap(MOST));
  expect(granted).toEqual([{ kind: 'delivery', holder: 'z', ...database.tenant }]);
});

test('while another transaction of the workspace asks, nothing is granted and nothing written', async () => {
  await database.db.withEnvironment(database.tenant, async (tx) => {
    await takePlace(tx, { kind: 'delivery', holder: 'asking', most: MOST, leaseMs: 60_000 });
    expect(await queue('z')).toBeNull();
  });
  expect(await rows()).toEqual([{ holder: 'asking', taken: true }]);
});
