import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Sent } from '../../../activities/adapters/http-request/send-request.ts';
import { TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { plantTopicWith } from '../../api/events/plant.ts';
import { subscribeToService } from '../../api/events/support.ts';
import { ActivityWorld } from '../invocations/world.ts';
import { deliverDue } from '../messages/deliver-due.ts';
import { plantDelivery } from './plant.ts';

/**
 * The clock of a subscription that fails, moved by the deliveries themselves. Its times are moved in the database, so that days pass at
 * once. The rule alone: test/domain/events/failure-clock.test.ts.
 */

let topicId: string;
let subscriptionId: string;
const world = await ActivityWorld.start();
await subscribeToService(world.database);
beforeEach(async () => {
  ({ topicId, subscriptionId } = await plantTopicWith(world.database));
});

/** 410 ends a delivery at its first attempt; 500 has it retried. */
const answering = (status: number) => (): Promise<Sent> =>
  Promise.resolve({ kind: 'response', response: { status, headers: [], body: Buffer.alloc(0) } });
const deliverDueBy = (sendRequest: () => Promise<Sent>): Promise<void> =>
  deliverDue(world.dependencies({ sendRequest, wakeMessage: () => Promise.resolve() }), world.database.tenant);

/** Publishes an event, and makes the first attempt of its delivery. */
async function deliver(status: number): Promise<void> {
  await plantDelivery(world, topicId);
  await deliverDueBy(answering(status));
}

/** A delivery that was accepted now and is attempted by `attempt`. */
async function lateDelivery(): Promise<{ attempt(status: number): Promise<void> }> {
  const { messageId } = await plantDelivery(world, topicId);
  const due = (interval: string): Promise<unknown> =>
    world.database.asOwner(
      `UPDATE lane_queue SET state = 'ready', due_at = now() + $2::interval WHERE message_id = $1`,
      [messageId, interval],
    );
  await due('1 day');
  return {
    attempt: async (status) => {
      await due('0 s');
      await deliverDueBy(answering(status));
    },
  };
}

interface Clock {
  enabled: boolean;
  fails: boolean;
  runs: boolean;
  disabled: boolean;
}
async function clock(): Promise<Clock | undefined> {
  const [row] = await world.database.asOwner<Clock>(
    `SELECT enabled, failing_since IS NOT NULL AS fails, clock_runs AS runs, disabled_at IS NOT NULL AS disabled
     FROM event_subscriptions WHERE id = $1`,
    [subscriptionId],
  );
  return row;
}
/** So much time passes. */
const pass = (interval: string): Promise<unknown> =>
  world.database.asOwner(
    `UPDATE event_subscriptions SET failing_since = failing_since - $2::interval, last_failure_at = last_failure_at - $2::interval
     WHERE id = $1`,
    [subscriptionId, interval],
  );
const traces = async (): Promise<unknown[]> => [
  ...(await world.database.asOwner(
    `SELECT actor_type, actor_id, environment_id, details ? 'failingSince' AS says FROM audit_log
     WHERE action = 'subscription.disabled' AND target_id = $1`,
    [subscriptionId],
  )),
  ...(await world.database.asOwner(
    `SELECT type FROM raised_events WHERE type = 'subscription.disabled' AND snapshot ->> 'id' = $1`,
    [subscriptionId],
  )),
];
const untouched = { enabled: true, fails: false, runs: false, disabled: false };

describe('a subscription whose every delivery fails', { timeout: TEST_TIMEOUT_MS }, () => {
  test('is disabled after five days, once, with an event and an entry in the audit log', async () => {
    await deliver(410);
    expect(await clock()).toEqual({ ...untouched, fails: true });
    await pass('13 hours');
    await deliver(410);
    expect(await clock()).toEqual({ ...untouched, fails: true, runs: true });
    await pass('4 days 10 hours');
    await deliver(410);
    expect(await clock()).toEqual({ ...untouched, fails: true, runs: true });
    const late = await lateDelivery();
    await pass('2 hours');
    await deliver(410);
    expect(await clock()).toEqual({ enabled: false, fails: true, runs: true, disabled: true });
    const once = [
      { actor_type: 'system', actor_id: null, environment_id: world.database.tenant.environmentId, says: true },
      { type: 'subscription.disabled' },
    ];
    expect(await traces()).toEqual(once);
    // What was accepted before goes on, and changes nothing of a subscription that is disabled.
    for (const status of [500, 410]) await late.attempt(status);
    expect(await clock()).toEqual({ enabled: false, fails: true, runs: true, disabled: true });
    expect(await traces()).toEqual(once);
  });

  test('is not disabled where one delivery succeeds in between: the clock begins anew', async () => {
    await deliver(410);
    await pass('13 hours');
    await deliver(410);
    await pass('4 days');
    await deliver(200);
    expect(await clock()).toEqual(untouched);
    await deliver(410);
    await pass('1 day');
    await deliver(410);
    expect(await clock()).toMatchObject({ enabled: true, fails: true });
    expect(await traces()).toEqual([]);
  });

  test('is not disabled after one bad hour, nor by attempts that are retried', async () => {
    for (let n = 0; n < 3; n++) await deliver(410);
    await pass('6 days');
    await deliver(410);
    expect(await clock()).toEqual({ ...untouched, fails: true });
    ({ topicId, subscriptionId } = await plantTopicWith(world.database));
    await deliver(500);
    expect(await clock()).toEqual(untouched);
  });

  test('begins anew where it is enabled again, and where it points elsewhere', async () => {
    const set = (assignments: string) =>
      world.database.asOwner(`UPDATE event_subscriptions SET ${assignments} WHERE id = $1`, [subscriptionId]);
    await deliver(410);
    const late = await lateDelivery();
    await set(`url = 'https://example.com/elsewhere'`);
    expect(await clock()).toEqual(untouched);
    // A delivery to where it pointed before says nothing of where it points now.
    await late.attempt(410);
    expect(await clock()).toEqual(untouched);
    await deliver(410);
    await set('enabled = false, disabled_at = now()');
    expect(await clock()).toEqual({ enabled: false, fails: true, runs: false, disabled: true });
    await set('enabled = true');
    expect(await clock()).toEqual(untouched);
  });

  test('forgets nothing and raises nothing where the settlement is lost before its commit', async () => {
    await deliver(410);
    await pass('5 days');
    await world.database.asOwner('UPDATE event_subscriptions SET clock_runs = true WHERE id = $1', [subscriptionId]);
    await plantDelivery(world, topicId);
    const { db } = world.database;
    const real = db.withEnvironment.bind(db);
    let losses = 2;
    await deliverDueBy(() => {
      vi.spyOn(db, 'withEnvironment').mockImplementation((tenant, work) =>
        real(tenant, async (tx) => {
          const result = await work(tx);
          if (losses-- > 0) throw new Error('lost before the commit');
          return result;
        }),
      );
      return answering(410)();
    }).finally(() => vi.restoreAllMocks());
    expect(losses).toBe(-1); // two were lost, and the third is on record
    expect(await clock()).toEqual({ enabled: false, fails: true, runs: true, disabled: true });
    expect(await traces()).toHaveLength(2);
  });
});

test('a delivery whose subscription is gone, and its secret with it, is not signed with other keys: it is not sent, and fails', async () => {
  const ref = await plantDelivery(world, topicId);
  await world.database.asOwner('DELETE FROM event_subscriptions WHERE id = $1', [subscriptionId]);
  const sendRequest = vi.fn<() => Promise<Sent>>(answering(200));
  await deliverDueBy(sendRequest);
  expect(sendRequest).not.toHaveBeenCalled();
  const [message] = await world.database.asOwner(`SELECT status, attempts, error_message FROM messages WHERE id = $1`, [
    ref.messageId,
  ]);
  expect(message).toEqual({
    status: 'failed',
    attempts: 1,
    error_message: 'not sent: its subscription is deleted, and the secret that signs for it',
  });
});
