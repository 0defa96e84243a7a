import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { canonicalJson } from '../../../domain/canonical-json.ts';
import { newId } from '../../../domain/ids.ts';
import type { Json } from '../../../domain/json.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { publishedSchema } from '../../../api/messages/schemas.ts';
import { plainMessage } from '../../db/messages/plain-message.ts';
import { rotateKey } from '../signing-keys/support.ts';
import { messageIn } from './support.ts';

/** Without a worker: the requests that the API accepts and refuses, and the messages that it shows. */
const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);
beforeEach(() => api.replyViolations.splice(0));

const URL_OF_IT = 'https://example.com/hook';
const post = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<CallResult> =>
  api.call('POST', `/api/v2/messages/${path}`, { key, body, headers });
const publish = (body: Record<string, unknown>, headers: Record<string, string> = {}): Promise<CallResult> =>
  post('publish', { url: URL_OF_IT, ...body }, headers);
const get = (path: string): Promise<CallResult> => api.call('GET', `/api/v2/messages${path}`, { key });
const count = async (): Promise<number> =>
  (await api.database.asOwner<{ n: number }>('SELECT count(*)::int AS n FROM messages'))[0]?.n ?? -1;

describe('publish', () => {
  test('201: accepts, with the documented defaults', async () => {
    const reply = await publish({});
    expect(reply.status).toBe(201);
    const { messageId, ...rest } = dataOf(reply, publishedSchema);
    expect(rest).toEqual({ status: 'pending', deduplicated: false });
    const message = messageIn(await get(`/${messageId}`));
    expect(message).toEqual({
      messageId,
      url: URL_OF_IT,
      method: 'POST',
      headers: null,
      body: null,
      scheduledFor: null,
      status: 'pending',
      attempts: 0,
      contentExpired: false,
      maxRetries: 5,
      responseStatus: null,
      responseBody: null,
      errorMessage: null,
      deliveredAt: null,
      failedAt: null,
      callbackUrl: null,
      failureCallbackUrl: null,
      flowControlKey: null,
      retryOf: null,
      label: null,
      scheduleId: null,
      urlGroupId: null,
      nextAttemptAt: message.createdAt,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const [row] = await api.database.asOwner(
      `SELECT timeout_seconds, retry_delays_ms, kind FROM messages WHERE id = $1`,
      [messageId],
    );
    expect(row).toEqual({ timeout_seconds: 30, retry_delays_ms: null, kind: 'message' });
    expect(api.replyViolations).toEqual([]);
  });

  test.each([
    ['1d10h30m', 124_200],
    ['90s', 90],
    [60, 60],
  ])('a delay of %s is so many seconds', async (delay, seconds) => {
    const { messageId, status } = dataOf(await publish({ delay }), publishedSchema);
    expect(status).toBe('scheduled');
    const { scheduledFor, createdAt } = messageIn(await get(`/${messageId}`));
    expect(Math.abs(Date.parse(scheduledFor ?? '') - Date.parse(createdAt) - seconds * 1_000)).toBeLessThan(2_000);
  });

  test('scheduledFor is kept as it was; the past is now', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = dataOf(await publish({ scheduledFor: later }), publishedSchema);
    expect([scheduled.status, messageIn(await get(`/${scheduled.messageId}`)).scheduledFor]).toEqual([
      'scheduled',
      later,
    ]);
    // RFC 3339 has years that PostgreSQL does not have.
    for (const past of ['2020-01-01T00:00:00+02:00', '0000-01-01T00:00:00Z', '0001-01-01T00:00:00+23:59']) {
      const reply = await publish({ scheduledFor: past });
      expect([past, reply.status], reply.text).toEqual([past, 201]);
      expect(dataOf(reply, publishedSchema).status).toBe('pending');
    }
  });

  test('retryDelay is evaluated when it is published', async () => {
    const body = {
      retryDelay: 'retried < 2 ? max(100, 1000 * pow(2, retried)) : min(exp(retried), 86400000 * 9)',
      maxRetries: 4,
    };
    const { messageId } = dataOf(await publish(body), publishedSchema);
    const [row] = await api.database.asOwner('SELECT retry_delays_ms FROM messages WHERE id = $1', [messageId]);
    expect(row).toEqual({ retry_delays_ms: [1_000, 2_000, 7, 20] });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['no URL', { url: 'not a url' }, 'body.url'],
    ['another scheme', { url: 'ftp://example.com/' }, 'body.url'],
    ['credentials in the URL', { url: 'https://user:pass@example.com/' }, 'body.url'],
    ['a space in the URL', { url: 'https://example.com/a b' }, 'body.url'],
    ['an unknown method', { method: 'TRACE' }, 'body.method'],
    ['a body with GET', { method: 'GET', body: 1 }, 'body.body'],
    ['a reserved header', { headers: { 'Webhook-Id': 'x' } }, 'body.headers.Webhook-Id'],
    ['a header of the connection', { headers: { Host: 'x' } }, 'body.headers.Host'],
    ['a header with a line break', { headers: { 'X-A': 'a\r\nb: c' } }, 'body.headers.X-A'],
    ['a header given twice', { headers: { 'X-A': '1', 'x-a': '2' } }, 'body.headers.x-a'],
    ['a delay that is none', { delay: 'tomorrow' }, 'body.delay'],
    ['a negative delay', { delay: -1 }, 'body.delay'],
    ['two times', { delay: 1, scheduledFor: '2030-01-01T00:00:00Z' }, 'body.delay'],
    ['a time too far away', { scheduledFor: '2999-01-01T00:00:00Z' }, 'body.scheduledFor'],
    ['too many retries', { maxRetries: 21 }, 'body.maxRetries'],
    ['too long a time-out', { timeoutSeconds: 301 }, 'body.timeoutSeconds'],
    ['no CEL', { retryDelay: '1 +' }, 'body.retryDelay'],
    ['an unknown variable', { retryDelay: 'attempts * 2' }, 'body.retryDelay'],
    ['an unknown function', { retryDelay: 'size("x") * 2' }, 'body.retryDelay'],
    ['a loop', { retryDelay: '[1,2,3].map(x, x)[0]' }, 'body.retryDelay'],
    ['a delay below zero', { retryDelay: '10 - retried' }, 'body.retryDelay'],
    ['no number', { retryDelay: 'retried > 1' }, 'body.retryDelay'],
    ['two deduplications', { deduplicationId: 'a', contentBasedDeduplication: true }, 'body.contentBasedDeduplication'],
    ['a flow control without a key', { flowControl: { rate: 1 } }, 'body.flowControl.key'],
    ['a period without a rate', { flowControl: { key: 'k', periodSeconds: 5 } }, 'body.flowControl.periodSeconds'],
    ['no parallelism', { flowControl: { key: 'k', parallelism: 0 } }, 'body.flowControl.parallelism'],
    ['a later feature', { urlGroup: 'g' }, 'body.urlGroup'],
  ])('400: %s', async (_what, body, path) => {
    const before = await count();
    const reply = await publish(body);
    expect([reply.status, errorOf(reply).code]).toEqual([400, 'VALIDATION_ERROR']);
    const issues = errorOf(reply).details?.['issues'] as { path: string }[];
    expect(issues.map((issue) => issue.path)).toContain(path);
    expect(await count()).toBe(before);
  });

  test('an Idempotency-Key publishes once, also where the same request comes twice at once', async () => {
    const before = await count();
    const headers = { 'Idempotency-Key': 'publish-once' };
    const replies = await Promise.all([1, 2, 3].map(() => publish({ body: 1 }, headers)));
    expect(new Set(replies.map((reply) => reply.text)).size).toBe(1);
    expect(await count()).toBe(before + 1);
  });

  test('is accepted while Temporal is away: the row is what counts', async () => {
    const cutOff = await startTestApi({ database: api.database, temporalAddress: '127.0.0.1:1' });
    try {
      for (const [delay, status] of [
        [0, 'pending'],
        [60, 'scheduled'],
      ]) {
        const body = { url: URL_OF_IT, delay };
        const reply = await cutOff.call('POST', '/api/v2/messages/publish', { key, body });
        expect(reply.status).toBe(201);
        const { messageId } = dataOf(reply, publishedSchema);
        expect(messageIn(await get(`/${messageId}`)).status).toBe(status);
      }
      expect(cutOff.logLines.join('\n')).toContain('what follows a committed change failed');
    } finally {
      await cutOff.close();
    }
  });
});

describe('deduplication', () => {
  test('by id: the first one is answered, for ten minutes', async () => {
    const first = await publish({ deduplicationId: 'order-1', delay: 60 });
    const again = await publish({ deduplicationId: 'order-1', body: 'another' });
    expect([first.status, again.status]).toEqual([201, 200]);
    const { messageId } = dataOf(first, publishedSchema);
    expect(dataOf(again, publishedSchema)).toEqual({ messageId, status: 'scheduled', deduplicated: true });
    await api.database.asOwner(`UPDATE message_deduplications SET expires_at = now() WHERE message_id = $1`, [
      messageId,
    ]);
    const later = await publish({ deduplicationId: 'order-1' });
    expect([later.status, dataOf(later, publishedSchema).messageId === messageId]).toEqual([201, false]);
    const [row] = await api.database.asOwner<{ minutes: number }>(
      `SELECT extract(epoch FROM expires_at - now())::int / 60 AS minutes FROM message_deduplications WHERE message_id = $1`,
      [dataOf(later, publishedSchema).messageId],
    );
    expect(row?.minutes).toBeOneOf([9, 10]);
  });

  test('by content: what is kept of a redacted body tells nothing to who guesses it', async () => {
    const asked = { contentBasedDeduplication: true, redact: { body: true }, body: { code: '482913' } };
    const { messageId } = dataOf(await publish(asked), publishedSchema);
    const [row] = await api.database.asOwner<{ digest: Buffer }>(
      'SELECT digest FROM message_deduplications WHERE message_id = $1',
      [messageId],
    );
    const digestOf = (value: Json): Buffer => createHash('sha256').update(canonicalJson(value)).digest();
    const guess = digestOf([null, 'json', JSON.stringify(asked.body)]).toString('hex');
    expect(row?.digest).toHaveLength(32);
    expect(row?.digest.equals(digestOf(['content', URL_OF_IT, 'POST', guess, null]))).toBe(false);
    expect(dataOf(await publish(asked), publishedSchema)).toMatchObject({ messageId, deduplicated: true });
  });

  test('by content: equal messages are one, whatever the order of members in a header map; others are not', async () => {
    const same = { contentBasedDeduplication: true, headers: { 'X-A': '1', 'X-B': '2' }, body: { a: 1 } };
    const first = dataOf(await publish(same), publishedSchema);
    const again = dataOf(await publish({ ...same, headers: { 'X-B': '2', 'X-A': '1' } }), publishedSchema);
    expect([again.messageId, again.deduplicated]).toEqual([first.messageId, true]);
    for (const other of [
      { body: { a: 2 } },
      { headers: { 'X-A': '1' } },
      { method: 'PUT' },
      { url: `${URL_OF_IT}?b` },
    ]) {
      expect((await publish({ ...same, ...other })).status).toBe(201);
    }
  });

  test('many at once: one is accepted', async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => publish({ deduplicationId: 'at-once' })));
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1);
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(9);
    expect(new Set(replies.map((reply) => dataOf(reply, publishedSchema).messageId)).size).toBe(1);
  });

  test("another environment's window is its own", async () => {
    const first = dataOf(await publish({ deduplicationId: 'shared' }), publishedSchema);
    const { key: other } = await api.createKey(api.database.tenants.staging);
    const body = { url: URL_OF_IT, deduplicationId: 'shared' };
    const reply = await api.call('POST', '/api/v2/messages/publish', { key: other, body });
    expect([reply.status, dataOf(reply, publishedSchema).messageId === first.messageId]).toEqual([201, false]);
  });
});

describe('batch', () => {
  test('answers each in order; one bad item does not fail the rest', async () => {
    const before = await count();
    const reply = await post('batch', {
      messages: [
        { url: `${URL_OF_IT}/1`, deduplicationId: 'in-batch' },
        { url: 'nowhere', unknown: 1 },
        'not an object',
        { url: `${URL_OF_IT}/2`, delay: '1h' },
        { url: `${URL_OF_IT}/3`, deduplicationId: 'in-batch' },
        { url: `${URL_OF_IT}/4`, scheduledFor: '0000-01-01T00:00:00Z' },
      ],
    });
    expect(reply.status).toBe(200);
    const { data } = reply.json as { data: Record<string, unknown>[] };
    const messageId = expect.stringMatching(/^msg_/) as string;
    expect(data).toEqual([
      { messageId, status: 'pending', deduplicated: false },
      { error: expect.objectContaining({ code: 'VALIDATION_ERROR' }) as object },
      { error: expect.objectContaining({ code: 'VALIDATION_ERROR' }) as object },
      { messageId, status: 'scheduled', deduplicated: false },
      { messageId: data[0]?.['messageId'], status: 'pending', deduplicated: true },
      { messageId, status: 'pending', deduplicated: false },
    ]);
    expect(await count()).toBe(before + 3);
    expect(api.replyViolations).toEqual([]);
  });

  test('takes 1,000 and no more, and not none', async () => {
    const messages = (length: number): object[] => Array.from({ length }, (_, n) => ({ url: `${URL_OF_IT}/${n}` }));
    const before = await count();
    const reply = await post('batch', { messages: messages(1_000) }, { 'Idempotency-Key': 'thousand' });
    const { data } = reply.json as { data: { messageId: string }[] };
    expect(new Set(data.map((item) => item.messageId)).size).toBe(1_000);
    expect((await post('batch', { messages: messages(1_000) }, { 'Idempotency-Key': 'thousand' })).text).toBe(
      reply.text,
    );
    expect(await count()).toBe(before + 1_000);
    const third = messageIn(await get(`/${data[2]?.messageId}`));
    expect(third.url).toBe(`${URL_OF_IT}/2`);
    for (const length of [0, 1_001]) expect((await post('batch', { messages: messages(length) })).status).toBe(400);
  });
});

describe('list', () => {
  test('filters by label and by schedule, and shows them', async () => {
    const tenant = api.database.tenants.staging;
    const { key: lister } = await api.createKey(tenant);
    const messageId = newId('message');
    await api.database.db.withEnvironment(tenant, (tx) =>
      insertMessages(tx, [plainMessage({ id: messageId, label: 'nightly', scheduleId: 'sch_1' })]),
    );
    await api.database.db.withEnvironment(tenant, (tx) => insertMessages(tx, [plainMessage({ label: 'Nightly' })]));
    for (const [query, ids] of [
      ['label=nightly', [messageId]],
      ['scheduleId=sch_1', [messageId]],
      ['label=nightl', []],
      ['scheduleId=sch_2', []],
    ] as const) {
      const reply = await api.call('GET', `/api/v2/messages?${query}`, { key: lister });
      const { data } = reply.json as { data: { messageId: string }[] };
      expect([query, data.map((message) => message.messageId)]).toEqual([query, ids]);
    }
    const shown = { messageId, label: 'nightly', scheduleId: 'sch_1', urlGroupId: null };
    const { json } = await api.call('GET', '/api/v2/messages?label=nightly', { key: lister });
    expect(json).toMatchObject({ data: [shown] });
    expect(messageIn(await api.call('GET', `/api/v2/messages/${messageId}`, { key: lister }))).toMatchObject(shown);
  });

  test('shows when the next attempt is due until the message has ended', async () => {
    const { messageId } = dataOf(await publish({ delay: 99, label: 'due later' }), publishedSchema);
    const listed = await get('?label=due%20later');
    const { scheduledFor } = messageIn(await get(`/${messageId}`));
    expect(listed.json).toMatchObject({ data: [{ scheduledFor, nextAttemptAt: scheduledFor }] });
    expect(scheduledFor).not.toBeNull();
    const cancelled = await api.call('DELETE', `/api/v2/messages/${messageId}`, { key });
    expect(messageIn(cancelled)).toMatchObject({ status: 'cancelled', scheduledFor, nextAttemptAt: null });
  });

  test('filters by status, time and URL, and hides deliveries of events unless asked', async () => {
    const { key: lister } = await api.createKey(api.database.tenants.production);
    const asLister = (method: string, path: string, body?: unknown): Promise<CallResult> =>
      api.call(method, `/api/v2/messages${path}`, { key: lister, ...(body === undefined ? {} : { body }) });
    const ids: string[] = [];
    for (const body of [{ url: URL_OF_IT }, { url: `${URL_OF_IT}/b` }, { url: URL_OF_IT, delay: 99 }]) {
      ids.push(dataOf(await asLister('POST', '/publish', body), publishedSchema).messageId);
    }
    const [first = '', second = '', third = ''] = ids;
    await api.database.asOwner(`ALTER TABLE messages DISABLE TRIGGER check_move`);
    await api.database.asOwner(
      `UPDATE messages SET created_at = '2026-01-01', kind = 'event', event_id = 'evt_1', subscription_id = 'sub_1' WHERE id = $1`,
      [second],
    );
    await api.database.asOwner(`ALTER TABLE messages ENABLE TRIGGER check_move`);
    const listed = async (query: string): Promise<string[]> => {
      const reply = await asLister('GET', `?${query}`);
      const { data, pagination } = reply.json as { data: { messageId: string }[]; pagination: { total: number } };
      expect(pagination.total).toBe(data.length);
      return data.map((message) => message.messageId);
    };
    expect(await listed('')).toEqual([third, first]);
    expect(await listed('includeEventDeliveries=true')).toEqual([third, first, second]);
    expect(await listed('status=scheduled')).toEqual([third]);
    expect(await listed(`url=${encodeURIComponent(URL_OF_IT)}`)).toEqual([third, first]);
    expect(await listed('includeEventDeliveries=true&endDate=2026-02-01T00:00:00Z')).toEqual([second]);
    expect(await listed('includeEventDeliveries=true&startDate=2026-02-01T01:00:00%2B01:00')).toEqual([third, first]);
    for (const query of ['status=sent', 'startDate=yesterday', 'includeEventDeliveries=1', 'limit=101']) {
      expect([query, (await asLister('GET', `?${query}`)).status]).toEqual([query, 400]);
    }
    expect((await asLister('GET', '?startDate=0000-01-01T00:00:00Z')).status).toBe(200);
  });
});

describe('signing keys', () => {
  const list = async (signer: string): Promise<{ id: string; prefix: string; retiresAt: string | null }[]> =>
    ((await api.call('GET', '/api/v2/signing-keys', { key: signer })).json as { data: [] }).data;

  test('are the workspace’s, made on first use, rotated with a grace period, and shown once', async () => {
    const elsewhere = await api.database.anotherWorkspace('Signing workspace');
    const { key: signer } = await api.createKey(elsewhere.development);
    expect(await list(signer)).toEqual([]);
    await Promise.all(
      [1, 2, 3].map(() => api.call('POST', '/api/v2/messages/publish', { key: signer, body: { url: URL_OF_IT } })),
    );
    const [first, ...others] = await list(signer);
    expect([first?.retiresAt, others]).toEqual([null, []]);

    const rotate = (body: object = {}): Promise<CallResult> => rotateKey(api, body, elsewhere.development);
    const reply = await rotate();
    expect(reply.status).toBe(201);
    const made = (reply.json as { data: { id: string; secret: string; prefix: string } }).data;
    expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made.secret.startsWith(made.prefix)).toBe(true);
    const keys = await list((await api.createKey(elsewhere.production)).key);
    expect(keys.map((one) => one.id)).toEqual([made.id, first?.id]);
    const graceMs = Date.parse(keys[1]?.retiresAt ?? '') - Date.now();
    expect(Math.round(graceMs / 3_600_000)).toBe(24);
    const rows = await api.database.asOwner('SELECT t::text AS row FROM signing_keys t');
    const audit = await api.database.asOwner(`SELECT details FROM audit_log WHERE action = 'signing_key.rotated'`);
    expect(audit).toHaveLength(1);
    expect(JSON.stringify([rows, audit, api.logLines])).not.toContain(made.secret.slice(20, 40));

    expect((await rotate({ gracePeriodSeconds: 0 })).status).toBe(201);
    expect((await list(signer)).map((one) => one.id)).not.toContain(made.id);
    for (let more = 0; more < 4; more++) expect((await rotate()).status).toBe(201);
    const refused = await rotate();
    expect([refused.status, errorOf(refused).code]).toEqual([409, 'CONFLICT']);
    expect((await rotate({ gracePeriodSeconds: 604_801 })).status).toBe(400);
    expect(api.replyViolations).toEqual([]);
  });
});
