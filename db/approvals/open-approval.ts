import type { Approvers } from '../../domain/approval-policies/verdict.ts';
import type { ApprovalKind } from '../../domain/approvals/approval.ts';
import type { Json } from '../../domain/json.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { ActorRecord } from '../invocations/records.ts';
import type { ApprovalPolicyRecord } from './records.ts';

export interface NewApproval {
  id: string;
  kind: ApprovalKind;
  /** Null for a free-standing approval, as are the next four. */
  invocationId: string | null;
  /** Null for the approval of a plain invocation too. */
  effectId: string | null;
  previewId: string | null;
  actionId: string | null;
  title: string;
  summary: string;
  /** The payload of a free-standing approval. */
  payload: Json;
  bindingDigest: string;
  policy: ApprovalPolicyRecord;
  quorum: number;
  approversOfAll: readonly Approvers[];
  preventSelf: boolean;
  requestedBy: ActorRecord;
  expiresAt: Date;
}

export async function openApproval(tx: EnvironmentTransaction, approval: NewApproval): Promise<void> {
  const { policy } = approval;
  await tx.raw(
    `INSERT INTO approvals (id, environment_id, kind, invocation_id, effect_id, preview_id, action_id, title, summary, payload,
       binding_digest, source, policy_id, policy_version, rule_id, reason, quorum, approvers, prevent_self, requested_by, expires_at)
     VALUES (:id, current_environment_id(), :kind, :invocationId, :effectId, :previewId, :actionId, :title, :summary, :payload,
       :bindingDigest, :source, :policyId, :policyVersion, :ruleId, :reason, :quorum, :approvers, :preventSelf, :requestedBy, :expiresAt)`,
    {
      ...approval,
      payload: approval.kind === 'free_standing' ? JSON.stringify(approval.payload) : null,
      source: policy.source,
      policyId: policy.id,
      policyVersion: policy.version,
      ruleId: policy.ruleId,
      reason: policy.reason,
      approvers: JSON.stringify(approval.approversOfAll),
      requestedBy: JSON.stringify(approval.requestedBy),
    },
  );
}
