import type { EnvironmentTransaction } from '../client.ts';
import { approvalDetails } from '../approvals/approval-evidence.ts';
import type { ApprovalRecord } from '../approvals/records.ts';
import { appendEvidence } from './append-evidence.ts';
import type { RefusalDetails } from '../../domain/refusal-facts.ts';
import type { RefusalCode } from '../../domain/refusals.ts';
import { announceSettlement } from '../invocations/announce-settlement.ts';

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
