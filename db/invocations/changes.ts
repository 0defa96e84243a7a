import { decisionOf, type PolicyVerdict } from '../../domain/approval-policies/verdict.ts';
import { type Refusal, refusalText, statusOfRefusal } from '../../domain/refusals.ts';
import { recordPayload } from '../announcements/changed-records.ts';
import { CHANNELS } from '../announcements/notification-listener.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { lockReservationsOf, settleLocked } from '../impact-limits/settlement.ts';

/** Wakes, after the commit, the API request that waits for this invocation. */
export function announceSettlement(tx: EnvironmentTransaction, invocationId: string): void {
  tx.announce({ channel: CHANNELS.invocationSettled, payload: recordPayload(tx, invocationId) });
}

/** Marks that the workflow has begun. From here on the admission can no longer be withdrawn. */
export async function markEvaluated(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw(
    'mark_evaluated',
    'UPDATE invocations SET evaluated_at = COALESCE(evaluated_at, now()), updated_at = now() WHERE id = ?',
    [invocationId],
  );
}

/** Marks the invocation as waiting for its dependencies, and notifies the request that waits for its reply, once. */
export async function awaitDependencies(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'await_dependencies',
    `UPDATE invocations SET dependencies_awaited_at = now(), updated_at = now() WHERE id = ? AND dependencies_awaited_at IS NULL`,
    [invocationId],
  );
  if (rowCount === 1) announceSettlement(tx, invocationId);
}

/** Marks the invocation as waiting for the approval that its policies require; the request that waits for its reply is answered. */
export async function parkInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
  { approvalId, verdict }: { approvalId: string; verdict: PolicyVerdict },
): Promise<void> {
  await tx.raw(
    'park_invocation',
    `UPDATE invocations SET status = 'pending_approval', approval_id = :approvalId, decision = CAST(:decision AS jsonb), evaluated_at = COALESCE(evaluated_at, now()),
       updated_at = now()
     WHERE id = :invocationId`,
    { invocationId, approvalId, decision: decisionOf(verdict) },
  );
  announceSettlement(tx, invocationId);
}

/**
 * Makes a parked invocation and its effect ready for the reservation, in the transaction that approves it. People have decided on the
 * present timeline of the database, and so it may be sent there (`is_recovered`).
 */
export async function releaseInvocation(tx: EnvironmentTransaction, invocationId: string): Promise<void> {
  await tx.raw(
    'release_invocation',
    `WITH ready AS (
       UPDATE effects SET stage = 'ready', updated_at = now() WHERE invocation_id = :invocationId AND stage = 'awaiting_approval')
     UPDATE invocations SET status = 'queued', timeline = current_timeline(), updated_at = now()
     WHERE id = :invocationId AND status = 'pending_approval'`,
    { invocationId },
  );
}

/** Ends an invocation as refused, and its effect as rejected. Nothing was sent. `verdict`: of its policies, where they were asked. */
export async function refuseInvocation(
  tx: EnvironmentTransaction,
  invocationId: string,
  refusal: Refusal,
  verdict: PolicyVerdict | null = null,
): Promise<void> {
  const write = (): Promise<unknown> =>
    tx.raw(
      'refuse_invocation',
      `WITH rejected AS (
       UPDATE effects SET stage = 'rejected', outcome = 'not_dispatched', outcome_source = 'system', rejection_reason = :code,
         partial_effect = 'none', updated_at = now()
       WHERE invocation_id = :invocationId AND stage <> 'rejected')
     UPDATE invocations SET status = :status, outcome_source = 'system', error = :error, refusal_code = :code,
       refusal_details = :details, decision = COALESCE(CAST(:decision AS jsonb), decision),
       evaluated_at = COALESCE(evaluated_at, now()), settled_at = now(), updated_at = now()
     WHERE id = :invocationId`,
      {
        invocationId,
        code: refusal.code,
        status: statusOfRefusal(refusal.code),
        error: refusalText(refusal),
        details: JSON.stringify(refusal.details ?? {}),
        decision: verdict === null ? null : decisionOf(verdict),
      },
    );
  announceSettlement(tx, invocationId);
  const [, reserved] = await tx.inOrder(write, () => lockReservationsOf(tx, invocationId));
  await settleLocked(tx, reserved);
}
