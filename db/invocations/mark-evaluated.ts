import type { EnvironmentTransaction } from '../client.ts';
import { decisionOf, type PolicyVerdict } from '../../domain/approval-policies/verdict.ts';

/** Marks that the workflow has begun. From here on the admission can no longer be withdrawn. `verdict`: of its policies, once they were asked. */
export async function markEvaluated(
  tx: EnvironmentTransaction,
  invocationId: string,
  verdict: PolicyVerdict | null = null,
): Promise<void> {
  await tx.raw(
    `UPDATE invocations SET decision = COALESCE(CAST(:decision AS jsonb), decision), evaluated_at = COALESCE(evaluated_at, now()),
       updated_at = now() WHERE id = :invocationId`,
    { invocationId, decision: verdict === null ? null : decisionOf(verdict) },
  );
}
