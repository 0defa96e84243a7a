import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  deadLetterSchema,
  listedDeadLetterSchema,
  retriedSchema,
  statsSchema,
} from '../../../api/dead-letters/schemas.ts';
import { keySchema } from '../../../api/flow-control/schemas.ts';
import { listedMessageSchema } from '../../../api/messages/schemas.ts';
import { deleteOldDeadLetters } from '../../../db/dead-letters/directory.ts';
import { newId } from '../../../domain/ids.ts';
import { startTestService } from '../../harness/service.ts';
import type { CallResult } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { publish, read, startDestination, statusOf } from '../messages/support.ts';
import { plantDeadLetters } from './plant.ts';
import { countRows } from '../harness/count-rows.ts';

const [service, destination] = await Promise.all([startTestService(), startDestination()]);

const get = (messageId: string): Promise<CallResult> => service.get(`/api/v2/dlq/${messageId}`);
const retry = (messageId: string, body: object = {}): Promise<CallResult> =>
  service.post(`/api/v2/dlq/${messageId}/retry`, body);
const listed = async (query: string): Promise<string[]> => {
  const reply = await service.get(`/api/v2/dlq?${query}`);
  return dataOf(reply, z.array(listedDeadLetterSchema)).map((record) => record.messageId);
};

/** Publishes a message that fails for good, and returns its id. */
async function failing(path: string, status: number, body: object = {}): Promise<string> {
  destination.answer(path, { status, body: 'no', headers: { 'X-Why': 'because' } });
  const request = { url: `${destination.baseUrl}${path}`, maxRetries: 1, retryDelay: '0', ...body };
  const { messageId } = await publish(service, request);
  await expect.poll(() => statusOf(service, messageId)).toBe('failed');
  return messageId;
}

describe('a record', () => {
  test.each([
    [500, 'retries_exhausted', 2],
    [410, 'gone', 1],
    [489, 'not_retryable', 1],
  ])('of a message that got %i says %s', async (status, dlqReason, attempts) => {
    const messageId = await failing(`/fails-${status}`, status, { label: `order ${status}`, body: { order: 7 } });
    const record = dataOf(await get(messageId), deadLetterSchema);
    expect(record).toEqual({
      ...(await read(service, messageId)),
      dlqReason,
      attempts,
      responseStatus: status,
      lastAttemptAt: expect.any(String),
      responseHeaders: expect.objectContaining({ 'x-why': 'because' }),
      label: `order ${status}`,
      urlGroupId: null,
      scheduleId: null,
    });
    expect(Date.parse(record.lastAttemptAt ?? '')).toBeGreaterThanOrEqual(Date.parse(record.createdAt));
  });

  test('of a blocked destination says so', async () => {
    const { messageId } = await publish(service, { url: 'http://169.254.169.254/latest', maxRetries: 3 });
    await expect.poll(() => statusOf(service, messageId)).toBe('failed');
    expect(dataOf(await get(messageId), deadLetterSchema)).toMatchObject({ dlqReason: 'destination_blocked' });
  });

  test('is made of a callback, too, and of nothing that was delivered', async () => {
    destination.answer('/callback-fails', { status: 410 });
    const { messageId } = await publish(service, {
      url: `${destination.baseUrl}/delivered`,
      callbackUrl: `${destination.baseUrl}/callback-fails`,
    });
    const url = encodeURIComponent(`${destination.baseUrl}/callback-fails`);
    await expect.poll(() => listed(`url=${url}`)).toHaveLength(1);
    expect((await get(messageId)).status).toBe(404);
    const [callbackId = ''] = await listed(`url=${url}`);
    destination.answer('/callback-fails', { status: 200 });
    const retried = dataOf(await retry(callbackId), retriedSchema);
    await expect.poll(() => statusOf(service, retried.messageId)).toBe('delivered');
    const [row] = await service.database.asOwner('SELECT kind, callback_of FROM messages WHERE id = $1', [
      retried.messageId,
    ]);
    expect(row).toEqual({ kind: 'callback', callback_of: messageId });
  });
});

describe('the list', () => {
  test('filters by each member, those that failed last first', async () => {
    const groupId = newId('urlGroup');
    const plant = (planted: object) => plantDeadLetters(service.database, planted);
    const [old = ''] = await plant({ label: 'filtered', failedAgoMs: 3_600_000, scheduleId: 'sch_1' });
    const [gone = ''] = await plant({ label: 'filtered', reason: 'gone', responseStatus: 410, failedAgoMs: 1_000 });
    const [inGroup = ''] = await plant({ label: 'filtered', urlGroupId: groupId, url: 'https://example.com/group' });
    const between = new Date(Date.now() - 60_000).toISOString();
    expect(await listed('label=filtered')).toEqual([inGroup, gone, old]);
    expect(await listed('label=filtered&scheduleId=sch_1')).toEqual([old]);
    expect(await listed('label=filtered&responseStatus=410')).toEqual([gone]);
    expect(await listed('label=filtered&reason=gone')).toEqual([gone]);
    expect(await listed(`urlGroup=${groupId}`)).toEqual([inGroup]);
    expect(await listed('label=filtered&url=https://example.com/group')).toEqual([inGroup]);
    expect(await listed(`label=filtered&startDate=${between}`)).toEqual([inGroup, gone]);
    // Legal in RFC 3339, and nothing that PostgreSQL reads.
    expect(await listed('label=filtered&startDate=2143-05-11T00:46:15.9-17:29')).toEqual([]);
    expect(await listed('label=filtered&endDate=0000-01-01T00:00:00Z')).toEqual([]);
    expect(await listed(`label=filtered&endDate=${between}`)).toEqual([old]);
    expect(await listed('label=filtered&limit=1&page=2')).toEqual([gone]);
    await service.database.asOwner('INSERT INTO url_groups (id, environment_id, name) VALUES ($1, $2, $3)', [
      groupId,
      service.database.tenant.environmentId,
      'by name',
    ]);
    expect(await listed('urlGroup=by%20name')).toEqual([inGroup]);
  });

  test('stats count by reason, status and destination', async () => {
    const before = dataOf(await service.get('/api/v2/dlq/stats'), statsSchema);
    await plantDeadLetters(service.database, {
      count: 40,
      url: 'https://example.com/most',
      reason: 'gone',
      responseStatus: 410,
    });
    const after = dataOf(await service.get('/api/v2/dlq/stats'), statsSchema);
    expect(after.total - before.total).toBe(40);
    expect(after.examined).toBe(after.total);
    expect(after.topUrls[0]).toEqual({ url: 'https://example.com/most', count: 40 });
    expect(after.byReason[0]?.reason).toBe('gone');
    expect(after.byResponseStatus[0]?.responseStatus).toBe(410);
    expect(Date.parse(after.oldestAt ?? '')).toBeLessThan(Date.parse(after.newestAt ?? ''));
  });

  test('a record goes when its message has had its time, counted from its failure, a part at a time', async () => {
    const ids = await plantDeadLetters(service.database, { count: 5, label: 'retention' });
    const [old = '', kept = '', older = '', young = ''] = ids;
    const end = (id: string, retention: string, daysAgo: number) =>
      service.database.asOwner(
        `UPDATE dead_letters SET retention = $2, failed_at = now() - $3 * interval '1 day' WHERE message_id = $1`,
        [id, retention, daysAgo],
      );
    await end(old, 'month', 30.1);
    await end(older, 'month', 32);
    await end(kept, 'quarter', 91);
    await end(young, 'quarter', 29);
    // What failed just now stays, although its message was accepted long ago.
    await service.database.asOwner(
      `UPDATE dead_letters SET message_id = 'msg_' || substr(run_id_floor(now() - interval '90 days'), 5) WHERE message_id = $1`,
      [ids[4]],
    );
    const left = async () =>
      (
        await service.database.asOwner<{ id: string }>(
          `SELECT message_id AS id FROM dead_letters WHERE label = 'retention' ORDER BY failed_at`,
        )
      ).map(({ id }) => id);
    const [longDelayed] = (await left()).slice(-1);
    // One of each class: the oldest.
    expect(await service.database.asOwner('SELECT delete_old_dead_letters(1) AS n')).toEqual([{ n: 2 }]);
    expect(await left()).toEqual([old, young, longDelayed]);
    expect(await deleteOldDeadLetters(service.database.db)).toBe(1);
    expect(await deleteOldDeadLetters(service.database.db)).toBe(0);
    expect(await left()).toEqual([young, longDelayed]);
  });

  test('a deleted record is gone, and its message stays failed', async () => {
    const [id = ''] = await plantDeadLetters(service.database);
    expect((await service.call('DELETE', `/api/v2/dlq/${id}`, { key: service.key })).status).toBe(200);
    expect((await get(id)).status).toBe(404);
    expect((await retry(id)).status).toBe(404);
    expect(await statusOf(service, id)).toBe('failed');
  });
});

describe('a retry', () => {
  test('sends the message again as a new one, and the record is gone', async () => {
    const messageId = await failing('/again', 500, { body: { order: 8 }, headers: { 'X-Order': '8' }, label: 'again' });
    destination.answer('/again', { status: 200 });
    const reply = await retry(messageId);
    expect(reply.status).toBe(201);
    const retried = dataOf(reply, retriedSchema);
    expect(retried).toEqual({ messageId: expect.stringMatching(/^msg_/), status: 'pending', retryOf: messageId });
    await expect.poll(() => statusOf(service, retried.messageId)).toBe('delivered');
    const sent = destination.on('/again').at(-1);
    expect(sent).toMatchObject({
      body: '{"order":8}',
      headers: { 'webhook-id': retried.messageId, 'x-order': '8', 'x-service-attempt': '1' },
    });
    expect((await get(messageId)).status).toBe(404);
    expect([(await read(service, retried.messageId)).retryOf, (await read(service, messageId)).retryOf]).toEqual([
      messageId,
      null,
    ]);
    const shown = await service.get('/api/v2/messages?label=again');
    expect(dataOf(shown, z.array(listedMessageSchema)).map((message) => message.retryOf)).toEqual([messageId, null]);
    const rows = await service.database.asOwner(
      'SELECT retry_of, label, max_retries, retry_delays_ms FROM messages WHERE id = $1',
      [retried.messageId],
    );
    expect(rows).toEqual([{ retry_of: messageId, label: 'again', max_retries: 1, retry_delays_ms: [0] }]);
  });

  test('sends what the request says otherwise, an edited body too', async () => {
    const messageId = await failing('/before', 410, { body: { order: 9 }, headers: { 'X-Old': '1' }, label: 'edited' });
    const retried = dataOf(
      await retry(messageId, {
        url: `${destination.baseUrl}/after`,
        method: 'PUT',
        headers: { 'X-New': '2' },
        body: { order: 10 },
        maxRetries: 0,
        label: null,
      }),
      retriedSchema,
    );
    await expect.poll(() => statusOf(service, retried.messageId)).toBe('delivered');
    const [sent] = destination.on('/after');
    expect(sent).toMatchObject({ method: 'PUT', body: '{"order":10}', headers: { 'x-new': '2' } });
    expect(sent?.headers['x-old']).toBeUndefined();
    const [row] = await service.database.asOwner('SELECT max_retries, label FROM messages WHERE id = $1', [
      retried.messageId,
    ]);
    expect(row).toEqual({ max_retries: 0, label: null });
  });

  test('keeps the delays of the first try, has others where the request says so, and none of its own for null', async () => {
    const retries: [object, unknown][] = [
      [{}, [0]],
      [{ retryDelay: '3000' }, [3_000]],
      [{ retryDelay: null }, null],
    ];
    for (const [overrides, delays] of retries) {
      const messageId = await failing('/delays', 410);
      const { messageId: retried } = dataOf(await retry(messageId, { ...overrides, delay: 3_600 }), retriedSchema);
      const select = 'SELECT retry_delays_ms FROM messages WHERE id = $1';
      expect(await service.database.asOwner(select, [retried])).toEqual([{ retry_delays_ms: delays }]);
    }
  });

  test('waits in the queue of its flow-control key, unless the request names another or none', async () => {
    const key = dataOf(await service.post('/api/v2/flow-control', { key: 'retried', parallelism: 7 }), keySchema);
    const path = `/api/v2/flow-control/${key.id}`;
    expect((await service.post(`${path}/pause`, {})).status).toBe(200);
    const url = `${destination.baseUrl}/keyed`;
    const [kept = '', other = '', none = ''] = await plantDeadLetters(service.database, {
      count: 3,
      url,
      flowControlKeyId: key.id,
    });
    const retriedBy = async (id: string, body: object): Promise<string> =>
      dataOf(await retry(id, body), retriedSchema).messageId;
    const waiting = await retriedBy(kept, {});
    const sent = [
      await retriedBy(other, { flowControl: { key: 'other' } }),
      await retriedBy(none, { flowControl: null }),
    ];
    for (const messageId of sent) await expect.poll(() => statusOf(service, messageId)).toBe('delivered');
    expect(await Promise.all(sent.map(async (id) => (await read(service, id)).flowControlKey))).toEqual([
      'other',
      null,
    ]);
    expect(await read(service, waiting)).toMatchObject({ flowControlKey: 'retried', status: 'pending', attempts: 0 });
    expect(dataOf(await service.get(path), keySchema)).toMatchObject({ waiting: 1, inFlight: 0, parallelism: 7 });
    expect((await service.post(`${path}/resume`, {})).status).toBe(200);
    await expect.poll(() => statusOf(service, waiting)).toBe('delivered');
  });

  test('of one record by many at once makes one message', async () => {
    const [id = ''] = await plantDeadLetters(service.database, { url: `${destination.baseUrl}/once` });
    const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await retry(id)).status));
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(7);
    expect(await countRows(service.database, 'messages WHERE retry_of = $1', [id])).toBe(1);
  });

  test('that is refused leaves the record', async () => {
    const [id = ''] = await plantDeadLetters(service.database);
    const refused = await retry(id, { method: 'GET' });
    expect([refused.status, errorOf(refused).message]).toEqual([400, expect.stringContaining('GET')]);
    expect((await get(id)).status).toBe(200);
  });
});

describe('what is sealed', () => {
  const SECRET = 'Bearer correct-horse-battery';
  const sealed = (path: string) =>
    failing(path, 500, {
      headers: { Authorization: SECRET, 'X-Plain': '1' },
      body: { card: '4242-4242-4242' },
      redact: { body: true },
    });

  test('is sent again, is sealed again, and is shown nowhere', async () => {
    const messageId = await sealed('/sealed');
    destination.answer('/sealed', { status: 200 });
    const reply = await retry(messageId, { headers: { authorization: '[REDACTED]', 'X-Plain': '2' } });
    const { messageId: retried } = dataOf(reply, retriedSchema);
    await expect.poll(() => statusOf(service, retried)).toBe('delivered');
    expect(destination.on('/sealed').at(-1)).toMatchObject({
      body: '{"card":"4242-4242-4242"}',
      headers: { authorization: SECRET, 'x-plain': '2' },
    });
    expect(await read(service, retried)).toMatchObject({
      headers: { authorization: '[REDACTED]', 'X-Plain': '2' },
      body: '[REDACTED]',
    });
    const [row] = await service.database.asOwner<{ all: string }>(
      'SELECT m::text || c::text AS all FROM messages m JOIN message_contents c ON c.message_id = m.id WHERE m.id = $1',
      [retried],
    );
    expect(row?.all).not.toMatch(/correct-horse|4242-4242/);
  });

  test('is not sent to another origin: the caller must send it again', async () => {
    const messageId = await sealed('/stays');
    const elsewhere = await startDestination();
    try {
      const url = `${elsewhere.baseUrl}/stolen`;
      const refused = await retry(messageId, { url });
      expect(refused.status).toBe(400);
      const { issues } = z.object({ issues: z.array(z.object({ path: z.string() })) }).parse(errorOf(refused).details);
      expect(issues.map((issue) => issue.path)).toEqual(['body.headers', 'body.body']);
      expect((await retry(messageId, { url, headers: { Authorization: '[REDACTED]' }, body: 'x' })).status).toBe(400);
      expect((await retry(messageId, { callbackUrl: url })).status).toBe(400);
      const anew = await retry(messageId, { url, headers: null, body: 'harmless' });
      await expect.poll(() => statusOf(service, dataOf(anew, retriedSchema).messageId)).toBe('delivered');
      expect(elsewhere.on('/stolen').map((sent) => [sent.body, sent.headers.authorization])).toEqual([
        ['harmless', undefined],
      ]);
    } finally {
      await elsewhere.close();
    }
  });

  test('returns 409 when it cannot be decrypted and keeps the record; a retry with new values succeeds', async () => {
    const messageId = await sealed('/unopened');
    await service.database.asOwner(
      `SET session_replication_role = replica; UPDATE message_contents SET master_key_version = 99 WHERE message_id = '${messageId}'`,
    );
    destination.answer('/unopened', { status: 200 });
    for (const kept of [
      {},
      { headers: null },
      { body: 'anew' },
      { headers: { Authorization: '[REDACTED]' }, body: 'anew' },
    ]) {
      const refused = await retry(messageId, kept);
      expect([refused.status, errorOf(refused).code], refused.text).toEqual([409, 'CONFLICT']);
      expect(errorOf(refused).message).toMatch(/does not open.* anew/);
    }
    expect((await get(messageId)).status).toBe(200);
    const anew = await retry(messageId, { headers: { Authorization: 'Bearer anew' }, body: 'anew' });
    await expect.poll(() => statusOf(service, dataOf(anew, retriedSchema).messageId)).toBe('delivered');
    expect(destination.on('/unopened').at(-1)).toMatchObject({
      body: 'anew',
      headers: { authorization: 'Bearer anew' },
    });
  });
});
