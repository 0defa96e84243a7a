import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { SWEEP_SCHEDULE_ID } from '../../temporal/maintenance/sweep-maintenance.ts';
import { startsOf } from '../activities/maintenance/relay-starts.ts';
import type { StartKind } from '../../db/maintenance/claim-workflow-starts.ts';
import type { CallResult } from '../api/harness/test-api.ts';
import { startTarget } from '../harness/target.ts';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { Gateway, SeparateProcesses } from './separate-processes.ts';

/**
 * SIGKILL of the API process between the commit of a record and the start of its workflow, for each kind that a request makes; and of a
 * message that is due later, whose pacer was not started.
 */

async function made(reply: Promise<CallResult>): Promise<string> {
  const { status, json } = await reply;
  expect(status).toBe(201);
  return (json as { data: { id: string } }).data.id;
}

/** What is not at rest, by what its test calls it, and whether its workflow, or its schedule in Temporal, has begun since. */
const BEGUN: Partial<Record<StartKind, (client: Client, id: string) => Promise<unknown>>> = {
  event: (client, id) => client.workflow.getHandle(`event/${id}`).describe(),
  approval: (client, id) => client.workflow.getHandle(`approval/${id}`).describe(),
  dead_letter_job: (client, id) => client.workflow.getHandle(`dlq-retry/${id}`).describe(),
  memory_job: (client, id) => client.workflow.getHandle(`memory-job/${id}`).describe(),
  schedule: (client, id) => client.schedule.getHandle(`schedule/${id}`).describe(),
  firing: async (_client, id) => {
    const [scheduleId] = id.split('/');
    const runs = await processes.database.asOwner('SELECT outcome FROM schedule_runs WHERE schedule_id = $1', [
      scheduleId,
    ]);
    expect(runs).toEqual([{ outcome: 'published' }]);
  },
};

const [processes, target] = await Promise.all([SeparateProcesses.start(), startTarget()]);
const gateway = await Gateway.to(processes.temporal.port);
const client = await processes.temporalClient();
const doomed = await processes.startApi({ TEMPORAL_ADDRESS: gateway.address });
const { database } = processes;
const { key } = await database.db.withEnvironment(database.tenant, (tx) =>
  createApiKey(tx, { name: 'test', scopes: SCOPES }),
);
const api = doomed.as(key);

test('what was committed and not started is started by the sweep, each kind of it', async () => {
  expect((await api.post('/api/v2/events/topics', { name: 'orders' })).status).toBe(201);
  const subscription = { url: `${target.baseUrl}/event` };
  expect((await api.post('/api/v2/events/topics/orders/subscriptions', subscription)).status).toBe(201);
  const collectionId = await made(api.post('/api/v2/memory/collections', { name: 'notes' }));
  const schedule = { cron: '0 0 1 1 *', destination: { url: `${target.baseUrl}/fired` } };
  const scheduleId = await made(api.post('/api/v2/schedules', schedule));

  gateway.block();
  const cutOff = Promise.allSettled([
    api.post('/api/v2/events', { topic: 'orders', type: 'order.paid', data: 1 }),
    api.post('/api/v2/approvals', { title: 'Deploy', summary: 'Deploys.', payload: { release: 7 } }),
    api.post('/api/v2/dlq/retry-all', {}),
    api.post('/api/v2/memory/ingest', { collectionId, text: 'A note.' }),
    api.post('/api/v2/schedules', { ...schedule, cron: '0 0 2 1 *' }),
    api.post(`/api/v2/schedules/${scheduleId}/run`, {}),
    api.post('/api/v2/messages/publish', { url: `${target.baseUrl}/later`, delay: 1 }),
  ]);
  const kinds = Object.keys(BEGUN) as StartKind[];
  const waiting = async () => Promise.all(kinds.map((kind) => startsOf(processes.database, kind)));
  await expect.poll(async () => (await waiting()).map((ids) => ids.length > 0)).toEqual(kinds.map(() => true));
  await expect.poll(() => database.asOwner('SELECT state FROM lane_queue')).toContainEqual({ state: 'timed' });
  await doomed.program.end('SIGKILL');
  await cutOff;
  const left = await waiting();

  await Promise.all([processes.startApi(), processes.startWorker()]);
  await processes.database.asOwner('UPDATE workflow_starts SET due_at = now()');
  await client.schedule.getHandle(SWEEP_SCHEDULE_ID).trigger();
  for (const [index, kind] of kinds.entries()) {
    for (const id of left[index] ?? []) {
      const message = `the relay must start what a ${kind} needs: STARTS in activities/maintenance/workflow-starts.ts`;
      await expect.poll(() => BEGUN[kind]?.(client, id).then(() => 'begun', String), { message }).toBe('begun');
    }
  }
  // No sweep looks for messages: the claimers take what nobody handed over half a minute after its time.
  await expect.poll(async () => (await target.requests('/later')).length).toBe(1);
});
