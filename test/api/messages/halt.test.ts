import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { startTestService } from '../../harness/service.ts';
import { publishedSchema } from '../../../api/messages/schemas.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { publish, read, startDestination, statusOf } from './support.ts';

const [service, destination] = await Promise.all([startTestService(), startDestination()]);

async function set(what: 'halt' | 'resume'): Promise<void> {
  const { workspaceId, environmentId } = service.database.tenant;
  const path = `/api/v2/workspaces/${workspaceId}/environments/${environmentId}/${what}`;
  const reply = await service.post(path, what === 'halt' ? { reason: 'an incident' } : {});
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
}

/** Makes a message due, as its time would. */
async function makeDue(messageId: string): Promise<void> {
  await service.database.asOwner(`UPDATE lane_queue SET due_at = now() WHERE message_id = $1`, [messageId]);
  await service.client.workflow.getHandle(`message/${messageId}`).signal('wake');
}

/** So long the claimers had time to send something that they must not. */
const CLAIM_MS = 1_500;

describe('a halted environment', () => {
  test('refuses to publish without messages:ingest, keeps and then delivers what is published with it, and sends alerts', async () => {
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
    await expect.poll(() => statusOf(service, before.messageId)).toBe('pending'); // it is due, and no longer scheduled
    const alert = plainMessage({ kind: 'alert', url: `${destination.baseUrl}/alert` });
    await service.deps.db.withEnvironment(service.database.tenant, (tx) => insertMessages(tx, [alert]));
    await expect.poll(() => destination.on('/alert')).toHaveLength(1);
    await delay(CLAIM_MS);
    expect((await service.call('DELETE', `/api/v2/messages/${cancelled.messageId}`, { key: service.key })).status).toBe(
      200,
    );
    expect(await statusOf(service, retrying.messageId)).toBe('processing');
    expect(destination.deliveries.map(({ path }) => path)).toEqual(['/retrying', '/alert']);

    await set('resume');
    for (const { messageId } of [before, kept, retrying]) {
      await expect.poll(() => statusOf(service, messageId), { timeout: PATIENCE_MS }).toBe('delivered');
    }
    expect(destination.on('/retrying')).toHaveLength(2);
    expect(destination.on('/cancelled')).toEqual([]);
    expect((await read(service, kept.messageId)).attempts).toBe(1);
    const again = await service.call('POST', '/api/v2/messages/publish', { key: plain, body });
    expect(again.status).toBe(201);
    const { messageId } = dataOf(again, publishedSchema);
    await expect.poll(() => statusOf(service, messageId), { timeout: PATIENCE_MS }).toBe('delivered');
  });
});
