import type { Database } from '../client.ts';

/** Expired deduplication windows of all environments, as `<environment>/<digest>`, in that order. */
export async function findExpiredDeduplications(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string }[] }>(
    'SELECT id FROM find_expired_message_deduplications(?, ?)',
    [page.afterId, page.limit],
  );
  return rows.map(({ id }) => id);
}
