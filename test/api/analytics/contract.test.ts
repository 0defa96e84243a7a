import { describe, expect, it } from 'vitest';
import { analyticsReads } from '../../../api/analytics/reads.ts';
import { memberSession } from '../harness/member-session.ts';
import { startTestApi } from '../harness/test-api.ts';
import { Analytics } from './support.ts';

const api = await startTestApi();
await api.database.asOwner(`UPDATE workspaces SET created_at = now() - interval '3 years'`);
const { key } = await api.createKey(api.database.tenant, { scopes: ['analytics:read'] });
const analytics = new Analytics(api, key);

/** Sums that a fold would have made. */
async function plant(kind: string, at: string, [d1, d2, d3]: [string, string, string], n = 1): Promise<void> {
  for (const [table, column, time] of [
    ['analytics_rollups', 'quarter', `date_bin('15 minutes', $3::timestamptz, 'epoch')`],
    ['analytics_days', 'day', `($3::timestamptz AT TIME ZONE 'UTC')::date`],
  ]) {
    await api.database.asOwner(
      `INSERT INTO ${table} (environment_id, kind, is_total, ${column}, d1, d2, d3, n, s1, s2, first_at, last_at)
       VALUES ($1, $2, false, ${time}, $4, $5, $6, $7, 0, 0, $3, $3),
         ($1, $2, true, ${time}, $4, analytics_total($2, 2, $5), analytics_total($2, 3, $6), $7, 0, 0, $3, $3)
       ON CONFLICT (environment_id, kind, is_total, ${column}, d1, d2, d3) DO UPDATE SET n = ${table}.n + excluded.n`,
      [api.database.tenant.environmentId, kind, at, d1, d2, d3, n],
    );
  }
}

interface TimeSeries {
  range: { from: string; to: string; interval: string; timezone: string; completeUntil: string };
  buckets: { start: string; end: string }[];
  series: { key: string | null; label: string; total: number; points: number[] }[];
  truncated: boolean;
}

describe('the range', () => {
  it.each([
    ['from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z', 'from'],
    ['from=2026-11-01T00:00:00Z&to=2026-11-01T00:00:00Z', 'from'],
    ['from=2025-01-01T00:00:00Z&to=2026-06-01T00:00:00Z', 'from'],
    ['from=2999-01-01T00:00:00Z', 'from'],
    ['to=2020-01-01T00:00:00Z', 'to'],
    ['from=yesterday', 'from'],
    ['from=2026-11-01', 'from'],
    ['from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z&interval=15m', 'interval'],
    ['interval=minute', 'interval'],
    ['interval=', 'interval'],
    ['timezone=Europe/Atlantis', 'timezone'],
    ['timezone=%2B02:00', 'timezone'],
    ['timezone=', 'timezone'],
    ['limit=5', 'limit'],
    ['colour=blue', 'colour'],
  ])('%s is refused by its name', async (query, parameter) => {
    expect(await analytics.refusalOf(`overview?${query}`)).toBe(parameter);
    expect(await analytics.refusalOf(`trust-control?${query}`)).toBe(parameter);
    expect(await analytics.refusalOf(`time-series?metric=errors&${query}`)).toBe(parameter);
  });

  it('of too many buckets is told the smallest interval that fits', async () => {
    const { text } = await analytics.get(
      'time-series?metric=errors&from=2026-10-01T00:00:00Z&to=2026-11-01T00:00:00Z&interval=hour',
    );
    expect(text).toContain('makes 744 buckets of this range, and at most 400 are answered');
    expect(text).toContain('the smallest interval that fits is day');
  });

  it('counts each record in the bucket of its zone, where a day has 25 hours too', async () => {
    await plant('runs.started', '2026-10-24T22:00:00Z', ['running', 'berlin', '']);
    await plant('runs.started', '2026-10-25T22:45:00Z', ['running', 'berlin', ''], 2);
    await plant('runs.started', '2026-10-25T23:00:00Z', ['running', 'berlin', ''], 4);
    const query = 'from=2026-10-24T22:00:00Z&to=2026-10-26T23:00:00Z&interval=day&timezone=Europe/Berlin';
    const { range, buckets, series } = await analytics.data<TimeSeries>(`time-series?metric=runs.started&${query}`);
    expect(range).toMatchObject({ interval: 'day', timezone: 'Europe/Berlin' });
    expect(buckets).toEqual([
      { start: '2026-10-24T22:00:00.000Z', end: '2026-10-25T23:00:00.000Z' },
      { start: '2026-10-25T23:00:00.000Z', end: '2026-10-26T23:00:00.000Z' },
    ]);
    expect(series).toEqual([{ key: 'all', label: 'all', total: 7, points: [3, 4] }]);
  });

  it('that is long is read by days, with the quarters before and after them', async () => {
    for (const at of ['2026-05-02T10:00:00Z', '2026-05-03T10:00:00Z', '2026-08-01T09:45:00Z', '2026-08-01T10:00:00Z'])
      await plant('invocations.created', at, ['succeeded', 'act', 'agent']);
    const overview = async (query: string) =>
      (
        await analytics.data<{ invocations: { created: number } }>(
          `overview?${query}&interval=week&timezone=Asia/Kathmandu`,
        )
      ).invocations.created;
    // The weeks of Kathmandu: from 2026-04-26T18:15Z and 2026-07-26T18:15Z on.
    expect(await overview('from=2026-04-28T00:00:00Z&to=2026-07-30T00:00:00Z')).toBe(4);
    expect(await overview('from=2026-05-04T00:00:00Z&to=2026-07-26T00:00:00Z')).toBe(0);
    const days = await analytics.data<TimeSeries>(
      'time-series?metric=invocations.created&from=2026-05-01T00:00:00Z&to=2026-08-02T00:00:00Z&interval=day',
    );
    expect([days.series[0]?.total, days.series[0]?.points.length]).toEqual([4, 93]);
  });
});

it('an overview leaves deliveries of events out, as the list of messages does', async () => {
  await plant('messages.accepted', '2026-06-01T10:00:00Z', ['delivered', 'message', '']);
  await plant('messages.accepted', '2026-06-01T10:00:00Z', ['delivered', 'event', ''], 5);
  await plant('messages.ended', '2026-06-01T10:00:00Z', ['failed', 'event', ''], 5);
  const hour = 'from=2026-06-01T10:00:00Z&to=2026-06-01T11:00:00Z';
  const { messages } = await analytics.data<{ messages: object }>(`overview?${hour}`);
  expect(messages).toMatchObject({ accepted: 1, failed: 0, deliveryRate: null });
  const { series } = await analytics.data<TimeSeries>(`time-series?metric=messages.accepted&groupBy=kind&${hour}`);
  expect(series.map(({ key, total }) => [key, total])).toEqual([
    ['event', 5],
    ['message', 1],
  ]);
});

describe('a group', () => {
  it.each(['userId', 'message', 'runId', 'invocationId'])('by %s is refused, and says to filter', async (group) => {
    const { status, text } = await analytics.get(`time-series?metric=messages.ended&groupBy=${group}`);
    expect([status, text]).toEqual([400, expect.stringContaining('filter the list of the records by it instead')]);
    expect(await analytics.refusalOf(`time-series?metric=messages.ended&groupBy=${group}`)).toBe('groupBy');
  });

  it('that the metric has not is refused with those that it has', async () => {
    const { text } = await analytics.get('time-series?metric=tokens&groupBy=status');
    expect(text).toContain('is no group of tokens, which can be grouped by agent');
    expect(await analytics.refusalOf('time-series?metric=colours')).toBe('metric');
    expect(await analytics.refusalOf('time-series')).toBe('metric');
    expect(await analytics.refusalOf('time-series?metric=tokens&top=11')).toBe('top');
  });

  it('beyond the top is in the rest, and so is what the rollups hold together', async () => {
    const at = '2026-09-10T10:00:00Z';
    for (const [index, agent] of ['a', 'b', 'c', ''].entries())
      await plant('runs.started', at, ['running', agent, ''], 10 - index);
    await plant('runs.started', at, ['running', '(other)', '(other)'], 100);
    const query = 'metric=runs.started&groupBy=agent&from=2026-09-10T10:00:00Z&to=2026-09-10T10:30:00Z&interval=15m';
    const { series, truncated } = await analytics.data<TimeSeries>(`time-series?${query}&top=2`);
    expect(series).toEqual([
      { key: 'a', label: 'a', total: 10, points: [10, 0] },
      { key: 'b', label: 'b', total: 9, points: [9, 0] },
      { key: null, label: 'other', total: 115, points: [115, 0] },
    ]);
    expect(truncated).toBe(true);
    const all = await analytics.data<TimeSeries>(`time-series?${query}`);
    expect(all.series.map(({ key, label }) => [key, label])).toEqual([
      ['a', 'a'],
      ['b', 'b'],
      ['c', 'c'],
      ['', 'none'],
      [null, 'other'],
    ]);
  });
});

describe('the reply', () => {
  const day = 'from=2026-09-20T00:00:00Z&to=2026-09-21T00:00:00Z&interval=hour';

  it('is a 304 to a reader who has it, until a number changes', async () => {
    const first = await analytics.get(`overview?${day}`);
    const etag = first.headers.get('etag') ?? '';
    expect([first.headers.get('cache-control'), etag]).toEqual(['private, max-age=15', expect.stringMatching(/^"/)]);
    await api.database.asOwner('UPDATE installation SET analytics_complete_until = now()');
    const again = await analytics.get(`overview?${day}`, { 'If-None-Match': etag });
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
    await plant('runs.started', '2026-09-20T10:00:00Z', ['running', 'etag', '']);
    const changed = await analytics.get(`overview?${day}`, { 'If-None-Match': etag });
    expect(changed.status).toBe(200);
  });

  it('says until when it is complete', async () => {
    const at = '2026-11-01T10:11:12.345Z';
    await api.database.asOwner('UPDATE installation SET analytics_complete_until = $1', [at]);
    const { range } = await analytics.data<TimeSeries>(`time-series?metric=errors&${day}`);
    expect(range.completeUntil).toBe(at);
  });

  it('is cached by nobody where it fails', async () => {
    const strange = await analytics.get('overview?colour=blue');
    const unknown = await api.call('GET', '/api/v2/analytics/overview');
    expect([strange.status, unknown.status]).toEqual([400, 401]);
    for (const { headers } of [strange, unknown])
      expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['no-store', null]);
  });

  it('is CSV where the caller prefers it, and each form has its own ETag', async () => {
    const hostile = '=cmd|1, "2"';
    await plant('runs.started', '2026-09-20T10:05:00Z', ['running', hostile, '1.0']);
    const path = `time-series?metric=runs.started&groupBy=agent&${day}`;
    const [json, csv] = [await analytics.get(path), await analytics.get(path, { Accept: 'text/csv' })];
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(csv.headers.get('content-disposition')).toBe('attachment; filename="analytics-time-series.csv"');
    const vary = 'Accept, Authorization, Cookie, X-Environment-Id';
    expect([json.headers.get('vary'), csv.headers.get('vary')]).toEqual([vary, vary]);
    expect(csv.headers.get('etag')).not.toBe(json.headers.get('etag'));
    const [header, ...rows] = csv.text.trimEnd().split('\r\n');
    expect(header).toBe('start,end,key,label,value');
    // A spreadsheet takes no text of a caller for a formula.
    expect(rows).toContain(`2026-09-20T10:00:00.000Z,2026-09-20T11:00:00.000Z,"'=cmd|1, ""2""","'=cmd|1, ""2""",1`);
    const agents = await analytics.csv(`agents?${day}`);
    expect(agents[0]).toMatch(/^agentId,versions,runs.started,/);
    expect(agents[1]).toContain('"\'=cmd|1, ""2""",1.0,1,0,0,0,,,,0,0,0,0,0,0,');
    const known = await analytics.get(path, { Accept: 'text/csv', 'If-None-Match': csv.headers.get('etag') ?? '' });
    expect([known.status, known.text]).toEqual([304, '']);
  });

  it('is no CSV of what is no table, and JSON where both are accepted', async () => {
    expect((await analytics.get('overview', { Accept: 'text/csv' })).status).toBe(406);
    const other = await analytics.get(`agents?${day}`, { Accept: 'text/calendar' });
    expect([other.status, other.text]).toEqual([406, expect.stringContaining('application/json and text/csv')]);
    const both = await analytics.get(`agents?${day}`, { Accept: '*/*' });
    expect(both.headers.get('content-type')).toContain('application/json');
  });

  it('is of the caller’s environment alone', async () => {
    const { key: ofProduction } = await api.createKey(api.database.tenants.production, { scopes: ['analytics:read'] });
    const reply = await new Analytics(api, ofProduction).data<TimeSeries>(
      'time-series?metric=runs.started&groupBy=agent&from=2026-09-01T00:00:00Z&to=2026-10-30T00:00:00Z',
    );
    expect(reply.series).toEqual([]);
    const { headers } = await memberSession(api, api.database.tenant.workspaceId, 'member');
    const path = `/api/v2/analytics/agents?${day}`;
    const of = async (environmentId?: string) => {
      const named = environmentId === undefined ? {} : { 'X-Environment-Id': environmentId };
      const { status, json } = await api.call('GET', path, { headers: { ...headers, ...named } });
      return [status, (json as { data?: unknown[] }).data?.length];
    };
    expect(await of(api.database.tenant.environmentId)).toEqual([200, 2]);
    expect(await of(api.database.tenants.production.environmentId)).toEqual([200, 0]);
    expect((await of())[0]).toBe(400);
  });
});

describe('reads', () => {
  it('are four at once, and refused with Retry-After when no slot is free in time', async () => {
    let free = (): void => undefined;
    const freed = new Promise<void>((resolve) => (free = resolve));
    const held = ['a', 'b', 'c', 'd'].map((owner) => analyticsReads.run(owner, () => freed));
    const refused = await analytics.get('overview');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    expect(refused.json).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } });
    // Everything else goes on.
    expect((await api.call('GET', '/api/v2/auth/identity', { key })).status).toBe(200);
    const waiting = analytics.get('overview');
    free();
    expect((await waiting).status).toBe(200);
    await Promise.all(held);
  });

  it('end at their time-out, with a 503 that says to ask for less', async () => {
    const { rows } = await api.deps.db.withEnvironment(
      api.database.tenant,
      async (tx) => {
        await (await import('../../../db/analytics/rollups.ts')).beginRead(tx);
        return tx.raw<{ rows: { timeout: string; isolation: string; readOnly: string }[] }>(
          null,
          `SELECT current_setting('statement_timeout') AS timeout, current_setting('transaction_isolation') AS isolation,
             current_setting('transaction_read_only') AS "readOnly"`,
          [],
        );
      },
      { isSnapshot: true },
    );
    expect(rows).toEqual([{ timeout: '5s', isolation: 'repeatable read', readOnly: 'on' }]);
    const lock = api.database.asOwner(`BEGIN; LOCK TABLE analytics_rollups; SELECT pg_sleep(7); COMMIT`);
    await expect
      .poll(
        async () =>
          (
            await api.database.asOwner(
              `SELECT 1 FROM pg_locks WHERE relation = 'analytics_rollups'::regclass AND mode = 'AccessExclusiveLock' AND granted`,
            )
          ).length,
      )
      .toBe(1);
    const slow = await analytics.get('overview');
    expect([slow.status, slow.text]).toEqual([503, expect.stringContaining('Ask for a shorter range')]);
    await lock;
  });
});
