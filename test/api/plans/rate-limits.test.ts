import { describe, expect, it } from 'vitest';
import { defineRoute } from '../../../api/http/define-route.ts';
import { createApiKey } from '../../../db/api-keys/api-keys.ts';
import type { Tenant } from '../../../db/client.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { PLAN_TABLE, type PlanName } from '../../../domain/plans.ts';
import { z } from 'zod';
import { startSession } from '../../../db/auth/sessions.ts';
import { createPerson, personOf } from '../harness/people.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';

const IDENTITY = '/api/v2/auth/identity';
const HEADERS = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
const NONE = [null, null, null];

const quotaRoute = defineRoute({
  of: 'environment',
  id: 'test.quota',
  method: 'GET',
  path: '/api/v2/test/quota',
  summary: 'Refuses with a 429 of another kind',
  scope: null,
  response: { 200: z.object({}) },
  errors: ['QUOTA_EXCEEDED'],
  ownsItsTransaction: 'It is of a test, and touches no database.',
  audited: 'none: it is of a test',
  handler: () => Promise.reject(new ServiceError('QUOTA_EXCEEDED')),
});

const secretRoute = defineRoute({
  of: 'environment',
  id: 'test.scoped',
  method: 'GET',
  path: '/api/v2/test/scoped',
  summary: 'Needs a scope',
  scope: 'secrets:read',
  response: { 200: z.strictObject({}) },
  ownsItsTransaction: 'It is of a test, and touches no database.',
  audited: 'none: it is of a test',
  handler: () => Promise.resolve({ status: 200, data: {} }),
});

const api = await startTestApi();
const routes = await startTestApi({ database: api.database, routes: [quotaRoute, secretRoute] });

describe('rate limits', () => {
  /** A key of a new workspace on the plan. */
  const keyOn = async (plan: PlanName): Promise<{ key: string; tenant: Tenant }> => {
    const { development: tenant } = await api.database.anotherWorkspace();
    await putOn(tenant, plan);
    const { key } = await api.database.db.withEnvironment(tenant, (tx) =>
      createApiKey(tx, { name: 'test', scopes: ['actions:read'] }),
    );
    return { key, tenant };
  };
  const putOn = (tenant: Tenant, plan: PlanName): Promise<unknown> =>
    api.database.db.withWorkspace(tenant.workspaceId, (tx) => setPlan(tx, plan));
  const useUp = async (tenant: Tenant, left: { minute: number; hour: number }): Promise<void> => {
    const { perMinute = 0, perHour } = PLAN_TABLE.free.rateLimit ?? {};
    await api.database.asOwner('UPDATE rate_windows SET minute_used = $2, hour_used = $3 WHERE workspace_id = $1', [
      tenant.workspaceId,
      perMinute - left.minute,
      (perHour ?? 0) - left.hour,
    ]);
  };
  const headersOf = (reply: CallResult): (string | null)[] => HEADERS.map((name) => reply.headers.get(name));
  const codeOf = (reply: CallResult): unknown => (reply.json as { error?: { code?: unknown } }).error?.code;

  it('show the limit, what remains, and the reset in Unix milliseconds', async () => {
    const { key } = await keyOn('free');
    const before = Date.now();
    const first = headersOf(await api.call('GET', IDENTITY, { key }));
    expect(first.slice(0, 2)).toEqual(['300', '299']);
    expect(first[2]).toMatch(/^\d{13}$/);
    expect(Math.abs(Number(first[2]) - before - 60_000)).toBeLessThan(30_000);
    expect(headersOf(await api.call('GET', IDENTITY, { key }))).toEqual(['300', '298', first[2]]);
  });

  it('have a figure for each plan that has a limit, and no header for one that has none', async () => {
    expect(headersOf(await api.call('GET', IDENTITY, { key: (await keyOn('production')).key }))[0]).toBe('1000');
    expect(headersOf(await api.call('GET', IDENTITY, { key: (await keyOn('growth')).key }))[0]).toBe('1000');
    for (const plan of ['pay_as_you_go', 'enterprise'] as const) {
      const { key, tenant } = await keyOn(plan);
      expect(headersOf(await api.call('GET', IDENTITY, { key }))).toEqual(NONE);
      const counted = await api.database.asOwner('SELECT * FROM rate_windows WHERE workspace_id = $1', [
        tenant.workspaceId,
      ]);
      expect(counted).toEqual([]);
    }
  });

  it('refuse with 429, a message that says how long, and no rate-limit header', async () => {
    const { key, tenant } = await keyOn('free');
    await api.call('GET', IDENTITY, { key });
    await useUp(tenant, { minute: 1, hour: 1_000 });
    expect(headersOf(await api.call('GET', IDENTITY, { key })).slice(0, 2)).toEqual(['300', '0']);
    // Once from what this process knows, and once from what another one finds out.
    for (const process of [api, await startTestApi({ database: api.database })]) {
      const refused = await process.call('GET', IDENTITY, { key });
      expect([refused.status, codeOf(refused)]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(headersOf(refused)).toEqual(NONE);
      expect(refused.text).toMatch(/Free plan admits 300 a minute and 10000 an hour .* in \d\d seconds/);
      if (process !== api) await process.close();
    }
  });

  it('tell of the hour once it is what ends first', async () => {
    const { key, tenant } = await keyOn('free');
    await api.call('GET', IDENTITY, { key });
    await useUp(tenant, { minute: 200, hour: 2 });
    const last = headersOf(await api.call('GET', IDENTITY, { key }));
    expect(last.slice(0, 2)).toEqual(['10000', '1']);
    expect(Number(last[2]) - Date.now()).toBeGreaterThan(3_500_000);
    await api.call('GET', IDENTITY, { key });
    const refused = await api.call('GET', IDENTITY, { key });
    expect([refused.status, codeOf(refused)]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  });

  it('count what is refused for its scope or its form, with headers, and nothing that has no valid key', async () => {
    const { key, tenant } = await keyOn('free');
    const forbidden = await routes.call('GET', '/api/v2/test/scoped', { key });
    expect([forbidden.status, headersOf(forbidden).slice(0, 2)]).toEqual([403, ['300', '299']]);
    const malformed = await api.call('GET', `${IDENTITY}?unexpected=1`, { key });
    expect([malformed.status, headersOf(malformed).slice(0, 2)]).toEqual([400, ['300', '298']]);
    const stranger = await api.call('GET', IDENTITY, { key: `service_live_${'x'.repeat(32)}` });
    expect([stranger.status, headersOf(stranger)]).toEqual([401, NONE]);
    const [row] = await api.database.asOwner<{ minute_used: number }>(
      'SELECT minute_used FROM rate_windows WHERE workspace_id = $1',
      [tenant.workspaceId],
    );
    expect(row?.minute_used).toBe(2);
  });

  it('put no header on a 429 of another kind', async () => {
    const { key } = await keyOn('free');
    const refused = await routes.call('GET', '/api/v2/test/quota', { key });
    expect([refused.status, codeOf(refused), headersOf(refused)]).toEqual([429, 'QUOTA_EXCEEDED', NONE]);
  });

  it('are those of the new plan for the next request, on every process', async () => {
    const { key, tenant } = await keyOn('free');
    for (const process of [api, routes]) {
      const path = process === api ? IDENTITY : '/api/v2/test/scoped';
      const limitOf = async (): Promise<string | null> =>
        headersOf(await process.call('GET', path, { key }))[0] ?? null;
      await putOn(tenant, 'free');
      await expect.poll(limitOf).toBe('300');
      await putOn(tenant, 'production');
      await expect.poll(limitOf).toBe('1000');
    }
  });

  it('count a person by all of their sessions, and never for the workspace', async () => {
    const { key, tenant } = await keyOn('free');
    const person = await createPerson(api, 'owner', { workspaceId: tenant.workspaceId });
    const { token, csrfToken } = await api.database.db.withUser(person.userId, (tx) => startSession(tx));
    const elsewhere = personOf(api, { ...person, token, csrfToken });
    const environment = { headers: { 'X-Environment-Id': tenant.environmentId } };
    const paths = [IDENTITY, `/api/v2/workspaces/${tenant.workspaceId}/members`, '/api/v2/auth/session'];
    const left: unknown[] = [];
    for (const path of paths) {
      for (const session of [person, elsewhere]) {
        left.push(
          headersOf(await session.call('GET', path, environment))
            .slice(0, 2)
            .join('/'),
        );
      }
    }
    expect(left).toEqual(['600/599', '600/598', '600/597', '600/596', '600/595', '600/594']);
    expect(headersOf(await api.call('GET', IDENTITY, { key })).slice(0, 2)).toEqual(['300', '299']);
    await api.database.asOwner('UPDATE session_rate_windows SET used = 599 WHERE user_id = $1', [person.userId]);
    expect((await elsewhere.call('GET', '/api/v2/auth/session')).status).toBe(200);
    const refused = await person.call('GET', IDENTITY, environment);
    expect([refused.status, codeOf(refused), headersOf(refused)]).toEqual([429, 'RATE_LIMIT_EXCEEDED', NONE]);
    expect(refused.text).toMatch(/the service admits 600 a minute per signed-in person\. .* in \d\d seconds/);
    expect((await api.call('GET', IDENTITY, { key })).status).toBe(200);
  });
});
