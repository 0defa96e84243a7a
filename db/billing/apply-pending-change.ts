import { periodOf } from '../../domain/billing/periods.ts';
import { isPlanName, type PlanName } from '../../domain/plans.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { setPlan } from '../plans/set-plan.ts';

/** A change of plan that a customer asked for, until it is in force. */
export interface PendingChange {
  plan: PlanName;
  effectiveAt: Date;
}

/** The change that the transaction's workspace waits for, or null. */
export async function readPendingChange(
  tx: EnvironmentTransaction | WorkspaceTransaction,
): Promise<PendingChange | null> {
  const { rows } = await tx.raw<{ rows: { plan: string; effectiveAt: Date }[] }>(
    'SELECT plan, effective_at AS "effectiveAt" FROM pending_plan_changes WHERE workspace_id = current_workspace_id()',
  );
  const row = rows[0];
  if (row === undefined || !isPlanName(row.plan)) return null;
  return { plan: row.plan, effectiveAt: row.effectiveAt };
}

/** Makes the change that was due at the end of this month, once. It counts from the first instant of the next one. */
export async function applyPendingChange(tx: WorkspaceTransaction, month: string): Promise<void> {
  const { rows } = await tx.raw<{ rows: { plan: string; effectiveAt: Date }[] }>(
    `DELETE FROM pending_plan_changes WHERE workspace_id = current_workspace_id() AND effective_at <= ?
     RETURNING plan, effective_at AS "effectiveAt"`,
    [periodOf(month).end],
  );
  const due = rows[0];
  if (due !== undefined && isPlanName(due.plan)) await setPlan(tx, due.plan, due.effectiveAt);
}
