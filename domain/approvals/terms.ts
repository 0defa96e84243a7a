import type { Approvers, PolicyVerdict } from '../approval-policies/verdict.ts';
import { type Role, roleSuffices } from '../roles.ts';

/** Who decides, as known at that moment. The decision keeps it, so that stricter terms can be checked against it later. */
export interface Principal {
  type: 'api_key' | 'user';
  id: string;
  /** Null for a user. */
  keyName: string | null;
  /** Null for a key. */
  role: Role | null;
  email: string | null;
  /** The member who made the key; null for a user, and for a key of the operator. */
  maker: string | null;
}

export interface DecidingTerms {
  /** Each list must accept the decider: one for each rule that asked. */
  approversOfAll: readonly Approvers[];
  preventSelf: boolean;
  requestedBy: Requester;
}

export interface Requester {
  type: string;
  id: string | null;
  /** The member who made the key that asked; null for a user, and for a key of the operator. */
  maker: string | null;
  /** The app through which a user asked. */
  clientId?: string | null;
}

/** The principal behind a credential: a person with a session and keys of their own counts once. */
export function voiceOf<Id extends string | null>({ id, maker }: { id: Id; maker: string | null }): Id | string {
  return maker ?? id;
}

export function isRequester(
  principal: Pick<Principal, 'id' | 'maker'>,
  { requestedBy }: Pick<DecidingTerms, 'requestedBy'>,
): boolean {
  return voiceOf(principal) === voiceOf(requestedBy);
}

/** A list that names nobody accepts any key that may decide, and any admin or owner; others only those named. */
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

/** How the present verdict is stricter than the approval: a denial, or too few decisions. Returns null when the approval still suffices. */
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
