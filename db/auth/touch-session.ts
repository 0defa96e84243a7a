import type { UserTransaction } from '../client.ts';
import { LAST_SEEN_PRECISION_SECONDS } from './session-terms.ts';

/** Renews the idle time of a session of the transaction's user; writes at most once a minute for each session. */
export async function touchSession(tx: UserTransaction, sessionId: string): Promise<void> {
  await tx.raw(
    `UPDATE sign_in_sessions SET last_seen_at = now() WHERE id = ? AND last_seen_at <= now() - ? * interval '1 second'`,
    [sessionId, LAST_SEEN_PRECISION_SECONDS],
  );
}
