import { createHmac } from 'node:crypto';
import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { startTestService } from '../../harness/service.ts';
import { rotatedSecret } from '../signing-keys/support.ts';
import { publish, read, startDestination, statusOf } from './support.ts';

const [service, destination] = await Promise.all([startTestService(), startDestination()]);

const rotate = (gracePeriodSeconds: number): Promise<string> => rotatedSecret(service, gracePeriodSeconds);

async function ended(messageId: string, status: string): Promise<void> {
  await expect.poll(() => statusOf(service, messageId), { interval: 50 }).toBe(status);
}

const attemptsOf = async (messageId: string): Promise<unknown> =>
  ((await service.get(`/api/v2/messages/${messageId}/attempts`)).json as { data: unknown }).data;

/** As the Standard Webhooks libraries compute it. */
function hmac(secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(text)
    .digest('base64');
}

describe('a delivery', () => {
  test('carries the request, and signatures that verify under both schemes', async () => {
    const secret = await rotate(0);
    const body = { z: 1, a: ['ä', null], '2': true, '1': false };
    const accepted = await publish(service, {
      url: `${destination.baseUrl}/signed?x=1`,
      method: 'PUT',
      headers: { 'X-Trace': 'abc', Authorization: 'Bearer very-secret-token-1' },
      body,
    });
    expect(accepted).toMatchObject({ status: 'pending', deduplicated: false });
    await ended(accepted.messageId, 'delivered');
    const [delivery, ...others] = destination.on('/signed?x=1');
    if (delivery === undefined) throw new Error('it was delivered');
    expect(others).toEqual([]);
    expect(delivery).toMatchObject({ method: 'PUT', body: JSON.stringify(body) });
    const { environmentId } = service.database.tenant;
    expect(delivery.headers).toMatchObject({
      'content-type': 'application/json',
      'x-trace': 'abc',
      authorization: 'Bearer very-secret-token-1',
      'webhook-id': accepted.messageId,
      'x-service-environment-id': environmentId,
      'x-service-attempt': '1',
    });
    const timestamp = String(delivery.headers['webhook-timestamp']);
    expect(Math.abs(Number(timestamp) - Date.now() / 1_000)).toBeLessThan(30);
    expect(delivery.headers['webhook-signature']).toBe(
      [
        `v1,${hmac(secret, `${accepted.messageId}.${timestamp}.${delivery.body}`)}`,
        `v2,${hmac(secret, `service-delivery-v2.${timestamp}.${environmentId}.${delivery.body}`)}`,
      ].join(' '),
    );
    expect(await read(service, accepted.messageId)).toMatchObject({
      headers: { 'X-Trace': 'abc', Authorization: '[REDACTED]' },
      body,
      attempts: 1,
      maxRetries: 5,
      responseStatus: 200,
      errorMessage: null,
      scheduledFor: null,
      failedAt: null,
      flowControlKey: null,
    });
  });

  test('signs under both secrets during a grace period', async () => {
    const [old, fresh] = [await rotate(0), await rotate(60)];
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/grace`, body: 'as it is' });
    await ended(messageId, 'delivered');
    const [delivery] = destination.on('/grace');
    expect(delivery).toMatchObject({ body: 'as it is', headers: { 'content-type': 'text/plain; charset=utf-8' } });
    const timestamp = String(delivery?.headers['webhook-timestamp']);
    const { environmentId } = service.database.tenant;
    const v1 = (secret: string): string => `v1,${hmac(secret, `${messageId}.${timestamp}.as it is`)}`;
    const v2 = (secret: string): string =>
      `v2,${hmac(secret, `service-delivery-v2.${timestamp}.${environmentId}.as it is`)}`;
    const signatures = String(delivery?.headers['webhook-signature']).split(' ');
    expect(signatures).toEqual([v1(fresh), v2(fresh), v1(old), v2(old)]);
  });

  test('is retried until a 2xx, with the same id and the number of the attempt', async () => {
    destination.answer('/flaky', { status: 500, body: 'broken' }, { status: 302 }, { status: 201, body: 'ok' });
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/flaky`, retryDelay: '10' });
    await ended(messageId, 'delivered');
    const attempts = destination
      .on('/flaky')
      .map(({ headers }) => [headers['webhook-id'], headers['x-service-attempt']]);
    expect(attempts).toEqual([
      [messageId, '1'],
      [messageId, '2'],
      [messageId, '3'],
    ]);
    expect(await read(service, messageId)).toMatchObject({ attempts: 3, responseStatus: 201, responseBody: 'ok' });
    const each = {
      status: 'completed',
      startedAt: expect.any(String) as string,
      finishedAt: expect.any(String) as string,
      latencyMs: expect.any(Number) as number,
      address: '127.0.0.1',
      responseHeaders: expect.objectContaining({ date: expect.any(String) as string }) as object,
      worker: `${process.pid}@${hostname()}`,
    };
    const page = await service.get(`/api/v2/messages/${messageId}/attempts?limit=2`);
    expect(page.json).toMatchObject({ pagination: { total: 3, totalPages: 2 } });
    const rows = await attemptsOf(messageId);
    expect(rows).toEqual([
      { ...each, number: 1, responseStatus: 500, responseBody: 'broken', errorMessage: 'the destination answered 500' },
      { ...each, number: 2, responseStatus: 302, responseBody: '', errorMessage: 'the destination answered 302' },
      { ...each, number: 3, responseStatus: 201, responseBody: 'ok', errorMessage: null },
    ]);
  });

  test('fails when its retries are used up, and both callbacks tell of it', async () => {
    destination.answer('/down', { status: 503, headers: { 'x-reason': 'away' }, body: 'down' });
    const { messageId } = await publish(service, {
      url: `${destination.baseUrl}/down`,
      body: { n: 1 },
      maxRetries: 1,
      retryDelay: '0',
      label: 'nightly',
      callbackUrl: `${destination.baseUrl}/ended`,
      failureCallbackUrl: `${destination.baseUrl}/failed`,
    });
    await ended(messageId, 'failed');
    const failed = await read(service, messageId);
    expect(failed).toMatchObject({ attempts: 2, responseStatus: 503, errorMessage: 'the destination answered 503' });
    expect(failed.failedAt).not.toBeNull();
    await expect.poll(() => destination.on('/ended').length + destination.on('/failed').length).toBe(2);
    for (const path of ['/ended', '/failed']) {
      const [callback] = destination.on(path);
      expect(JSON.parse(callback?.body ?? 'null')).toEqual({
        messageId,
        url: `${destination.baseUrl}/down`,
        status: 'failed',
        attempts: 2,
        maxRetries: 1,
        responseStatus: 503,
        responseHeaders: expect.objectContaining({ 'x-reason': 'away' }),
        responseBody: Buffer.from('down').toString('base64'),
        sourceBody: Buffer.from('{"n":1}').toString('base64'),
        label: 'nightly',
        createdAt: failed.createdAt,
      });
      await ended(String(callback?.headers['webhook-id']), 'delivered');
    }
  });

  test('shows its record without content and attempts once they had their time, and a 404 without a record', async () => {
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/old`, body: { n: 1 }, label: 'old' });
    await ended(messageId, 'delivered');
    expect(await read(service, messageId)).toMatchObject({ contentExpired: false, body: { n: 1 } });
    const goes = (table: string, column: string): Promise<unknown> =>
      service.database.asOwner(
        `SET session_replication_role = 'replica'; DELETE FROM ${table} WHERE ${column} = '${messageId}'`,
      );
    for (const table of ['message_contents', 'message_attempts']) await goes(table, 'message_id');
    const expired = {
      contentExpired: true,
      headers: null,
      body: null,
      responseBody: null,
      responseStatus: 200,
      attempts: 1,
    };
    expect(await read(service, messageId)).toMatchObject(expired);
    expect((await service.get('/api/v2/messages?label=old')).json).toMatchObject({ data: [{ messageId, ...expired }] });
    expect(await attemptsOf(messageId)).toEqual([]);
    await goes('messages', 'id');
    for (const path of ['', '/attempts']) {
      expect((await service.get(`/api/v2/messages/${messageId}${path}`)).status).toBe(404);
    }
  });

  test.each([410, 489])('is ended at once by %i', async (status) => {
    destination.answer(`/gone-${status}`, { status });
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/gone-${status}`, retryDelay: '0' });
    await ended(messageId, 'failed');
    expect(destination.on(`/gone-${status}`)).toHaveLength(1);
  });

  test('waits as long as Retry-After asks', async () => {
    destination.answer('/busy', { status: 429, headers: { 'retry-after': '3600' } });
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/busy`, retryDelay: '0' });
    await expect.poll(async () => (await read(service, messageId)).responseStatus).toBe(429);
    const [row] = await service.database.asOwner<{ seconds: number }>(
      'SELECT extract(epoch FROM next_attempt_at - updated_at)::int AS seconds FROM messages WHERE id = $1',
      [messageId],
    );
    expect(row?.seconds).toBeGreaterThan(3_590);
    const { status, nextAttemptAt, updatedAt } = await read(service, messageId);
    expect(status).toBe('processing');
    expect(Date.parse(nextAttemptAt ?? '') - Date.parse(updatedAt)).toBeGreaterThan(3_590_000);
  });

  test('takes a large response by its status and keeps 8 KiB of it', async () => {
    destination.answer('/large', { status: 200, body: 'x'.repeat(300_000) });
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/large` });
    await ended(messageId, 'delivered');
    expect((await read(service, messageId)).responseBody).toBe('x'.repeat(8_192));
  });

  test('never reaches an address that the egress guard blocks', async () => {
    const { messageId } = await publish(service, { url: 'http://169.254.169.254/latest/meta-data', maxRetries: 3 });
    await ended(messageId, 'failed');
    expect(await read(service, messageId)).toMatchObject({ attempts: 1, responseStatus: null });
    expect((await read(service, messageId)).errorMessage).toContain('169.254.169.254');
  });

  test('waits until it is due', async () => {
    const { messageId, status } = await publish(service, { url: `${destination.baseUrl}/later`, delay: 1 });
    expect(status).toBe('scheduled');
    const { scheduledFor, createdAt } = await read(service, messageId);
    expect(Date.parse(scheduledFor ?? '') - Date.parse(createdAt)).toBeGreaterThan(900);
    expect(destination.on('/later')).toEqual([]);
    await ended(messageId, 'delivered');
    expect(destination.on('/later')).toHaveLength(1);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(scheduledFor ?? ''));
  });
});

describe('cancelling', () => {
  const cancel = (messageId: string) => service.call('DELETE', `/api/v2/messages/${messageId}`, { key: service.key });

  test('ends a scheduled message, and its workflow at once', async () => {
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/never`, delay: '2h' });
    const handle = service.client.workflow.getHandle(`message/${messageId}`);
    const reply = await cancel(messageId);
    expect([reply.status, (reply.json as { data: { status: string } }).data.status]).toEqual([200, 'cancelled']);
    expect(await handle.result()).toEqual({ status: 'cancelled' });
    expect(destination.on('/never')).toEqual([]);
    expect((await cancel(messageId)).status).toBe(409);
  });

  test('its workflow in Temporal ends a scheduled message too', async () => {
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/never-sent`, delay: '2h' });
    await service.client.workflow.getHandle(`message/${messageId}`).cancel();
    await ended(messageId, 'cancelled');
    expect((await cancel(messageId)).status).toBe(409);
  });

  test('ends a message between two attempts, and no other is made', async () => {
    destination.answer('/retried', { status: 500 });
    const callback = `${destination.baseUrl}/told`;
    const members = { retryDelay: '3600000', callbackUrl: callback, failureCallbackUrl: callback };
    const { messageId } = await publish(service, { url: `${destination.baseUrl}/retried`, ...members });
    await expect.poll(async () => (await read(service, messageId)).responseStatus).toBe(500);
    const reply = await cancel(messageId);
    expect([reply.status, (reply.json as { data: unknown }).data]).toEqual([
      200,
      expect.objectContaining({ status: 'cancelled', attempts: 1, responseStatus: 500, failedAt: null }),
    ]);
    // It may begin after the cancellation, and finds the message ended.
    await expect
      .poll(() => service.client.workflow.getHandle(`message/${messageId}`).result())
      .toEqual({ status: 'cancelled' });
    expect([destination.on('/retried').length, destination.on('/told')]).toEqual([1, []]);
    expect((await service.get(`/api/v2/dlq/${messageId}`)).status).toBe(404);
  });

  test('of a retry that waits for its turn in a flow-control key leaves its lane', async () => {
    destination.answer('/retried-in-turn', { status: 500 });
    const flowControl = { key: 'cancelled-retry', parallelism: 1 };
    const members = { url: `${destination.baseUrl}/retried-in-turn`, retryDelay: '3600000', flowControl };
    const { messageId } = await publish(service, members);
    const queued = () => service.database.asOwner('SELECT state FROM lane_queue WHERE message_id = $1', [messageId]);
    await expect.poll(queued).toEqual([{ state: 'timed' }]); // after its attempt it waits again
    await expect.poll(async () => (await read(service, messageId)).responseStatus).toBe(500);
    expect((await cancel(messageId)).status).toBe(200);
    expect(await queued()).toEqual([]);
  });

  test('is refused while an attempt is under way, and once it is delivered', async () => {
    let release = (): void => {};
    const after = new Promise<void>((resolve) => (release = resolve));
    destination.answer('/under-way', { status: 200, after });
    const processing = await publish(service, { url: `${destination.baseUrl}/under-way` });
    await expect.poll(() => destination.on('/under-way').length).toBe(1);
    const delivered = await publish(service, { url: `${destination.baseUrl}/done` });
    await ended(delivered.messageId, 'delivered');
    for (const { messageId } of [processing, delivered]) {
      const reply = await cancel(messageId);
      expect([reply.status, (reply.json as { error: { code: string } }).error.code]).toEqual([409, 'CONFLICT']);
    }
    release();
    await ended(processing.messageId, 'delivered');
  });

  test('wins or loses against the first attempt, whole: never a 200 and a delivery', async () => {
    const rounds = await Promise.all(
      Array.from({ length: 12 }, async (_, round) => {
        const { messageId } = await publish(service, { url: `${destination.baseUrl}/race-${round}` });
        const { status } = await cancel(messageId);
        await expect.poll(() => statusOf(service, messageId)).toBe(status === 200 ? 'cancelled' : 'delivered');
        return { status, deliveries: destination.on(`/race-${round}`).length };
      }),
    );
    for (const { status, deliveries } of rounds)
      expect([status, deliveries]).toBeOneOf([
        [200, 0],
        [409, 1],
      ]);
  });
});

describe('a credential in a header', () => {
  test('reaches the destination and no row, log, history or reply in clear, an echo included', async () => {
    const credentials = {
      Authorization: 'Bearer sk-live-credential-0001',
      Cookie: 'sid=cookie-credential-0002',
      'X-Api-Key': 'api-key-credential-0003',
    };
    destination.answer('/echo', {
      status: 500,
      body: JSON.stringify({ saw: credentials, bare: 'sk-live-credential-0001' }),
    });
    const { messageId } = await publish(
      service,
      {
        url: `${destination.baseUrl}/echo`,
        headers: { ...credentials, 'X-Plain': 'plain' },
        body: 'redacted-body-0004',
        redact: { body: true },
        maxRetries: 1,
        retryDelay: '0',
        failureCallbackUrl: `${destination.baseUrl}/echo-failed`,
      },
      { 'Idempotency-Key': 'with-credentials' },
    );
    await ended(messageId, 'failed');
    await expect.poll(() => destination.on('/echo-failed').length).toBe(1);
    expect(destination.on('/echo')[0]).toMatchObject({
      body: 'redacted-body-0004',
      headers: {
        authorization: credentials.Authorization,
        cookie: credentials.Cookie,
        'x-api-key': credentials['X-Api-Key'],
      },
    });
    const message = await read(service, messageId);
    expect(message).toMatchObject({
      headers: { Authorization: '[REDACTED]', Cookie: '[REDACTED]', 'X-Api-Key': '[REDACTED]', 'X-Plain': 'plain' },
      body: '[REDACTED]',
    });
    const tables = ['messages', 'message_contents', 'message_attempts', 'idempotency_claims', 'message_deduplications'];
    const rows = await Promise.all(
      tables.map((table) => service.database.asOwner(`SELECT t::text AS row FROM ${table} t`)),
    );
    const decoded = await service.database.asOwner(
      `SELECT convert_from(response_body, 'UTF8') AS body FROM message_attempts`,
    );
    const shown = await attemptsOf(messageId);
    const each = { status: 'completed', address: '127.0.0.1' };
    expect(shown).toMatchObject([each, each]);
    const history = await service.client.workflow.getHandle(`message/${messageId}`).fetchHistory();
    const sourceBody = Buffer.from('redacted-body-0004').toString('base64');
    const everything = JSON.stringify([
      message,
      shown,
      rows,
      decoded,
      history,
      service.logLines,
      service.workerLogLines,
    ]);
    for (const secret of ['credential-0001', 'credential-0002', 'credential-0003', 'redacted-body-0004', sourceBody]) {
      expect(everything).not.toContain(secret);
      expect(everything).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });
});

describe('a redacted body', () => {
  test.each([
    ['whole, in JSON', 'text-body-0005 "quoted"', (body: string) => JSON.stringify({ saw: body })],
    ['in part', { person: { name: 'json-body-0005' } }, () => '{"name":"json-body-0005"}'],
    ['and is too large to look for', { name: 'large-body-0005'.padEnd(9_000, '.') }, () => 'saw large-body-0005'],
  ])('is not kept where the destination echoes it %s', async (how, body, echo) => {
    const path = `/echo-body-${how.length}`;
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    destination.answer(path, { status: 200, headers: { 'X-Echo': 'x' }, body: echo(sent) });
    const { messageId } = await publish(service, {
      url: destination.baseUrl + path,
      body,
      redact: { body: true },
      callbackUrl: `${destination.baseUrl}${path}-ended`,
    });
    await ended(messageId, 'delivered');
    expect(destination.on(path)[0]?.body).toBe(sent);
    const { responseBody } = await read(service, messageId);
    expect(responseBody).toContain('[REDACTED]');
    expect(responseBody).not.toContain('body-0005');
    await expect.poll(() => destination.on(`${path}-ended`).length).toBeGreaterThan(0); // at least once
    const callback = JSON.parse(destination.on(`${path}-ended`)[0]?.body ?? '') as Record<string, string>;
    expect(Buffer.from(callback['responseBody'] ?? '', 'base64').toString()).not.toContain('body-0005');
    expect(Buffer.from(callback['sourceBody'] ?? '', 'base64').toString()).toBe(sent);
  });
});
