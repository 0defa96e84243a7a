import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../../domain/errors.ts';
import { deleteKey, ensureKeys } from '../../../db/flow-control/changes.ts';
import { PARALLELISM_MAX } from '../../../domain/flow-control/flow-control.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { LaneWorld } from './world.ts';

/** What the limits of a flow-control key let through, and what holds it. */

const database = await createTestDatabase();
const retry = (delayMs: number) => ({ kind: 'retry', error: 'it answered 500', delayMs, isAgain: false }) as const;

describe('rate and parallelism', () => {
  test('60 messages at 10 a minute with parallelism 20: ten of each window, in order, to the message', async () => {
    const world = await LaneWorld.of(database);
    const key = await world.key({ rate: 10, parallelism: 20 });
    const ids = await world.publish(60, key);
    for (let minute = 0; minute < 6; minute++) {
      const claim = await world.claim();
      expect(claim.ids).toEqual(ids.slice(minute * 10, minute * 10 + 10));
      expect(claim.isLeft).toBe(false); // nothing but time lets the next ones through
      expect(claim.nextInMs === null ? 'nothing waits' : claim.nextInMs > 50_000).toBe(
        minute === 5 ? 'nothing waits' : true,
      );
      expect(await world.read(key)).toMatchObject({ windowCount: 10, inFlight: 10, waiting: 50 - minute * 10 });
      await world.end(claim.attempts);
      await world.letTimePass(30);
      expect((await world.claim()).ids).toEqual([]);
      await world.letTimePass(30);
    }
  });

  test('with parallelism 5 five go out at once, and five more as those answer', async () => {
    const world = await LaneWorld.of(database);
    const ids = await world.publish(60, await world.key({ rate: 10, parallelism: 5 }));
    const first = await world.claim();
    expect(first.ids).toEqual(ids.slice(0, 5));
    expect(await world.claim()).toMatchObject({ ids: [], isLeft: true });
    await world.end(first.attempts);
    // All places and all calls of the window are taken: its end is known before one of these has answered.
    const second = await world.claim();
    expect([second.ids, second.isLeft]).toEqual([ids.slice(5, 10), false]);
    expect(second.nextInMs).toBeGreaterThan(50_000);
  });

  test('parallelism 1 keeps the order: by due time, then as published; a retry stands at its time', async () => {
    const world = await LaneWorld.of(database);
    const key = await world.key({ parallelism: 1 });
    const [first, second] = await world.publish(2, key);
    const [later] = await world.publish(1, key, { scheduledFor: new Date(Date.now() + 30_000) });
    const sent: (string | undefined)[] = [];
    const next = async (outcome?: ReturnType<typeof retry>): Promise<void> => {
      const { ids, attempts } = await world.claim();
      expect(await world.claim()).toMatchObject({ ids: [] });
      sent.push(ids[0]);
      await world.end(attempts, outcome);
    };
    await next(retry(40_000));
    await next();
    await next(); // nothing is due
    await world.letTimePass(71); // half a minute after both are due: Temporal has handed neither over
    await next();
    await next();
    expect(sent).toEqual([first, second, undefined, later, first]);
  });

  test('a key without limits has the installation’s parallelism', async () => {
    const world = await LaneWorld.of(database);
    await world.publish(PARALLELISM_MAX + 1, await world.key({}));
    let claimed = 0;
    for (let more = true; more;) {
      const { ids } = await world.claim({ share: 5_000 });
      claimed += ids.length;
      more = ids.length > 0;
    }
    expect(claimed).toBe(PARALLELISM_MAX);
  });

  test('lower limits do not stop what is in flight; a higher one and a reset let more through at once', async () => {
    const world = await LaneWorld.of(database);
    const key = await world.key({ rate: 3, parallelism: 3 });
    const ids = await world.publish(7, key);
    const { attempts } = await world.claim();
    await world.change(key, { rate: { rate: 1, periodSeconds: 60 }, parallelism: 1 });
    expect(await world.read(key)).toMatchObject({ inFlight: 3, windowCount: 3 });
    await world.end(attempts.slice(0, 2));
    await world.change(key, { resetsWindow: true });
    expect((await world.claim()).ids).toEqual([]); // one is in flight
    await world.change(key, { parallelism: 3 });
    expect((await world.claim()).ids).toEqual([ids[3]]); // the rate is 1
    await world.change(key, { resetsWindow: true, rate: { rate: 2, periodSeconds: 60 } });
    expect((await world.claim()).ids).toEqual([ids[4]]); // two were in flight
  });

  test('messages change the limits of their key, and none that are pinned', async () => {
    const world = await LaneWorld.of(database);
    const key = await world.key({ rate: 5, parallelism: 5 });
    const send = () =>
      world.inTransaction(world.tenant, (tx) =>
        ensureKeys(tx, [{ key: 'key-0', limits: { rate: { rate: 9, periodSeconds: 1 }, parallelism: 9 } }]),
      );
    await world.change(key, { ratePinned: true });
    await send();
    expect(await world.read(key)).toMatchObject({ rate: 5, periodSeconds: 60, parallelism: 9 });
    await world.change(key, { ratePinned: false, parallelism: 5, parallelismPinned: true });
    await send();
    expect(await world.read(key)).toMatchObject({ rate: 9, periodSeconds: 1, parallelism: 5 });
  });
});

describe('what holds a key', () => {
  test('a pause, which keeps the place of each, also of what is published meanwhile', async () => {
    const world = await LaneWorld.of(database);
    const key = await world.key({ parallelism: 2 });
    await world.change(key, { paused: true });
    const ids = [...(await world.publish(2, key)), ...(await world.publish(1, key))];
    expect(await world.claim()).toMatchObject({ ids: [], isLeft: false, nextInMs: null });
    await world.change(key, { paused: false });
    expect((await world.claim()).ids).toEqual(ids.slice(0, 2));
  });

  test('Retry-After, for all messages of the key; the longest one counts', async () => {
    const world = await LaneWorld.of(database);
    const key = await world.key({ parallelism: 2 });
    const [first = '', second = '', third = ''] = await world.publish(3, key);
    const { attempts } = await world.claim();
    const attemptOf = (id: string) => attempts.filter((attempt) => attempt.id === id);
    await world.end(attemptOf(first), retry(40_000), 40_000);
    await world.end(attemptOf(second), { kind: 'delivered' }, 1_000);
    const held = await world.claim();
    expect([held.ids, held.isLeft]).toEqual([[], false]);
    expect(held.nextInMs).toBeGreaterThan(30_000);
    await world.letTimePass(39);
    expect((await world.claim()).ids).toEqual([]);
    await world.letTimePass(1);
    expect((await world.claim()).ids).toEqual([third]);
    await world.letTimePass(30);
    expect((await world.claim()).ids).toEqual([first]);
  });
});

describe('the status of a key says when its next message may be sent:', () => {
  const NOTHING = 'at no time';
  const cases: [string, (world: LaneWorld, key: string) => Promise<unknown>, number | typeof NOTHING][] = [
    ['at once', () => Promise.resolve(), 0],
    ['never while it is paused', (world, key) => world.change(key, { paused: true }), NOTHING],
    ['when its window ends', (world) => world.claim(), 60],
    [
      'when its hold ends',
      async (world) => {
        const { attempts } = await world.claim({ most: 1 });
        await world.end(attempts, { kind: 'delivered' }, 90_000);
      },
      90,
    ],
    [
      'when an attempt ends, whose time nobody knows',
      async (world, key) => {
        await world.claim({ most: 1 });
        await world.change(key, { parallelism: 1 });
      },
      NOTHING,
    ],
  ];
  test.each(cases)('%s', async (_when, prepare, expected) => {
    const world = await LaneWorld.of(database);
    const key = await world.key({ rate: 2 });
    await world.publish(4, key);
    await prepare(world, key);
    const { nextGrantAt } = await world.status(key);
    const inSeconds = nextGrantAt === null ? null : (nextGrantAt.getTime() - Date.now()) / 1_000;
    expect(inSeconds === null ? NOTHING : Math.ceil(inSeconds / 30) * 30 + 0).toBe(expected);
  });
});

test('a key with messages is not deleted, also where the first one is published meanwhile', async () => {
  const world = await LaneWorld.of(database);
  const key = await world.key({});
  const remove = () => world.inTransaction(world.tenant, (tx) => deleteKey(tx, key));
  const refused = { constructor: ServiceError, code: 'CONFLICT' };
  await world.publish(1, key);
  await expect(remove()).rejects.toMatchObject(refused);
  const { attempts } = await world.claim();
  await expect(remove()).rejects.toMatchObject(refused);
  await world.end(attempts);
  await remove();
  await expect(world.publish(1, key)).rejects.toThrow(/lane_queue_lane/);
});
