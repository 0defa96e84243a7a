import {
  addDecision,
  lockApproval,
  type NewDecision,
  type PrincipalNow,
  readPrincipal,
} from '../../db/approvals/decisions.ts';
import { announceApproval } from '../../db/approvals/changes.ts';
import { getApproval } from '../../db/approvals/queries.ts';
import type { AppAuthentication, ApprovalRecord } from '../../db/approvals/records.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { endParkedInvocation } from '../../db/effects/settlement.ts';
import { getEnvironment } from '../../db/environments/environments.ts';
import { releaseInvocation } from '../../db/invocations/changes.ts';
import type { Decision } from '../../domain/approvals/approval.ts';
import { isAcceptedApprover, isRequester, type Principal, voiceOf } from '../../domain/approvals/terms.ts';
import { isEqualInConstantTime } from '../../domain/constant-time.ts';
import { existing, notFound, ServiceError } from '../../domain/errors.ts';
import type { ChatAuthentication } from '../../domain/integrations/integrations.ts';
import type { Actor, Caller } from '../http/define-route.ts';
import { authenticationOf } from '../http/route-transaction.ts';
import { decidedByPasskeyOnly } from '../http/second-factor.ts';

export interface Deciding {
  approvalId: string;
  decision: Decision;
  /** The digest that the caller sent back. Null for a denial, which needs none. */
  bindingDigest: string | null;
  note: string | null;
  /** What showed who decides: a key, a session, an app of the member, or a chat user who is linked to the member. */
  caller: Caller | { type: 'chat'; chat: ChatAuthentication };
  actor: Actor;
}

/**
 * Takes one decision in the caller's transaction: checks who decides and on what, then records it; the database counts. The last decision
 * releases or denies the waiting invocation. It is final even if no workflow can be notified.
 */
export async function decide(tx: EnvironmentTransaction, deciding: Deciding): Promise<ApprovalRecord> {
  const approval = await lockApproval(tx, deciding.approvalId);
  if (!approval) throw notFound('approval');
  const principal = await readPrincipal(tx, deciding.actor);
  if (!principal) throw new ServiceError('AUTHENTICATION_ERROR', { log: 'the credential ended while it was deciding' });
  const app = appOf(deciding.caller);
  await refuseElsewhere(tx, deciding.caller);
  const refusal = refusalOf(approval, principal, deciding.decision, app);
  if (refusal !== null) throw refusal;
  checkDigest(approval, deciding.bindingDigest);
  const added = await addDecision(tx, {
    approvalId: approval.id,
    decision: deciding.decision,
    note: deciding.note,
    bindingDigest: approval.bindingDigest,
    principal,
    session: sessionOf(deciding.caller),
    chat: deciding.caller.type === 'chat' ? deciding.caller.chat : null,
    app,
  });
  if (!added) throw decidedBefore();
  const decided = await getApproval(tx, approval.id);
  if (!decided) throw new Error(`approval ${approval.id} was locked and is gone`);
  await carryOut(tx, decided, principal, deciding.note);
  announceApproval(tx, decided.id);
  return decided;
}

/** A chat and an app show no passkey. @throws {ServiceError} SECOND_FACTOR_REQUIRED. */
async function refuseElsewhere(tx: EnvironmentTransaction, { type }: Deciding['caller']): Promise<void> {
  if (type !== 'chat' && type !== 'oauth') return;
  const environment = existing(await getEnvironment(tx, tx.tenant.environmentId), 'environment');
  if (environment.requireSecondFactor) throw decidedByPasskeyOnly(environment.name);
}

function sessionOf(caller: Deciding['caller']): NewDecision['session'] {
  if (caller.type !== 'session') return null;
  return { id: caller.sessionId, authentication: authenticationOf(caller) };
}

function appOf(caller: Deciding['caller']): AppAuthentication | null {
  return caller.type === 'oauth' ? { clientId: caller.clientId, connectedAppId: caller.grantId } : null;
}

/** Why this principal, through this app if one acts for them, cannot take this decision. Returns null when they can. */
export function refusalOf(
  approval: ApprovalRecord,
  principal: PrincipalNow,
  decision: Decision,
  app: AppAuthentication | null = null,
): ServiceError | null {
  return refusalOfPerson(approval, principal, decision) ?? refusalOfState(approval, principal, app);
}

function refusalOfPerson(approval: ApprovalRecord, principal: PrincipalNow, decision: Decision): ServiceError | null {
  if (principal.makerLeft) {
    return new ServiceError('AUTHORIZATION_ERROR', {
      message:
        'The member who made this key is no longer in the workspace, and a key decides for its maker: decide with another credential.',
    });
  }
  if (!isAcceptedApprover(principal, approval.approversOfAll)) {
    const message =
      'You are not among the approvers of this approval: see `approvers`. Where they name nobody, an admin or owner decides, or a key with approvals:decide.';
    return new ServiceError('AUTHORIZATION_ERROR', { message });
  }
  if (decision === 'approve' && approval.preventSelf && isRequester(principal, approval)) {
    return new ServiceError('AUTHORIZATION_ERROR', {
      message:
        'Who requested this cannot approve it: somebody else must. A member and the keys that they made count as one person.',
    });
  }
  return null;
}

function refusalOfState(
  approval: ApprovalRecord,
  principal: Principal,
  app: AppAuthentication | null,
): ServiceError | null {
  const decided = approval.decisions.some((earlier) => {
    const { principal: by, stands } = earlier;
    const isSameCredential = by.id === principal.id && earlier.app?.connectedAppId === app?.connectedAppId;
    return isSameCredential || (stands && voiceOf(by) === voiceOf(principal));
  });
  if (decided) return decidedBefore();
  if (approval.status !== 'pending') {
    return new ServiceError('CONFLICT', {
      message: `This approval is ${approval.status}: it takes no decision any more.`,
    });
  }
  if (approval.expiresAt <= new Date()) {
    const message = `This approval expired at ${approval.expiresAt.toISOString()}: it takes no decision any more.`;
    return new ServiceError('CONFLICT', { message });
  }
  return null;
}

function decidedBefore(): ServiceError {
  return new ServiceError('CONFLICT', {
    message:
      'You have decided on this approval already, and decisions are final. A person counts once, with a session and with every key that they made.',
  });
}

/** Prevents callers from finding a digest by trying. */
function checkDigest(approval: ApprovalRecord, echoed: string | null): void {
  if (echoed === null || isEqualInConstantTime(approval.bindingDigest, echoed)) return;
  throw new ServiceError('CONFLICT', {
    message: 'This bindingDigest is not that of the approval. Read the approval again, and decide on what it shows.',
  });
}

/** Before the quorum is reached, nothing happens to the invocation. */
async function carryOut(
  tx: EnvironmentTransaction,
  decided: ApprovalRecord,
  principal: Principal,
  note: string | null,
): Promise<void> {
  const { invocationId } = decided;
  if (invocationId === null) return;
  if (decided.status === 'approved') await releaseInvocation(tx, invocationId);
  if (decided.status !== 'denied') return;
  const who = `${principal.type === 'api_key' ? 'key' : 'user'} ${principal.id}`;
  const summary = `approval ${decided.id} was denied by ${who}`;
  const end = {
    status: 'denied',
    error: `${summary}: ${note ?? ''}`,
    summary,
    at: decided.decidedAt ?? new Date(),
  } as const;
  await endParkedInvocation(tx, { ...decided, invocationId }, end);
}
