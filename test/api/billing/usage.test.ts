import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  billingBudgetSchema,
  costEstimateSchema,
  currentUsageSchema,
  invoiceSchema,
  quotaListSchema,
} from '../../../api/billing/usage-schemas.ts';
import { consumeAllowance } from '../../../db/plans/allowances.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { QUOTA_NAMES } from '../../../domain/billing/quotas.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';
import { plantInvoice } from './support.ts';

const api = await startTestApi();
const { key } = await api.createKey(api.database.tenant, { scopes: ['billing:read'] });

describe('what a workspace has used and would pay', () => {
  const get = async <S extends z.ZodType>(path: string, schema: S, as = key): Promise<z.infer<S>> =>
    dataOf(await api.call('GET', `/api/v2/billing${path}`, { key: as }), schema);
  const take = (environment: 'development' | 'production', amount: number) =>
    api.database.db.withEnvironment(api.database.tenants[environment], (tx) =>
      consumeAllowance(tx, 'messages', amount),
    );

  it('counts each meter of the month, in total and by environment', async () => {
    await take('development', 3);
    await take('production', 4);
    const { items, period, asOf } = await get('/usage/current', currentUsageSchema);
    const messages = items.find(({ meter }) => meter === 'messages');
    expect(messages).toMatchObject({ quantity: 7, included: 'unlimited', billable: 0, unit: 'message' });
    const by = new Map(messages?.byEnvironment.map(({ environmentId, quantity }) => [environmentId, quantity]));
    const { development, production, staging } = api.database.tenants;
    expect([development, production, staging].map(({ environmentId }) => by.get(environmentId))).toEqual([3, 4, 0]);
    expect(by.size).toBe(3);
    expect([period.start <= asOf, asOf < period.end, period.start.endsWith('-01T00:00:00.000Z')]).toEqual([
      true,
      true,
      true,
    ]);
    const history = await api.call('GET', '/api/v2/billing/usage/history', { key });
    expect((history.json as { data: { totals: object } }).data.totals).toMatchObject({ messages: 7 });
  });

  it('shows what is left of each quota, on a plan with limits and on one without', async () => {
    const { quotas, resetsAt } = await get('/quota', quotaListSchema);
    expect(quotas.map(({ name }) => name)).toEqual([...QUOTA_NAMES]);
    expect(quotas.find(({ name }) => name === 'messages')).toMatchObject({
      limit: 'unlimited',
      remaining: 'unlimited',
      percentUsed: null,
      resetsAt,
    });
    const { workspaceId } = api.database.tenant;
    await api.database.db.withWorkspace(workspaceId, (tx) => setPlan(tx, 'free'));
    const limited = (await get('/quota', quotaListSchema)).quotas;
    expect(limited.find(({ name }) => name === 'messages')).toMatchObject({ limit: 10_000, used: 7, remaining: 9_993 });
    expect(limited.find(({ name }) => name === 'environments')).toMatchObject({
      limit: 1,
      used: 3,
      status: 'exceeded',
    });
  });

  it('counts what an environment holds in that environment alone', async () => {
    const held = async (as: string) =>
      (await get('/quota', quotaListSchema, as)).quotas.find(({ name }) => name === 'urlGroups')?.used;
    const writer = await api.createKey(api.database.tenant, { scopes: ['url-groups:write'] });
    const made = await api.call('POST', '/api/v2/url-groups', { key: writer.key, body: { name: 'Held' } });
    expect(made.status).toBe(201);
    const other = await api.createKey(api.database.tenants.production, { scopes: ['billing:read'] });
    expect([await held(key), await held(other.key)]).toEqual([1, 0]);
  });

  it('estimates nothing on a plan without charges, and says why', async () => {
    const estimate = await get('/cost-estimate', costEstimateSchema);
    expect(estimate).toMatchObject({
      lines: [],
      monthToDate: { subtotal: 0 },
      isEstimate: true,
      currency: 'usd',
      excludes: ['tax', 'provider_bills', 'credits'],
      reason: 'plan_has_no_charges',
    });
    // The workspace was made in this test: it is too young for a projection.
    expect(estimate.projected).toBeNull();
  });

  it('has no invoices until there are some, then lists them by status, the newest month first', async () => {
    expect(await get('/invoices', invoiceSchema.array())).toEqual([]);
    const opened = await plantInvoice(api.database);
    const draft = await plantInvoice(api.database, { open: false });
    const all = await get('/invoices?page=1&limit=10', invoiceSchema.array());
    expect(all.map(({ id, status, number, amountDue }) => [id, status, number, amountDue])).toEqual([
      [opened, 'open', 1, 4_900],
      [draft, 'draft', null, 0],
    ]);
    expect(all[0]?.lines).toMatchObject([{ type: 'plan', amount: 4_900 }]);
    expect((await get('/invoices?status=draft', invoiceSchema.array())).map(({ id }) => id)).toEqual([draft]);
    expect((await get('/invoices?page=2&limit=1', invoiceSchema.array())).map(({ id }) => id)).toEqual([draft]);
    const unknown = await api.call('GET', '/api/v2/billing/invoices?status=late', { key });
    expect([unknown.status, unknown.text]).toEqual([400, expect.stringContaining('query.status')]);
    const stranger = await api.database.anotherWorkspace();
    const theirs = await api.createKey(stranger.development, { scopes: ['billing:read'] });
    expect(await get('/invoices', invoiceSchema.array(), theirs.key)).toEqual([]);
  });

  it('has no alert target until somebody sets one', async () => {
    expect(await get('/budget', billingBudgetSchema)).toMatchObject({
      target: null,
      thresholds: [50, 80, 100],
      spend: { amount: 0, currency: 'usd' },
      projectedSpend: null,
      percentUsed: null,
      alerts: [],
      enforcement: 'alert_only',
    });
  });
});
