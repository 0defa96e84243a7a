import type { UserTransaction, WorkspaceTransaction } from '../client.ts';

/** Ends every session of a user, in the transaction that removes the membership or changes the password. */
export async function endSessionsOfUser(tx: UserTransaction | WorkspaceTransaction, userId: string): Promise<void> {
  await tx.raw('SELECT end_sign_in_sessions(?)', [userId]);
}
