import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { limitSchema } from '../../../api/impact-limits/schemas.ts';
import { LIVE_LIMITS_MAX } from '../../../domain/impact-limits/limits.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';

/** What is specific to these routes. The suites test the rest. */

const api = await startTestApi();
const { key } = await api.createKey(api.database.tenants.development);

let names = 0;
const emailsADay = (over: JsonObject = {}): JsonObject => ({
  name: `limit ${++names}`,
  dimension: 'emails',
  cap: 10,
  period: 'day',
  ...over,
});
const create = (body: JsonObject, asKey = key): Promise<CallResult> =>
  api.call('POST', '/api/v2/impact-limits', { key: asKey, body });
const patch = (id: string, body: JsonObject): Promise<CallResult> =>
  api.call('PATCH', `/api/v2/impact-limits/${id}`, { key, body });
const limitIn = (reply: CallResult) => dataOf(reply, z.object(limitSchema.shape));

test('a limit is shown whole, with what is derived of it', async () => {
  const before = Date.now();
  const reply = await create(emailsADay({ name: '  Mails  ', timezone: 'Europe/Berlin', thresholds: [100, 50] }));
  expect(reply.status, reply.text).toBe(201);
  const limit = limitIn(reply);
  expect(limit).toMatchObject({
    id: expect.stringMatching(/^lim_[0-9A-Za-z]{22}$/) as string,
    name: 'Mails',
    dimension: 'emails',
    currency: null,
    unit: 'emails',
    cap: 10,
    period: 'day',
    timezone: 'Europe/Berlin',
    scope: {},
    thresholds: [50, 100],
    currentPeriod: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string,
    reserved: 0,
    settled: 0,
    available: 10,
    exposures: { unknown: 0, pending: 0 },
    crossings: [],
    archivedAt: null,
  });
  const resetsAt = Date.parse(limit.resetsAt ?? '');
  expect(resetsAt).toBeGreaterThan(before);
  expect(resetsAt).toBeLessThanOrEqual(before + 25 * 3_600_000 + 60_000);
});

describe('what is refused', () => {
  test.each<[string, JsonObject, string]>([
    ['money without a currency', { dimension: 'money' }, 'body.currency'],
    ['a currency of something else', { currency: 'usd' }, 'body.currency'],
    ['a currency in capitals', { dimension: 'money', currency: 'USD' }, 'body.currency'],
    ['a time zone that is none', { timezone: 'Mars/Olympus' }, 'body.timezone'],
    ['a bare offset', { timezone: '+02:00' }, 'body.timezone'],
    ['a negative cap', { cap: -1 }, 'body.cap'],
    ['a cap that is not exact', { cap: 2 ** 53 }, 'body.cap'],
    ['half a unit', { cap: 0.5 }, 'body.cap'],
    ['an unknown period', { period: 'fortnight' }, 'body.period'],
    ['a threshold above the cap', { thresholds: [101] }, 'body.thresholds[0]'],
    ['a threshold twice', { thresholds: [50, 50] }, 'body.thresholds'],
    ['thresholds of each effect', { period: 'per_effect', thresholds: [50] }, 'body.thresholds'],
    ['an empty list in the scope', { scope: { actions: [] } }, 'body.scope.actions'],
    ['a key by its name, which nothing would match', { scope: { apiKeys: ['refund-bot'] } }, 'body.scope.apiKeys[0]'],
    ['an action by its id', { scope: { actions: ['act_0351WJgf5L0hHBZMXuYT60'] } }, 'body.scope.actions[0]'],
    ['an action by an id in lower case', { scope: { actions: [`act_${'a'.repeat(22)}`] } }, 'body.scope.actions[0]'],
    ['an adapter in capitals', { scope: { adapters: ['Stripe.*'] } }, 'body.scope.adapters[0]'],
    ['an unknown member of the scope', { scope: { users: ['a'] } }, 'body.scope.users'],
    ['a path that is none', { scope: { target: { path: 'a..b', equals: 1 } } }, 'body.scope.target.path'],
    ['a dimension with a capital', { dimension: 'Emails' }, 'body.dimension'],
  ])('%s', async (_what, over, path) => {
    const reply = await create(emailsADay(over));
    expect(reply.status, reply.text).toBe(400);
    const { issues } = errorOf(reply).details as { issues: { path: string }[] };
    expect(issues.map((issue) => issue.path)).toContain(path);
  });

  test('a second live limit of a name, until the first is archived', async () => {
    const body = emailsADay({ name: 'Once' });
    const { id } = limitIn(await create(body));
    const second = await create(body);
    expect([second.status, errorOf(second).code]).toEqual([409, 'CONFLICT']);
    const other = limitIn(await create(emailsADay()));
    expect((await patch(other.id, { name: 'Once' })).status).toBe(409);
    expect((await api.call('DELETE', `/api/v2/impact-limits/${id}`, { key })).status).toBe(200);
    expect((await create(body)).status).toBe(201);
  });

  test.each(['dimension', 'currency', 'period', 'timezone', 'scope'])('a change of %s', async (member) => {
    const { id } = limitIn(await create(emailsADay()));
    const reply = await patch(id, { [member]: member === 'scope' ? {} : 'week' });
    expect(reply.status).toBe(400);
    expect(reply.text).toContain(`body.${member}`);
  });

  test('a change of what is archived; archiving it again changes nothing', async () => {
    const { id } = limitIn(await create(emailsADay()));
    const archive = async () => limitIn(await api.call('DELETE', `/api/v2/impact-limits/${id}`, { key }));
    const { archivedAt } = await archive();
    expect((await patch(id, { cap: 1 })).status).toBe(409);
    expect(await archive()).toMatchObject({ archivedAt });
  });

  test('thresholds of a limit of each effect, later', async () => {
    const { id } = limitIn(await create(emailsADay({ period: 'per_effect' })));
    expect((await patch(id, { thresholds: [50] })).status).toBe(400);
    expect((await patch(id, { thresholds: [], cap: 4 })).status).toBe(200);
  });

  test('more limits than every dispatch can look at, made at once or one after the other', async () => {
    const { key: otherKey } = await api.createKey(api.database.tenants.staging);
    await api.database.asOwner(
      `INSERT INTO impact_limits (id, environment_id, name, dimension, cap, period, timezone, scope, thresholds)
       SELECT 'lim_many' || n, $1, 'many ' || n, 'emails', 1, 'day', 'UTC', '{}', '{}' FROM generate_series(1, $2::int) n`,
      [api.database.tenants.staging.environmentId, LIVE_LIMITS_MAX - 2],
    );
    const replies = await Promise.all(Array.from({ length: 5 }, () => create(emailsADay(), otherKey)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(3);
    const refused = replies.find(({ status }) => status === 429);
    expect(refused && errorOf(refused).code).toBe('QUOTA_EXCEEDED');
  });
});

test('the list leaves out what is archived unless asked, and can be of one dimension', async () => {
  const { id } = limitIn(await create(emailsADay({ dimension: 'listed' })));
  await create(emailsADay({ dimension: 'listed' }));
  await api.call('DELETE', `/api/v2/impact-limits/${id}`, { key });
  const ids = async (query: string): Promise<string[]> => {
    const { json } = await api.call('GET', `/api/v2/impact-limits?${query}`, { key });
    return (json as { data: { id: string }[] }).data.map((limit) => limit.id);
  };
  expect(await ids('dimension=listed')).toHaveLength(1);
  expect(await ids('dimension=listed&includeArchived=true')).toContain(id);
});

test('each change is in the audit log, and one that changes nothing is not', async () => {
  const { id } = limitIn(await create(emailsADay({ name: 'Audited' })));
  await patch(id, { cap: 3 });
  await patch(id, { cap: 3 });
  await api.call('DELETE', `/api/v2/impact-limits/${id}`, { key });
  const entries = await api.database.asOwner<{ action: string; details: JsonObject }>(
    'SELECT action, details FROM audit_log WHERE target_id = $1 ORDER BY sequence',
    [id],
  );
  expect(entries).toMatchObject([
    { action: 'impact_limit.created', details: { name: 'Audited', cap: 10 } },
    { action: 'impact_limit.updated', details: { cap: 3, before: { cap: 10 } } },
    { action: 'impact_limit.archived' },
  ]);
});
