import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { recoverSubscriptionPage } from '../../../activities/events/recover-page.ts';
import { recoverySchema } from '../../../api/events/delivery-schemas.ts';
import type { DeadLetterJobRef, JobStep } from '../../../domain/dead-letters/dead-letters.ts';
import { relayStarts } from '../../activities/maintenance/relay-starts.ts';
import { PATIENCE_MS, TEST_TIMEOUT_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { startDestination } from '../messages/support.ts';
import { plantFailedDeliveries, plantTopicWith } from './plant.ts';
import { countRows } from '../harness/count-rows.ts';

type Recovery = z.infer<typeof recoverySchema>;

const [service, destination] = await Promise.all([startTestService(), startDestination()]);

const base = (subscriptionId: string): string => `/api/v2/events/subscriptions/${subscriptionId}`;
const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();
const recover = (subscriptionId: string, since = hoursAgo(48)): Promise<CallResult> =>
  service.post(`${base(subscriptionId)}/recover`, { since });
const recoveryIn = (reply: CallResult): Recovery => dataOf(reply, recoverySchema);

/** Asks for a recovery, and waits for its end at its Location. */
async function recovered(subscriptionId: string, since?: string): Promise<Recovery> {
  const reply = await recover(subscriptionId, since);
  expect(reply.status, reply.text).toBe(202);
  return ended(reply.headers.get('location') ?? '');
}
async function ended(location: string): Promise<Recovery> {
  const look = async (): Promise<Recovery> => recoveryIn(await service.get(location));
  await expect.poll(async () => (await look()).endedAt, { timeout: PATIENCE_MS }).not.toBeNull();
  return look();
}
/** How often each of these was delivered again. */
async function retriesOf(planted: readonly { messageId: string }[]): Promise<number[]> {
  const rows = await service.database.asOwner<{ n: number }>(
    `SELECT (SELECT count(*)::int FROM messages m WHERE m.retry_of = u.id) AS n FROM unnest($1::text[]) u (id)`,
    [planted.map(({ messageId }) => messageId)],
  );
  return rows.map((row) => row.n);
}
const subscription = async (path: string): Promise<string> =>
  (await plantTopicWith(service.database, { url: `${destination.baseUrl}${path}` })).subscriptionId;

describe('a recovery', { timeout: TEST_TIMEOUT_MS }, () => {
  test('delivers again, once each, what failed since then for this subscription, to where it points now', async () => {
    const subscriptionId = await subscription('/before');
    const planted = await plantFailedDeliveries(service.database, { subscriptionId, count: 30 });
    const older = await plantFailedDeliveries(service.database, { subscriptionId, count: 2, failedAgoHours: 72 });
    const others = await plantFailedDeliveries(service.database, { subscriptionId: await subscription('/other') });
    await service.database.asOwner('UPDATE event_subscriptions SET url = $2 WHERE id = $1', [
      subscriptionId,
      `${destination.baseUrl}/after`,
    ]);
    const job = await recovered(subscriptionId);
    expect(job).toMatchObject({ subscriptionId, status: 'completed', total: 30, done: 30, failed: 0 });
    expect(job.cursor).toBe(planted.at(-1)?.messageId);
    expect(new Set(await retriesOf(planted))).toEqual(new Set([1]));
    expect(await retriesOf([...older, ...others])).toEqual([0, 0, 0]);
    const events = (): string[] => destination.on('/after').map(({ body }) => (JSON.parse(body) as { id: string }).id);
    await expect
      .poll(() => new Set(events()), { timeout: PATIENCE_MS })
      .toEqual(new Set(planted.map(({ eventId }) => eventId)));
    expect(destination.on('/before')).toEqual([]);
    // A second recovery finds nothing: recovered deliveries are not sent a third time.
    expect(await recovered(subscriptionId)).toMatchObject({ status: 'completed', total: 0, done: 0 });
    expect(new Set(await retriesOf(planted))).toEqual(new Set([1]));
  });

  test('leaves what fails again to the next recovery, which takes it up', async () => {
    const subscriptionId = await subscription('/fails-again');
    destination.answer('/fails-again', { status: 410 });
    const planted = await plantFailedDeliveries(service.database, { subscriptionId, count: 3 });
    expect(await recovered(subscriptionId)).toMatchObject({ status: 'completed', done: 3 });
    const failed = `messages WHERE subscription_id = $1 AND status = 'failed'`;
    await expect.poll(() => countRows(service.database, failed, [subscriptionId])).toBe(6);
    destination.answer('/fails-again', { status: 200 });
    expect(await recovered(subscriptionId)).toMatchObject({ status: 'completed', total: 3, done: 3 });
    await expect.poll(() => destination.on('/fails-again').length).toBe(6);
    expect(await retriesOf(planted)).toEqual([1, 1, 1]);
  });

  test('counts a delivery whose event is kept no longer as failed, and goes on', async () => {
    const subscriptionId = await subscription('/some-gone');
    const planted = await plantFailedDeliveries(service.database, { subscriptionId, count: 3 });
    await service.database.asOwner('DELETE FROM events WHERE id = $1', [planted[1]?.eventId]);
    expect(await recovered(subscriptionId)).toMatchObject({ status: 'completed', total: 3, done: 2, failed: 1 });
    expect(await retriesOf(planted)).toEqual([1, 0, 1]);
  });

  test('ends where the headers of the subscription do not open, and leaves what failed to the next one', async () => {
    const subscriptionId = await subscription('/unopened');
    const planted = await plantFailedDeliveries(service.database, { subscriptionId, count: 2 });
    const seal =
      'UPDATE event_subscriptions SET master_key_version = $2, wrapped_data_key = $3, sealed_value = $3 WHERE id = $1';
    await service.database.asOwner(seal, [subscriptionId, 99, Buffer.from('x')]);
    expect(await recovered(subscriptionId)).toMatchObject({ status: 'failed', reason: { code: 'headers_unopened' } });
    await service.database.asOwner(seal, [subscriptionId, null, null]);
    expect(await recovered(subscriptionId)).toMatchObject({ status: 'completed', done: 2 });
    expect(await retriesOf(planted)).toEqual([1, 1]);
  });

  test('is refused for a subscription that is disabled or deleted, and while another is under way', async () => {
    const subscriptionId = await subscription('/refused');
    const set = (assignments: string) =>
      service.database.asOwner(`UPDATE event_subscriptions SET ${assignments} WHERE id = $1`, [subscriptionId]);
    await withoutWorkflow(subscriptionId);
    const second = await recover(subscriptionId);
    expect([second.status, errorOf(second).message]).toEqual([409, expect.stringContaining('is under way')]);
    await set('enabled = false');
    const disabled = await recover(subscriptionId);
    expect([disabled.status, errorOf(disabled).message]).toEqual([409, expect.stringContaining('Enable it')]);
    await set('deleted_at = now()');
    expect((await recover(subscriptionId)).status).toBe(404);
    expect((await service.get(`${base(subscriptionId)}/attempts`)).status).toBe(404);
  });

  test.each([
    ['disabled', 'enabled = false', 'subscription_disabled'],
    ['deleted', 'deleted_at = now()', 'subscription_deleted'],
  ])('ends where its subscription is %s meanwhile, and sends nothing more', async (what, assignments, code) => {
    const subscriptionId = await subscription(`/${what}`);
    const planted = await plantFailedDeliveries(service.database, { subscriptionId, count: 2 });
    const ref = await withoutWorkflow(subscriptionId);
    await service.database.asOwner(`UPDATE event_subscriptions SET ${assignments} WHERE id = $1`, [subscriptionId]);
    expect(await pageOf(ref)).toEqual({ next: 'end', status: 'failed' });
    const location = `${base(subscriptionId)}/recoveries/${ref.jobId}`;
    expect(recoveryIn(await service.get(location))).toMatchObject({ status: 'failed', reason: { code }, done: 0 });
    expect(await retriesOf(planted)).toEqual([0, 0]);
  });

  test('whose start was lost with its API process is started by the sweep', async () => {
    const subscriptionId = await subscription('/lost-job');
    const planted = await plantFailedDeliveries(service.database, { subscriptionId, count: 2 });
    const { jobId } = await withoutWorkflow(subscriptionId);
    expect(
      (await relayStarts({ ...service.deps, ...service.starters }, service.database, 'dead_letter_job')).failed,
    ).toBe(0);
    const job = await ended(`${base(subscriptionId)}/recoveries/${jobId}`);
    expect(job).toMatchObject({ status: 'completed', done: 2 });
    expect(await retriesOf(planted)).toEqual([1, 1]);
  });

  test('that is cancelled begins no further page, and is no job of dead letters', async () => {
    const subscriptionId = await subscription('/cancelled');
    const planted = await plantFailedDeliveries(service.database, { subscriptionId });
    const ref = await withoutWorkflow(subscriptionId);
    expect((await service.get(`/api/v2/dlq/jobs/${ref.jobId}`)).status).toBe(404);
    expect((await service.post(`/api/v2/dlq/jobs/${ref.jobId}/cancel`, {})).status).toBe(404);
    const cancel = () => service.post(`${base(subscriptionId)}/recoveries/${ref.jobId}/cancel`, {});
    expect(recoveryIn(await cancel())).toMatchObject({ status: 'cancelled', done: 0 });
    expect(recoveryIn(await cancel())).toMatchObject({ status: 'cancelled' });
    expect(await pageOf(ref)).toEqual({ next: 'end', status: 'cancelled' });
    expect(await retriesOf(planted)).toEqual([0]);
    const other = await subscription('/elsewhere');
    expect((await service.get(`${base(other)}/recoveries/${ref.jobId}`)).status).toBe(404);
  });
});

/** One run of the activity, with pages of two. */
function pageOf(ref: DeadLetterJobRef): Promise<JobStep> {
  const { db, resealing: vault, logger } = service.deps;
  return new MockActivityEnvironment().run(recoverSubscriptionPage({ db, vault, logger }, 2), ref) as Promise<JobStep>;
}

/** A recovery of an API process that died between the commit and the start. */
async function withoutWorkflow(subscriptionId: string): Promise<DeadLetterJobRef> {
  const jobId = `rcv_${subscriptionId.slice(4)}`;
  await service.database.asOwner(
    `INSERT INTO dead_letter_jobs (id, environment_id, kind, subscription_id, filter, requested_by, publishes_while_halted)
     VALUES ($1, $2, 'recover', $3, jsonb_build_object('startDate', $4::text), '{"type":"api_key","id":null}', false)`,
    [jobId, service.database.tenant.environmentId, subscriptionId, hoursAgo(48)],
  );
  return { jobId, kind: 'recover', ...service.database.tenant };
}
