import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { expiredDeduplications } from '../../../activities/maintenance/expired-rows.ts';
import { lostMessages } from '../../../activities/maintenance/lost-messages.ts';
import { sweepRows } from '../../../activities/maintenance/sweep-rows.ts';
import type { MessageRef } from '../../../domain/messages/messages.ts';
import { acceptMessages, type Publisher } from '../../../db/messages/accept/accept-messages.ts';
import { takePlace, queueBehindOthers } from '../../../db/in-flight/places.ts';
import { publishBody } from '../../../api/messages/body-schemas.ts';
import { wakeMessageWorkflow } from '../../../api/starts/message-workflows.ts';
import { startTestService } from '../../harness/service.ts';
import { messageIn, publish, startDestination, statusOf } from './support.ts';

const [service, destination] = await Promise.all([startTestService(), startDestination()]);
const [key] = await service.database.asOwner<{ id: string }>('SELECT id FROM api_keys LIMIT 1');
const keyId = key?.id ?? '';

/** A message of an API process that died between the commit and the start. */
async function accepted(body: Record<string, unknown>): Promise<string> {
  const { tenant } = service.database;
  const publisher: Publisher = {
    tenant,
    publishedBy: { type: 'api_key', id: keyId },
    apiKeyId: keyId,
    publishesWhileHalted: false,
  };
  const [published] = await service.deps.db.withEnvironment(tenant, (tx) =>
    acceptMessages(tx, service.deps.vault, publisher, [{ request: publishBody.parse(body) }]),
  );
  return published?.messageId ?? '';
}

const begun = async (id: string): Promise<boolean> =>
  (await service.database.asOwner('SELECT 1 FROM messages WHERE id = $1 AND begun_at IS NOT NULL', [id])).length === 1;

async function sweep(olderThanSeconds: number): Promise<number> {
  const wakeMessage = (ref: MessageRef) =>
    wakeMessageWorkflow(service.client, ref, { environmentName: null, taskQueue: service.taskQueue });
  const swept = await sweepRows({ ...service.deps, wakeMessage }, 'lost-messages', lostMessages(olderThanSeconds));
  return swept.seen;
}

describe('the sweep', () => {
  test('starts what was accepted and never begun, and then leaves it alone; what is due later it leaves to its workflow or the pacer', async () => {
    const [now, { messageId: later }] = await Promise.all([
      accepted({ url: `${destination.baseUrl}/lost`, deduplicationId: randomUUID() }),
      publish(service, { url: `${destination.baseUrl}/lost-later`, delay: '1h' }),
      accepted({ url: `${destination.baseUrl}/never-paced`, delay: '1h' }),
    ]);
    expect(await sweep(3_600)).toBe(0); // too young to count as lost
    await expect.poll(() => begun(later)).toBe(true);
    expect(await sweep(0)).toBe(1);
    await expect.poll(() => statusOf(service, now)).toBe('delivered');
    await expect.poll(() => sweep(0)).toBe(0);
    expect(await statusOf(service, later)).toBe('scheduled');
    expect(destination.on('/lost')).toHaveLength(1);

    // The scheduled message's workflow is terminated. The sweep finds it an hour after it was due.
    await service.client.workflow.getHandle(`message/${later}`).terminate('an operator');
    await service.database.asOwner(`UPDATE messages SET next_attempt_at = now() - interval '2 hours' WHERE id = $1`, [
      later,
    ]);
    expect(await sweep(3_600)).toBe(1);
    await expect.poll(() => statusOf(service, later)).toBe('delivered');
  });

  test('leaves a message that queues for a place in the queue, and starts it once nobody keeps its place', async () => {
    const { tenant } = service.database;
    const id = await accepted({ url: `${destination.baseUrl}/queued` });
    const fill = ['msg_a', 'msg_b'].map((holder) => ({ kind: 'delivery', holder, most: 1, leaseMs: 60_000 }) as const);
    for (const wanted of fill) await service.deps.db.withEnvironment(tenant, (tx) => takePlace(tx, wanted));
    expect(await service.deps.db.oneStatement(tenant, (tx) => queueBehindOthers(tx, [id]))).toEqual([]);
    expect(await sweep(0)).toBe(0);
    await service.database.asOwner('DELETE FROM lane_places');
    expect(await sweep(0)).toBe(1);
    await expect.poll(() => statusOf(service, id)).toBe('delivered');
  });

  test('gives up an attempt whose worker was lost, and tries again as often as was asked for', async () => {
    destination.answer('/lost-attempt', { status: 500 }, { status: 200 });
    const id = await accepted({ url: `${destination.baseUrl}/lost-attempt`, retryDelay: '0', maxRetries: 1 });
    await service.database.asOwner(
      `WITH begun AS (UPDATE messages SET status = 'processing', attempts = 1, begun_at = now() WHERE id = $1 RETURNING environment_id)
       INSERT INTO message_attempts (environment_id, message_id, number) SELECT environment_id, $1, 1 FROM begun`,
      [id],
    );
    const { workspaceId, environmentId } = service.database.tenant;
    const ref = { messageId: id, workspaceId, environmentId };
    await wakeMessageWorkflow(service.client, ref, { environmentName: null, taskQueue: service.taskQueue });
    await expect.poll(() => statusOf(service, id)).toBe('delivered');
    expect(messageIn(await service.get(`/api/v2/messages/${id}`)).attempts).toBe(3);
    const rows = await service.database.asOwner(
      'SELECT status FROM message_attempts WHERE message_id = $1 ORDER BY number',
      [id],
    );
    expect(rows).toEqual([{ status: 'abandoned' }, { status: 'completed' }, { status: 'completed' }]);
    expect(destination.on('/lost-attempt')[0]?.headers['x-service-attempt']).toBe('2');
  });

  test('deletes deduplication windows that are over, and no others', async () => {
    await accepted({ url: destination.baseUrl, delay: '1h', deduplicationId: 'over' });
    await service.database.asOwner(`UPDATE message_deduplications SET expires_at = now() - interval '1 second'`);
    await accepted({ url: destination.baseUrl, delay: '1h', deduplicationId: 'present' });
    expect(await sweepRows(service.deps, 'expired', expiredDeduplications)).toEqual({ seen: 2, failed: 0 });
    const [row] = await service.database.asOwner('SELECT count(*)::int AS n FROM message_deduplications');
    expect(row).toEqual({ n: 1 });
  });
});
