import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import type { PageDependencies } from '../../../activities/dead-letters/job-page.ts';
import { retryDeadLetterPage } from '../../../activities/dead-letters/retry-page.ts';
import type { LaneTakers } from '../../../activities/lane-takers.ts';
import { keySchema } from '../../../api/flow-control/schemas.ts';
import type { Vault } from '../../../db/secrets/vault.ts';
import {
  type DeadLetterJobRef,
  type JobStep,
  RETRY_PAGE_BYTES_MAX,
  RETRY_PAGE_SIZE,
  RETRY_WAITING_MAX,
} from '../../../domain/dead-letters/dead-letters.ts';
import { KEYS_PER_ENVIRONMENT_MAX } from '../../../domain/flow-control/flow-control.ts';
import { newId } from '../../../domain/ids.ts';
import { CONTENT_PER_REQUEST_BYTES_MAX } from '../../../domain/messages/messages.ts';
import { startTestService } from '../../harness/service.ts';
import { dataOf } from '../invocations/support.ts';
import { startDestination, startsInTurn } from '../messages/support.ts';
import { jobIn, JOB_TIMEOUT_MS, JobWorld } from './job-world.ts';
import { plantDeadLetters } from './plant.ts';

const [service, destination] = await Promise.all([startTestService(), startDestination()]);
const jobs = new JobWorld(service, `${destination.baseUrl}/job`);

/** One run of the activity, which starts no messages but by `given`. */
function pageOf(
  ref: DeadLetterJobRef,
  given: Partial<PageDependencies>,
  { pageSize = RETRY_PAGE_SIZE, seal }: { pageSize?: number; seal?: Vault['seal'] } = {},
): Promise<JobStep> {
  const { db, resealing, logger } = service.deps;
  const vault =
    seal === undefined
      ? resealing
      : { open: resealing.open.bind(resealing), seal, digests: resealing.digests.bind(resealing) };
  const unexpected = () => Promise.reject(new Error('nothing here is started so'));
  const starters = { ...startsInTurn(unexpected), wakeMessage: unexpected, paceFlowControl: unexpected, ...given };
  const deps = { db, vault, logger, ...starters };
  return new MockActivityEnvironment().run(retryDeadLetterPage(deps, pageSize), ref);
}

/** Nothing is started and nothing queues, so nothing of a page is ever sent. */
const NOTHING_STARTS = {
  laneTakers: { inTurn: () => Promise.resolve([]) } as unknown as LaneTakers,
  wakeMessage: () => Promise.resolve(),
};

/** The pages of a job to its end, none of whose messages is sent. */
async function allPagesOf(id: string, options?: Parameters<typeof pageOf>[2]): Promise<void> {
  const ref: DeadLetterJobRef = { jobId: id, kind: 'retry', ...service.database.tenant };
  for (;;) {
    const step = await pageOf(ref, NOTHING_STARTS, options);
    if (step.next === 'end') return;
    expect(step).toEqual({ next: 'go on' });
  }
}

/** Gives a message content that its publisher did not: the content of a message never changes otherwise. */
async function setContent(id: string | undefined, set: string): Promise<void> {
  await service.database.asOwner(
    `SET session_replication_role = replica; UPDATE message_contents SET ${set} WHERE message_id = '${id}'`,
  );
}

describe('a page of retry-all', () => {
  test('begins no page while most of the last one waits for its first attempt', async () => {
    const { label } = await jobs.planted({ count: 500 });
    const { id } = await jobs.withoutWorkflow({ label });
    const ref: DeadLetterJobRef = { jobId: id, kind: 'retry', ...service.database.tenant };
    const page = () => pageOf(ref, NOTHING_STARTS);
    expect(await page()).toEqual({ next: 'go on' });
    expect(await page()).toEqual({ next: 'wait', why: 'deliveries' });
    expect(await jobs.jobOf(id)).toMatchObject({ status: 'running', done: 200 });
  });

  test('messages of a flow-control key are no part of the pacing: their key holds them, and grants them', async () => {
    const key = await service.post('/api/v2/flow-control', { key: 'retried-all', parallelism: 2 });
    const { id: flowControlKeyId } = dataOf(key, keySchema);
    const url = `${destination.baseUrl}/keyed-job`;
    const { label, ids } = await jobs.planted({ count: RETRY_WAITING_MAX + 10, url, flowControlKeyId });
    const { id } = await jobs.withoutWorkflow({ label });
    const ref: DeadLetterJobRef = { jobId: id, kind: 'retry', ...service.database.tenant };
    const woken: string[] = [];
    const page = () => pageOf(ref, { wakeMessage: ({ messageId }) => Promise.resolve(void woken.push(messageId)) });
    expect(await page()).toEqual({ next: 'go on' });
    expect(woken).toHaveLength(2); // the parallelism of their key
    // More messages wait than a page may leave waiting, and the job waits for none of them.
    expect(await page()).toEqual({ next: 'end', status: 'completed' });
    expect(await jobs.jobOf(id)).toMatchObject({ done: ids.length, failed: 0 });
    expect(new Set(await jobs.retriesOf(ids))).toEqual(new Set([1]));
    const path = `/api/v2/flow-control/${flowControlKeyId}`;
    expect(dataOf(await service.get(path), keySchema)).toMatchObject({ waiting: ids.length - 2, inFlight: 2 });
    // The starts of the two went nowhere: their leases end, and the next grant lets them through again.
    const ended = 'UPDATE flow_control_queue SET lease_until = now() WHERE message_id = ANY($1)';
    await service.database.asOwner(ended, [woken]);
    await service.call('PATCH', path, { key: service.key, body: { parallelism: 100 } });
    const bodies = () => new Set(destination.on('/keyed-job').map((sent) => sent.body)).size;
    await expect.poll(bodies, { timeout: JOB_TIMEOUT_MS }).toBe(ids.length);
  });

  test('a page whose starts were lost with its worker is started by the next run', async () => {
    const { label } = await jobs.planted({ count: 3 });
    const { id } = await jobs.withoutWorkflow({ label });
    const ref: DeadLetterJobRef = { jobId: id, kind: 'retry', ...service.database.tenant };
    const lost = pageOf(
      ref,
      startsInTurn(() => Promise.reject(new Error('the worker died here'))),
    );
    await expect(lost).rejects.toThrow('the worker died here');
    expect(await jobs.jobOf(id)).toMatchObject({ done: 3 });
    const begun: string[] = [];
    const next = await pageOf(
      ref,
      startsInTurn(({ messageId }) => Promise.resolve(void begun.push(messageId))),
    );
    expect(next).toEqual({ next: 'end', status: 'completed' });
    expect(begun).toHaveLength(3);
  });

  test('is of the group that had the name when it was asked for, whoever has the name later', async () => {
    const [renamed, other] = [newId('urlGroup'), newId('urlGroup')];
    const asked = async (urlGroup: string) =>
      jobIn(await jobs.retryAll({ urlGroup, label: 'nobody' })).filter['urlGroup'];
    const name = (id: string, to: string) =>
      service.database.asOwner(
        `INSERT INTO url_groups (id, environment_id, name) VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE SET name = $3`,
        [id, service.database.tenant.environmentId, to],
      );
    await name(renamed, 'orders');
    const { ids } = await jobs.planted({ count: 2, urlGroupId: renamed });
    const { ids: others } = await jobs.planted({ urlGroupId: other });
    const [known, unknown] = [await asked('orders'), await asked('not-yet')];
    expect([known, unknown]).toEqual([renamed, 'not-yet']);
    await name(renamed, 'orders-old');
    await name(other, 'orders');
    await allPagesOf((await jobs.withoutWorkflow({ urlGroup: known })).id);
    await name(other, 'not-yet');
    await allPagesOf((await jobs.withoutWorkflow({ urlGroup: unknown })).id);
    expect([await jobs.retriesOf(ids), await jobs.retriesOf(others)]).toEqual([[1, 1], [0]]);
  });

  test('is no larger for its headers than for its bodies', async () => {
    const { label, ids } = await jobs.planted({ count: 2 });
    const bytes = Math.ceil(RETRY_PAGE_BYTES_MAX * 0.6);
    for (const id of ids) await setContent(id, `headers = jsonb_build_object('x-large', repeat('x', ${bytes}))`);
    const { id } = await jobs.withoutWorkflow({ label });
    const ref: DeadLetterJobRef = { jobId: id, kind: 'retry', ...service.database.tenant };
    for (const done of [1, 2]) {
      expect(await pageOf(ref, NOTHING_STARTS)).toEqual({ next: 'go on' });
      expect(await jobs.jobOf(id)).toMatchObject({ done, failed: 0 });
    }
  });

  test('passes over what is accepted no more: it counts as failed and stays, and the others go', async () => {
    const { label, ids } = await jobs.planted({ count: 3 });
    // Over the limit of today, as if it had been lowered since.
    await setContent(ids[1], `body = repeat('x', ${CONTENT_PER_REQUEST_BYTES_MAX + 1})`);
    const { id } = await jobs.withoutWorkflow({ label });
    await allPagesOf(id, { pageSize: 4 });
    expect(await jobs.jobOf(id)).toMatchObject({ status: 'completed', total: 3, done: 2, failed: 1 });
    expect(await jobs.retriesOf(ids)).toEqual([1, 0, 1]);
    expect(await jobs.recordsOf(label)).toBe(1);
  });

  test('passes over a record for whose flow-control key there is no room, and the others go', async () => {
    const { asOwner, tenant } = service.database;
    const keys = (count: number) =>
      asOwner(
        `INSERT INTO flow_control_keys (id, environment_id, key, parallelism) SELECT 'fills-' || n, $1, 'fills-' || n, 1 FROM generate_series(1, $2::int) n`,
        [tenant.environmentId, count],
      );
    const { label, ids: first } = await jobs.planted({});
    await keys(1);
    const url = `${destination.baseUrl}/job`;
    const ids = [...first, ...(await plantDeadLetters(service.database, { label, url, flowControlKeyId: 'fills-1' }))];
    ids.push(...(await plantDeadLetters(service.database, { label, url })));
    await asOwner(`DELETE FROM flow_control_keys WHERE id = 'fills-1'`);
    await keys(KEYS_PER_ENVIRONMENT_MAX + 1);
    await asOwner(`DELETE FROM flow_control_keys WHERE id = 'fills-1'`);
    try {
      const { id } = await jobs.withoutWorkflow({ label });
      await allPagesOf(id, { pageSize: 4 });
      expect(await jobs.jobOf(id)).toMatchObject({ status: 'completed', total: 3, done: 2, failed: 1 });
      expect(await jobs.retriesOf(ids)).toEqual([1, 0, 1]);
    } finally {
      await asOwner(`DELETE FROM flow_control_keys WHERE id LIKE 'fills-%'`);
    }
  });

  test('keeps a flow-control key that one of its records names where there is no room for that of another', async () => {
    const { asOwner, tenant } = service.database;
    const [idle, gone] = ['fills-idle', 'fills-gone'];
    await asOwner(
      `INSERT INTO flow_control_keys (id, environment_id, key, updated_at)
       VALUES ($1, $3, $1, now() - interval '25 hours'), ($2, $3, $2, now())`,
      [idle, gone, tenant.environmentId],
    );
    const { label, ids } = await jobs.planted({ flowControlKeyId: idle });
    const url = `${destination.baseUrl}/job`;
    ids.push(...(await plantDeadLetters(service.database, { label, url, flowControlKeyId: gone })));
    await asOwner('DELETE FROM flow_control_keys WHERE id = $1', [gone]);
    await asOwner(
      `INSERT INTO flow_control_keys (id, environment_id, key, parallelism) SELECT 'fills-' || n, $1, 'fills-' || n, 1
       FROM generate_series(1, $2 - (SELECT count(*)::int FROM flow_control_keys WHERE environment_id = $1)) n`,
      [tenant.environmentId, KEYS_PER_ENVIRONMENT_MAX],
    );
    try {
      const { id } = await jobs.withoutWorkflow({ label });
      await allPagesOf(id, { pageSize: 4 });
      expect(await jobs.jobOf(id)).toMatchObject({ status: 'completed', total: 2, done: 1, failed: 1 });
      expect(await jobs.retriesOf(ids)).toEqual([1, 0]);
    } finally {
      await asOwner(`DELETE FROM flow_control_queue WHERE key_id LIKE 'fills-%'`);
      await asOwner(`DELETE FROM flow_control_keys WHERE id LIKE 'fills-%'`);
    }
  });

  test.each([
    { sqlState: '22P05', reason: 'its content', isPassedOver: true },
    { sqlState: '23514', reason: 'its content', isPassedOver: true },
    { sqlState: '40001', reason: 'a passing state of the database', isPassedOver: false },
    { sqlState: '53300', reason: 'a passing state of the database', isPassedOver: false },
  ])('passes over a record refused for $reason ($sqlState): $isPassedOver', async ({ sqlState, isPassedOver }) => {
    const { label, ids } = await jobs.planted({ count: 3 });
    await setContent(ids[1], `headers = '{"authorization": "[REDACTED]"}'`);
    const { id } = await jobs.withoutWorkflow({ label });
    const seal: Vault['seal'] = (context, value) => {
      // Only the one with a credential is sealed.
      if (!context.name.startsWith('message/')) return service.deps.resealing.seal(context, value);
      throw Object.assign(new Error('refused by the database'), { code: sqlState });
    };
    const failure = await allPagesOf(id, { pageSize: 4, seal }).then(() => null, String);
    expect(failure).toBe(isPassedOver ? null : 'Error: refused by the database');
    const counted = { status: 'completed', done: 2, failed: 1 };
    expect(await jobs.jobOf(id)).toMatchObject(isPassedOver ? counted : { status: 'running', done: 0, failed: 0 });
    expect(await jobs.retriesOf(ids)).toEqual(isPassedOver ? [1, 0, 1] : [0, 0, 0]);
  });
});
