import { newId } from '../../domain/ids.ts';
import type { Database, UserTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { type Page, pageOf, type Range } from '../page.ts';

export interface PasskeyRecord {
  id: string;
  name: string;
  credentialId: Buffer;
  /** COSE. */
  publicKey: Buffer;
  signCount: number;
  transports: string[];
  /** The authenticator keeps a copy elsewhere, such as in the account of a phone. */
  isSynced: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

export type NewPasskey = Omit<PasskeyRecord, 'id' | 'createdAt' | 'lastUsedAt'>;

const COLUMNS = {
  id: 'id',
  name: 'name',
  credentialId: 'credential_id',
  publicKey: 'public_key',
  signCount: 'sign_count::float8',
  transports: 'transports',
  isSynced: 'is_synced',
  createdAt: 'created_at',
  lastUsedAt: 'last_used_at',
} as const;

/** One page of the passkeys of the transaction's user, newest first. */
export function listPasskeys(tx: UserTransaction, range: Range): Promise<Page<PasskeyRecord>> {
  return pageOf(tx, {
    name: 'list_passkeys',
    columns: selected(COLUMNS),
    from: 'passkeys',
    order: 'created_at DESC, id DESC',
    asked: range,
  });
}

/** All passkeys of the transaction's user. */
export async function everyPasskey(tx: UserTransaction): Promise<PasskeyRecord[]> {
  return tx.rows<PasskeyRecord>('every_passkey', `SELECT ${selected(COLUMNS)} FROM passkeys ORDER BY created_at`, []);
}

/** Returns null when the transaction's user has no passkey with this credential id. */
export async function findPasskey(tx: UserTransaction, credentialId: Buffer): Promise<PasskeyRecord | null> {
  return tx.row<PasskeyRecord>('find_passkey', `SELECT ${selected(COLUMNS)} FROM passkeys WHERE credential_id = ?`, [
    credentialId,
  ]);
}

/** Returns null when somebody has this credential already. */
export async function addPasskey(tx: UserTransaction, passkey: NewPasskey): Promise<PasskeyRecord | null> {
  return tx.row<PasskeyRecord>(
    'add_passkey',
    `INSERT INTO passkeys (id, user_id, name, credential_id, public_key, sign_count, transports, is_synced)
     VALUES (:id, current_user_id(), :name, :credentialId, :publicKey, :signCount, :transports, :isSynced)
     ON CONFLICT (credential_id) DO NOTHING RETURNING ${selected(COLUMNS)}`,
    { ...passkey, id: newId('passkey') },
  );
}

export async function renamePasskey(tx: UserTransaction, id: string, name: string): Promise<PasskeyRecord | null> {
  return tx.row<PasskeyRecord>(
    'rename_passkey',
    `UPDATE passkeys SET name = ? WHERE id = ? RETURNING ${selected(COLUMNS)}`,
    [name, id],
  );
}

/** Removes a passkey, and with the last one the recovery codes. Returns its name, or null when there is no such passkey. */
export async function removePasskey(tx: UserTransaction, id: string): Promise<string | null> {
  const removed = await tx.row<{ name: string }>('remove_passkey', 'DELETE FROM passkeys WHERE id = ? RETURNING name', [
    id,
  ]);
  if (removed === null) return null;
  await tx.raw(
    'remove_passkey_2',
    'DELETE FROM recovery_codes WHERE user_id = current_user_id() AND NOT EXISTS (SELECT FROM passkeys)',
  );
  return removed.name;
}

/** Returns the user whose passkey has this credential id, or null. */
export async function findPasskeyOwner(db: Database, credentialId: Buffer): Promise<string | null> {
  const row = await db.directory.row<{ userId: string | null }>(
    'find_passkey_owner',
    'SELECT find_passkey_owner(?) AS "userId"',
    [credentialId],
  );
  return row?.userId ?? null;
}

/**
 * Records that a passkey has authenticated the person of a session. Returns false where its counter did not rise (a copy of the passkey may
 * exist) or the passkey was removed meanwhile. Authenticators that sync their passkeys count nothing, and say 0 always. `challengedAt`: when
 * the challenge of a sign-in was made. False also where the passkey has answered this one before, or a newer one.
 */
export async function noteUse(
  tx: UserTransaction,
  { id, signCount, challengedAt = null }: { id: string; signCount: number; challengedAt?: Date | null },
): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    'note_passkey_use',
    `UPDATE passkeys SET sign_count = :signCount, last_used_at = now(),
       challenged_at = coalesce(CAST(:challengedAt AS timestamptz), challenged_at)
     WHERE id = :id AND (sign_count < :signCount OR (sign_count = 0 AND CAST(:signCount AS bigint) = 0))
       AND coalesce(challenged_at < CAST(:challengedAt AS timestamptz), true)`,
    { id, signCount, challengedAt },
  );
  return rowCount === 1;
}
