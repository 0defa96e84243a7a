import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  planListSchema,
  planSchema,
  pricingPolicySchema,
  stripeConfigSchema,
  usageHistorySchema,
} from '../../../api/billing/schemas.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { PLANS, type PlanName } from '../../../domain/plans.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';

const api = await startTestApi();
const { key } = await api.createKey(api.database.tenant, { scopes: ['billing:read'] });

describe('billing', () => {
  const plan = async (): Promise<z.infer<typeof planSchema>> =>
    dataOf(await api.call('GET', '/api/v2/billing/plan', { key }), planSchema);
  const change = (to: PlanName) =>
    api.database.db.withWorkspace(api.database.tenant.workspaceId, (tx) => setPlan(tx, to));

  it('says since when a workspace has its plan: since it was made, then since the newest change', async () => {
    const [made] = await api.database.asOwner<{ created_at: Date }>('SELECT created_at FROM workspaces WHERE id = $1', [
      api.database.tenant.workspaceId,
    ]);
    expect((await plan()).since).toBe(made?.created_at.toISOString());

    await change('growth');
    const grown = await plan();
    expect(grown).toMatchObject({ id: 'growth', name: 'Growth', status: 'active', pendingChange: null, price: null });
    const changes = await api.database.asOwner(
      'SELECT number, from_plan, to_plan, changed_at FROM plan_changes ORDER BY number',
    );
    expect(changes).toEqual([
      expect.objectContaining({ number: 1, to_plan: 'growth', changed_at: new Date(grown.since) }),
    ]);

    await change('growth');
    expect((await plan()).since).toBe(grown.since);
    await change('free');
    expect((await plan()).since > grown.since).toBe(true);
  });

  it('keeps a change of plan on record, whoever asks', async () => {
    await change('growth');
    await change('free');
    const edit = api.database.asOwner(`UPDATE plan_changes SET to_plan = 'enterprise'`);
    await expect(edit).rejects.toThrow('UPDATE rows of plan_changes are append-only');
    await expect(api.database.asOwner('DELETE FROM plan_changes')).rejects.toThrow('append-only');
  });

  it('lists every plan, and names the one that the workspace has', async () => {
    await change('production');
    const plans = dataOf(await api.call('GET', '/api/v2/billing/plans', { key }), planListSchema);
    expect(plans.map(({ id }) => id)).toEqual(PLANS);
    expect(plans.filter(({ isCurrent }) => isCurrent).map(({ id }) => id)).toEqual(['production']);
  });

  it('resets the allowances at the first of the next month, UTC', async () => {
    expect((await plan()).access.usageResetsAt).toMatch(/^\d{4}-\d{2}-01T00:00:00\.000Z$/);
  });

  it('shows each day of the range, and its sums', async () => {
    const history = dataOf(await api.call('GET', '/api/v2/billing/usage/history', { key }), usageHistorySchema);
    expect(history.days.at(-1)?.complete).toBe(false);
    expect(history.months.length).toBeGreaterThan(0);
    expect(history.totals.executions).toBe(0);
    const reversed = await api.call('GET', '/api/v2/billing/usage/history?from=2026-11-02&to=2026-11-01', { key });
    expect([reversed.status, reversed.text]).toEqual([400, expect.stringContaining('query.from')]);
  });

  it('has nothing for a payment provider yet', async () => {
    const config = dataOf(await api.call('GET', '/api/v2/billing/stripe-config', { key }), stripeConfigSchema);
    expect(config).toEqual({ enabled: false, publishableKey: null, mode: null });
  });

  it('shows the pricing policy without a credential, and a 304 to a reader who has it', async () => {
    const path = '/api/v2/public/pricing-policy';
    const first = await api.call('GET', path);
    const policy = dataOf(first, pricingPolicySchema);
    expect(policy.plans.map(({ id }) => id)).toEqual(PLANS);
    expect(first.headers.get('cache-control')).toBe('public, max-age=300');
    const etag = first.headers.get('etag') ?? '';
    const again = await fetch(`${api.baseUrl}${path}`, { headers: { 'If-None-Match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const other = await fetch(`${api.baseUrl}${path}`, { headers: { 'If-None-Match': '"other"' } });
    expect(other.status).toBe(200);
  });
});
