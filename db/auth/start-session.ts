import { newId } from '../../domain/ids.ts';
import type { UserTransaction } from '../client.ts';
import { generateToken, hashToken, SESSION_LIFETIME_HOURS } from './session-terms.ts';

export interface StartedSession {
  id: string;
  /** For the cookie. It is not stored. */
  token: string;
  csrfToken: string;
  expiresAt: Date;
}

/** Starts a session of the transaction's user with a new token, and deletes the user's expired sessions. */
export async function startSession(tx: UserTransaction): Promise<StartedSession> {
  const [id, token, csrfToken] = [newId('signInSession'), generateToken(), generateToken()];
  await tx.raw('DELETE FROM sign_in_sessions WHERE expires_at <= now()');
  const { rows } = await tx.raw<{ rows: { expires_at: Date }[] }>(
    `INSERT INTO sign_in_sessions (id, user_id, token_hash, csrf_token, expires_at)
     VALUES (?, current_user_id(), ?, ?, now() + ? * interval '1 hour') RETURNING expires_at`,
    [id, hashToken(token), csrfToken, SESSION_LIFETIME_HOURS],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('the new session was not stored');
  return { id, token, csrfToken, expiresAt: row.expires_at };
}
