import type { Database } from '../client.ts';

/** Deletes these windows, except where a new message has taken one meanwhile. Returns the number deleted. */
export async function deleteExpiredDeduplications(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_expired_message_deduplications(?::text[]) AS deleted',
    [[...ids]],
  );
  return rows[0]?.deleted ?? 0;
}
