import type { RefusalCode } from '../../domain/refusals.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { settleReservationsOf } from '../impact-limits/settlement.ts';
import { announceSettlement } from '../invocations/changes.ts';
import { RecordGone } from '../../domain/record-gone.ts';

/** The progress of a reconciliation, for a start or a resumption. */
export interface ReconciliationProgress {
  exhausted: boolean;
  /** Since the outcome became unknown; for a provider-side `pending`, since the dispatch. */
  unknownForMs: number;
  dispatchedForMs: number;
  /** Since the settlement; 0 before it. */
  settledForMs: number;
}

export async function readProgress(tx: EnvironmentTransaction, effectId: string): Promise<ReconciliationProgress> {
  const progress = await tx.row<ReconciliationProgress>(
    'read_progress',
    `SELECT reconcile_exhausted AS exhausted,
       GREATEST(0, EXTRACT(EPOCH FROM now() - COALESCE(outcome_at, first_dispatched_at)) * 1000)::double precision AS "unknownForMs",
       GREATEST(0, EXTRACT(EPOCH FROM now() - first_dispatched_at) * 1000)::double precision AS "dispatchedForMs",
       CASE WHEN stage = 'settled' THEN GREATEST(0, EXTRACT(EPOCH FROM now() - outcome_at) * 1000) ELSE 0 END::double precision AS "settledForMs"
     FROM effects WHERE id = ?`,
    [effectId],
  );
  if (!progress) throw new RecordGone(`effect ${effectId} is gone`);
  return progress;
}

/**
 * Writes the one move that a settled outcome can make: the provider's own record says that a success has failed after all. The
 * adapter must declare that this can happen, and no person has resolved the effect; the database allows no other move. Returns
 * whether it moved.
 */
export async function writeReversal(tx: EnvironmentTransaction, invocationId: string, error: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'write_reversal',
    `WITH effect AS (
       UPDATE effects SET outcome = 'failed', outcome_source = 'provider_lookup', reconcile_next_at = NULL, outcome_at = now(),
         updated_at = now()
       WHERE invocation_id = :invocationId AND stage = 'settled' AND outcome = 'succeeded' AND outcome_source <> 'manual_resolution'
         AND COALESCE((capabilities ->> 'reversible')::boolean, false)
       RETURNING invocation_id)
     UPDATE invocations i SET status = 'failed', outcome_source = 'provider_lookup', error = :error, refusal_code = :code,
       refusal_details = '{}', updated_at = now()
     FROM effect WHERE i.id = effect.invocation_id`,
    { invocationId, error, code: 'reversed_by_provider' satisfies RefusalCode },
  );
  if (rowCount !== 1) return false;
  await settleReservationsOf(tx, invocationId);
  announceSettlement(tx, invocationId);
  return true;
}

/** Records when the provider is asked next whether the success still stands; null ends the watch. */
export async function planReversalRead(
  tx: EnvironmentTransaction,
  effectId: string,
  nextAt: Date | null,
): Promise<void> {
  await tx.raw(
    'plan_reversal_read',
    `UPDATE effects SET reconcile_next_at = ?, updated_at = now() WHERE id = ? AND stage = 'settled' AND outcome = 'succeeded'`,
    [nextAt, effectId],
  );
}
