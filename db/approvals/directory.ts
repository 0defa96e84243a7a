import type { Database } from '../client.ts';

/** Free-standing approvals of all environments that ended more than 90 days ago, in id order. */
export async function findOldApprovals(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const rows = await db.directory.rows<{ id: string }>(
    'find_old_approvals',
    'SELECT id FROM find_old_approvals(?, ?)',
    [page.afterId, page.limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes these approvals with their decisions. Returns the number deleted. */
export async function deleteOldApprovals(db: Database, ids: readonly string[]): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_old_approvals',
    'SELECT delete_old_approvals(?::text[]) AS deleted',
    [[...ids]],
  );
  return row?.deleted ?? 0;
}
