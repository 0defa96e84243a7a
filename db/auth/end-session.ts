import type { UserTransaction } from '../client.ts';

/** Ends one session of the transaction's user. From the commit on, neither its current nor its previous token is valid. */
export async function endSession(tx: UserTransaction, sessionId: string): Promise<void> {
  await tx.raw('DELETE FROM sign_in_sessions WHERE id = ?', [sessionId]);
}
