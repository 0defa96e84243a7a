import type { Database } from '../client.ts';

/** Deletes these slots, unless they were taken again meanwhile. Returns how many. */
export async function deleteExpiredPlaces(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_expired_places(?::text[]) AS deleted',
    [[...ids]],
  );
  return rows[0]?.deleted ?? 0;
}
