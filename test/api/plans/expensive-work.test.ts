import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../api/http/define-route.ts';
import { ROUTES } from '../../../api/routes.ts';
import { setExpensiveWorkPause } from '../../../db/plans/expensive-work.ts';
import { startTestApi, type CallResult, type TestApi } from '../harness/test-api.ts';

const PATH = '/api/v2/test/expensive';
let runs = 0;

const expensiveRoute = defineRoute({
  of: 'environment',
  id: 'test.expensive',
  method: 'POST',
  path: PATH,
  summary: 'Expensive work',
  scope: 'actions:invoke',
  request: { body: z.strictObject({}) },
  response: { 200: z.strictObject({ runs: z.number() }) },
  expensive: true,
  idempotent: true,
  fence: 'It is of a test, which counts the runs.',
  ownsItsTransaction: 'It is of a test, and touches no database.',
  audited: 'none: it is of a test',
  handler: () => Promise.resolve({ status: 200, data: { runs: ++runs } }),
});

/** docs/plans-and-limits.md: a pause holds on every process within a second. */
const LIMIT_MS = 1_000;
const ROUNDS_MAX = 5;

const routes = [...ROUTES, expensiveRoute];
const first = await startTestApi({ routes });
const second = await startTestApi({ database: first.database, routes });
const key = (await first.createKey(first.database.tenant)).key;

describe('a pause of expensive work', () => {
  beforeEach(() => setExpensiveWorkPause(first.database.db, null));

  const call = (api: TestApi, headers: Record<string, string> = {}): Promise<CallResult> =>
    api.call('POST', PATH, { key, body: {}, headers });
  const statuses = async (): Promise<number[]> => (await Promise.all([call(first), call(second)])).map((r) => r.status);
  const pause = (): Promise<void> => setExpensiveWorkPause(first.database.db, 'The provider is away.');
  /** Polls without a break, so that the interval of polling does not add to the result. Returns how long it took. */
  const until = async (wanted: number[]): Promise<number> => {
    const beganAt = performance.now();
    await expect.poll(statuses, { interval: 1 }).toEqual(wanted);
    return performance.now() - beganAt;
  };
  /** A busy machine may take longer than a second once. A service that is late is late every time. */
  const bestOf = async (round: () => Promise<number[]>): Promise<number> => {
    const longestMs: number[] = [];
    do longestMs.push(Math.max(...(await round())));
    while (Math.min(...longestMs) > LIMIT_MS && longestMs.length < ROUNDS_MAX);
    return Math.min(...longestMs);
  };

  it('holds on every process within a second, and ends as soon', async () => {
    const tookMs = await bestOf(async () => {
      await pause();
      const pausedMs = await until([503, 503]);
      await setExpensiveWorkPause(first.database.db, null);
      return [pausedMs, await until([200, 200])];
    });
    expect(tookMs).toBeLessThan(LIMIT_MS);
    expect(await statuses()).toEqual([200, 200]);
  });

  it('holds within the second also where its notification is lost', async () => {
    const tookMs = await bestOf(async () => {
      await setExpensiveWorkPause(first.database.db, null);
      await until([200, 200]);
      await first.database.asOwner(
        "UPDATE installation SET expensive_work_paused_at = now(), expensive_work_paused_reason = 'Said to nobody.'",
      );
      return [await until([503, 503])];
    });
    expect(tookMs).toBeLessThan(LIMIT_MS);
  });

  it('says so with its own code and the operator’s reason', async () => {
    await pause();
    await until([503, 503]);
    const refused = await call(first);
    expect(refused.json).toMatchObject({ success: false, error: { code: 'EXPENSIVE_WORK_PAUSED' } });
    expect(refused.text).toContain('The provider is away.');
  });

  it('refuses an invocation before anything is written, and lets reads, writes of definitions and deletes go on', async () => {
    const action = {
      name: 'paused',
      adapter: { type: 'http.request', config: { method: 'POST', url: 'https://example.com/' } },
    };
    expect((await first.call('POST', '/api/v2/actions', { key, body: action })).status).toBe(201);
    expect((await first.call('PUT', '/api/v2/secrets/PAUSED', { key, body: { value: 'x' } })).status).toBe(201);
    await pause();
    await until([503, 503]);
    for (const api of [first, second]) {
      const refused = await api.call('POST', '/api/v2/actions/paused/invoke', { key, body: { input: {} } });
      expect([refused.status, refused.json]).toMatchObject([503, { error: { code: 'EXPENSIVE_WORK_PAUSED' } }]);
    }
    expect(await first.database.asOwner('SELECT id FROM invocations')).toEqual([]);
    expect(await first.database.asOwner('SELECT * FROM monthly_usage')).toEqual([]);
    expect((await first.call('GET', '/api/v2/actions/invocations', { key })).status).toBe(200);
    expect((await first.call('GET', '/api/v2/auth/identity', { key })).status).toBe(200);
    expect((await first.call('DELETE', '/api/v2/secrets/PAUSED', { key })).status).toBe(200);
  });

  it('repeats a recorded reply, which is no new work, and records no refusal', async () => {
    const recorded = await call(first, { 'Idempotency-Key': 'before' });
    expect(recorded.status).toBe(200);
    await pause();
    await until([503, 503]);
    const repeated = await call(second, { 'Idempotency-Key': 'before' });
    expect([repeated.status, repeated.text]).toEqual([200, recorded.text]);
    expect((await call(first, { 'Idempotency-Key': 'during' })).status).toBe(503);
    await setExpensiveWorkPause(first.database.db, null);
    await until([200, 200]);
    expect((await call(first, { 'Idempotency-Key': 'during' })).status).toBe(200);
  });

  it('tells a key without the scope about its scope', async () => {
    await pause();
    await until([503, 503]);
    const { key: other } = await first.createKey(first.database.tenant, { scopes: ['actions:read'] });
    expect((await first.call('POST', PATH, { key: other, body: {} })).status).toBe(403);
  });

  it('covers the routes that the page names, and no others', () => {
    const page = readFileSync(new URL('../../../docs/plans-and-limits.md', import.meta.url), 'utf8');
    const section = /^## Pausing expensive work$.*?^## /ms.exec(page)?.[0] ?? '';
    const named = [...section.matchAll(/^\| `([A-Z]+ \/\S+)`/gm)].map(([, route = '']) => route);
    const paused = ROUTES.filter(({ expensive }) => expensive === true).map(({ method, path }) => `${method} ${path}`);
    expect(named.toSorted()).toEqual(paused.toSorted());
  });
});
