import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createdSubscriptionSchema, rotatedSecretSchema, subscriptionSchema } from '../../../api/events/schemas.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { SUBSCRIPTIONS_PER_TOPIC_MAX } from '../../../domain/events/topics.ts';
import { PLAN_TABLE } from '../../../domain/plans.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';

const api = await startTestApi({ taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);

const HOOK = 'https://shop.example/hook';
const call = (
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<CallResult> => api.call(method, `/api/v2/events${path}`, { key, body, headers });
const createTopic = async (): Promise<string> => {
  const name = `orders-${randomUUID()}`;
  expect((await call('POST', '/topics', { name })).status).toBe(201);
  return name;
};
const create = async (ref: string, body: object = {}, headers: Record<string, string> = {}) =>
  dataOf(
    await call('POST', `/topics/${ref}/subscriptions`, { url: HOOK, ...body }, headers),
    createdSubscriptionSchema,
  );
const list = async (ref: string) =>
  dataOf(await call('GET', `/topics/${ref}/subscriptions`), z.array(subscriptionSchema));
const update = (id: string, body: object): Promise<CallResult> => call('PATCH', `/subscriptions/${id}`, body);

describe('a subscription', () => {
  test('tells what is published: to make or change one takes events:read too', async () => {
    const topic = await createTopic();
    const { id } = await create(topic);
    const { key: publisher } = await api.createKey(api.database.tenant, { scopes: ['events:write'] });
    const asked = (method: string, path: string) =>
      api.call(method, `/api/v2/events${path}`, { key: publisher, body: { url: 'https://other.example/hook' } });
    for (const reply of [
      await asked('POST', `/topics/${topic}/subscriptions`),
      await asked('PATCH', `/subscriptions/${id}`),
      await api.call('POST', `/api/v2/events/subscriptions/${id}/rotate-secret`, { key: publisher, body: {} }),
    ]) {
      expect([reply.status, errorOf(reply).code]).toEqual([403, 'AUTHORIZATION_ERROR']);
      expect(errorOf(reply).message).toContain('events:read');
    }
    expect(await list(topic)).toMatchObject([{ id, url: HOOK }]);
  });

  test('a replay takes events:read too: it shows the secret again', async () => {
    const topic = await createTopic();
    const { key: publisher } = await api.createKey(api.database.tenant, { scopes: ['events:write'] });
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { generateSecret: true };
    expect((await create(topic, body, headers)).secret).toMatch(/^whsec_/);
    const asked = { key: publisher, body: { url: HOOK, ...body }, headers };
    const replayed = await api.call('POST', `/api/v2/events/topics/${topic}/subscriptions`, asked);
    expect([replayed.status, errorOf(replayed).code]).toEqual([403, 'AUTHORIZATION_ERROR']);
    expect(replayed.text).not.toContain('whsec_');
  });

  test('gets every type, without a secret of its own, unless it says otherwise', async () => {
    const topic = await createTopic();
    const plain = await create(topic);
    expect(plain).toEqual({
      id: expect.stringMatching(/^sub_/),
      topicId: expect.stringMatching(/^top_/),
      url: HOOK,
      eventTypes: ['*'],
      enabled: true,
      hasCustomSecret: false,
      headers: null,
      disabledAt: null,
      createdAt: plain.createdAt,
      updatedAt: plain.createdAt,
    });
    const own = await create(topic, {
      eventTypes: ['order.*', 'refund'],
      enabled: false,
      generateSecret: true,
      headers: { Authorization: 'Bearer of-the-shop', 'X-Shop': 'books' },
    });
    expect(own).toMatchObject({
      eventTypes: ['order.*', 'refund'],
      enabled: false,
      hasCustomSecret: true,
      headers: { Authorization: '[REDACTED]', 'X-Shop': 'books' },
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    const { secret, ...shown } = own;
    expect(await list(topic)).toEqual([shown, plain]);
    const stored = await api.database.asOwner<{ text: string }>(
      `SELECT (SELECT json_agg(s) FROM event_subscriptions s)::text || (SELECT json_agg(c) FROM event_subscription_secrets c)::text
         || (SELECT json_agg(a) FROM audit_log a)::text AS text`,
    );
    expect(stored[0]?.text).toContain(own.id);
    expect(stored[0]?.text).not.toContain('of-the-shop');
    expect(stored[0]?.text).not.toContain(secret);
  });

  test('is created once under its Idempotency-Key, and a retry shows its secret, which no other row holds', async () => {
    const topic = await createTopic();
    const idempotencyKey = randomUUID();
    const send = () =>
      call(
        'POST',
        `/topics/${topic}/subscriptions`,
        { url: HOOK, generateSecret: true },
        { 'Idempotency-Key': idempotencyKey },
      );
    const [first, again] = [await send(), await send()];
    expect(again.headers.get('X-Idempotent-Replay')).toBe('true');
    expect(again.text).toBe(first.text);
    const { id, secret } = dataOf(first, createdSubscriptionSchema);
    const [claim] = await api.database.asOwner<{ response_body: string }>(
      'SELECT response_body FROM idempotency_claims WHERE key = $1',
      [idempotencyKey],
    );
    expect(claim?.response_body).toContain(id);
    expect(claim?.response_body).not.toContain('whsec_');
    // Once the secret is destroyed, no reply holds one: not the old, and not the new.
    const rotated = await call('POST', `/subscriptions/${id}/rotate-secret`, { gracePeriodSeconds: 0 });
    expect(dataOf(rotated, rotatedSecretSchema)).toMatchObject({ subscriptionId: id, previousSignsUntil: null });
    expect(dataOf(rotated, rotatedSecretSchema).secret).not.toBe(secret);
    expect(dataOf(await send(), createdSubscriptionSchema).secret).toBeUndefined();
  });

  test('a retry of its creation has no secret where that does not open any more: it is rotated then', async () => {
    const topic = await createTopic();
    const headers = { 'Idempotency-Key': randomUUID() };
    const { secret, ...shown } = await create(topic, { generateSecret: true }, headers);
    expect(secret).toMatch(/^whsec_/);
    await api.database.asOwner(
      'UPDATE event_subscription_secrets SET master_key_version = 99 WHERE subscription_id = $1',
      [shown.id],
    );
    expect(await create(topic, { generateSecret: true }, headers)).toEqual(shown);
    expect((await call('POST', `/subscriptions/${shown.id}/rotate-secret`, {})).status).toBe(201);
  });

  test.each([
    ['no URL', {}, 'body.url'],
    ['a URL that is none', { url: 'ftp://example.com' }, 'body.url'],
    ['a URL with credentials', { url: 'https://a:b@example.com' }, 'body.url'],
    ['a URL of 2,049 characters', { url: `https://example.com/${'x'.repeat(2_029)}` }, 'body.url'],
    ['no patterns', { url: HOOK, eventTypes: [] }, 'body.eventTypes'],
    ['51 patterns', { url: HOOK, eventTypes: Array.from({ length: 51 }, (_, n) => `a.${n}`) }, 'body.eventTypes'],
    ['a wildcard in front', { url: HOOK, eventTypes: ['*.paid'] }, 'body.eventTypes[0]'],
    ['a wildcard within', { url: HOOK, eventTypes: ['order.*.paid'] }, 'body.eventTypes[0]'],
    ['a wildcard without a dot', { url: HOOK, eventTypes: ['order*'] }, 'body.eventTypes[0]'],
    ['an empty pattern', { url: HOOK, eventTypes: [''] }, 'body.eventTypes[0]'],
    ['a header of the service', { url: HOOK, headers: { 'X-Service-Attempt': '1' } }, 'body.headers.X-Service-Attempt'],
    ['a signature', { url: HOOK, headers: { 'Webhook-Signature': 'v1,x' } }, 'body.headers.Webhook-Signature'],
    ['a header of the connection', { url: HOOK, headers: { Connection: 'close' } }, 'body.headers.Connection'],
    ['a header of the framing', { url: HOOK, headers: { 'Transfer-Encoding': 'x' } }, 'body.headers.Transfer-Encoding'],
    ['a header that is no text', { url: HOOK, headers: { 'X-A': 1 } }, 'body.headers.X-A'],
    ['a secret of their own', { url: HOOK, secret: 'whsec_1' }, 'body.secret'],
  ])('400: %s', async (_, body, path) => {
    const reply = await call('POST', `/topics/${await createTopic()}/subscriptions`, body);
    expect(reply.status, reply.text).toBe(400);
    expect(errorOf(reply).details).toEqual({ issues: [expect.objectContaining({ path })] });
  });

  test('a URL of 2,048 characters and 50 patterns are taken', async () => {
    const url = `https://example.com/${'x'.repeat(2_028)}`;
    const eventTypes = Array.from({ length: 50 }, (_, n) => `a.${n}`);
    expect(await create(await createTopic(), { url, eventTypes })).toMatchObject({ url, eventTypes });
  });

  test('402: its topic has as many as it may, or no message of the month is left', async () => {
    const topic = await createTopic();
    const { topicId } = await create(topic);
    await api.database.asOwner(
      `INSERT INTO event_subscriptions (id, environment_id, topic_id, of_service, url, event_types)
       SELECT 'sub_' || n, $1, $2, false, $3, '{*}' FROM generate_series(2, $4::integer) n`,
      [api.database.tenant.environmentId, topicId, HOOK, SUBSCRIPTIONS_PER_TOPIC_MAX],
    );
    const full = await call('POST', `/topics/${topic}/subscriptions`, { url: HOOK });
    expect([full.status, errorOf(full).code]).toEqual([402, 'QUOTA_EXCEEDED']);

    const { workspaceId } = api.database.tenant;
    await api.database.db.withWorkspace(workspaceId, (tx) => setPlan(tx, 'free'));
    await api.database.asOwner(
      `INSERT INTO monthly_usage (workspace_id, month, allowance, shard, used)
       VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC')::date, 'messages', 0, $2)`,
      [workspaceId, PLAN_TABLE.free.allowances.messages],
    );
    const usedUp = await call('POST', `/topics/${await createTopic()}/subscriptions`, { url: HOOK });
    await api.database.db.withWorkspace(workspaceId, (tx) => setPlan(tx, 'enterprise'));
    expect([usedUp.status, errorOf(usedUp).code]).toEqual([402, 'QUOTA_EXCEEDED']);
  });
});

describe('a change of a subscription', () => {
  const HEADERS = { Authorization: 'Bearer of-the-shop', 'X-Shop': 'books' };
  const sealed = (id: string) =>
    api.database.asOwner('SELECT headers, sealed_value FROM event_subscriptions WHERE id = $1', [id]);

  test('changes what it names, and leaves the rest', async () => {
    const before = await create(await createTopic(), { headers: HEADERS });
    const after = dataOf(await update(before.id, { eventTypes: ['order.paid'], enabled: false }), subscriptionSchema);
    expect(after).toEqual({ ...before, eventTypes: ['order.paid'], enabled: false, updatedAt: after.updatedAt });
    const stored = await sealed(before.id);
    expect(dataOf(await update(before.id, {}), subscriptionSchema)).toEqual(after);
    expect(await sealed(before.id)).toEqual(stored);
    const none = dataOf(await update(before.id, { headers: null }), subscriptionSchema);
    expect([none.headers, await sealed(before.id)]).toEqual([null, [{ headers: null, sealed_value: null }]]);
  });

  test('keeps sealed values with their origin', async () => {
    const { id } = await create(await createTopic(), { headers: HEADERS });
    const elsewhere = 'https://thief.example/hook';
    const moved = await update(id, { url: elsewhere });
    const kept = await update(id, { url: elsewhere, headers: { Authorization: '[REDACTED]' } });
    for (const refused of [moved, kept]) {
      expect(refused.status, refused.text).toBe(400);
      expect(errorOf(refused).details).toEqual({ issues: [expect.objectContaining({ path: 'body.headers' })] });
    }
    const unknown = await update(id, { headers: { Cookie: '[REDACTED]' } });
    expect(errorOf(unknown).details).toEqual({ issues: [expect.objectContaining({ path: 'body.headers.Cookie' })] });
    const samePlace = await update(id, { url: `${HOOK}/2`, headers: { authorization: '[REDACTED]', 'X-New': '1' } });
    expect(dataOf(samePlace, subscriptionSchema).headers).toEqual({ authorization: '[REDACTED]', 'X-New': '1' });
    const given = await update(id, { url: elsewhere, headers: { Authorization: 'Bearer anew' } });
    expect(dataOf(given, subscriptionSchema)).toMatchObject({
      url: elsewhere,
      headers: { Authorization: '[REDACTED]' },
    });
  });

  test('accepts a change without headers, or with new ones, when the stored headers cannot be decrypted', async () => {
    const { id } = await create(await createTopic(), { headers: HEADERS });
    await api.database.asOwner('UPDATE event_subscriptions SET master_key_version = 99 WHERE id = $1', [id]);
    const narrowed = await update(id, { eventTypes: ['order.*'] });
    expect(narrowed.status, narrowed.text).toBe(200);
    const anew = await update(id, { headers: { Authorization: 'Bearer anew' } });
    expect(dataOf(anew, subscriptionSchema).headers).toEqual({ Authorization: '[REDACTED]' });
    const [row] = await api.database.asOwner('SELECT master_key_version FROM event_subscriptions WHERE id = $1', [id]);
    expect(row).toEqual({ master_key_version: 1 });
  });

  // `[REDACTED]` keeps a value, which must be opened for that.
  test.each([
    ['whose master key is gone', 'master_key_version = 99'],
    ['that is damaged', 'sealed_value = set_byte(sealed_value, 20, get_byte(sealed_value, 20) # 1)'],
  ])('returns 409 for a change that keeps a sealed value %s, until the value is sent again', async (_, damage) => {
    const { id } = await create(await createTopic(), { headers: HEADERS });
    await api.database.asOwner(`UPDATE event_subscriptions SET ${damage} WHERE id = $1`, [id]);
    const tested = await call('POST', `/subscriptions/${id}/test`);
    const kept = await update(id, { headers: { Authorization: '[REDACTED]' }, enabled: false });
    for (const refused of [tested, kept]) {
      expect([refused.status, errorOf(refused).code], refused.text).toEqual([409, 'CONFLICT']);
      expect(errorOf(refused).message).toMatch(/sealed headers .* do not open\. Give .* anew/);
    }
    const [row] = await api.database.asOwner(
      `SELECT enabled, (SELECT count(*)::int FROM events v WHERE v.topic_id = s.topic_id) AS events FROM event_subscriptions s WHERE id = $1`,
      [id],
    );
    expect(row).toEqual({ enabled: true, events: 0 });
    expect((await update(id, { headers: { Authorization: 'Bearer anew' } })).status).toBe(200);
    expect((await call('POST', `/subscriptions/${id}/test`)).status).toBe(201);
  });

  test('that enables it forgets why the service disabled it', async () => {
    const { id } = await create(await createTopic());
    await api.database.asOwner(
      `UPDATE event_subscriptions SET enabled = false, disabled_at = now(), failing_since = now(), last_failure_at = now(), clock_runs = true
       WHERE id = $1`,
      [id],
    );
    const renamed = dataOf(await update(id, { eventTypes: ['a'] }), subscriptionSchema);
    expect(renamed).toMatchObject({ enabled: false, disabledAt: expect.any(String) });
    expect(dataOf(await update(id, { enabled: true }), subscriptionSchema)).toMatchObject({ disabledAt: null });
    const [row] = await api.database.asOwner(
      'SELECT failing_since, last_failure_at, clock_runs FROM event_subscriptions WHERE id = $1',
      [id],
    );
    expect(row).toEqual({ failing_since: null, last_failure_at: null, clock_runs: false });
  });

  test('deletes it', async () => {
    const topic = await createTopic();
    const { id } = await create(topic);
    expect((await call('DELETE', `/subscriptions/${id}`)).json).toEqual({ success: true, data: { deleted: true } });
    expect((await call('DELETE', `/subscriptions/${id}`)).status).toBe(404);
    expect(await list(topic)).toEqual([]);
  });
});

describe('the rotation of a secret', () => {
  test('400: a grace period of more than a week; 409: six secrets at once', async () => {
    const { id } = await create(await createTopic(), { generateSecret: true });
    const rotate = (gracePeriodSeconds?: number) =>
      call(
        'POST',
        `/subscriptions/${id}/rotate-secret`,
        gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds },
      );
    expect([await rotate(604_801), await rotate(-1)].map(({ status }) => status)).toEqual([400, 400]);
    const dayFrom = Date.now() + 86_400_000 - 1_000;
    const { previousSignsUntil } = dataOf(await rotate(), rotatedSecretSchema);
    expect(Date.parse(previousSignsUntil ?? '')).toBeGreaterThan(dayFrom);
    for (let retiring = 1; retiring < 5; retiring++) expect((await rotate(604_800)).status).toBe(201);
    expect((await rotate()).status).toBe(409);
    expect((await rotate(0)).status).toBe(201);
    const rows = await api.database.asOwner(
      'SELECT retires_at FROM event_subscription_secrets WHERE subscription_id = $1',
      [id],
    );
    expect(rows).toEqual([{ retires_at: null }]);
  });
});
