import { canonicalJson } from '../canonical-json.ts';
import type { PolicyRule } from './document.ts';
import { isoDurationSeconds } from './durations.ts';
import type { ApprovalTerms, Approvers } from './verdict.ts';

/** The default terms, for an approval that the action itself or the environment requires. */
export const DEFAULT_TERMS: ApprovalTerms = {
  quorum: 1,
  approvers: {},
  approversOfAll: [{}],
  preventSelf: true,
  expiresInSeconds: 86_400,
  onExpiry: 'deny',
};

export function termsOfRule(approval: PolicyRule['approval']): ApprovalTerms {
  if (approval === undefined) return DEFAULT_TERMS;
  const approvers = definedApprovers(approval.approvers);
  return {
    quorum: approval.quorum,
    approvers,
    approversOfAll: [approvers],
    preventSelf: approval.preventSelf,
    expiresInSeconds: isoDurationSeconds(approval.expiresIn) ?? DEFAULT_TERMS.expiresInSeconds,
    onExpiry: approval.onExpiry,
  };
}

function definedApprovers({ roles, users, keys }: NonNullable<PolicyRule['approval']>['approvers']): Approvers {
  return { ...(roles && { roles }), ...(users && { users }), ...(keys && { keys }) };
}

/**
 * The strictest terms: highest quorum, shortest expiry, self-approval only if all allow it, approvers that all accept.
 */
export function strictestTerms(first: ApprovalTerms, others: readonly ApprovalTerms[]): ApprovalTerms {
  const all = [first, ...others];
  const approvers = new Map(
    all.flatMap((terms) => terms.approversOfAll).map((item) => [canonicalJson({ ...item }), item]),
  );
  return {
    quorum: Math.max(...all.map(({ quorum }) => quorum)),
    approvers: first.approvers,
    approversOfAll: [...approvers.values()],
    preventSelf: all.some(({ preventSelf }) => preventSelf),
    expiresInSeconds: Math.min(...all.map(({ expiresInSeconds }) => expiresInSeconds)),
    onExpiry: 'deny',
  };
}
