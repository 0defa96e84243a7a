import { newId } from '../../../domain/ids.ts';
import { insert, type PlantedArea, withoutTriggers } from '../harness/plant.ts';

export const rows: PlantedArea = {
  /** Rows of the workspace, which its environments share. */
  async plant(owner, { workspaceId: workspace_id, environmentId: environment_id }) {
    await owner.query(
      `INSERT INTO plan_changes (workspace_id, number, from_plan, to_plan) VALUES ($1, 1, 'free', 'growth') ON CONFLICT DO NOTHING`,
      [workspace_id],
    );
    await owner.query(
      `INSERT INTO daily_usage (environment_id, workspace_id, day, allowance, shard, used)
       VALUES ($1, $2, '2026-01-01', 'executions', 0, 1) ON CONFLICT DO NOTHING`,
      [environment_id, workspace_id],
    );
    const { rows: present } = await owner.query('SELECT FROM billing_months WHERE workspace_id = $1', [workspace_id]);
    if (present.length > 0) return;
    const month = '2026-01-01';
    const invoice_id = newId('invoice');
    await insert(owner, 'billing_months', { workspace_id, month, plan: 'growth', quantities: '{}' });
    await insert(owner, 'invoices', {
      id: invoice_id,
      workspace_id,
      month,
      currency: 'usd',
      subtotal: 1,
      tax: 0,
      total: 1,
      digest: 'sha256:0',
    });
    const line = { id: newId('invoiceLine'), invoice_id, workspace_id, position: 1, amount: 1, line: '{"amount": 1}' };
    await insert(owner, 'invoice_lines', line);
    await insert(owner, 'invoice_numbers', { workspace_id, last: 1 });
    await insert(owner, 'pending_plan_changes', { workspace_id, plan: 'free', effective_at: '2026-02-01' });
    await insert(owner, 'alert_targets', { workspace_id, thresholds: [50] });
    await insert(owner, 'usage_crossings', {
      workspace_id,
      month,
      meter: 'spend',
      threshold: 50,
      environment_id,
      used: 1,
      allowed: 1,
    });
    await withoutTriggers(owner, () =>
      insert(owner, 'late_executions', {
        invocation_id: newId('invocation'),
        kind: 'settled',
        environment_id,
        workspace_id,
        admitted_at: '2026-01-31',
        settled_at: '2026-02-01',
        at: '2026-02-01',
      }),
    );
  },
  ofWorkspace: [
    'daily_usage',
    'plan_changes',
    'late_executions',
    'billing_months',
    'invoices',
    'invoice_lines',
    'invoice_numbers',
    'pending_plan_changes',
    'alert_targets',
    'usage_crossings',
  ],
  writtenBeside: { daily_usage: null, plan_changes: null, usage_crossings: null, late_executions: null },
};
