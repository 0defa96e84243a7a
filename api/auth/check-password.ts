import { HashingBusyError, hashPassword, verifyPassword } from '../../db/auth/password.ts';
import { beginSignInAttempt, settleSignIn, type SignInAttempt } from '../../db/auth/throttle.ts';
import type { Database } from '../../db/client.ts';
import { findUserByEmail, type UserWithHash } from '../../db/users/users.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { recordFailedSignIn } from './audit.ts';

/**
 * Returns the user with this e-mail address and password, or null. An unknown address costs the same lookups and hash as a wrong password,
 * so neither reply nor time tells them apart.
 *
 * @throws {ServiceError} RATE_LIMIT_EXCEEDED after failures of the account or the address; SERVICE_UNAVAILABLE when too many passwords wait
 * to be hashed.
 */
export async function checkPassword(
  deps: Pick<ApiDependencies, 'db' | 'logger'>,
  attempt: { email: string; password: string; address: string; requestId: string },
): Promise<UserWithHash | null> {
  const { db } = deps;
  await admitAttempt(db, attempt);
  const user = await findUserByEmail(db, attempt.email);
  const isRight = await whileHashing(() => verifyPassword(attempt.password, user?.passwordHash ?? null));
  if (user !== null && !isRight) recordFailedSignIn(deps, user.id, attempt);
  if (user === null || !isRight) return null;
  await settleSignIn(db, attempt);
  return user;
}

/** Counts an attempt before it is looked at. @throws {ServiceError} RATE_LIMIT_EXCEEDED after too many failures. */
export async function admitAttempt(db: Database, attempt: SignInAttempt): Promise<void> {
  const blockedUntil = await beginSignInAttempt(db, attempt);
  if (blockedUntil !== null) throw tooManyFailures(blockedUntil);
}

/** @throws {ServiceError} SERVICE_UNAVAILABLE when too many wait. */
export function hashNewPassword(password: string): Promise<string> {
  return whileHashing(() => hashPassword(password));
}

async function whileHashing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HashingBusyError)) throw error;
    const message = 'Too many people sign in at this moment. Try again in some seconds.';
    throw new ServiceError('SERVICE_UNAVAILABLE', { message, cause: error });
  }
}

function tooManyFailures(blockedUntil: Date): ServiceError {
  const seconds = Math.max(1, Math.ceil((blockedUntil.getTime() - Date.now()) / 1_000));
  return new ServiceError('RATE_LIMIT_EXCEEDED', {
    message: `Too many failed sign-ins. Try again in ${seconds} seconds; a right password is not looked at before.`,
  });
}
