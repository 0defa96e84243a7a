import type { UserTransaction } from '../client.ts';
import type { UserWithHash } from './create-user.ts';

/**
 * Whether the hash that a password was compared with is still the user's. Hashing takes some tenths of a second, in which the
 * password can be changed; without this check, the old password would open a session that outlives the change. A later change
 * waits until this transaction ends, and then ends the session that it starts.
 */
export async function holdPassword(tx: UserTransaction, user: UserWithHash): Promise<boolean> {
  await tx.raw('SELECT id FROM users WHERE id = current_user_id() FOR NO KEY UPDATE');
  // A separate statement: only a new snapshot contains what was committed while the lock was waited for.
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    'SELECT 1 FROM find_user_by_email(?) WHERE id = current_user_id() AND password_hash = ?',
    [user.email, user.passwordHash],
  );
  return rows.length > 0;
}
