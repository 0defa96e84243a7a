import { describe, expect, test } from 'vitest';
import { resumeEnvironment } from '../../../db/environments/halt.ts';
import { findDueLanes } from '../../../db/messages/claims.ts';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { newId } from '../../../domain/ids.ts';
import { SCOPES } from '../../../domain/scopes.ts';
import { startTestService } from '../../harness/service.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
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

const { db } = service.deps;
const { tenant } = service.database;

/** Messages that are in their lane, with their states. */
const inLanes = (): Promise<unknown> =>
  service.database.asOwner('SELECT state, count(*)::int AS n FROM lane_queue GROUP BY state');

/** The time of a message has come, and its workflow hands it over. */
async function makeDue(messageId: string): Promise<void> {
  await service.database.asOwner('UPDATE lane_queue SET due_at = now() WHERE message_id = $1', [messageId]);
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
    await expect.poll(inLanes).toEqual([{ state: 'ready', n: 4 }]);
    const reply = await service.call('DELETE', `/api/v2/messages/${cancelled.messageId}`, { key: service.key });
    expect(reply.status).toBe(200);
    expect(await statusOf(service, before.messageId)).toBe('pending'); // it is due, and no longer scheduled
    expect(await statusOf(service, retrying.messageId)).toBe('processing');
    expect(await findDueLanes(db, { afterId: '', limit: 100 })).toEqual([]);

    // An alert tells people of what needs them, the halt included.
    const alert = plainMessage({ id: newId('message'), kind: 'alert', url: `${destination.baseUrl}/alert` });
    await db.withEnvironment(tenant, (tx) => insertMessages(tx, [alert]));
    await expect.poll(() => statusOf(service, alert.id)).toBe('delivered');
    expect(destination.deliveries.map(({ path }) => path)).toEqual(['/retrying', '/alert']);

    await set('resume');
    for (const { messageId } of [before, kept, retrying]) {
      await expect.poll(() => statusOf(service, messageId)).toBe('delivered');
    }
    expect(await inLanes()).toEqual([]);
    expect(destination.on('/retrying')).toHaveLength(2);
    expect(destination.on('/cancelled')).toEqual([]);
    expect((await read(service, kept.messageId)).attempts).toBe(1);
    const again = await service.call('POST', '/api/v2/messages/publish', { key: plain, body });
    expect(again.status).toBe(201);
    const { messageId } = dataOf(again, publishedSchema);
    await expect.poll(() => statusOf(service, messageId)).toBe('delivered');
  });

  test('that is resumed by a process that dies then: the claimers look by themselves', async () => {
    await set('halt');
    const kept = await publish(service, { url: `${destination.baseUrl}/kept-too` });
    await db.withEnvironment(tenant, (tx) =>
      resumeEnvironment({ ...tx, announce: () => undefined }, tenant.environmentId),
    );
    await expect.poll(() => statusOf(service, kept.messageId)).toBe('delivered');
  });
});
