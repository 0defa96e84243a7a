import type { PlanName } from '../../domain/plans.ts';
import type { WorkspaceTransaction } from '../client.ts';
import { CHANNELS } from '../announcements/notification-listener.ts';

/**
 * Changes the plan of the transaction's workspace and returns the previous one. Every process is notified at the commit. Returns
 * null, and changes nothing, where there is no such workspace.
 */
export async function setPlan(tx: WorkspaceTransaction, plan: PlanName): Promise<{ before: PlanName } | null> {
  const { rows } = await tx.raw<{ rows: { before: PlanName }[] }>(
    `UPDATE workspaces w SET plan = :plan
     FROM (SELECT id, plan FROM workspaces WHERE id = current_workspace_id() FOR NO KEY UPDATE) old
     WHERE w.id = old.id RETURNING old.plan AS before, pg_notify(:channel, w.id::text)`,
    { plan, channel: CHANNELS.planChanged },
  );
  const row = rows[0];
  return row === undefined ? null : { before: row.before };
}
