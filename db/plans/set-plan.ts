import type { PlanName } from '../../domain/plans.ts';
import type { WorkspaceTransaction } from '../client.ts';
import { CHANNELS } from '../announcements/notification-listener.ts';

/**
 * Changes the plan of the transaction's workspace, notes the change in `plan_changes`, and returns the previous plan. Every process is
 * notified at the commit. `at` is when the change counts from; by default now. Returns null, and changes nothing, when the workspace does not exist.
 */
export async function setPlan(
  tx: WorkspaceTransaction,
  plan: PlanName,
  at: Date | null = null,
): Promise<{ before: PlanName } | null> {
  const { rows } = await tx.raw<{ rows: { before: PlanName }[] }>(
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
  const row = rows[0];
  return row === undefined ? null : { before: row.before };
}
