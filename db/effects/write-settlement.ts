import { lockReservationsOf, settleLocked } from '../impact-limits/settle-reservations.ts';
import { announceSettlement } from '../invocations/announce-settlement.ts';
import { readInvocationState } from '../invocations/read-invocation-state.ts';
import { statusOf, type Settlement } from '../../domain/settlement.ts';
import type { InvocationState } from '../../domain/refs.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Writes a settlement to the invocation and, where it has one, to its effect and reservations. Idempotent: writing the same
 * settlement again changes nothing, and the database refuses one that contradicts an earlier one. Returns the state after it.
 */
export async function writeSettlement(
  tx: EnvironmentTransaction,
  invocationId: string,
  settlement: Extract<Settlement, { kind: 'known' }>,
): Promise<InvocationState> {
  const bindings = {
    invocationId,
    stage: settlement.stage,
    outcome: settlement.outcome,
    source: settlement.source,
    partialEffect: settlement.partialEffect,
    status: statusOf(settlement.outcome),
    error: settlement.error,
    code: settlement.code,
  };
  const write = (): Promise<unknown> =>
    tx.raw(
      `WITH effect AS (
       UPDATE effects SET stage = :stage, outcome = :outcome, outcome_source = :source, partial_effect = :partialEffect,
         -- A provider-side "pending" starts a new schedule of reads, even where that of the unknown outcome was exhausted.
         reconcile_exhausted = reconcile_exhausted AND NOT (outcome = 'unknown' AND :outcome = 'pending'),
         reconcile_next_at = CASE WHEN :stage <> 'settled' THEN reconcile_next_at
           -- The provider can still reverse this success: the sweep starts watchReversal when the read is due.
           WHEN :outcome = 'succeeded' AND COALESCE((capabilities ->> 'reversible')::boolean, false) THEN now() + interval '1 day' END,
         outcome_at = CASE WHEN :outcome = 'pending' THEN outcome_at
           WHEN :outcome = outcome THEN COALESCE(outcome_at, now()) ELSE now() END, updated_at = now()
       WHERE invocation_id = :invocationId
         AND (stage, outcome, outcome_source) IS DISTINCT FROM (:stage, :outcome, CAST(:source AS text)))
     UPDATE invocations i SET status = :status, outcome_source = :source, error = :error, refusal_code = CAST(:code AS text),
       refusal_details = CASE WHEN CAST(:code AS text) IS NOT NULL THEN '{}'::jsonb END,
       result = COALESCE((SELECT a.response FROM attempts a WHERE a.invocation_id = i.id AND a.response IS NOT NULL
                          ORDER BY a.observed_outcome IN ('succeeded', 'pending') DESC, a.number DESC LIMIT 1),
                         (SELECT l.response FROM late_answers l JOIN attempts a ON a.id = l.attempt_id WHERE a.invocation_id = i.id
                          ORDER BY a.number DESC LIMIT 1), i.result),
       settled_at = CASE WHEN :stage = 'settled' THEN COALESCE(i.settled_at, now()) END, updated_at = now()
     WHERE i.id = :invocationId`,
      bindings,
    );
  announceSettlement(tx, invocationId);
  const [, reserved, state] = await tx.inOrder(
    write,
    () => lockReservationsOf(tx, invocationId),
    () => readInvocationState(tx, invocationId),
  );
  await settleLocked(tx, reserved);
  return state;
}
