import { createHash, randomBytes } from 'node:crypto';

/** A session ends so long after its sign-in, whatever happens. */
export const SESSION_LIFETIME_HOURS = 12;
/** A session ends after so long without a request. */
export const SESSION_IDLE_MINUTES = 60;
/** A token is replaced by the first request after so long. */
export const TOKEN_ROTATION_MINUTES = 15;
/** For requests that were under way with the replaced token. */
export const TOKEN_OVERLAP_SECONDS = 60;
/** How exactly `last_seen_at` is kept. */
export const LAST_SEEN_PRECISION_SECONDS = 60;

const TOKEN_BYTES = 32;

/** 256 bits from the system's generator, as 43 characters. */
export function generateToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The only form in which a token is stored. Its entropy makes a salt or a slow hash pointless. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
