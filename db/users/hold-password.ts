import type { UserTransaction } from '../client.ts';
import type { UserWithHash } from './create-user.ts';

/**
 * Whether the hash that a password was held against is still the one of the transaction's user. Hashing takes some tenths of a
 * second, in which the password may be changed: without this, the old one would open a session that outlives the change. A
 * change that comes later waits until this transaction ends, and so ends the session that it starts.
 */
export async function holdPassword(tx: UserTransaction, user: UserWithHash): Promise<boolean> {
  await tx.raw('SELECT id FROM users WHERE id = current_user_id() FOR NO KEY UPDATE');
  // In a statement of its own: only its snapshot holds what was committed while the lock was waited for.
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    'SELECT 1 FROM find_user_by_email(?) WHERE id = current_user_id() AND password_hash = ?',
    [user.email, user.passwordHash],
  );
  return rows.length > 0;
}
