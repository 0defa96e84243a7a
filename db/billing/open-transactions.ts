import { periodOf } from '../../domain/billing/periods.ts';
import type { Database } from '../client.ts';

/**
 * The virtual ids of all transactions that are open now, of every database and login. Null while the month lasts: each
 * admission counts in the month in which its transaction began, so all that are in question are among them once it has ended.
 */
export async function findOpenTransactions(db: Database, month: string): Promise<string[] | null> {
  const { rows } = await db.directory.raw<{ rows: { has_ended: boolean; ids: string[] }[] }>(
    `SELECT ? <= now() AS has_ended, ARRAY(
       SELECT l.virtualtransaction FROM pg_locks l WHERE l.locktype = 'virtualxid' AND l.granted AND l.pid <> pg_backend_pid()
         AND l.virtualxid = l.virtualtransaction ORDER BY 1) AS ids`,
    [periodOf(month).end],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('a statement without a table answers one row');
  return row.has_ended ? row.ids : null;
}

/** Those of these transactions that are still open. */
export async function findStillOpen(db: Database, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const { rows } = await db.directory.raw<{ rows: { id: string }[] }>(
    `SELECT DISTINCT l.virtualtransaction AS id FROM pg_locks l
     WHERE l.locktype = 'virtualxid' AND l.virtualtransaction = ANY (CAST(? AS text[])) ORDER BY 1`,
    [ids],
  );
  return rows.map(({ id }) => id);
}
