import type { JsonObject } from '../../domain/json.ts';
import type { ApprovalRecord } from './records.ts';

/**
 * What an effect's evidence holds of its approval: what was asked, under which policy, and who decided. The receipt says it
 * so, chained by hash. Ids alone: notes and names are in the approval.
 */
export function approvalDetails(approval: ApprovalRecord): JsonObject {
  const { policy } = approval;
  const decided = (decision: 'approve' | 'deny') =>
    approval.decisions
      .filter((each) => each.decision === decision)
      .map(({ principal, at }) => ({ type: principal.type, id: principal.id, at: at.toISOString() }));
  const [approvers, denied] = [decided('approve'), decided('deny')];
  return {
    approvalId: approval.id,
    previewId: approval.previewId,
    bindingDigest: approval.bindingDigest,
    policy: policy.id === null ? null : { id: policy.id, version: policy.version, ruleId: policy.ruleId },
    quorum: { required: approval.quorum, received: approvers.length },
    approvers,
    ...(denied[0] ? { deniedBy: denied[0] } : {}),
    requestedBy: { type: approval.requestedBy.type, id: approval.requestedBy.id },
  };
}
