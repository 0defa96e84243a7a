import { describe, expect, test } from 'vitest';
import { ADMISSION_ESTIMATE_MICROCENTS } from '../../../domain/budgets.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { relayStarts } from '../../activities/maintenance/relay-starts.ts';
import { startTestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';
import { errorOf } from '../invocations/support.ts';
import { startDestination } from '../messages/support.ts';
import { type Job, JOB_TIMEOUT_MS, jobIn, JobWorld } from './job-world.ts';
import { plantDeadLetters, type Planted } from './plant.ts';
import { countRows } from '../harness/count-rows.ts';

const [service, destination] = await Promise.all([startTestService(), startDestination()]);
const jobs = new JobWorld(service, `${destination.baseUrl}/job`);

const jobOf = (id: string) => jobs.jobOf(id);
const retryAll = (filter: object) => jobs.retryAll(filter);
const planted = (given: Planted) => jobs.planted(given);
const retriesOf = (ids: readonly string[]) => jobs.retriesOf(ids);
const recordsOf = (label: string) => jobs.recordsOf(label);
const withoutWorkflow = (label: string) => jobs.withoutWorkflow({ label });
const clear = (query: string): Promise<CallResult> =>
  service.call('DELETE', `/api/v2/dlq?${query}`, { key: service.key });
async function ended(id: string): Promise<Job> {
  await expect.poll(async () => (await jobOf(id)).endedAt, { timeout: JOB_TIMEOUT_MS }).not.toBeNull();
  return jobOf(id);
}
describe('retry-all', () => {
  test('is a job that retries each record of its filter once, and no other', async () => {
    const [{ label, ids }, other] = [await planted({ count: 220 }), await planted({ count: 3 })];
    const reply = await retryAll({ label });
    expect(reply.status).toBe(202);
    const { id } = jobIn(reply);
    expect(reply.headers.get('location')).toBe(`/api/v2/dlq/jobs/${id}`);
    expect(await ended(id)).toMatchObject({
      kind: 'retry',
      status: 'completed',
      total: 220,
      done: 220,
      failed: 0,
      cursor: ids.at(-1),
    });
    expect(new Set(await retriesOf(ids))).toEqual(new Set([1]));
    expect([await recordsOf(label), await recordsOf(other.label)]).toEqual([0, 3]);
    const bodies = () => new Set(destination.on('/job').map((sent) => sent.body)).size;
    await expect.poll(bodies, { timeout: JOB_TIMEOUT_MS }).toBe(220);
  });

  test('is refused when the filter matches another number than whoever asks has seen', async () => {
    const { label } = await planted({ count: 3 });
    const refused = await retryAll({ label, expectedCount: 2 });
    expect([refused.status, errorOf(refused).details]).toEqual([409, { count: 3, expectedCount: 2 }]);
    expect((await clear(`label=${encodeURIComponent(label)}&expectedCount=4`)).status).toBe(409);
    expect(await recordsOf(label)).toBe(3);
    expect(await countRows(service.database, `dead_letter_jobs WHERE filter->>'label' = $1`, [label])).toBe(0);
    const { id } = jobIn(await retryAll({ label, expectedCount: 3 }));
    expect(await ended(id)).toMatchObject({ filter: { label }, done: 3 });
  });

  test('ignores failures after its start, so a message that fails again is not retried endlessly', async () => {
    destination.answer('/fails-again', { status: 500 });
    const { label } = await planted({ count: 5, url: `${destination.baseUrl}/fails-again` });
    const { id } = jobIn(await retryAll({ label }));
    expect(await ended(id)).toMatchObject({ status: 'completed', done: 5 });
    await expect.poll(() => recordsOf(label), { timeout: JOB_TIMEOUT_MS }).toBe(5);
    expect(destination.on('/fails-again')).toHaveLength(5);
  });

  test('one that does not open stays, and the others go', async () => {
    const { label, ids } = await planted({ count: 3 });
    await service.database.asOwner(
      `SET session_replication_role = replica; UPDATE message_contents SET master_key_version = 99, wrapped_data_key = 'x', sealed_value = 'x' WHERE message_id = '${ids[1]}'`,
    );
    const { id } = jobIn(await retryAll({ label }));
    expect(await ended(id)).toMatchObject({ status: 'completed', total: 3, done: 2, failed: 1 });
    expect(await retriesOf(ids)).toEqual([1, 0, 1]);
    expect(await recordsOf(label)).toBe(1);
  });

  test('uses up what the budget allows, then fails with the reason; the rest stays', async () => {
    const { label } = await planted({ count: 9 });
    const { record, key } = await service.createKey(service.database.tenant, { scopes: SCOPES });
    await service.call('PUT', `/api/v2/budgets/${record.id}`, {
      key: service.key,
      body: { caps: { messages: 5 * ADMISSION_ESTIMATE_MICROCENTS.messages } },
    });
    const reply = await service.call('POST', '/api/v2/dlq/retry-all', { key, body: { label } });
    const job = await ended(jobIn(reply).id);
    expect(job).toMatchObject({ status: 'failed', reason: { code: 'BUDGET_EXCEEDED' }, done: 5 });
    const crossings = 'SELECT cap_name FROM budget_crossings WHERE api_key_id = $1 AND threshold IS NULL';
    expect(await service.database.asOwner(crossings, [record.id])).toEqual([{ cap_name: 'messages' }]);
    expect(await recordsOf(label)).toBe(4);
  });

  test('pauses while the environment is halted, and goes on when it is resumed', async () => {
    const { label } = await planted({ count: 2 });
    const { environmentId, workspaceId } = service.database.tenant;
    const { key } = await service.createKey(service.database.tenant, {
      scopes: SCOPES.filter((scope) => scope !== 'messages:ingest'),
    });
    const path = `/api/v2/workspaces/${workspaceId}/environments/${environmentId}`;
    expect((await service.post(`${path}/halt`, { reason: 'an incident' })).status).toBe(200);
    const asked = await service.call('POST', '/api/v2/dlq/retry-all', { key, body: { label } });
    const { id } = jobIn(asked);
    await expect.poll(async () => (await jobOf(id)).status, { timeout: JOB_TIMEOUT_MS }).toBe('paused');
    expect((await jobOf(id)).reason).toMatchObject({ code: 'environment_halted' });
    expect(await recordsOf(label)).toBe(2);
    expect((await service.post(`${path}/resume`, {})).status).toBe(200);
    expect(await ended(id)).toMatchObject({ status: 'completed', done: 2, reason: null });
  });

  test('a job whose start was lost is started by the sweep', async () => {
    const { label } = await planted({ count: 2 });
    const { id } = await withoutWorkflow(label);
    expect(await recordsOf(label)).toBe(2);
    const swept = await relayStarts({ ...service.deps, ...service.starters }, service.database, 'dead_letter_job');
    expect(swept.failed).toBe(0);
    expect(await ended(id)).toMatchObject({ status: 'completed', done: 2 });
  });
});

describe('clear', () => {
  test('is a job that deletes the records of its filter; their messages stay', async () => {
    const [{ label, ids }, other] = [await planted({ count: 20 }), await planted({ count: 1 })];
    const reply = await clear(`label=${encodeURIComponent(label)}`);
    expect(reply.status).toBe(202);
    expect(await ended(jobIn(reply).id)).toMatchObject({ kind: 'clear', status: 'completed', total: 20, done: 20 });
    expect([await recordsOf(label), await recordsOf(other.label)]).toEqual([0, 1]);
    const failed = `messages WHERE id = ANY($1) AND status = 'failed'`;
    expect(await countRows(service.database, failed, [ids])).toBe(20);
  });

  test('in a protected environment asks for confirmProtected', async () => {
    const tenant = service.database.tenants.production;
    await service.database.asOwner('UPDATE environments SET protected = true WHERE id = $1', [tenant.environmentId]);
    await plantDeadLetters(service.database, { count: 2 }, tenant);
    const { key } = await service.createKey(tenant);
    const refused = await service.call('DELETE', '/api/v2/dlq', { key });
    expect([refused.status, errorOf(refused).message]).toEqual([400, expect.stringContaining('confirmProtected=true')]);
    const reply = await service.call('DELETE', '/api/v2/dlq?confirmProtected=true', { key });
    const { id } = jobIn(reply);
    const done = async () => jobIn(await service.call('GET', `/api/v2/dlq/jobs/${id}`, { key }));
    await expect.poll(async () => (await done()).status, { timeout: JOB_TIMEOUT_MS }).toBe('completed');
    expect((await done()).done).toBe(2);
  });
});

describe('a job', () => {
  test('that is cancelled begins no further page; what has ended stays so', async () => {
    const { label } = await planted({ count: 3 });
    const { id } = await withoutWorkflow(label);
    const cancel = () => service.post(`/api/v2/dlq/jobs/${id}/cancel`, {});
    expect(jobIn(await cancel())).toMatchObject({ status: 'cancelled', done: 0 });
    expect(jobIn(await cancel())).toMatchObject({ status: 'cancelled' });
    expect(await recordsOf(label)).toBe(3);
    const { id: done } = jobIn(await retryAll({ label: 'nobody' }));
    await ended(done);
    expect((await service.post(`/api/v2/dlq/jobs/${done}/cancel`, {})).status).toBe(409);
    const back = (set: string) =>
      service.database.asOwner(`UPDATE dead_letter_jobs SET ${set} WHERE id = $1`, [done]).then(
        () => 'changed',
        (error: unknown) => String(error),
      );
    expect(await back(`status = 'running', ended_at = NULL`)).toMatch(/has ended/);
    expect(await back('done = 7')).toMatch(/has ended/);
  });

  test('at most ten of an environment are under way', async () => {
    const tenant = service.database.tenants.staging;
    const { key } = await service.createKey(tenant);
    await service.database.asOwner(
      `INSERT INTO dead_letter_jobs (id, environment_id, kind, filter, requested_by, publishes_while_halted)
       SELECT 'dlj_' || n, $1, 'retry', '{}', '{}', false FROM generate_series(1, 10) n`,
      [tenant.environmentId],
    );
    expect((await service.call('POST', '/api/v2/dlq/retry-all', { key, body: {} })).status).toBe(409);
  });
});

test('retry, delete, retry-all and clear of the same records at once: each record is had by one of them', async () => {
  const { label, ids } = await planted({ count: 300 });
  // Who wins how many of the others is chance; this one is retried in any case, and must not be again.
  expect((await service.post(`/api/v2/dlq/${ids[1]}/retry`, {})).status).toBe(201);
  const some = ids.filter((_, at) => at % 6 === 0);
  const singles = some.flatMap((id) => [
    service.post(`/api/v2/dlq/${id}/retry`, {}),
    service.call('DELETE', `/api/v2/dlq/${id}`, { key: service.key }),
  ]);
  const asked = [retryAll({ label }), clear(`label=${encodeURIComponent(label)}`), retryAll({ label })];
  const one = await Promise.all(singles);
  const ends = await Promise.all(asked.map(async (reply) => ended(jobIn(await reply).id)));
  const had = (status: number) => one.filter((reply) => reply.status === status).length;
  expect(had(200) + had(201) + had(404)).toBe(one.length);
  expect(ends.map((job) => job.status)).toEqual(['completed', 'completed', 'completed']);
  expect(1 + had(200) + had(201) + ends.reduce((sum, job) => sum + job.done, 0)).toBe(300);
  const retries = await retriesOf(ids);
  expect(Math.max(...retries)).toBe(1);
  const retried = 1 + had(201) + (ends[0]?.done ?? 0) + (ends[2]?.done ?? 0);
  expect(retries.reduce((sum, n) => sum + n, 0)).toBe(retried);
  expect(await recordsOf(label)).toBe(0);
});
