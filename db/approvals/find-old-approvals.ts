import type { Database } from '../client.ts';

/** Free-standing approvals of all environments that ended more than 90 days ago, in id order. */
export async function findOldApprovals(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string }[] }>('SELECT id FROM find_old_approvals(?, ?)', [
    page.afterId,
    page.limit,
  ]);
  return rows.map(({ id }) => id);
}
