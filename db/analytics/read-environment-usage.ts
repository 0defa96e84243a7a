import { type Allowance, ALLOWANCES, isPlanName, PLAN_TABLE } from '../../domain/plans.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** What a meter counted in this UTC month. */
export interface UsedOfMonth {
  meter: Allowance;
  /** In the transaction's environment. */
  used: number;
  /** In all environments of its workspace, and what the plan includes (null without a limit). */
  workspace: { used: number; limit: number | null };
}

/** The transaction's month so far, one item for each meter, in the order of the plans' table, by the database's clock. */
export async function readEnvironmentUsage(tx: EnvironmentTransaction): Promise<{ now: Date; items: UsedOfMonth[] }> {
  const { rows } = await tx.raw<{
    rows: { plan: string; now: Date; meter: Allowance | null; used: string; workspaceUsed: string }[];
  }>(
    'read_environment_usage',
    `WITH month AS (SELECT date_trunc('month', now() AT TIME ZONE 'UTC')::date AS first),
     here AS (
       SELECT allowance, sum(used) AS used FROM daily_usage, month
       WHERE environment_id = current_environment_id() AND day >= first GROUP BY allowance),
     everywhere AS (
       SELECT allowance, sum(used) AS used FROM monthly_usage, month
       WHERE workspace_id = current_workspace_id() AND month = first GROUP BY allowance)
     SELECT w.plan, now() AS now, e.allowance AS meter, COALESCE(h.used, 0) AS used, COALESCE(e.used, 0) AS "workspaceUsed"
     FROM workspaces w LEFT JOIN everywhere e ON true LEFT JOIN here h USING (allowance)
     WHERE w.id = current_workspace_id()`,
  );
  const [any] = rows;
  if (any === undefined || !isPlanName(any.plan))
    throw new Error(`the workspace has no plan that is known: ${any?.plan}`);
  const { allowances } = PLAN_TABLE[any.plan];
  const counted = new Map(rows.map((row) => [row.meter, row]));
  const items = ALLOWANCES.map((meter) => {
    const row = counted.get(meter);
    const workspace = { used: Number(row?.workspaceUsed ?? 0), limit: allowances[meter] };
    return { meter, used: Number(row?.used ?? 0), workspace };
  });
  return { now: any.now, items };
}
