import type { UserTransaction } from '../client.ts';
import { generateToken, hashToken, TOKEN_OVERLAP_SECONDS, TOKEN_ROTATION_MINUTES } from './session-terms.ts';

/** Replaces a token that is due. Among concurrent requests, one replaces it and gets the new token; the others get null. */
export async function rotateSessionToken(tx: UserTransaction, presented: Buffer): Promise<string | null> {
  const token = generateToken();
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `UPDATE sign_in_sessions SET token_hash = :next, token_issued_at = now(), previous_token_hash = token_hash,
       previous_valid_until = now() + :overlap * interval '1 second', last_seen_at = now()
     WHERE token_hash = :presented AND token_issued_at <= now() - :age * interval '1 minute' RETURNING id`,
    { next: hashToken(token), presented, overlap: TOKEN_OVERLAP_SECONDS, age: TOKEN_ROTATION_MINUTES },
  );
  return rows.length === 0 ? null : token;
}
