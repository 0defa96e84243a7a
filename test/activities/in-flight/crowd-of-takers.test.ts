import { afterAll, beforeAll, expect, test } from 'vitest';
import { PermitTakers } from '../../../activities/in-flight/permit-takers.ts';
import { Database, type EnvironmentTransaction } from '../../../db/client.ts';
import { acquirePermit } from '../../../db/in-flight/acquire-permit.ts';
import { ACCEPTED, ActivityWorld, adapterThat } from '../invocations/world.ts';

/** A workspace with a crowd that asks for permits does not use up the worker's connections. */

const CROWD = 20;
const POOL_MAX = 3;

let world: ActivityWorld;
let db: Database;
beforeAll(async () => {
  world = await ActivityWorld.start();
  db = new Database({ url: world.database.applicationUrl, applicationName: 'test-crowd', poolMax: POOL_MAX });
});
afterAll(async () => {
  await db.close();
  await world.close();
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
    await acquirePermit(tx, { kind: 'dispatch', holder: 'inv_stalled', most: 20, leaseMs: 60_000 });
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
    permitTakers: new PermitTakers({ takingMsMax: 60_000 }),
  });
  const stalled = await stalledTaker();
  const dispatches = refs.map((ref) => dispatchEffect({ ...ref, settles: true }));
  try {
    const another = (await world.database.anotherWorkspace()).development;
    for (let asked = 0; asked < CROWD; asked++) {
      // Fails where no connection is free within ten seconds, and would wait forever for the stalled transaction.
      const position = await db.withEnvironment(another, (tx) =>
        acquirePermit(tx, { kind: 'dispatch', holder: `inv_${asked}`, most: CROWD, leaseMs: 60_000 }),
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
  const { dispatchEffect } = world.activities({ db, adapterFor, permitTakers: new PermitTakers({ takingMsMax: 100 }) });
  const stalled = await stalledTaker();
  try {
    const seen = await Promise.all(refs.map((ref) => dispatchEffect(ref)));
    expect(seen).toEqual(Array.from({ length: CROWD }, () => ({ seen: 'no_permit', lookAgainMs: 1_000 })));
  } finally {
    await stalled.end();
  }
  expect(sent).toEqual([]);
});

test('a taker that fails fails alone', async () => {
  const takers = new PermitTakers();
  const order: number[] = [];
  const takes = [1, 2, 3].map((n) =>
    takers.inTurn('workspace', 'dispatch', () => {
      order.push(n);
      return n === 2 ? Promise.reject(new Error('the database is away')) : Promise.resolve({ n });
    }),
  );
  expect((await Promise.allSettled(takes)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(order).toEqual([1, 2, 3]);
});
