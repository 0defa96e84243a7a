import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { retryDeadLetterPage } from '../../../activities/dead-letters/retry-page.ts';
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
import { startDestination } from '../messages/support.ts';
import { jobIn, JobWorld } from './job-world.ts';
import { plantDeadLetters } from './plant.ts';

const [service, destination] = await Promise.all([startTestService({ worker: false }), startDestination()]);
const jobs = new JobWorld(service, `${destination.baseUrl}/job`);

/** One run of the activity. */
function pageOf(
  ref: DeadLetterJobRef,
  { pageSize = RETRY_PAGE_SIZE, seal }: { pageSize?: number; seal?: Vault['seal'] } = {},
): Promise<JobStep> {
  const { db, resealing, logger } = service.deps;
  const vault =
    seal === undefined
      ? resealing
      : { open: resealing.open.bind(resealing), seal, digests: resealing.digests.bind(resealing) };
  return new MockActivityEnvironment().run(retryDeadLetterPage({ db, vault, logger }, pageSize), ref);
}

/** The pages of a job to its end. */
async function allPagesOf(id: string, options?: Parameters<typeof pageOf>[1]): Promise<void> {
  const ref: DeadLetterJobRef = { jobId: id, kind: 'retry', ...service.database.tenant };
  for (;;) {
    const step = await pageOf(ref, options);
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
    expect(await pageOf(ref)).toEqual({ next: 'go on' });
    expect(await pageOf(ref)).toEqual({ next: 'wait', why: 'deliveries' });
    expect(await jobs.jobOf(id)).toMatchObject({ status: 'running', done: 200 });
  });

  test('messages of a flow-control key are no part of the pacing: they wait in the lane of their key', async () => {
    const key = await service.post('/api/v2/flow-control', { key: 'retried-all', parallelism: 2 });
    const { id: flowControlKeyId } = dataOf(key, keySchema);
    const url = `${destination.baseUrl}/keyed-job`;
    const { label, ids } = await jobs.planted({ count: RETRY_WAITING_MAX + 10, url, flowControlKeyId });
    const { id } = await jobs.withoutWorkflow({ label });
    const ref: DeadLetterJobRef = { jobId: id, kind: 'retry', ...service.database.tenant };
    expect(await pageOf(ref)).toEqual({ next: 'go on' });
    // More messages wait than a page may leave waiting, and the job waits for none of them.
    expect(await pageOf(ref)).toEqual({ next: 'end', status: 'completed' });
    expect(await jobs.jobOf(id)).toMatchObject({ done: ids.length, failed: 0 });
    expect(new Set(await jobs.retriesOf(ids))).toEqual(new Set([1]));
    const path = `/api/v2/flow-control/${flowControlKeyId}`;
    expect(dataOf(await service.get(path), keySchema)).toMatchObject({ waiting: ids.length, inFlight: 0 });
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
      expect(await pageOf(ref)).toEqual({ next: 'go on' });
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
        `INSERT INTO lanes (id, environment_id, key, parallelism) SELECT 'fills-' || n, $1, 'fills-' || n, 1 FROM generate_series(1, $2::int) n`,
        [tenant.environmentId, count],
      );
    const { label, ids: first } = await jobs.planted({});
    await keys(1);
    const url = `${destination.baseUrl}/job`;
    const ids = [...first, ...(await plantDeadLetters(service.database, { label, url, flowControlKeyId: 'fills-1' }))];
    ids.push(...(await plantDeadLetters(service.database, { label, url })));
    await asOwner(`DELETE FROM lanes WHERE id = 'fills-1'`);
    await keys(KEYS_PER_ENVIRONMENT_MAX + 1);
    await asOwner(`DELETE FROM lanes WHERE id = 'fills-1'`);
    try {
      const { id } = await jobs.withoutWorkflow({ label });
      await allPagesOf(id, { pageSize: 4 });
      expect(await jobs.jobOf(id)).toMatchObject({ status: 'completed', total: 3, done: 2, failed: 1 });
      expect(await jobs.retriesOf(ids)).toEqual([1, 0, 1]);
    } finally {
      await asOwner(`DELETE FROM lanes WHERE id LIKE 'fills-%'`);
    }
  });

  test('keeps a flow-control key that one of its records names where there is no room for that of another', async () => {
    const { asOwner, tenant } = service.database;
    const [idle, gone] = ['fills-idle', 'fills-gone'];
    await asOwner(
      `INSERT INTO lanes (id, environment_id, key, updated_at)
       VALUES ($1, $3, $1, now() - interval '25 hours'), ($2, $3, $2, now())`,
      [idle, gone, tenant.environmentId],
    );
    const { label, ids } = await jobs.planted({ flowControlKeyId: idle });
    const url = `${destination.baseUrl}/job`;
    ids.push(...(await plantDeadLetters(service.database, { label, url, flowControlKeyId: gone })));
    await asOwner('DELETE FROM lanes WHERE id = $1', [gone]);
    await asOwner(
      `INSERT INTO lanes (id, environment_id, key, parallelism) SELECT 'fills-' || n, $1, 'fills-' || n, 1
       FROM generate_series(1, $2 - (SELECT count(*)::int FROM lanes WHERE environment_id = $1)) n`,
      [tenant.environmentId, KEYS_PER_ENVIRONMENT_MAX],
    );
    try {
      const { id } = await jobs.withoutWorkflow({ label });
      await allPagesOf(id, { pageSize: 4 });
      expect(await jobs.jobOf(id)).toMatchObject({ status: 'completed', total: 2, done: 1, failed: 1 });
      expect(await jobs.retriesOf(ids)).toEqual([1, 0]);
    } finally {
      await asOwner(`DELETE FROM lane_queue WHERE lane_id LIKE 'fills-%'`);
      await asOwner(`DELETE FROM lanes WHERE id LIKE 'fills-%'`);
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
