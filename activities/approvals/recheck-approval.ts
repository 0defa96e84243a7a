import { getApproval } from '../../db/approvals/get-approval.ts';
import { type ApprovalRecord, standingApprovals } from '../../db/approvals/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import type { InvocationWork } from '../../db/invocations/records.ts';
import type { ImpactQuantity } from '../../domain/actions.ts';
import { stricterNow } from '../../domain/approvals/terms.ts';
import type { Refusal } from '../../domain/refusals.ts';
import { decidePolicy } from '../approval-policies/decide-policy.ts';

/**
 * Checks an approval right before it is consumed. It must be approved, match the invocation's binding, and have enough
 * approvers who may still approve; the current policies must accept it too. The caller has locked the deciders' credentials
 * and the invocation, which every change of an approval locks first.
 */
export async function recheckApproval(
  tx: EnvironmentTransaction,
  work: InvocationWork,
  impact: readonly ImpactQuantity[],
  now: Date,
): Promise<{ approval: ApprovalRecord; refusal: Refusal | null }> {
  const approval = work.approvalId === null ? null : await getApproval(tx, work.approvalId);
  if (approval === null) throw new Error(`invocation ${work.id} has no approval to recheck`);
  const details = { approvalId: approval.id };
  if (approval.status !== 'approved') {
    throw new Error(`approval ${approval.id} is ${approval.status}: invocation ${work.id} cannot be reserved`);
  }
  if (approval.previewId !== work.preview?.id || approval.bindingDigest !== work.preview.bindingDigest) {
    const message = `approval ${approval.id} was given for another request`;
    return { approval, refusal: { code: 'digest_mismatch', message, details } };
  }
  const given = standingApprovals(approval);
  if (given.length < approval.quorum) {
    const message = `only ${given.length} of ${approval.quorum} approvals still count: a key was revoked, an app disconnected, or a member removed, after it agreed`;
    return { approval, refusal: { code: 'approval_invalidated', message, details } };
  }
  const verdict = await decidePolicy(tx, work, impact, now);
  const agreed = { requestedBy: approval.requestedBy, approvedBy: given.map(({ principal }) => principal) };
  const stricter = stricterNow(verdict, agreed);
  return { approval, refusal: stricter === null ? null : { code: 'approval_invalidated', message: stricter, details } };
}
