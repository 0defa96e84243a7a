import type { EnvironmentTransaction } from '../client.ts';
import { settleReservationsOf } from '../impact-limits/settle-reservations.ts';
import { announceSettlement } from '../invocations/announce-settlement.ts';

/**
 * The one move of a settled outcome: what had succeeded, and was not resolved by a person, has failed after all by the
 * provider's own record, where its adapter declares that this may be; the database allows no other. Answers whether it moved.
 */
export async function writeReversal(tx: EnvironmentTransaction, invocationId: string, error: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `WITH effect AS (
       UPDATE effects SET outcome = 'failed', outcome_source = 'provider_lookup', reconcile_next_at = NULL, outcome_at = now(),
         updated_at = now()
       WHERE invocation_id = :invocationId AND stage = 'settled' AND outcome = 'succeeded' AND outcome_source <> 'manual_resolution'
         AND COALESCE((capabilities ->> 'reversible')::boolean, false)
       RETURNING invocation_id)
     UPDATE invocations i SET status = 'failed', outcome_source = 'provider_lookup', error = :error, updated_at = now()
     FROM effect WHERE i.id = effect.invocation_id`,
    { invocationId, error },
  );
  if (rowCount !== 1) return false;
  await settleReservationsOf(tx, invocationId);
  await announceSettlement(tx, invocationId);
  return true;
}

/** Puts on record when the provider is asked next whether it still stands; null: it is watched no longer. */
export async function planReversalRead(
  tx: EnvironmentTransaction,
  effectId: string,
  nextAt: Date | null,
): Promise<void> {
  await tx.raw(
    `UPDATE effects SET reconcile_next_at = ?, updated_at = now() WHERE id = ? AND stage = 'settled' AND outcome = 'succeeded'`,
    [nextAt, effectId],
  );
}
