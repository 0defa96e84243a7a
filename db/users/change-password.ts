import type { UserTransaction } from '../client.ts';
import { endSessionsOfUser } from '../auth/end-sessions-of-user.ts';

/** Changes the password of the transaction's user and ends all their sessions, in one commit. */
export async function changePassword(tx: UserTransaction, userId: string, passwordHash: string): Promise<void> {
  await tx.raw('UPDATE users SET password_hash = ?, password_changed_at = now() WHERE id = current_user_id()', [
    passwordHash,
  ]);
  await endSessionsOfUser(tx, userId);
}
