import { beforeEach, describe, expect, test, vi } from 'vitest';
import { everyCap } from '../../harness/in-flight-caps.ts';
import { keepPlaces } from '../../../activities/in-flight/keep-places.ts';
import { LaneTakers } from '../../../activities/lane-takers.ts';
import { startInTurn } from '../../../activities/messages/wake-messages.ts';
import { KeyWorld } from '../../db/flow-control/world.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import type { SendRequest, Sent } from '../../../activities/adapters/http-request/send-request.ts';
import type { DispatchResult, ReadBackResult } from '../../../activities/adapters/adapter.ts';
import { REPLAY_NOT_TAKEN_UP } from '../../../activities/reconciliation/send-replay.ts';
import { claimReplay, startReplay } from '../../../db/attempts/replays.ts';
import { REPLAY_MARGIN_SECONDS } from '../../../domain/reconciliation/replay.ts';
import { claimDispatch } from '../../../db/attempts/dispatches.ts';
import { haltEnvironment, resumeEnvironment } from '../../../db/environments/halt.ts';
import { takePlace } from '../../../db/in-flight/places.ts';
import { cancelMessage } from '../../../db/messages/changes.ts';
import { lockMessage } from '../../../db/messages/lock-message.ts';
import { startAttempt } from '../../../db/messages/attempts.ts';
import { PERMIT_WAIT_LEASE_MS } from '../../../domain/flow-control/flow-control.ts';
import { newId } from '../../../domain/ids.ts';
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
  const beginMessage = ({ messageId }: { messageId: string }): Promise<void> =>
    Promise.resolve(void told.push(messageId));
  const laneTakers = new LaneTakers({ nearWaitsMs: null });
  return {
    told,
    overrides: {
      inFlightCaps: everyCap(1),
      laneTakers,
      tellWaiter,
      beginMessage,
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

describe('a delivery', () => {
  /** A message that is due, queued behind another of its workspace. */
  async function queued(overrides: ReturnType<typeof onePlace>['overrides']) {
    await take('delivery', 'msg_before');
    const messageId = newId('message');
    await world.transaction((tx) => insertMessages(tx, [plainMessage({ id: messageId, maxRetries: 3 })]));
    const { attemptMessage } = world.activities(overrides);
    const visit = () => activityEnvironment().run(attemptMessage, { ...world.database.tenant, messageId });
    expect(await visit()).toMatchObject({ next: 'wait', isQueued: true });
    await take('delivery', 'msg_behind');
    return { messageId, visit };
  }

  test('of a flow-control key that queues keeps its slot of the key, for longer than a grant that nobody takes up', async () => {
    const { overrides } = onePlace();
    const key = await KeyWorld.of(world.database, { parallelism: 1 });
    const flowControl = { keyId: key.id, key: 'any' };
    const messages = [plainMessage({ flowControl }), plainMessage({ flowControl })];
    await world.transaction((tx) => insertMessages(tx, messages));
    const [messageId = ''] = (await key.grant()).messageIds;
    await take('delivery', 'msg_before');
    const { attemptMessage } = world.activities(overrides);
    const visited = activityEnvironment().run(attemptMessage, { ...world.database.tenant, messageId });
    expect(await visited).toMatchObject({ next: 'wait', isQueued: true });
    await key.letTimePass((PERMIT_WAIT_LEASE_MS - 60_000) / 1_000);
    expect((await key.grant()).messageIds).toEqual([]);
    await key.letTimePass(120);
    expect((await key.grant()).messageIds).toHaveLength(1);
  });

  test('that is cancelled while it queues leaves the queue at once, without any visit', async () => {
    const { overrides } = onePlace();
    const { messageId, visit } = await queued(overrides);
    await world.transaction((tx) => cancelMessage(tx, messageId));
    expect(await places(messageId)).toEqual([]);
    expect(await places('msg_before')).toEqual([{ taken: true }]);
    expect(await visit()).toMatchObject({ next: 'end', status: 'cancelled' });
    expect(await places(messageId)).toEqual([]);
  });

  test('that is cancelled when it was granted a place leaves it to the next', async () => {
    const { told, overrides } = onePlace();
    const { messageId } = await queued(overrides);
    await world.database.asOwner(`DELETE FROM lane_places WHERE holder = 'msg_before'`);
    await take('delivery', messageId);
    expect(await places(messageId)).toEqual([{ taken: true }]);
    await world.transaction((tx) => cancelMessage(tx, messageId));
    expect(await places(messageId)).toEqual([]);
    const keeper = keepPlaces(world.dependencies(overrides), { intervalMs: 20 });
    try {
      await expect.poll(() => told).toContain('msg_behind');
    } finally {
      await keeper.stop();
    }
    expect(await places('msg_behind')).toEqual([{ taken: true }]);
  });

  test('that is held by a halt leaves the queue to the other environments of its workspace', async () => {
    const { overrides } = onePlace();
    const { messageId, visit } = await queued(overrides);
    const { environmentId } = world.database.tenant;
    const actor = { type: 'system', id: 'test' } as const;
    await world.transaction((tx) => haltEnvironment(tx, environmentId, { reason: 'an incident', actor }));
    expect(await visit()).toEqual({ next: 'park' });
    await world.transaction((tx) => resumeEnvironment(tx, environmentId));
    expect(await places(messageId)).toEqual([]);
  });

  test('whose worker was lost releases its place when the attempt is given up', async () => {
    const { told, overrides } = onePlace();
    const { messageId, visit } = await queued(overrides);
    await world.database.asOwner(`DELETE FROM lane_places WHERE holder = 'msg_before'`);
    await take('delivery', messageId);
    await world.transaction(async (tx) => {
      const work = await lockMessage(tx, messageId);
      if (work === null) throw new Error('the message is not there');
      await startAttempt(tx, work, 'lost');
    });
    expect(await visit()).toMatchObject({ next: 'wait' });
    expect(await places(messageId)).toEqual([]);
    expect(told).toEqual(['msg_behind']);
  });

  test('that ends after it was given up leaves the place in the queue to the attempt after it', async () => {
    const { overrides } = onePlace();
    const ref = { ...world.database.tenant, messageId: newId('message') };
    await world.transaction((tx) => insertMessages(tx, [plainMessage({ id: ref.messageId, maxRetries: 3 })]));
    let answer: (sent: Sent) => void = () => undefined;
    const sendRequest = vi.fn<SendRequest>(() => new Promise<Sent>((resolve) => (answer = resolve)));
    const late = activityEnvironment().run(world.activities({ ...overrides, sendRequest }).attemptMessage, ref);
    await expect.poll(() => sendRequest.mock.calls).toHaveLength(1);

    const visit = () => activityEnvironment().run(world.activities(overrides).attemptMessage, ref);
    expect(await visit()).toMatchObject({ next: 'wait' }); // its worker is taken for dead
    await take('delivery', 'msg_before');
    await world.database.asOwner('UPDATE messages SET next_attempt_at = now() WHERE id = $1', [ref.messageId]);
    expect(await visit()).toMatchObject({ next: 'wait', isQueued: true });
    answer({ kind: 'response', response: { status: 200, headers: [], body: Buffer.alloc(0) } });
    expect(await late).toMatchObject({ next: 'wait' });
    expect(await places(ref.messageId)).toEqual([{ taken: false }]);
  });
});

test('a place that is free beside somebody who waits is granted, and told again while nobody claims it', async () => {
  const { told, overrides } = onePlace();
  await take('delivery', 'msg_1');
  await take('delivery', 'msg_2');
  await world.database.asOwner(`DELETE FROM lane_places WHERE holder = 'msg_1'`);
  const keeper = keepPlaces(world.dependencies(overrides), { intervalMs: 20 });
  try {
    await expect.poll(() => told).toEqual(['msg_2']);
    await world.database.asOwner(`UPDATE lane_places SET expires_at = now() WHERE holder = 'msg_2'`);
    await expect.poll(() => told).toEqual(['msg_2', 'msg_2']);
  } finally {
    await keeper.stop();
  }
  expect(await places('msg_2')).toEqual([{ taken: true }]);
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

test('of a batch only what is due queues for places; what is due later waits for its time beside it', async () => {
  const { told, overrides } = onePlace();
  const later = { scheduledFor: new Date(Date.now() + 3_600_000) };
  const messages = [plainMessage(later), plainMessage(), plainMessage(later), plainMessage()];
  await world.transaction((tx) => insertMessages(tx, messages));
  const [laterId = '', dueId = '', alsoLaterId = '', waitingId = ''] = messages.map(({ id }) => id);
  await startInTurn(world.dependencies(overrides))(world.database.tenant, [laterId, dueId, alsoLaterId, waitingId]);
  expect(told).toEqual([dueId, laterId, alsoLaterId]);
  expect([await places(dueId), await places(waitingId)]).toEqual([[{ taken: true }], [{ taken: false }]]);
  expect([await places(laterId), await places(alsoLaterId)]).toEqual([[], []]);
});
