import type { UserTransaction } from '../client.ts';

/** How long a person has to answer, as the browser is told too. */
export const CHALLENGE_SECONDS = 300;

export type ChallengePurpose = 'enrol' | 'authenticate';

/** Replaces the session's challenge for this purpose. */
export async function putChallenge(
  tx: UserTransaction,
  asked: { sessionId: string; purpose: ChallengePurpose; challenge: string },
): Promise<void> {
  await tx.raw(
    'put_challenge',
    `INSERT INTO passkey_challenges (session_id, user_id, purpose, challenge, expires_at)
     VALUES (:sessionId, current_user_id(), :purpose, :challenge, now() + :seconds * interval '1 second')
     ON CONFLICT (session_id, purpose) DO UPDATE SET challenge = excluded.challenge, expires_at = excluded.expires_at`,
    { ...asked, seconds: CHALLENGE_SECONDS },
  );
}

/**
 * Takes the session's challenge, so that one answer is tried. The transaction must commit whatever the answer is. Returns null when none is
 * open.
 */
export async function takeChallenge(
  tx: UserTransaction,
  sessionId: string,
  purpose: ChallengePurpose,
): Promise<string | null> {
  const row = await tx.row<{ challenge: string; isOpen: boolean }>(
    'take_challenge',
    `DELETE FROM passkey_challenges WHERE session_id = :sessionId AND purpose = :purpose
     RETURNING challenge, expires_at > now() AS "isOpen"`,
    { sessionId, purpose },
  );
  return row?.isOpen === true ? row.challenge : null;
}
