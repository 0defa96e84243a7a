import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { claimDispatch } from '../../../db/attempts/claim-dispatch.ts';
import { haltEnvironment, resumeEnvironment } from '../../../db/environments/halt-environment.ts';
import { takePlace } from '../../../db/in-flight/take-place.ts';
import { cancelMessage } from '../../../db/messages/cancel-message.ts';
import { startAttempt } from '../../../db/messages/start-attempt.ts';
import { newId } from '../../../domain/ids.ts';
import type { InFlightKind } from '../../../domain/in-flight.ts';
import { NEVER_TAKEN_UP } from '../../../domain/settlement.ts';
import { ACCEPTED, activityEnvironment, ActivityWorld, adapterThat } from '../invocations/world.ts';

/** A place in flight, taken or queued, ends together with the call it was requested for, whatever the outcome. */

let world: ActivityWorld;
beforeAll(async () => {
  world = await ActivityWorld.start();
});
afterAll(() => world.close());
beforeEach(() => world.database.asOwner('DELETE FROM places_in_flight'));

const places = (holder: string) =>
  world.database.asOwner<{ taken: boolean }>('SELECT is_taken AS taken FROM places_in_flight WHERE holder = $1', [
    holder,
  ]);
const take = (kind: InFlightKind, holder: string, most = 1) =>
  world.transaction((tx) => takePlace(tx, { kind, holder, most, leaseMs: 600_000 }));
/** An activity's dependencies with at most one call of a kind in flight per workspace; `told` lists the workflows notified of a place. */
function onePlace() {
  const told: string[] = [];
  const tellWaiter = (_kind: InFlightKind, holder: string): Promise<void> => {
    told.push(holder);
    return Promise.resolve();
  };
  return { told, overrides: { inFlightCaps: { dispatch: 1, delivery: 1 }, tellWaiter } };
}

describe('a dispatch', () => {
  test('in line claims nothing, and is sent when it asks again once the place is free', async () => {
    const { overrides } = onePlace();
    const ref = await world.ready();
    const { adapterFor, sent } = adapterThat(() => Promise.resolve(ACCEPTED));
    await take('dispatch', 'inv_before');
    const { dispatchEffect } = world.activities({ ...overrides, adapterFor });
    expect(await dispatchEffect(ref)).toMatchObject({ seen: 'no_place' });
    expect(sent).toEqual([]);
    expect(await places(ref.invocationId)).toEqual([{ taken: false }]);
    await world.database.asOwner(`DELETE FROM places_in_flight WHERE holder = 'inv_before'`);
    expect(await dispatchEffect(ref)).toMatchObject({ seen: 'recorded', outcome: 'succeeded' });
    expect(sent).toHaveLength(1);
    expect(await places(ref.invocationId)).toEqual([]);
  });

  test('that waited too long is failed, leaves the line, and tells who is next; what comes later sends nothing', async () => {
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
    expect(told).toEqual(['inv_behind']);
    // A second execution of it does not queue, because there is nothing for it to claim.
    expect(await dispatchEffect(ref)).toEqual({ seen: 'claimed_elsewhere' });
    expect(await places(ref.invocationId)).toEqual([]);
    expect(sent).toEqual([]);
  });

  test('whose worker was lost gives its place back when its outcome is settled as unknown', async () => {
    const { told, overrides } = onePlace();
    const ref = await world.ready();
    await take('dispatch', ref.invocationId);
    expect(await world.transaction((tx) => claimDispatch(tx, ref.invocationId))).not.toBeNull();
    await take('dispatch', 'inv_behind');
    expect(await world.activities(overrides).settleInvocation(ref)).toMatchObject({ status: 'unknown' });
    expect(await places(ref.invocationId)).toEqual([]);
    expect(told).toEqual(['inv_behind']);
  });

  test('that cannot tell who is next is settled all the same', async () => {
    const ref = await world.ready();
    await take('dispatch', ref.invocationId);
    await take('dispatch', 'inv_behind');
    expect(await world.activities().settleInvocation(ref)).toMatchObject({ status: 'failed' });
  });
});

describe('a delivery', () => {
  /** A message that is due, in line behind another of its workspace. */
  async function inLine(overrides: ReturnType<typeof onePlace>['overrides']) {
    await take('delivery', 'msg_before');
    const messageId = newId('message');
    await world.database.asOwner(
      `INSERT INTO messages (id, environment_id, url, method, body_kind, max_retries, timeout_seconds, published_by, status, next_attempt_at)
       VALUES ($1, $2, 'https://example.com/hook', 'POST', 'none', 3, 30, '{}', 'pending', now())`,
      [messageId, world.database.tenant.environmentId],
    );
    const { attemptMessage } = world.activities(overrides);
    const visit = () => activityEnvironment().run(attemptMessage, { ...world.database.tenant, messageId });
    expect(await visit()).toMatchObject({ next: 'wait', inLine: true });
    await take('delivery', 'msg_behind');
    return { messageId, visit };
  }

  test('that was cancelled while it stood in line leaves it, and tells who is next', async () => {
    const { told, overrides } = onePlace();
    const { messageId, visit } = await inLine(overrides);
    await world.transaction((tx) => cancelMessage(tx, messageId));
    expect(await visit()).toMatchObject({ next: 'end', status: 'cancelled' });
    expect(await places(messageId)).toEqual([]);
    expect(told).toEqual(['msg_behind']);
  });

  test('that is held by a halt leaves the line to the other environments of its workspace', async () => {
    const { overrides } = onePlace();
    const { messageId, visit } = await inLine(overrides);
    const { environmentId } = world.database.tenant;
    const actor = { type: 'system', id: 'test' } as const;
    await world.transaction((tx) => haltEnvironment(tx, environmentId, { reason: 'an incident', actor }));
    expect(await visit()).toEqual({ next: 'hold' });
    await world.transaction((tx) => resumeEnvironment(tx, environmentId));
    expect(await places(messageId)).toEqual([]);
  });

  test('whose worker was lost gives its place back when the attempt is given up', async () => {
    const { told, overrides } = onePlace();
    const { messageId, visit } = await inLine(overrides);
    await world.database.asOwner(`DELETE FROM places_in_flight WHERE holder = 'msg_before'`);
    await take('delivery', messageId);
    await world.transaction((tx) => startAttempt(tx, messageId));
    expect(await visit()).toMatchObject({ next: 'wait' });
    expect(await places(messageId)).toEqual([]);
    expect(told).toEqual(['msg_behind']);
  });
});
