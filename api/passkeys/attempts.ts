import { settleSignIn, type SignInAttempt } from '../../db/auth/throttle.ts';
import { listWorkspacesOfUser } from '../../db/users/users.ts';
import type { UserTransaction } from '../../db/client.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { SessionAuthentication } from '../../domain/passkeys/authentication.ts';
import { admitAttempt } from '../auth/check-password.ts';
import { presentSession } from '../auth/schemas.ts';
import type { AuditEntry, Browser, UserCaller } from '../http/define-route.ts';
import type { UserHandlerContext } from '../http/route-forms.ts';

export type Handling = Pick<
  UserHandlerContext<unknown, unknown, unknown>,
  'caller' | 'browser' | 'deps' | 'transaction' | 'recordAudit'
>;

/**
 * Counts an attempt with a second factor before it is looked at. Its buckets are its own: a right password, which whoever guesses has,
 * does not empty them.
 *
 * @throws {ServiceError} RATE_LIMIT_EXCEEDED.
 */
export function admitSecondFactor({ deps, caller, browser }: Handling): Promise<void> {
  return admitAttempt(deps.db, attemptOf(caller, browser));
}

export function settleSecondFactor({ deps, caller, browser }: Handling): Promise<void> {
  return settleSignIn(deps.db, attemptOf(caller, browser));
}

function attemptOf({ userId }: UserCaller, { address }: Browser): SignInAttempt {
  return { email: `second factor of ${userId}`, address };
}

/** Why an answer to no challenge is refused. */
export const NO_CHALLENGE = 'no challenge is open: it was answered, has expired, or is of another session';

/** Records the failure, and returns what to throw. */
export async function refused(
  { caller, browser, transaction, recordAudit }: Handling,
  { action, reason, message }: { action: 'passkey.refused' | 'recovery_code.refused'; reason: string; message: string },
): Promise<ServiceError> {
  const target = { type: 'user', id: caller.userId };
  await transaction((tx) => recordAudit(tx, { action, target, details: { reason, address: browser.address } }));
  return new ServiceError('AUTHORIZATION_ERROR', { message, log: reason });
}

/** The audit entry of a session whose person was authenticated once more. */
export function confirmed({ caller, browser }: Handling, method: string, passkeyId?: string): AuditEntry {
  const details = { method, address: browser.address, ...(passkeyId === undefined ? {} : { passkeyId }) };
  return { action: 'session.confirmed', target: { type: 'session', id: caller.sessionId }, details };
}

/** The session as it is from now on. */
export async function sessionNow(
  tx: UserTransaction,
  caller: UserCaller,
  now: Partial<SessionAuthentication>,
): Promise<ReturnType<typeof presentSession>> {
  const authentication = { ...caller.authentication, ...now };
  const user = { id: caller.userId, email: caller.email, name: caller.name };
  const workspaces = await listWorkspacesOfUser(tx, caller.userId);
  return presentSession({ ...caller, authentication, user, workspaces });
}
