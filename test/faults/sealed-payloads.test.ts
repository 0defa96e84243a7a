import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Payload } from '@temporalio/common';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { temporalScheduleId } from '../../temporal/schedules/fire-schedule.ts';
import { approve, largeRefunds, putPolicy, readApproval } from '../api/approvals/support.ts';
import { createAction, dataOf, type Invocation, invocationIn, invoke } from '../api/invocations/support.ts';
import { closesWithFile } from '../harness/closes-with-file.ts';
import { startTarget } from '../harness/target.ts';
import { type ApiProcess, SeparateProcesses } from './separate-processes.ts';

/** What Temporal stores, where TEMPORAL_PAYLOAD_KEYS are set under work that is open. */

const TEMPORAL_PAYLOAD_KEYS = `1:${randomBytes(32).toString('base64')}`;
const [processes, target] = await Promise.all([SeparateProcesses.start(), startTarget()]);
const temporal = await processes.temporalClient();
const { key: approver } = await processes.database.db.withEnvironment(processes.database.tenant, (tx) =>
  createApiKey(tx, { name: 'approver', scopes: SCOPES }),
);

const start = (environment: Record<string, string>) =>
  Promise.all([processes.startApi({ RUN_INVOCATIONS: '1', ...environment }), processes.startWorker(environment)]);

async function park(api: ApiProcess, action: string): Promise<Invocation> {
  const { invocation } = await invoke(api, action, { input: { amount: 60_000 } });
  expect(invocation.status).toBe('pending_approval');
  return invocation;
}

async function succeeds(api: ApiProcess, { id, approvalId }: Invocation): Promise<void> {
  expect((await approve(api.as(approver), await readApproval(api, approvalId))).status).toBe(200);
  const look = async () => invocationIn(await api.get(`/api/v2/actions/invocations/${id}`)).status;
  await expect.poll(look).toBe('succeeded');
}

const historyOf = (workflowId: string) => temporal.workflow.getHandle(workflowId).fetchHistory();

/** The search attributes, and what the SDK's core notes of a local activity beside its result: its type and its times. */
const NEVER_SEALED = new Set(['searchAttributes', 'data']);

/** The payloads of a history that could be sealed. */
function payloadsIn(value: unknown): Payload[] {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  if ('metadata' in value && 'data' in value) return [value as Payload];
  return Object.entries(value).flatMap(([name, each]) => (NEVER_SEALED.has(name) ? [] : payloadsIn(each)));
}

const encodingsOf = async (workflowId: string) =>
  new Set(
    payloadsIn(await historyOf(workflowId)).map(({ metadata }) => Buffer.from(metadata?.['encoding'] ?? []).toString()),
  );

test('what was begun before goes on, and what Temporal stores from then on is sealed and replays', async () => {
  const [api, worker] = await start({});
  await putPolicy(api, largeRefunds({ approval: { quorum: 1, expiresIn: 'PT2H' } }, 'test.*'));
  const action = await createAction(
    api,
    { url: `${target.baseUrl}/ok?paid` },
    { impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }] },
  );
  const before = await park(api, action);
  await Promise.all([api.program.end('SIGTERM'), worker.end('SIGTERM')]);

  const [sealing] = await start({ TEMPORAL_PAYLOAD_KEYS });
  await succeeds(sealing, before);
  const after = await park(sealing, action);
  await succeeds(sealing, after);

  const body = { cron: '0 0 1 1 *', destination: { url: `${target.baseUrl}/ok?scheduled` } };
  const { id } = dataOf(await sealing.as(approver).post('/api/v2/schedules', body), z.object({ id: z.string() }));
  await temporal.schedule.getHandle(temporalScheduleId(id)).trigger();
  const fired = async () => {
    const found: string[] = [];
    const query = `WorkflowType = 'fireSchedule' AND ExecutionStatus = 'Completed'`;
    for await (const { workflowId } of temporal.workflow.list({ query })) found.push(workflowId);
    return found;
  };
  await expect.poll(fired).toHaveLength(1);

  const ids = [`invocation/${after.id}`, `approval/${after.approvalId}`, ...(await fired())];
  for (const id of ids) expect([id, await encodingsOf(id)]).toEqual([id, new Set(['binary/encrypted'])]);
  const query = `WorkflowType IN ('invokeAction', 'awaitApproval', 'fireSchedule')`;
  const replayed = await processes.command('replay.js', ['--query', query], { TEMPORAL_PAYLOAD_KEYS });
  expect(replayed.errors).toBe('');
  expect(replayed.output.match(/ replay on this code\./g)).toHaveLength(5);

  const file = path.join(tmpdir(), `sealed-${after.id}.json`);
  closesWithFile(async () => rmSync(file));
  writeFileSync(file, historyToJSON(await historyOf(`invocation/${after.id}`)));
  const fromFile = await processes.command('replay.js', ['--file', file], { TEMPORAL_PAYLOAD_KEYS });
  expect([fromFile.errors, fromFile.isOk]).toEqual(['', true]);
});
