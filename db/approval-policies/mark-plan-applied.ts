import type { EnvironmentTransaction } from '../client.ts';
import type { AppliedPlan } from './records.ts';

/** Stores the result of applying a plan, in the transaction that applied it. The database accepts it once. */
export async function markPlanApplied(tx: EnvironmentTransaction, result: AppliedPlan): Promise<void> {
  await tx.raw('UPDATE policy_plans SET applied_at = ?, result = ? WHERE id = ?', [
    result.appliedAt,
    JSON.stringify(result),
    result.planId,
  ]);
}
