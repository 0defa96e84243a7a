import type { Database } from '../client.ts';

/** Unused previews of all environments that expired more than 30 days ago, in id order. */
export async function findOldPreviews(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const rows = await db.directory.rows<{ id: string }>('find_old_previews', 'SELECT id FROM find_old_previews(?, ?)', [
    page.afterId,
    page.limit,
  ]);
  return rows.map(({ id }) => id);
}

/** Deletes these previews, except where one was used or superseded meanwhile. Returns the number deleted. */
export async function deleteOldPreviews(db: Database, ids: readonly string[]): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_old_previews',
    'SELECT delete_old_previews(?::text[]) AS deleted',
    [[...ids]],
  );
  return row?.deleted ?? 0;
}
