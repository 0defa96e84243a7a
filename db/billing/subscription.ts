import { periodOf } from '../../domain/billing/periods.ts';
import { isPlanName, type PlanName } from '../../domain/plans.ts';
import type { Money } from '../../domain/billing/price-list.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { setPlan } from '../plans/plans.ts';

/** A change of plan that a customer asked for, until it is in force. */
export interface PendingChange {
  plan: PlanName;
  effectiveAt: Date;
}

/** The change that the transaction's workspace waits for, or null. */
export async function readPendingChange(
  tx: EnvironmentTransaction | WorkspaceTransaction,
): Promise<PendingChange | null> {
  const row = await tx.row<{ plan: string; effectiveAt: Date }>(
    'read_pending_change',
    'SELECT plan, effective_at AS "effectiveAt" FROM pending_plan_changes WHERE workspace_id = current_workspace_id()',
  );
  if (row === null || !isPlanName(row.plan)) return null;
  return { plan: row.plan, effectiveAt: row.effectiveAt };
}

/** Makes the change that was due at the end of this month, once. It counts from the first instant of the next one. */
export async function applyPendingChange(tx: WorkspaceTransaction, month: string): Promise<void> {
  const due = await tx.row<{ plan: string; effectiveAt: Date }>(
    'apply_pending_change',
    `DELETE FROM pending_plan_changes WHERE workspace_id = current_workspace_id() AND effective_at <= ?
     RETURNING plan, effective_at AS "effectiveAt"`,
    [periodOf(month).end],
  );
  if (due !== null && isPlanName(due.plan)) await setPlan(tx, due.plan, due.effectiveAt);
}

type Transaction = EnvironmentTransaction | WorkspaceTransaction;

/** What a workspace wants to be told of. */
export interface AlertTarget {
  target: Money | null;
  /** Percent of the target, ascending. */
  thresholds: readonly number[];
}

export const THRESHOLDS_DEFAULT: readonly number[] = [50, 80, 100];

/** The alert target of the transaction's workspace; none, with the default thresholds, where nobody has set it. */
export async function readAlertTarget(tx: Transaction): Promise<AlertTarget> {
  const row = await tx.row<{ amount: string | null; currency: string | null; thresholds: number[] }>(
    'read_alert_target',
    'SELECT amount::text AS amount, currency, thresholds FROM alert_targets WHERE workspace_id = current_workspace_id()',
  );
  if (row === null) return { target: null, thresholds: THRESHOLDS_DEFAULT };
  const { amount, currency, thresholds } = row;
  return { target: amount === null || currency === null ? null : { amount: Number(amount), currency }, thresholds };
}

/** Sets the alert target of the transaction's workspace. */
export async function putAlertTarget(tx: Transaction, { target, thresholds }: AlertTarget): Promise<void> {
  await tx.raw(
    'put_alert_target',
    `INSERT INTO alert_targets (workspace_id, amount, currency, thresholds) VALUES (current_workspace_id(), :amount, :currency, CAST(:thresholds AS integer[]))
     ON CONFLICT (workspace_id) DO UPDATE SET amount = EXCLUDED.amount, currency = EXCLUDED.currency, thresholds = EXCLUDED.thresholds, updated_at = now()`,
    { amount: target?.amount ?? null, currency: target?.currency ?? null, thresholds },
  );
}

/** The thresholds of the alert target that were reached in this UTC month, the first reached first. */
export async function readAlerts(tx: Transaction): Promise<{ threshold: number; at: Date }[]> {
  return tx.rows<{ threshold: number; at: Date }>(
    'read_alerts',
    `SELECT threshold, at FROM usage_crossings WHERE workspace_id = current_workspace_id() AND meter = 'spend'
       AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date ORDER BY at, threshold`,
  );
}
