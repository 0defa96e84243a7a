import { WorkflowNotFoundError } from '@temporalio/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { publishBody } from '../../../api/messages/body-schemas.ts';
import { acceptMessages } from '../../../db/messages/accept/accept-messages.ts';
import type { Tenant } from '../../../db/client.ts';
import { messagePacerWorkflowId } from '../../../temporal/messages/pace-messages.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, invoke } from '../invocations/support.ts';
import { publish, read, startDestination, statusOf } from './support.ts';

/** Scheduled messages of an environment that have a workflow each. */
const OWN = 100;

const [service, destination, target] = await Promise.all([startTestService(), startDestination(), startTarget()]);
const url = `${destination.baseUrl}/later`;

const batch = async (tenant: Tenant, messages: readonly Record<string, unknown>[]): Promise<string[]> => {
  const { key } = await service.createKey(tenant);
  const reply = await service.call('POST', '/api/v2/messages/batch', { key, body: { messages } });
  expect(reply.status, reply.text).toBe(200);
  return (JSON.parse(reply.text) as { data: { messageId: string }[] }).data.map(({ messageId }) => messageId);
};
const openOf = async ({ environmentId }: Tenant): Promise<number> =>
  (
    await service.client.workflow.count(
      `EnvironmentId = '${environmentId}' AND TaskQueue = '${service.taskQueue}' AND ExecutionStatus = 'Running'`,
    )
  ).count;
const pacedOf = async ({ environmentId }: Tenant): Promise<number> =>
  (
    await service.database.asOwner<{ n: number }>(
      `SELECT count(*)::int AS n FROM lane_queue WHERE environment_id = $1 AND state = 'paced'`,
      [environmentId],
    )
  )[0]?.n ?? 0;
const hasWorkflow = async (workflowId: string): Promise<boolean> => {
  try {
    await service.client.workflow.getHandle(workflowId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
};
const looking = (body: Record<string, unknown>) => ({ url, ...body });

describe('four batches of a thousand messages that are due tomorrow', () => {
  test('leave a hundred workflows and the pacer, and the invocations of another workspace as they were', async () => {
    const { development: flooding } = await service.database.anotherWorkspace();
    const tomorrow = Array.from({ length: 1_000 }, () => looking({ delay: '1d' }));
    await Promise.all(Array.from({ length: 4 }, () => batch(flooding, tomorrow)));
    const action = await createAction(service, { url: `${target.baseUrl}/ok` }, { governed: false });
    expect((await invoke(service, action)).invocation.status).toBe('succeeded');
    expect(await pacedOf(flooding)).toBe(4_000 - OWN);
    await expect.poll(() => openOf(flooding)).toBe(OWN + 1);
  });

  test('nor do single publishes that come at once make more', async () => {
    const { development: flooding } = await service.database.anotherWorkspace();
    const { key } = await service.createKey(flooding);
    const body = looking({ delay: '1d' }); // not due while this file runs
    await Promise.all(
      Array.from({ length: OWN + 30 }, () => service.call('POST', '/api/v2/messages/publish', { key, body })),
    );
    expect(await pacedOf(flooding)).toBe(30);
    await expect.poll(() => openOf(flooding)).toBe(OWN + 1);
  });
});

/** Commits scheduled messages as a publisher that dies then: nobody starts a workflow or the pacer. */
const accept = async (bodies: readonly Record<string, unknown>[], tenant = service.database.tenant) => {
  const publisher = {
    tenant,
    publishedBy: { type: 'api_key', id: null },
    apiKeyId: null,
    publishesWhileHalted: false,
  } as const;
  const asked = bodies.map((body) => ({ request: publishBody.parse(body) }));
  return service.deps.db.withEnvironment(publisher.tenant, (tx) =>
    acceptMessages(tx, service.deps.vault, publisher, asked),
  );
};

/** Rows that count as messages with a workflow each, without the work of a hundred workflows. */
const takeOwn = async (tenant: Tenant): Promise<void> => {
  const own = await accept(
    Array.from({ length: OWN }, () => looking({ delay: '1d' })),
    tenant,
  );
  await service.database.asOwner(`UPDATE lane_queue SET state = 'timed' WHERE message_id = ANY ($1)`, [
    own.map(({ messageId }) => messageId),
  ]);
};

describe('a message under the pacer', () => {
  beforeAll(() => takeOwn(service.database.tenant));
  const pacer = () => service.client.workflow.getHandle(messagePacerWorkflowId(service.database.tenant.environmentId));
  /** Its time was so many seconds ago. */
  const makeDue = (id: string, secondsAgo = 0) =>
    service.database.asOwner(`UPDATE lane_queue SET due_at = now() - $2 * interval '1 second' WHERE message_id = $1`, [
      id,
      secondsAgo,
    ]);
  const setHalt = async (what: 'halt' | 'resume'): Promise<void> => {
    const { workspaceId, environmentId } = service.database.tenant;
    const path = `/api/v2/workspaces/${workspaceId}/environments/${environmentId}/${what}`;
    expect((await service.post(path, what === 'halt' ? { reason: 'an incident' } : {})).status).toBe(200);
  };

  test('is delivered when it is due, though the pacer slept until a later one', async () => {
    const late = await publish(service, looking({ delay: '1d' }));
    await expect.poll(async () => (await pacer().describe()).status.name).toBe('RUNNING');
    const soon = await publish(service, { url: `${destination.baseUrl}/soon`, delay: 2 });
    expect(await hasWorkflow(`message/${soon.messageId}`)).toBe(false);
    await expect.poll(() => statusOf(service, soon.messageId)).toBe('delivered');
    const { scheduledFor, attempts } = await read(service, soon.messageId);
    const [{ started_at } = { started_at: new Date(0) }] = await service.database.asOwner<{ started_at: Date }>(
      'SELECT started_at FROM message_attempts WHERE message_id = $1',
      [soon.messageId],
    );
    expect(attempts).toBe(1);
    expect(started_at.getTime()).toBeGreaterThanOrEqual(Date.parse(scheduledFor ?? ''));
    const before = await read(service, late.messageId);
    expect([before.status, before.nextAttemptAt]).toEqual(['scheduled', before.scheduledFor]);
  });

  test('is cancelled, and never delivered', async () => {
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/cancelled`, delay: 2 });
    expect((await service.call('DELETE', `/api/v2/messages/${messageId}`, { key: service.key })).status).toBe(200);
    const after = await publish(service, { url: `${destination.baseUrl}/after-it`, delay: 3 });
    await expect.poll(() => statusOf(service, after.messageId)).toBe('delivered');
    expect([await statusOf(service, messageId), destination.on('/cancelled')]).toEqual(['cancelled', []]);
  });

  test('is held by a halt that lasts when it is due, and delivered after it', async () => {
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/held`, delay: '1d' });
    await setHalt('halt');
    await makeDue(messageId);
    await pacer().signal('pace');
    await expect.poll(() => statusOf(service, messageId)).toBe('pending');
    expect(destination.on('/held')).toEqual([]);
    await setHalt('resume');
    await expect.poll(() => statusOf(service, messageId)).toBe('delivered');
  });

  test('is delivered half a minute after its time though its pacer was terminated, and the pacer runs again', async () => {
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/absent`, delay: '1d' });
    await pacer().terminate('an operator');
    await makeDue(messageId, 30);
    await expect.poll(() => statusOf(service, messageId)).toBe('delivered');
    expect(destination.on('/absent')).toHaveLength(1);
    await expect.poll(async () => (await pacer().describe()).status.name).toBe('RUNNING');
  });

  test('is delivered though its publisher died after the commit: the next one tells the pacer', async () => {
    const [published] = await accept([{ url: `${destination.baseUrl}/crash`, delay: 1 }]);
    await publish(service, looking({ delay: '1d' }));
    await expect.poll(() => statusOf(service, published?.messageId ?? '')).toBe('delivered');
  });

  test('is the last one: the pacer ends', async () => {
    const { staging } = service.database.tenants;
    const { key } = await service.createKey(staging);
    await takeOwn(staging);
    const body = { url: `${destination.baseUrl}/last`, delay: 1 };
    expect((await service.call('POST', '/api/v2/messages/publish', { key, body })).status).toBe(201);
    await expect.poll(() => destination.on('/last').length).toBe(1);
    const last = service.client.workflow.getHandle(messagePacerWorkflowId(staging.environmentId));
    await expect.poll(async () => (await last.describe()).status.name).toBe('COMPLETED');
  });
});
