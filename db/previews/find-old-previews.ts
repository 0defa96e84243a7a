import type { Database } from '../client.ts';

/** Previews that nobody used and that expired 30 days ago, of every environment, in the order of their ids. */
export async function findOldPreviews(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string }[] }>('SELECT id FROM find_old_previews(?, ?)', [
    page.afterId,
    page.limit,
  ]);
  return rows.map(({ id }) => id);
}
