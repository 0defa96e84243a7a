import { type Allowance, ALLOWANCES, isPlanName, type PlanName } from '../../domain/plans.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { CHANNELS } from '../announcements/notification-listener.ts';

/** The plan of the transaction's workspace. Throws where the workspace does not exist. */
export async function readPlan(tx: EnvironmentTransaction | WorkspaceTransaction): Promise<PlanName> {
  const row = await tx.row<{ plan: string }>(
    'plans_read_plan',
    'SELECT plan FROM workspaces WHERE id = current_workspace_id()',
  );
  const plan = row?.plan;
  if (plan === undefined || !isPlanName(plan)) throw new Error(`the workspace has no plan that is known: ${plan}`);
  return plan;
}

/** The usage of the transaction's workspace in this UTC month. */
export async function readUsage(tx: EnvironmentTransaction | WorkspaceTransaction): Promise<Record<Allowance, number>> {
  const rows = await tx.rows<{ allowance: Allowance; used: string }>(
    'read_usage',
    `SELECT allowance, sum(used)::text AS used FROM monthly_usage
     WHERE workspace_id = current_workspace_id() AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date GROUP BY allowance`,
  );
  const used = new Map(rows.map((row) => [row.allowance, Number(row.used)]));
  return Object.fromEntries(ALLOWANCES.map((name) => [name, used.get(name) ?? 0])) as Record<Allowance, number>;
}

/**
 * Changes the plan of the transaction's workspace, notes the change in `plan_changes`, and returns the previous plan. Every process is
 * notified at the commit. `at` is when the change counts from; by default now. Returns null, and changes nothing, when the workspace does not exist.
 */
export async function setPlan(
  tx: WorkspaceTransaction,
  plan: PlanName,
  at: Date | null = null,
): Promise<{ before: PlanName } | null> {
  const row = await tx.row<{ before: PlanName }>(
    'set_plan',
    `WITH changed AS (
       UPDATE workspaces w SET plan = :plan
       FROM (SELECT id, plan FROM workspaces WHERE id = current_workspace_id() FOR NO KEY UPDATE) old
       WHERE w.id = old.id RETURNING w.id, old.plan AS before, pg_notify(:channel, w.id::text)
     ), noted AS (
       INSERT INTO plan_changes (workspace_id, number, from_plan, to_plan, changed_at)
       SELECT id, (SELECT COALESCE(max(number), 0) + 1 FROM plan_changes p WHERE p.workspace_id = changed.id), before, :plan,
         COALESCE(:at, now())
       FROM changed WHERE before <> :plan)
     SELECT before FROM changed`,
    { plan, at, channel: CHANNELS.planChanged },
  );
  return row === null ? null : { before: row.before };
}
