import type { Database } from '../client.ts';

/** Rows of one call: an entry may have a megabyte. */
const ROWS_MAX = 500;

/** Deletes a part of the entries of all environments that are past their end. Returns how many; 0: none is left. */
export async function deleteExpiredCacheEntries(db: Database): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_expired_cache_entries',
    'SELECT delete_expired_cache_entries(?) AS deleted',
    [ROWS_MAX],
  );
  return row?.deleted ?? 0;
}
