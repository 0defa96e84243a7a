import { consumeApproval } from '../../db/approvals/consume-approval.ts';
import type { ApprovalRecord } from '../../db/approvals/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { appendEvidence } from '../../db/effects/append-evidence.ts';
import type { JsonObject } from '../../domain/json.ts';

/**
 * Uses an approval up, and writes into the effect's evidence what was agreed to and by whom: the receipt holds it, chained by
 * hash. Ids alone: notes and names are in the approval.
 */
export async function consumeForDispatch(tx: EnvironmentTransaction, approval: ApprovalRecord): Promise<void> {
  await consumeApproval(tx, approval.id);
  if (approval.effectId === null) return;
  const given = approval.decisions.filter(({ decision }) => decision === 'approve');
  await appendEvidence(tx, {
    effectId: approval.effectId,
    source: 'system',
    observedAt: approval.decidedAt ?? new Date(),
    impliedOutcome: null,
    summary: `approved by ${given.length} of ${approval.quorum}${policyText(approval)}`,
    details: {
      approvalId: approval.id,
      previewId: approval.previewId,
      bindingDigest: approval.bindingDigest,
      policy: policyOf(approval),
      quorum: { required: approval.quorum, received: given.length },
      approvers: given.map(({ principal, at }) => ({ type: principal.type, id: principal.id, at: at.toISOString() })),
      requestedBy: { type: approval.requestedBy.type, id: approval.requestedBy.id },
    },
    actor: { type: 'service', id: null },
  });
}

function policyOf({ policy }: ApprovalRecord): JsonObject | null {
  return policy.id === null ? null : { id: policy.id, version: policy.version, ruleId: policy.ruleId };
}

function policyText({ policy }: ApprovalRecord): string {
  if (policy.id === null) return `, as the ${policy.source} requires`;
  return ` under version ${policy.version} of policy ${policy.id}, rule ${policy.ruleId}`;
}
