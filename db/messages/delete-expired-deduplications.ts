import type { Database } from '../client.ts';

/** Deletes at most `most` deduplication windows, of all environments, that are over. Returns how many. */
export async function deleteExpiredDeduplications(db: Database, most: number): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_expired_message_deduplications(?) AS deleted',
    [most],
  );
  return rows[0]?.deleted ?? 0;
}
