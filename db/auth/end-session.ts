import type { UserTransaction } from '../client.ts';

/**
 * Ends one session of the transaction's user. From the commit on, neither its current nor its previous token is valid. False: it had
 * ended before.
 */
export async function endSession(tx: UserTransaction, sessionId: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>('DELETE FROM sign_in_sessions WHERE id = ?', [sessionId]);
  return rowCount === 1;
}
