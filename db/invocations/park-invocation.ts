import type { EnvironmentTransaction } from '../client.ts';
import { decisionOf, type PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { announceSettlement } from './announce-settlement.ts';

/** Marks the invocation as waiting for the approval that its policies require; the request that waits for its reply is answered. */
export async function parkInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
  { approvalId, verdict }: { approvalId: string; verdict: PolicyVerdict },
): Promise<void> {
  await tx.raw(
    `UPDATE invocations SET status = 'pending_approval', approval_id = :approvalId, decision = CAST(:decision AS jsonb), evaluated_at = COALESCE(evaluated_at, now()),
       updated_at = now()
     WHERE id = :invocationId`,
    { invocationId, approvalId, decision: decisionOf(verdict) },
  );
  announceSettlement(tx, invocationId);
}
