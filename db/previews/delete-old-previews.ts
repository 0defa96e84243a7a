import type { Database } from '../client.ts';

/** Deletes these previews, except where one was used or superseded meanwhile. Returns the number deleted. */
export async function deleteOldPreviews(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_old_previews(?::text[]) AS deleted',
    [[...ids]],
  );
  return rows[0]?.deleted ?? 0;
}
