import { newId } from '../../domain/ids.ts';
import type { Database, UserTransaction } from '../client.ts';

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
  const { rows } = await db.directory.raw<{ rows: UserWithHash[] }>(
    'SELECT id, email, name, password_hash AS "passwordHash" FROM find_user_by_email(?)',
    [email],
  );
  return rows[0] ?? null;
}
