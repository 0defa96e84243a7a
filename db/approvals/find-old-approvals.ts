import type { Database } from '../client.ts';

/** Free-standing approvals that ended 90 days ago, of every environment, in the order of their ids. */
export async function findOldApprovals(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string }[] }>('SELECT id FROM find_old_approvals(?, ?)', [
    page.afterId,
    page.limit,
  ]);
  return rows.map(({ id }) => id);
}
