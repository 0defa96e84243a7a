import type { EnvironmentTransaction } from '../client.ts';
import { decisionOf, type PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { refusalText, type Refusal } from '../../domain/refusals.ts';
import { lockReservationsOf, settleLocked } from '../impact-limits/settle-reservations.ts';
import { announceSettlement } from './announce-settlement.ts';

/** Ends an invocation as refused, and its effect as rejected. Nothing was sent. `verdict`: of its policies, where they were asked. */
export async function refuseInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
  refusal: Refusal,
  verdict: PolicyVerdict | null = null,
): Promise<void> {
  const write = (): Promise<unknown> =>
    tx.raw(
      `WITH rejected AS (
       UPDATE effects SET stage = 'rejected', outcome = 'not_dispatched', outcome_source = 'system', rejection_reason = :code,
         partial_effect = 'none', updated_at = now()
       WHERE invocation_id = :invocationId AND stage <> 'rejected')
     UPDATE invocations SET status = 'refused', outcome_source = 'system', error = :error, refusal_code = :code,
       refusal_details = :details, decision = COALESCE(CAST(:decision AS jsonb), decision),
       evaluated_at = COALESCE(evaluated_at, now()), settled_at = now(), updated_at = now()
     WHERE id = :invocationId`,
      {
        invocationId,
        code: refusal.code,
        error: refusalText(refusal),
        details: JSON.stringify(refusal.details ?? {}),
        decision: verdict === null ? null : decisionOf(verdict),
      },
    );
  announceSettlement(tx, invocationId);
  const [, reserved] = await tx.inOrder(write, () => lockReservationsOf(tx, invocationId));
  await settleLocked(tx, reserved);
}
