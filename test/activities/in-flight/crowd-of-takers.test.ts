import { afterAll, describe, expect, test } from 'vitest';
import { LaneTakers, Queued } from '../../../activities/lane-takers.ts';
import { Database, type EnvironmentTransaction } from '../../../db/client.ts';
import { takePlace } from '../../../db/in-flight/places.ts';
import { newId } from '../../../domain/ids.ts';
import { LOOK_AGAIN_MS } from '../../../domain/in-flight.ts';
import { ACCEPTED, ActivityWorld, adapterThat } from '../invocations/world.ts';

/** A workspace with a crowd that asks for places does not use up the worker's connections. */

const CROWD = 20;
const POOL_MAX = 3;

const world = await ActivityWorld.start();
const db = new Database({ url: world.database.applicationUrl, applicationName: 'test-crowd', poolMax: POOL_MAX });
afterAll(async () => {
  await db.close();
});

/** Another process of the workspace that asks, and does not end its transaction before `end`. */
async function stalledTaker(): Promise<{ end(): Promise<void> }> {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let isAsking: (tx: EnvironmentTransaction) => void = () => undefined;
  const asking = new Promise((resolve) => {
    isAsking = resolve;
  });
  const transaction = world.transaction(async (tx) => {
    await takePlace(tx, { kind: 'dispatch', holder: newId('invocation'), most: 20, leaseMs: 60_000 });
    isAsking(tx);
    await ended;
  });
  await asking;
  return {
    end: () => {
      end();
      return transaction;
    },
  };
}

test('while another process of their workspace asks, the others have the connections; then each is sent once', async () => {
  const { adapterFor, sent } = adapterThat(() => Promise.resolve(ACCEPTED));
  const refs = await Promise.all(Array.from({ length: CROWD }, () => world.ready()));
  const { dispatchEffect } = world.activities({
    db,
    adapterFor,
    laneTakers: new LaneTakers({ takingMsMax: 60_000 }),
  });
  const stalled = await stalledTaker();
  const dispatches = refs.map((ref) => dispatchEffect({ ...ref, settles: true }));
  try {
    const another = (await world.database.anotherWorkspace()).development;
    for (let asked = 0; asked < CROWD; asked++) {
      // Fails where no connection is free within ten seconds, and would wait forever for the stalled transaction.
      const position = await db.withEnvironment(another, (tx) =>
        takePlace(tx, { kind: 'dispatch', holder: `inv_${asked}`, most: CROWD, leaseMs: 60_000 }),
      );
      expect(position).toBe(0);
    }
    expect(sent).toEqual([]);
  } finally {
    await stalled.end();
  }
  const seen = (await Promise.all(dispatches)).map((dispatched) => dispatched.seen);
  expect(seen).toEqual(Array.from({ length: CROWD }, () => 'settled'));
  expect(sent).toHaveLength(CROWD);
});

test('a taker that finds others asking for too long has claimed nothing, and its workflow asks again', async () => {
  const { adapterFor, sent } = adapterThat(() => Promise.resolve(ACCEPTED));
  const refs = await Promise.all(Array.from({ length: CROWD }, () => world.ready()));
  const { dispatchEffect } = world.activities({ db, adapterFor, laneTakers: new LaneTakers({ takingMsMax: 100 }) });
  const stalled = await stalledTaker();
  try {
    const seen = await Promise.all(refs.map((ref) => dispatchEffect(ref)));
    expect(seen).toEqual(Array.from({ length: CROWD }, () => ({ seen: 'no_place', lookAgainMs: 1_000 })));
  } finally {
    await stalled.end();
  }
  expect(sent).toEqual([]);
});

const taker = (holder: string) => ({ workspaceId: 'workspace', kind: 'dispatch', holder, most: 2 }) as const;

test('a taker that fails fails alone', async () => {
  const takers = new LaneTakers();
  const order: number[] = [];
  const takes = [1, 2, 3].map((n) =>
    takers.inTurn(taker(`inv_${n}`), () => {
      order.push(n);
      return n === 2 ? Promise.reject(new Error('the database is away')) : Promise.resolve({ n });
    }),
  );
  expect((await Promise.allSettled(takes)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(order).toEqual([1, 2, 3]);
});

describe('a taker that queues', () => {
  test('near the head of the queue is told in its process, and takes its place without a wait in its workflow', async () => {
    const takers = new LaneTakers({ nearWaitsMs: { untilAskedAgain: 60_000, untilLeft: 60_000 } });
    let takes = 0;
    const taking = takers.inTurn(taker('inv_1'), () => Promise.resolve(++takes === 1 ? new Queued(2) : { n: takes }));
    // Somebody else has its turn meanwhile.
    expect(await takers.inTurn(taker('inv_2'), () => Promise.resolve('taken'))).toBe('taken');
    expect(takers.tell('dispatch', 'inv_1')).toBe(true);
    expect(await taking).toEqual({ n: 2 });
    expect(takers.tell('dispatch', 'inv_1')).toBe(false);
  });

  test('and is told before it waits does not wait', async () => {
    const takers = new LaneTakers({ nearWaitsMs: { untilAskedAgain: 60_000, untilLeft: 60_000 } });
    let takes = 0;
    const taken = await takers.inTurn(taker('inv_1'), () => {
      takers.tell('dispatch', 'inv_1');
      return Promise.resolve(++takes === 1 ? new Queued(1) : { n: takes });
    });
    expect(taken).toEqual({ n: 2 });
  });

  test('and is told during its last ask asks once more', async () => {
    const takers = new LaneTakers({ nearWaitsMs: null });
    let takes = 0;
    const taken = await takers.inTurn(taker('inv_1'), () => {
      if (takes === 0) takers.tell('dispatch', 'inv_1');
      return Promise.resolve(++takes === 1 ? new Queued(1) : { n: takes });
    });
    expect(taken).toEqual({ n: 2 });
  });

  test('far back leaves its slot at once', async () => {
    const takers = new LaneTakers({ nearWaitsMs: { untilAskedAgain: 60_000, untilLeft: 60_000 } });
    const answer = await takers.inTurn(taker('inv_1'), () => Promise.resolve(new Queued(3)));
    expect(answer).toEqual({ seen: 'no_place', lookAgainMs: LOOK_AGAIN_MS });
  });

  test('and is not told asks once more by itself, then leaves its slot', async () => {
    const takers = new LaneTakers({ nearWaitsMs: { untilAskedAgain: 1, untilLeft: 1 } });
    let takes = 0;
    const answer = await takers.inTurn(taker('inv_1'), () => {
      takes++;
      return Promise.resolve(new Queued(1));
    });
    expect(answer).toEqual({ seen: 'no_place', lookAgainMs: LOOK_AGAIN_MS });
    expect(takes).toBe(2);
  });
});
