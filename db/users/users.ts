import { newId } from '../../domain/ids.ts';
import type { Role } from '../../domain/roles.ts';
import type { Database, UserTransaction } from '../client.ts';
import { endSessionsOfUser } from '../auth/sessions.ts';

export interface NewUser {
  email: string;
  name: string;
  /** From `hashPassword`. */
  passwordHash: string;
}

export function newUserId(): string {
  return newId('user');
}

/** Creates the transaction's user. Returns false where a user has the e-mail address already; its case is ignored. */
export async function createUser(tx: UserTransaction, user: NewUser): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'create_user',
    `INSERT INTO users (id, email, name, password_hash) VALUES (current_user_id(), ?, ?, ?) ON CONFLICT (lower(email)) DO NOTHING`,
    [user.email, user.name, user.passwordHash],
  );
  return rowCount === 1;
}

export interface UserWithHash {
  id: string;
  email: string;
  name: string;
  passwordHash: string;
}

/** Finds a user by e-mail address, ignoring its case. The hash is for `verifyPassword` only. */
export async function findUserByEmail(db: Database, email: string): Promise<UserWithHash | null> {
  return db.directory.row<UserWithHash>(
    'find_user_by_email',
    'SELECT id, email, name, password_hash AS "passwordHash" FROM find_user_by_email(?)',
    [email],
  );
}

/** The transaction's user. */
export async function readUser(tx: UserTransaction): Promise<Omit<UserWithHash, 'passwordHash'>> {
  const row = await tx.row<Omit<UserWithHash, 'passwordHash'>>(
    'read_user',
    'SELECT id, email, name FROM users WHERE id = current_user_id()',
    [],
  );
  if (row === null) throw new Error('the transaction is of no user');
  return row;
}

/** Changes the password of the transaction's user and ends all their sessions, in one commit. */
export async function changePassword(tx: UserTransaction, userId: string, passwordHash: string): Promise<void> {
  await tx.raw(
    'change_password',
    'UPDATE users SET password_hash = ?, password_changed_at = now() WHERE id = current_user_id()',
    [passwordHash],
  );
  await endSessionsOfUser(tx, userId);
}

/**
 * Whether the hash that a password was compared with is still the user's. Hashing takes some tenths of a second, in which the
 * password can be changed; without this check, the old password would open a session that outlives the change. A later change
 * waits until this transaction ends, and then ends the session that it starts.
 */
export async function holdPassword(tx: UserTransaction, user: UserWithHash): Promise<boolean> {
  await tx.raw('hold_password', 'SELECT id FROM users WHERE id = current_user_id() FOR NO KEY UPDATE');
  // A separate statement: only a new snapshot contains what was committed while the lock was waited for.
  const rows = await tx.rows<unknown>(
    'hold_password_2',
    'SELECT 1 FROM find_user_by_email(?) WHERE id = current_user_id() AND password_hash = ?',
    [user.email, user.passwordHash],
  );
  return rows.length > 0;
}

export interface WorkspaceOfUser {
  id: string;
  name: string;
  role: Role;
}

/** The workspaces of a user, ordered by name. */
export async function listWorkspacesOfUser(tx: UserTransaction, userId: string): Promise<WorkspaceOfUser[]> {
  return tx.rows<WorkspaceOfUser>('list_workspaces_of_user', 'SELECT id, name, role FROM list_workspaces_of_user(?)', [
    userId,
  ]);
}
