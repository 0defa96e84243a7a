import { createHash, randomBytes } from 'node:crypto';
import { newId } from '../../domain/ids.ts';
import type { SecondFactor } from '../../domain/passkeys/authentication.ts';
import type { UserTransaction, WorkspaceTransaction } from '../client.ts';

/** A session ends this long after its sign-in, however active it is. */
export const SESSION_LIFETIME_HOURS = 12;
/** A session ends after this long without a request. */
export const SESSION_IDLE_MINUTES = 60;
/** The first request after this long replaces the token. */
export const TOKEN_ROTATION_MINUTES = 15;
/** The replaced token stays valid for this long after the new one was presented, for requests that were in flight with it. */
const TOKEN_OVERLAP_SECONDS = 60;
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

export interface StartedSession {
  id: string;
  /** For the cookie. It is not stored. */
  token: string;
  csrfToken: string;
  startedAt: Date;
  expiresAt: Date;
}

/**
 * Starts a session of the transaction's user with a new token, and deletes the user's expired sessions. `by`: what the person has just
 * shown, a passkey in place of the password.
 */
export async function startSession(
  tx: UserTransaction,
  by: 'password' | 'passkey' = 'password',
): Promise<StartedSession> {
  const [id, token, csrfToken] = [newId('signInSession'), generateToken(), generateToken()];
  await tx.raw('start_session', 'DELETE FROM sign_in_sessions WHERE expires_at <= now()');
  const row = await tx.row<Pick<StartedSession, 'startedAt' | 'expiresAt'>>(
    'start_session_2',
    `INSERT INTO sign_in_sessions (id, user_id, token_hash, csrf_token, expires_at, password_at, second_factor, second_factor_at)
     VALUES (:id, current_user_id(), :hash, :csrfToken, now() + :hours * interval '1 hour',
       CASE WHEN CAST(:factor AS text) IS NULL THEN now() END, :factor, CASE WHEN CAST(:factor AS text) IS NOT NULL THEN now() END)
     RETURNING created_at AS "startedAt", expires_at AS "expiresAt"`,
    {
      id,
      hash: hashToken(token),
      csrfToken,
      hours: SESSION_LIFETIME_HOURS,
      factor: by === 'passkey' ? by : null,
    },
  );
  if (row === null) throw new Error('the new session was not stored');
  return { id, token, csrfToken, ...row };
}

/**
 * Replaces a token that is due. Among concurrent requests, one replaces it and gets the new token; the others get null. A reply may be lost with
 * the new token, or take minutes: the one before it stays valid until the new one is presented, and is replaced once more when that is due
 * itself. Sooner, a reply that is only slow would bring a token that is valid no more.
 */
export async function rotateSessionToken(tx: UserTransaction, presented: Buffer): Promise<string | null> {
  const token = generateToken();
  const rows = await tx.rows<unknown>(
    'rotate_session_token',
    `UPDATE sign_in_sessions SET token_hash = :next, token_issued_at = now(), previous_token_hash = :presented,
       previous_valid_until = expires_at, last_seen_at = now()
     WHERE (token_hash = :presented OR (previous_token_hash = :presented AND last_seen_at <= token_issued_at))
       AND token_issued_at <= now() - :age * interval '1 minute'
     RETURNING id`,
    { next: hashToken(token), presented, age: TOKEN_ROTATION_MINUTES },
  );
  return rows.length === 0 ? null : token;
}

/** Records that the person of a session was authenticated beyond its password: now, or at `at`. */
export async function raiseSession(
  tx: UserTransaction,
  sessionId: string,
  secondFactor: SecondFactor,
  at: Date | null = null,
): Promise<void> {
  await tx.raw(
    'raise_session',
    'UPDATE sign_in_sessions SET second_factor = ?, second_factor_at = coalesce(CAST(? AS timestamptz), now()) WHERE id = ?',
    [secondFactor, at, sessionId],
  );
}

/** Records that the person of a session has given the password once more. */
export async function confirmPassword(tx: UserTransaction, sessionId: string): Promise<void> {
  await tx.raw('confirm_password', 'UPDATE sign_in_sessions SET password_at = now() WHERE id = ?', [sessionId]);
}

/**
 * Renews the idle time of the session whose present token was presented; writes at most once a minute for each session, and when a token is
 * presented for the first time, which ends the one before it. A token that was replaced meanwhile says nothing of the new one.
 */
export async function touchSession(tx: UserTransaction, presented: Buffer): Promise<void> {
  await tx.raw(
    'touch_session',
    `UPDATE sign_in_sessions SET last_seen_at = now(),
       previous_valid_until = CASE WHEN previous_token_hash IS NOT NULL
         THEN LEAST(previous_valid_until, now() + :overlap * interval '1 second') END
     WHERE token_hash = :presented AND (last_seen_at <= now() - :precision * interval '1 second' OR last_seen_at <= token_issued_at)`,
    { presented, precision: LAST_SEEN_PRECISION_SECONDS, overlap: TOKEN_OVERLAP_SECONDS },
  );
}

/** In how many milliseconds a session of the transaction's user ends, unless a request renews it. Null: it ended. */
export async function readSessionEnd(tx: UserTransaction, sessionId: string): Promise<number | null> {
  const row = await tx.row<{ endsInMs: number }>(
    'read_session_end',
    `SELECT CAST(extract(epoch FROM LEAST(expires_at, last_seen_at + ? * interval '1 minute') - now()) * 1000 AS double precision) AS "endsInMs"
     FROM sign_in_sessions WHERE id = ?`,
    [SESSION_IDLE_MINUTES, sessionId],
  );
  return row === null || row.endsInMs <= 0 ? null : row.endsInMs;
}

/**
 * Ends one session of the transaction's user. From the commit on, neither its current nor its previous token is valid. False: it had
 * ended before.
 */
export async function endSession(tx: UserTransaction, sessionId: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>('end_session', 'DELETE FROM sign_in_sessions WHERE id = ?', [
    sessionId,
  ]);
  return rowCount === 1;
}

/** Ends every session of a user, in the transaction that removes the membership or changes the password. */
export async function endSessionsOfUser(tx: UserTransaction | WorkspaceTransaction, userId: string): Promise<void> {
  await tx.raw('end_sessions_of_user', 'SELECT end_sign_in_sessions(?)', [userId]);
}
