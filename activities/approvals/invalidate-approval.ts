import { approvalDetails } from '../../db/approvals/decisions.ts';
import { endApproval } from '../../db/approvals/changes.ts';
import type { ApprovalRecord } from '../../db/approvals/records.ts';
import { recordAudit } from '../../db/audit/record-audit.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { appendEvidence } from '../../db/effects/evidence.ts';
import { type Refusal, refusalText } from '../../domain/refusals.ts';

/** Invalidates an approval whose subject no longer holds, with evidence. Audits: call it last in its transaction. */
export async function invalidateApproval(
  tx: EnvironmentTransaction,
  approval: ApprovalRecord,
  { workspaceId, refusal, at }: { workspaceId: string; refusal: Refusal; at: Date },
): Promise<void> {
  await endApproval(tx, approval.id, { status: 'invalidated', at });
  if (approval.effectId !== null) {
    await appendEvidence(tx, {
      effectId: approval.effectId,
      source: 'system',
      observedAt: at,
      impliedOutcome: 'not_dispatched',
      summary: refusalText(refusal),
      details: { ...approvalDetails(approval), refusal: refusal.code },
      actor: { type: 'service', id: null },
    });
  }
  await recordAudit(tx, {
    workspaceId,
    actor: { type: 'system', id: null },
    action: 'approval.invalidated',
    target: { type: 'approval', id: approval.id },
    details: { invocationId: approval.invocationId, bindingDigest: approval.bindingDigest, refusal: refusal.code },
  });
}
