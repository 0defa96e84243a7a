import { approvalDetails } from '../../db/approvals/decisions.ts';
import { consumeApproval } from '../../db/approvals/changes.ts';
import { type ApprovalRecord, standingApprovals } from '../../db/approvals/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { appendEvidence } from '../../db/effects/evidence.ts';

/** Consumes an approval, and writes into the effect's evidence what was approved and by whom. */
export async function consumeForDispatch(tx: EnvironmentTransaction, approval: ApprovalRecord): Promise<void> {
  await consumeApproval(tx, approval.id);
  if (approval.effectId === null) return;
  const given = standingApprovals(approval).length;
  await appendEvidence(tx, {
    effectId: approval.effectId,
    source: 'system',
    observedAt: approval.decidedAt ?? new Date(),
    impliedOutcome: null,
    summary: `approved by ${given} of ${approval.quorum}${policyText(approval)}`,
    details: approvalDetails(approval),
    actor: { type: 'service', id: null },
  });
}

function policyText({ policy }: ApprovalRecord): string {
  if (policy.id === null) return `, as the ${policy.source} requires`;
  return ` under version ${policy.version} of policy ${policy.id}, rule ${policy.ruleId}`;
}
