/** What a person shows beside a password. */
export type SecondFactor = 'passkey' | 'recovery_code';

/** How the actor of a decision or of an audit entry was authenticated. */
export const AUTHENTICATION_METHODS = ['password', 'passkey', 'recovery_code', 'api_key', 'oauth', 'chat'] as const;
export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];

/** A key, an app and a chat authenticate each request by itself: `at` is null, and the time is that of the record. */
export interface StoredAuthentication {
  method: AuthenticationMethod;
  at: string | null;
}

/** How the person of a session was authenticated. */
export interface SessionAuthentication {
  method: 'password' | SecondFactor;
  at: Date;
  /** When the password was given last. Null: never, in a session that a passkey began. */
  passwordAt: Date | null;
  hasPasskey: boolean;
}

/** How long a passkey or a password counts for what asks for it once more. */
export const STEP_UP_SECONDS = 300;
const CLOCKS_APART_MS = 30_000;

/** The password was right, and the passkey of the user is still due. */
export function isHalf({ hasPasskey, method }: SessionAuthentication): boolean {
  return hasPasskey && method === 'password';
}

export function hasFreshPasskey({ method, at }: SessionAuthentication, now: Date): boolean {
  return method === 'passkey' && isFresh(at, now);
}

/** From when on a page asks for the passkey, in milliseconds since 1970. The clock of a browser may run behind: rather once too often. */
export function askedFrom({ method, at }: SessionAuthentication): number {
  return method === 'passkey' ? at.getTime() + STEP_UP_SECONDS * 1_000 - CLOCKS_APART_MS : 0;
}

/**
 * The person has shown just now what their passkeys may be changed with: one of them, or the recovery code that stands in for it. Who has none
 * has given the password: it must not make, or take away, what stands beside it.
 */
export function isConfirmed({ hasPasskey, method, at, passwordAt }: SessionAuthentication, now: Date): boolean {
  if (hasPasskey) return method !== 'password' && isFresh(at, now);
  return passwordAt !== null && isFresh(passwordAt, now);
}

function isFresh(at: Date, now: Date): boolean {
  return now.getTime() - at.getTime() <= STEP_UP_SECONDS * 1_000;
}
