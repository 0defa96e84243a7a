import type { EnvironmentTransaction } from '../client.ts';
import { GROUP_COLUMNS, type UrlGroupRecord } from './records.ts';

/** Locks a group until the transaction ends: changes of a group and of its endpoints come one after another. Null where there is none. */
export async function lockUrlGroup(tx: EnvironmentTransaction, id: string): Promise<UrlGroupRecord | null> {
  const locked = await tx.raw<{ rows: unknown[] }>(
    'SELECT id FROM url_groups WHERE id = ? AND deleted_at IS NULL FOR NO KEY UPDATE',
    [id],
  );
  if (locked.rows.length === 0) return null;
  // A statement of its own, which sees the endpoints that others committed while this transaction waited for the lock.
  const { rows } = await tx.raw<{ rows: UrlGroupRecord[] }>(
    `SELECT ${GROUP_COLUMNS} FROM url_groups g WHERE g.id = ?`,
    [id],
  );
  return rows[0] ?? null;
}
