import { beforeEach, describe, expect, test } from 'vitest';
import { everyCap } from '../../harness/in-flight-caps.ts';
import { keepPlaces } from '../../../activities/in-flight/keep-places.ts';
import { LaneTakers } from '../../../activities/lane-takers.ts';
import type { DispatchResult, ReadBackResult } from '../../../activities/adapters/adapter.ts';
import { REPLAY_NOT_TAKEN_UP } from '../../../activities/reconciliation/send-replay.ts';
import { claimReplay, startReplay } from '../../../db/attempts/replays.ts';
import { REPLAY_MARGIN_SECONDS } from '../../../domain/reconciliation/replay.ts';
import { claimDispatch } from '../../../db/attempts/dispatches.ts';
import { takePlace } from '../../../db/in-flight/places.ts';
import { type InFlightKind, UNCLAIMED_GRANTS_MAX } from '../../../domain/in-flight.ts';
import { NEVER_TAKEN_UP } from '../../../domain/settlement.ts';
import { ACCEPTED, activityEnvironment, ActivityWorld, adapterThat } from '../invocations/world.ts';

/** A place in flight, or the position in the queue for one, ends together with the call it was requested for, whatever the outcome. */

const world = await ActivityWorld.start();
beforeEach(() => world.database.asOwner('DELETE FROM lane_places'));

const places = (holder: string) =>
  world.database.asOwner<{ taken: boolean }>('SELECT is_taken AS taken FROM lane_places WHERE holder = $1', [holder]);
const take = (kind: InFlightKind, holder: string, most = 1) =>
  world.transaction((tx) => takePlace(tx, { kind, holder, most, leaseMs: 600_000 }));
/** A grant does not lapse while its holder is being tested, however slow the machine is. */
const hold = (holder: string) =>
  world.database.asOwner(`UPDATE lane_places SET expires_at = 'infinity' WHERE holder = $1`, [holder]);
/** An activity's dependencies with at most one call of a kind in flight per workspace; `told` lists the workflows notified of a place. */
function onePlace() {
  const told: string[] = [];
  const tellWaiter = (_kind: InFlightKind, holder: string): Promise<boolean> => {
    told.push(holder);
    return Promise.resolve(!holder.includes('gone'));
  };
  const laneTakers = new LaneTakers({ nearWaitsMs: null });
  return {
    told,
    overrides: {
      inFlightCaps: everyCap(1),
      laneTakers,
      tellWaiter,
    },
  };
}

describe('a dispatch', () => {
  test('in the queue claims nothing, and is sent when it asks again once the place is free', async () => {
    const { overrides } = onePlace();
    const ref = await world.ready();
    const { adapterFor, sent } = adapterThat(() => Promise.resolve(ACCEPTED));
    await take('dispatch', 'inv_before');
    const { dispatchEffect } = world.activities({ ...overrides, adapterFor });
    expect(await dispatchEffect(ref)).toMatchObject({ seen: 'no_place' });
    expect(sent).toEqual([]);
    expect(await places(ref.invocationId)).toEqual([{ taken: false }]);
    await world.database.asOwner(`DELETE FROM lane_places WHERE holder = 'inv_before'`);
    expect(await dispatchEffect(ref)).toMatchObject({ seen: 'recorded', outcome: 'succeeded' });
    expect(sent).toHaveLength(1);
    expect(await places(ref.invocationId)).toEqual([]);
  });

  test('that waited too long is failed and leaves the queue; what comes later sends nothing', async () => {
    const { told, overrides } = onePlace();
    const ref = await world.ready();
    const { adapterFor, sent } = adapterThat(() => Promise.resolve(ACCEPTED));
    const { dispatchEffect, settleInvocation } = world.activities({ ...overrides, adapterFor });
    await take('dispatch', 'inv_before');
    expect(await dispatchEffect(ref)).toMatchObject({ seen: 'no_place' });
    await take('dispatch', 'inv_behind');
    expect(await settleInvocation(ref)).toMatchObject({ status: 'failed', grade: 'failed' });
    expect((await world.recorded(ref)).attempts).toMatchObject([{ claimed: false, error: NEVER_TAKEN_UP }]);
    expect(await places(ref.invocationId)).toEqual([]);
    expect(told).toEqual([]); // it held no place that somebody could have
    // A second execution of it does not queue, because there is nothing for it to claim.
    expect(await dispatchEffect(ref)).toEqual({ seen: 'claimed_elsewhere' });
    expect(await places(ref.invocationId)).toEqual([]);
    expect(sent).toEqual([]);
  });

  test('whose worker was lost releases its place when its outcome is settled as unknown', async () => {
    const { told, overrides } = onePlace();
    const ref = await world.ready();
    await take('dispatch', ref.invocationId);
    expect(await world.transaction((tx) => claimDispatch(tx, ref.invocationId))).not.toBeNull();
    await take('dispatch', 'inv_behind');
    expect(await world.activities(overrides).settleInvocation(ref)).toMatchObject({ status: 'unknown' });
    expect(await places(ref.invocationId)).toEqual([]);
    expect(told).toEqual(['inv_behind']);
  });

  test('whose next waiter has ended gives its place to the one behind', async () => {
    const { told, overrides } = onePlace();
    const ref = await world.ready();
    await take('dispatch', ref.invocationId);
    for (const holder of ['inv_gone', 'inv_gone_too', 'inv_behind']) await take('dispatch', holder);
    await world.activities(overrides).settleInvocation(ref);
    expect(told).toEqual(['inv_gone', 'inv_gone_too', 'inv_behind']);
    expect(await places('inv_gone')).toEqual([]);
    expect(await places('inv_behind')).toEqual([{ taken: true }]);
  });

  test('whose next waiter is in another process, without a workflow, keeps the grant for it', async () => {
    const { overrides } = onePlace();
    const [ref, plain] = [await world.ready(), await world.ready()];
    for (const { invocationId } of [ref, plain]) await take('dispatch', invocationId);
    const tellWaiter = (): Promise<boolean> => Promise.resolve(false);
    await world.activities({ ...overrides, tellWaiter }).settleInvocation(ref);
    expect(await take('dispatch', plain.invocationId)).toBe(0);
  });

  test('leaves the next waiter the place that it claims before it is found to have no workflow', async () => {
    const { overrides } = onePlace();
    const ref = await world.ready();
    await take('dispatch', ref.invocationId);
    await take('dispatch', 'inv_quick');
    const tellWaiter = async (): Promise<boolean> => {
      expect(await take('dispatch', 'inv_quick')).toBe(0);
      return false;
    };
    await world.activities({ ...overrides, tellWaiter }).settleInvocation(ref);
    expect(await places('inv_quick')).toEqual([{ taken: true }]);
    expect(await take('dispatch', 'inv_other')).toBe(1);
  });

  test('that cannot tell who is next is settled all the same, after a second try', async () => {
    const ref = await world.ready();
    await take('dispatch', ref.invocationId);
    await take('dispatch', 'inv_behind');
    let tries = 0;
    const tellWaiter = () => Promise.reject(new Error(`no answer in time, try ${++tries}`));
    expect(await world.activities({ tellWaiter }).settleInvocation(ref)).toMatchObject({ status: 'failed' });
    expect(tries).toBe(2);
  });

  test('whose next waiter could not be told at first is settled, and tells it', async () => {
    const { told, overrides } = onePlace();
    const ref = await world.ready();
    await take('dispatch', ref.invocationId);
    await take('dispatch', 'inv_behind');
    let tries = 0;
    const tellWaiter: typeof overrides.tellWaiter = (kind, holder) =>
      ++tries === 1 ? Promise.reject(new Error('no answer in time')) : overrides.tellWaiter(kind, holder);
    expect(await world.activities({ ...overrides, tellWaiter }).settleInvocation(ref)).toMatchObject({
      status: 'failed',
    });
    expect(told).toEqual(['inv_behind']);
  });
});

describe('a replay', () => {
  /** An effect whose answer was lost, and a replay of it that is fenced. */
  async function fenced(overrides: ReturnType<typeof onePlace>['overrides'], ...answers: DispatchResult[]) {
    const { adapterFor, sent } = adapterThat(() => Promise.resolve(answers[sent.length - 1] ?? ACCEPTED));
    const replayable = () => {
      const { descriptor, ...adapter } = adapterFor();
      const capabilitiesFor: typeof descriptor.capabilitiesFor = (definition) => ({
        ...descriptor.capabilitiesFor(definition),
        replay: true,
        idempotencyWindowSeconds: 3_600,
      });
      return { ...adapter, descriptor: { ...descriptor, capabilitiesFor } };
    };
    const ref = await world.admit();
    const activities = world.activities({ ...overrides, adapterFor: replayable });
    const evaluation = await activities.judgeInvocation(ref);
    if (evaluation.next !== 'send') throw new Error(evaluation.next);
    await activities.dispatchEffect({ ...ref, settles: true });
    const attemptId = await world.transaction((tx) => startReplay(tx, ref.invocationId));
    const replay = { ...ref, effectId: evaluation.effectId ?? '', attemptId };
    const sendReplay = () => activityEnvironment().run(activities.sendReplay, replay);
    return { replay, sent, sendReplay, settleReplay: () => activities.settleReplay(replay) };
  }
  const LOST: DispatchResult = { kind: 'no_answer', reason: 'reset' };

  test('in the queue claims nothing; with a place of its attempt it is sent once, and releases it', async () => {
    const { told, overrides } = onePlace();
    const { replay, sent, sendReplay } = await fenced(overrides, LOST, ACCEPTED);
    await take('dispatch', 'inv_before');
    expect(await sendReplay()).toMatchObject({ seen: 'no_place' });
    expect(await places(replay.attemptId)).toEqual([{ taken: false }]);
    await world.database.asOwner(`DELETE FROM lane_places WHERE holder = 'inv_before'`);
    await take('dispatch', 'inv_behind');
    expect(await sendReplay()).toEqual({ sent: true });
    expect(sent.map(({ kind }) => kind)).toEqual(['dispatch', 'replay']);
    expect(await places(replay.attemptId)).toEqual([]);
    expect(told).toEqual(['inv_behind']);
    // A second execution does not queue, because there is nothing for it to claim.
    await take('dispatch', 'inv_behind');
    expect(await sendReplay()).toEqual({ sent: false });
    expect(await places(replay.attemptId)).toEqual([]);
  });

  test('whose worker was lost after the claim releases its place when it is settled, and is never sent again', async () => {
    const { told, overrides } = onePlace();
    const { replay, sent, sendReplay, settleReplay } = await fenced(overrides, LOST);
    await take('dispatch', replay.attemptId);
    expect(
      await world.transaction((tx) => claimReplay(tx, { ...replay, marginSeconds: REPLAY_MARGIN_SECONDS })),
    ).not.toBeNull();
    await take('dispatch', 'inv_behind');
    expect(await settleReplay()).toMatchObject({ status: 'unknown', stage: 'reconciling' });
    expect(await places(replay.attemptId)).toEqual([]);
    expect(told).toEqual(['inv_behind']);
    expect(await sendReplay()).toEqual({ sent: false });
    expect(sent).toHaveLength(1);
  });

  test('that waited too long in the queue leaves it when it is settled', async () => {
    const { overrides } = onePlace();
    const { replay, sent, sendReplay, settleReplay } = await fenced(overrides, LOST);
    await take('dispatch', 'inv_before');
    expect(await sendReplay()).toMatchObject({ seen: 'no_place' });
    expect(await settleReplay()).toMatchObject({ status: 'unknown' });
    expect(await places(replay.attemptId)).toEqual([]);
    expect((await world.recorded(replay)).attempts.at(-1)).toMatchObject({
      claimed: false,
      error: REPLAY_NOT_TAKEN_UP,
    });
    expect(sent).toHaveLength(1);
  });
});

describe('a read at a provider', () => {
  const absent: ReadBackResult = { kind: 'inconclusive', summary: 'the provider says nothing', response: null };

  test('in the queue calls nobody and opens no attempt; its place is released with its end', async () => {
    const { told, overrides } = onePlace();
    const ref = await world.ready();
    let reads = 0;
    const adapterFor = () => ({
      ...adapterThat(() => Promise.resolve(ACCEPTED)).adapterFor(),
      readBack: async () => {
        reads++;
        expect(await places('reconcile/eff#1')).toEqual([{ taken: true }]);
        return absent;
      },
    });
    const { readBackEffect } = world.activities({ ...overrides, adapterFor });
    const input = { ...ref, holder: 'reconcile/eff#1' };
    await take('provider_read', 'reconcile/before#1');
    expect(await readBackEffect(input)).toMatchObject({ seen: 'no_place' });
    expect((await world.recorded(ref)).attempts.map(({ kind }) => kind)).toEqual(['dispatch']);
    await world.database.asOwner(`DELETE FROM lane_places WHERE holder = 'reconcile/before#1'`);
    await take('provider_read', 'reconcile/behind#1');
    expect(await readBackEffect(input)).toEqual({ impliedOutcome: 'unknown' });
    expect(reads).toBe(1);
    expect(await places('reconcile/eff#1')).toEqual([]);
    expect(told).toEqual(['reconcile/behind#1']);
  });

  test('that gives up waiting leaves the queue; with a place that it was granted, the next has it', async () => {
    const { told, overrides } = onePlace();
    const { leaveQueue } = world.activities(overrides);
    await take('provider_read', 'reconcile/before#1');
    await take('provider_read', 'reconcile/mine#1');
    await take('provider_read', 'reconcile/behind#1');
    await take('provider_read', 'reconcile/last#1');
    await leaveQueue(world.database.tenant, 'reconcile/mine#1');
    expect(await places('reconcile/mine#1')).toEqual([]);
    expect(told).toEqual([]);
    await leaveQueue(world.database.tenant, 'reconcile/before#1');
    await hold('reconcile/behind#1');
    await leaveQueue(world.database.tenant, 'reconcile/behind#1');
    expect(told).toEqual(['reconcile/behind#1', 'reconcile/last#1']);
    expect(await places('reconcile/last#1')).toEqual([{ taken: true }]);
  });
});

test('a place that is free beside somebody who waits is granted, and told again while nobody claims it', async () => {
  const { told, overrides } = onePlace();
  await take('maintenance', 'job_1');
  await take('maintenance', 'job_2');
  await world.database.asOwner(`DELETE FROM lane_places WHERE holder = 'job_1'`);
  const keeper = keepPlaces(world.dependencies(overrides), { intervalMs: 20 });
  try {
    await expect.poll(() => told).toEqual(['job_2']);
    await world.database.asOwner(`UPDATE lane_places SET expires_at = now() WHERE holder = 'job_2'`);
    await expect.poll(() => told).toEqual(['job_2', 'job_2']);
  } finally {
    await keeper.stop();
  }
  expect(await places('job_2')).toEqual([{ taken: true }]);
});

test('a waiter that cannot be told while Temporal is away does not count as gone, and is told when it is back', async () => {
  const { told, overrides } = onePlace();
  let tries = 0;
  const away = () => Promise.reject(new Error(`Temporal is away, try ${++tries}`));
  /** Lets a grant lapse and grants what is free, until its holder was told, or could not be. */
  const again = async (tellWaiter: typeof overrides.tellWaiter, until: () => boolean): Promise<void> => {
    await world.database.asOwner(`UPDATE lane_places SET expires_at = now() WHERE granted_at IS NOT NULL`);
    const keeper = keepPlaces(world.dependencies({ ...overrides, tellWaiter }), { intervalMs: 20 });
    try {
      await expect.poll(until).toBe(true);
    } finally {
      await keeper.stop();
    }
  };
  await take('dispatch', 'inv_before');
  for (const holder of ['inv_waits', 'inv_behind']) await take('dispatch', holder);
  await world.database.asOwner(`DELETE FROM lane_places WHERE holder = 'inv_before'`);
  await world.database.asOwner(`UPDATE lane_places SET unclaimed_grants = $1 WHERE holder = 'inv_waits'`, [
    UNCLAIMED_GRANTS_MAX,
  ]);
  for (let outage = 1; outage <= 3; outage++) await again(away, () => tries === outage * 2);
  await again(overrides.tellWaiter, () => told.length > 0);
  expect(told).toEqual(['inv_waits']);
  expect(await places('inv_waits')).toEqual([{ taken: true }]);
});
