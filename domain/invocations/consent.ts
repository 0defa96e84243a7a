import type { PolicyVerdict } from '../approval-policies/verdict.ts';
import { type Principal, type Requester, stricterNow } from '../approvals/terms.ts';
import type { Refusal } from '../refusals.ts';

export interface GivenApproval {
  id: string;
  /** False where it was given for another request than the one that would be sent. */
  isOfBinding: boolean;
  quorum: number;
  requestedBy: Requester;
  approvedBy: readonly Principal[];
}

/** `let_through`: the policies of an earlier moment asked nobody, and it waited for other effects since. */
export type Consent = 'none' | 'let_through' | GivenApproval;

/** Why the policies refuse: a denial, or more than a waiting invocation was given. Returns null when they do not refuse; they may still ask people. */
export function refusalOfPolicies(verdict: PolicyVerdict, consent: Consent): Refusal | null {
  if (consent === 'none') return verdict.refusal;
  if (consent === 'let_through') return verdict.effect === 'require_approval' ? askedTooLate(verdict) : verdict.refusal;
  const { id: approvalId, isOfBinding, quorum, requestedBy, approvedBy } = consent;
  const details = { approvalId };
  if (!isOfBinding) {
    return { code: 'digest_mismatch', message: `approval ${approvalId} was given for another request`, details };
  }
  if (approvedBy.length < quorum) {
    const message = `only ${approvedBy.length} of ${quorum} approvals still count: a key was revoked, an app disconnected, or a member removed, after it agreed`;
    return { code: 'approval_invalidated', message, details };
  }
  const stricter = stricterNow(verdict, { requestedBy, approvedBy });
  return stricter === null ? null : { code: 'approval_invalidated', message: stricter, details };
}

function askedTooLate({ reason, policyId, ruleId }: PolicyVerdict): Refusal {
  const message = `it was let through before it waited, and now the policies ask for an approval: ${reason}`;
  return {
    code: 'policy_denied',
    message,
    details: policyId === null || ruleId === null ? {} : { policyId, ruleId },
  };
}
