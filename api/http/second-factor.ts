import { ServiceError } from '../../domain/errors.ts';
import {
  hasFreshPasskey,
  isConfirmed,
  type SessionAuthentication,
  STEP_UP_SECONDS,
} from '../../domain/passkeys/authentication.ts';
import type { Caller } from './callers.ts';

/** What a client does about SECOND_FACTOR_REQUIRED, in `details.step`. */
type Step = 'sign_in' | 'confirm' | 'enrol';

interface Refusal {
  step: Step;
  accepts: readonly ('passkey' | 'recovery_code' | 'password')[];
}

const MINUTES = STEP_UP_SECONDS / 60;

/** The answer to a session whose password was right and whose passkey is still due. */
export function unfinishedSignIn(): ServiceError {
  return required(
    'Your sign-in is not finished: confirm with your passkey or a recovery code. Open the sign-in page, or call POST /api/v2/auth/session/passkey.',
    { step: 'sign_in', accepts: ['passkey', 'recovery_code'] },
  );
}

interface AskedEnvironment {
  name: string;
  protected: boolean;
  requireSecondFactor: boolean;
}

/** Keys and apps are not asked. @throws {ServiceError} SECOND_FACTOR_REQUIRED. */
export function requireStepUp(caller: Caller): void {
  if (caller.type !== 'session') return;
  const { environment, requiresSecondFactor } = caller;
  requirePasskeyIn({ ...environment, requireSecondFactor: requiresSecondFactor }, caller.authentication);
}

/** @throws {ServiceError} SECOND_FACTOR_REQUIRED, as `refusalWithoutPasskey` says. */
export function requirePasskeyIn(environment: AskedEnvironment, authentication: SessionAuthentication): void {
  const refusal = refusalWithoutPasskey(environment, authentication);
  if (refusal !== null) throw refusal;
}

/**
 * In a protected environment, who has a passkey must have shown it within five minutes. Where the environment requires a second factor,
 * everybody must. Returns null when nothing is missing.
 */
export function refusalWithoutPasskey(
  environment: AskedEnvironment,
  authentication: SessionAuthentication,
): ServiceError | null {
  const { name, requireSecondFactor } = environment;
  if (!environment.protected && !requireSecondFactor) return null;
  if (hasFreshPasskey(authentication, new Date())) return null;
  if (authentication.hasPasskey) {
    return required(
      `Confirm with your passkey, then send this again: ${name} asks for one that was shown within the last ${MINUTES} minutes.`,
      { step: 'confirm', accepts: ['passkey'] },
    );
  }
  if (!requireSecondFactor) return null;
  return required(
    `${name} requires a passkey, and you have none. Enrol one in the console under Settings, Security, then send this again.`,
    { step: 'enrol', accepts: [] },
  );
}

/** The answer to a decision through a chat or an app where the environment requires a second factor. */
export function decidedByPasskeyOnly(name: string): ServiceError {
  return required(
    `${name} requires a passkey, which a chat or an app cannot show: decide on the page of the approval.`,
    {
      step: 'sign_in',
      accepts: ['passkey'],
    },
  );
}

/** For changes of how the person signs in. @throws {ServiceError} SECOND_FACTOR_REQUIRED. */
export function requireConfirmation(authentication: SessionAuthentication): void {
  if (isConfirmed(authentication, new Date())) return;
  const { hasPasskey } = authentication;
  const means = hasPasskey ? 'your passkey' : 'your password';
  const lost = hasPasskey ? ' If you have lost it, sign out, and sign in with a recovery code.' : '';
  throw required(
    `Confirm with ${means}, then send this again: changing your passkeys asks for it if the last time is more than ${MINUTES} minutes ago.${lost}`,
    { step: 'confirm', accepts: [hasPasskey ? 'passkey' : 'password'] },
  );
}

function required(message: string, { step, accepts }: Refusal): ServiceError {
  return new ServiceError('SECOND_FACTOR_REQUIRED', { message, details: { step, accepts: [...accepts] } });
}
