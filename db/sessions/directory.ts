import type { Database } from '../client.ts';

/** Rows of one call: a transaction of well under a second. */
const ROWS_MAX = 5_000;

/** Sessions of all environments that are past their end, by id. */
export async function findExpiredSessions(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const rows = await db.directory.rows<{ id: string }>(
    'find_expired_sessions',
    'SELECT id FROM find_expired_sessions(?, ?)',
    [page.afterId, page.limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes a part of these sessions and of their messages. Returns the number of rows; 0: none is left. */
export async function deleteExpiredSessions(db: Database, ids: readonly string[]): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_expired_sessions',
    'SELECT delete_expired_sessions(?::text[], ?) AS deleted',
    [[...ids], ROWS_MAX],
  );
  return row?.deleted ?? 0;
}
