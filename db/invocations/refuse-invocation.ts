import type { EnvironmentTransaction } from '../client.ts';
import { refusalText, type Refusal } from '../../domain/refusals.ts';
import { settleReservationsOf } from '../impact-limits/settle-reservations.ts';
import { announceSettlement } from './announce-settlement.ts';

/** Ends an invocation as refused, and its effect as rejected. Nothing was sent. */
export async function refuseInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
  refusal: Refusal,
): Promise<void> {
  const written = tx.raw(
    `WITH rejected AS (
       UPDATE effects SET stage = 'rejected', outcome = 'not_dispatched', outcome_source = 'system', rejection_reason = :code,
         partial_effect = 'none', updated_at = now()
       WHERE invocation_id = :invocationId AND stage <> 'rejected')
     UPDATE invocations SET status = 'refused', outcome_source = 'system', error = :error, refusal_code = :code,
       refusal_details = :details,
       evaluated_at = COALESCE(evaluated_at, now()), settled_at = now(), updated_at = now()
     WHERE id = :invocationId`,
    { invocationId, code: refusal.code, error: refusalText(refusal), details: JSON.stringify(refusal.details ?? {}) },
  );
  announceSettlement(tx, invocationId);
  await Promise.all([written, settleReservationsOf(tx, invocationId)]);
}
