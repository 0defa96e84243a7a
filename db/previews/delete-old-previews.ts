import type { Database } from '../client.ts';

/** Deletes these previews, unless somebody used or superseded one meanwhile. Returns how many. */
export async function deleteOldPreviews(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_old_previews(?::text[]) AS deleted',
    [[...ids]],
  );
  return rows[0]?.deleted ?? 0;
}
