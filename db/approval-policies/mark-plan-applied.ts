import type { EnvironmentTransaction } from '../client.ts';
import type { AppliedPlan } from './records.ts';

/** Keeps what applying a plan answered, in the transaction that applied it; the database takes it once. */
export async function markPlanApplied(tx: EnvironmentTransaction, result: AppliedPlan): Promise<void> {
  await tx.raw('UPDATE policy_plans SET applied_at = ?, result = ? WHERE id = ?', [
    result.appliedAt,
    JSON.stringify(result),
    result.planId,
  ]);
}
