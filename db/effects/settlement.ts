import { decisionOf, type PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { type DispatchRecord, type Settlement, statusOf } from '../../domain/settlement.ts';
import type { InvocationState } from '../../domain/refs.ts';
import type { RefusalDetails } from '../../domain/refusal-facts.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { findDispatchAttempt } from '../attempts/dispatches.ts';
import { lockReservationsOf, settleLocked } from '../impact-limits/settlement.ts';
import { announceSettlement } from '../invocations/changes.ts';
import { readInvocationState } from '../invocations/queries.ts';
import { approvalDetails } from '../approvals/decisions.ts';
import type { ApprovalRecord } from '../approvals/records.ts';
import { NEW_EFFECT, type NewEffect, newEffectBindings } from './records.ts';
import { appendEvidence } from './evidence.ts';

/** Creates the effect of an evaluated invocation, `ready` or `awaiting_approval`, and links the invocation to it. `verdict`: of its policies. */
export async function createEffect(
  tx: EnvironmentTransaction,
  effect: NewEffect,
  verdict: PolicyVerdict | null = null,
): Promise<void> {
  await tx.raw(
    'create_effect',
    `WITH effect AS (
       INSERT INTO effects (${NEW_EFFECT.columns}, stage) VALUES (${NEW_EFFECT.values}, :stage))
     UPDATE invocations SET effect_id = :id, decision = CAST(:decision AS jsonb), evaluated_at = now(), updated_at = now() WHERE id = :invocationId`,
    { ...newEffectBindings(effect), decision: verdict === null ? null : decisionOf(verdict) },
  );
}

/** The record of an invocation's dispatch, as input for `settlementOf`. Null before the fence. */
export async function readDispatchRecord(
  tx: EnvironmentTransaction,
  invocationId: string,
): Promise<(DispatchRecord & { attemptId: string }) | null> {
  const [attempt, evidence] = await tx.inOrder(
    () => findDispatchAttempt(tx, invocationId),
    () =>
      tx.raw<{ rows: (DispatchRecord['evidence'][number] & { ambiguous: boolean })[] }>(
        'read_dispatch_record',
        `SELECT v.source, v.implied_outcome AS "impliedOutcome", v.summary,
         CASE v.source WHEN 'provider_response' THEN NOT COALESCE((v.details ->> 'replay')::boolean, false)
           ELSE v.details ->> 'kind' = 'absent' END AS "ofFirstRequest",
         v.source = 'provider_lookup' AND COALESCE(v.details ->> 'kind' = 'ambiguous', false) AS ambiguous
       FROM evidence v JOIN effects e ON e.id = v.effect_id JOIN receipt_entries r ON r.record_id = v.id AND r.kind = 'evidence'
       WHERE e.invocation_id = ? AND v.source IN ('provider_response', 'provider_lookup') ORDER BY r.sequence`,
        [invocationId],
      ),
  );
  if (!attempt) return null;
  const { id: attemptId, unansweredReplay, ...ofAttempt } = attempt;
  const ambiguous = evidence.rows.some((each) => each.ambiguous);
  return { attemptId, attempt: ofAttempt, unansweredReplay, ambiguous, evidence: evidence.rows };
}

/**
 * Stores the provider's own id of the effect. The first id is kept. After a read found more than one record, none is stored: which
 * of them is ours is for a person to say, even where a later read finds only one.
 */
export async function setProviderReference(
  tx: EnvironmentTransaction,
  effectId: string,
  reference: string,
): Promise<void> {
  await tx.raw(
    'set_provider_reference',
    `UPDATE effects SET provider_reference = ?, updated_at = now()
     WHERE id = ? AND provider_reference IS NULL AND NOT is_ambiguous(id)`,
    [reference, effectId],
  );
}

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
      'write_settlement',
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

/**
 * Records that the provider's own record, read after the settlement, matches the success that a response settled: `acknowledged`
 * becomes `confirmed`. Nothing else moves, so a planned read and the time of the outcome stay. Idempotent, and a person's resolution
 * stays as it is.
 */
export async function confirmSettlement(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw(
    'confirm_settlement',
    `WITH effect AS (
       UPDATE effects SET outcome_source = 'provider_lookup', updated_at = now()
       WHERE invocation_id = :invocationId AND stage = 'settled' AND outcome = 'succeeded' AND outcome_source = 'provider_response'
       RETURNING invocation_id)
     UPDATE invocations i SET outcome_source = 'provider_lookup', updated_at = now() FROM effect WHERE i.id = effect.invocation_id`,
    { invocationId },
  );
}

/** The rejection reason of an effect whose invocation ended while it waited for its approval, and the invocation's refusal code. */
const REASONS = {
  denied: 'approval_denied',
  expired: 'approval_expired',
  cancelled: 'approval_cancelled',
} as const satisfies Record<string, RefusalCode>;

export interface ParkedEnd {
  status: keyof typeof REASONS;
  error: string;
  /** The end of the approval, without text that a person wrote. */
  summary: string;
  at: Date;
}

/**
 * Ends an invocation that waited for its approval, with its effect and evidence, in the transaction that ends the approval.
 * Nothing was sent.
 */
export async function endParkedInvocation(
  tx: EnvironmentTransaction,
  approval: ApprovalRecord & { invocationId: string },
  { status, error, summary, at }: ParkedEnd,
): Promise<void> {
  const { invocationId, effectId } = approval;
  const expiresAt = status === 'expired' ? { expiresAt: approval.expiresAt.toISOString() } : {};
  const details: RefusalDetails = { approvalId: approval.id, ...expiresAt };
  await tx.raw(
    'end_parked_invocation',
    `WITH rejected AS (
       UPDATE effects SET stage = 'rejected', outcome_source = 'system', rejection_reason = :reason, updated_at = now()
       WHERE invocation_id = :invocationId AND stage = 'awaiting_approval')
     UPDATE invocations SET status = :status, outcome_source = 'system', error = :error, refusal_code = :reason,
       refusal_details = :details, settled_at = now(), updated_at = now()
     WHERE id = :invocationId`,
    { invocationId, status, reason: REASONS[status], error, details: JSON.stringify(details) },
  );
  if (effectId !== null) {
    await appendEvidence(tx, {
      effectId,
      source: 'system',
      observedAt: at,
      impliedOutcome: 'not_dispatched',
      summary,
      details: approvalDetails(approval),
      actor: { type: 'service', id: null },
    });
  }
  announceSettlement(tx, invocationId);
}
