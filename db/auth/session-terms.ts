import { createHash, randomBytes } from 'node:crypto';

/** A session ends this long after its sign-in, however active it is. */
export const SESSION_LIFETIME_HOURS = 12;
/** A session ends after this long without a request. */
export const SESSION_IDLE_MINUTES = 60;
/** The first request after this long replaces the token. */
export const TOKEN_ROTATION_MINUTES = 15;
/** The replaced token stays valid for this long, for requests that were in flight with it. */
export const TOKEN_OVERLAP_SECONDS = 60;
/** The resolution of `last_seen_at`. */
export const LAST_SEEN_PRECISION_SECONDS = 60;

const TOKEN_BYTES = 32;

/** 256 bits from the system's generator, as 43 characters. */
export function generateToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** The only form in which a token is stored. Its entropy makes a salt or a slow hash unnecessary. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}
