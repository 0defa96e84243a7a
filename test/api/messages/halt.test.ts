import { describe, expect, test } from 'vitest';
import { heldMessages } from '../../../activities/maintenance/held-messages.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import { startResumeMessagesWorkflow } from '../../../api/starts/message-workflows.ts';
import type { Tenant } from '../../../db/client.ts';
import { resumeEnvironment } from '../../../db/environments/halt.ts';
import { queueDeliveries } from '../../../db/in-flight/places.ts';
import { findHeldEnvironments } from '../../../db/messages/directory.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { publishedSchema } from '../../../api/messages/schemas.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { publish, read, startDestination, statusOf } from './support.ts';

const [service, destination] = await Promise.all([startTestService(), startDestination()]);

async function set(what: 'halt' | 'resume'): Promise<void> {
  const { workspaceId, environmentId } = service.database.tenant;
  const path = `/api/v2/workspaces/${workspaceId}/environments/${environmentId}/${what}`;
  const reply = await service.post(path, what === 'halt' ? { reason: 'an incident' } : {});
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
}

const heldCount = async (): Promise<number> =>
  (
    await service.database.asOwner<{ n: number }>('SELECT count(*)::int AS n FROM messages WHERE held_at IS NOT NULL')
  )[0]?.n ?? 0;

async function workflowOf(messageId: string): Promise<string> {
  return (await service.client.workflow.getHandle(`message/${messageId}`).describe()).status.name;
}

/** Makes a message due. */
async function makeDue(messageId: string): Promise<void> {
  await service.database.asOwner('UPDATE messages SET next_attempt_at = now() WHERE id = $1', [messageId]);
  await service.client.workflow.getHandle(`message/${messageId}`).signal('wake');
}

describe('a halted environment', () => {
  test('refuses to publish without messages:ingest, and keeps and then delivers what is published with it', async () => {
    const before = await publish(service, { url: `${destination.baseUrl}/before`, delay: '1h' });
    destination.answer('/retrying', { status: 500 }, { status: 200 });
    const retrying = await publish(service, { url: `${destination.baseUrl}/retrying`, retryDelay: '3600000' });
    await expect.poll(async () => (await read(service, retrying.messageId)).responseStatus).toBe(500);
    await set('halt');
    const { key: plain } = await service.createKey(service.database.tenant, {
      scopes: SCOPES.filter((scope) => scope !== 'messages:ingest'),
    });
    const body = { url: `${destination.baseUrl}/kept`, body: 1 };
    const batch = { messages: [body] };
    for (const [path, sent] of [
      ['publish', body],
      ['batch', batch],
    ] as const) {
      const headers = { 'Idempotency-Key': `refused-${path}` };
      const refused = await service.call('POST', `/api/v2/messages/${path}`, { key: plain, body: sent, headers });
      expect([refused.status, errorOf(refused).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(errorOf(refused).message).toMatch(/halted.*an incident/);
    }
    const kept = await publish(service, body);
    expect(kept.status).toBe('pending');
    const cancelled = await publish(service, { url: `${destination.baseUrl}/cancelled` });

    for (const { messageId } of [before, retrying]) await makeDue(messageId);
    await expect.poll(heldCount).toBe(4);
    expect((await service.call('DELETE', `/api/v2/messages/${cancelled.messageId}`, { key: service.key })).status).toBe(
      200,
    );
    expect(await statusOf(service, before.messageId)).toBe('pending'); // it is due, and no longer scheduled
    expect(await statusOf(service, retrying.messageId)).toBe('processing');
    expect(destination.deliveries).toHaveLength(1);

    // While they wait for the end of the halt, none of them has an open workflow.
    for (const { messageId } of [before, kept, retrying]) {
      await expect.poll(() => workflowOf(messageId), { timeout: PATIENCE_MS }).toBe('COMPLETED');
    }

    await set('resume');
    for (const { messageId } of [before, kept, retrying]) {
      await expect.poll(() => statusOf(service, messageId), { timeout: PATIENCE_MS }).toBe('delivered');
    }
    await expect.poll(heldCount).toBe(0);
    expect(destination.on('/retrying')).toHaveLength(2);
    expect(destination.on('/cancelled')).toEqual([]);
    expect((await read(service, kept.messageId)).attempts).toBe(1);
    const again = await service.call('POST', '/api/v2/messages/publish', { key: plain, body });
    expect(again.status).toBe(201);
    const { messageId } = dataOf(again, publishedSchema);
    await expect.poll(() => statusOf(service, messageId), { timeout: PATIENCE_MS }).toBe('delivered');
  });

  test('that is resumed while Temporal is away: the sweep has its messages delivered, and leaves those that queue', async () => {
    await set('halt');
    const kept = await publish(service, { url: `${destination.baseUrl}/kept-too` });
    await expect.poll(heldCount, { timeout: PATIENCE_MS }).toBe(1);
    const { db } = service.deps;
    const { tenant } = service.database;
    const found = () => findHeldEnvironments(db, { olderThanSeconds: -60, afterId: '', limit: 100 });
    expect(await found()).toEqual([]); // it is halted
    await db.withEnvironment(tenant, (tx) => resumeEnvironment(tx, tenant.environmentId));
    expect(await found()).toEqual([tenant]);
    const resumed: Promise<void>[] = [];
    const resumeMessages = (ref: Tenant): Promise<void> => {
      const told = { environmentName: null, taskQueue: service.taskQueue, replaces: false };
      const resuming = startResumeMessagesWorkflow(service.client, ref, told);
      resumed.push(resuming);
      return resuming;
    };
    const swept = await sweepRows({ ...service.deps, resumeMessages }, 'held-messages', heldMessages(-60));
    expect([swept, resumed.length]).toEqual([{ seen: 1, failed: 0 }, 1]);
    await expect.poll(() => statusOf(service, kept.messageId), { timeout: PATIENCE_MS }).toBe('delivered');

    const queued = await publish(service, { url: `${destination.baseUrl}/queued`, delay: '1h' });
    await service.database.asOwner('UPDATE messages SET held_at = now() WHERE id = $1', [queued.messageId]);
    expect(await found()).toEqual([tenant]);
    // Null, and nothing written, while the delivery before gives back its place.
    const queue = () => db.oneStatement(tenant, (tx) => queueDeliveries(tx, [queued.messageId], 20));
    await expect.poll(queue).toEqual([queued.messageId]);
    expect(await found()).toEqual([]);
  });
});
