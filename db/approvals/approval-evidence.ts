import type { JsonObject } from '../../domain/json.ts';
import { type ApprovalRecord, type DecisionRecord, standingApprovals } from './records.ts';

/**
 * The part of an approval that goes into its effect's evidence: what was asked, under which policy, and whose decisions count. It
 * contains only ids, because the receipt chains it by hash and keeps it for good. Notes and names stay in the approval.
 */
export function approvalDetails(approval: ApprovalRecord): JsonObject {
  const { policy } = approval;
  const approvers = standingApprovals(approval).map(deciderOf);
  const denial = approval.decisions.find(({ decision }) => decision === 'deny');
  return {
    approvalId: approval.id,
    previewId: approval.previewId,
    bindingDigest: approval.bindingDigest,
    policy: policy.id === null ? null : { id: policy.id, version: policy.version, ruleId: policy.ruleId },
    quorum: { required: approval.quorum, received: approvers.length },
    approvers,
    ...(denial ? { deniedBy: deciderOf(denial) } : {}),
    requestedBy: { type: approval.requestedBy.type, id: approval.requestedBy.id },
  };
}

function deciderOf({ principal, at }: DecisionRecord): { type: string; id: string; at: string } {
  return { type: principal.type, id: principal.id, at: at.toISOString() };
}
