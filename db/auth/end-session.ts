import type { UserTransaction } from '../client.ts';

/** Ends one session of the transaction's user: neither of its tokens is known from the commit on. */
export async function endSession(tx: UserTransaction, sessionId: string): Promise<void> {
  await tx.raw('DELETE FROM sign_in_sessions WHERE id = ?', [sessionId]);
}
