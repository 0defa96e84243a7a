import type { Approvers, PolicyVerdict } from '../approval-policies/verdict.ts';
import type { Role } from '../roles.ts';
import { roleSuffices } from '../roles.ts';

/** Who decides, as they were known at that moment. A decision keeps it, so that stricter terms can be held against it later. */
export interface Principal {
  type: 'api_key' | 'user';
  id: string;
  /** Of a key. */
  keyName: string | null;
  /** Of a member. */
  role: Role | null;
  email: string | null;
  /** The member who made the key; null of a user, and of a key of the operator. */
  maker: string | null;
}

/** What a decision has to satisfy. */
export interface DecidingTerms {
  /** Each list must accept the decider: one for each rule that asked. */
  approversOfAll: readonly Approvers[];
  preventSelf: boolean;
  requestedBy: Requester;
}

export interface Requester {
  type: string;
  id: string | null;
  /** The member who made the key that asked; null of a user, and of a key of the operator. */
  maker: string | null;
}

/** Whom a credential speaks for: one person with a session and keys of their own is one voice. */
export function voiceOf<Id extends string | null>({ id, maker }: { id: Id; maker: string | null }): Id | string {
  return maker ?? id;
}

export function isRequester(
  principal: Pick<Principal, 'id' | 'maker'>,
  { requestedBy }: Pick<DecidingTerms, 'requestedBy'>,
): boolean {
  return voiceOf(principal) === voiceOf(requestedBy);
}

/**
 * Whether the lists of approvers accept a principal. A list that names nobody at all accepts any key that may decide (its
 * scope is checked where it comes in), and any admin or owner; one that names somebody accepts those alone.
 */
export function isAcceptedApprover(principal: Principal, approversOfAll: readonly Approvers[]): boolean {
  return approversOfAll.every((approvers) => accepts(approvers, principal));
}

function accepts({ roles, users, keys }: Approvers, principal: Principal): boolean {
  if (roles === undefined && users === undefined && keys === undefined) {
    return principal.type === 'api_key' || (principal.role !== null && roleSuffices(principal.role, 'admin'));
  }
  if (principal.type === 'api_key') {
    return keys?.some((key) => key === principal.id || key === principal.keyName) ?? false;
  }
  const email = principal.email?.toLowerCase();
  return (
    (principal.role !== null && (roles?.includes(principal.role) ?? false)) ||
    (users?.some((user) => user === principal.id || user.toLowerCase() === email) ?? false)
  );
}

/**
 * Whether what the policies say now asks for more than the agreement that was given: they deny, or the decisions that were
 * made would no longer suffice. Null where they would.
 */
export function stricterNow(
  verdict: Pick<PolicyVerdict, 'effect' | 'terms' | 'reason'>,
  agreed: { requestedBy: Requester; approvedBy: readonly Principal[] },
): string | null {
  if (verdict.effect === 'allow') return null;
  if (verdict.effect === 'deny' || verdict.terms === null) return `the policies deny it now: ${verdict.reason}`;
  const { quorum, approversOfAll, preventSelf } = verdict.terms;
  const terms: DecidingTerms = { approversOfAll, preventSelf, requestedBy: agreed.requestedBy };
  const counting = agreed.approvedBy.filter(
    (principal) => isAcceptedApprover(principal, approversOfAll) && !(preventSelf && isRequester(principal, terms)),
  );
  const voices = new Set(counting.map(voiceOf)).size;
  if (voices >= quorum) return null;
  return `the policies ask for more now than was given (${voices} of ${quorum} approvals count): ${verdict.reason}`;
}
