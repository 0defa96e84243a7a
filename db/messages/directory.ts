import type { Database } from '../client.ts';

/** Expired deduplication windows of all environments, as `<environment>/<digest>`, in that order. */
export async function findExpiredDeduplications(
  db: Database,
  page: { afterId: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string }[] }>(
    'find_expired_deduplications',
    'SELECT id FROM find_expired_message_deduplications(?, ?)',
    [page.afterId, page.limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes these windows, except where a new message has taken one meanwhile. Returns the number deleted. */
export async function deleteExpiredDeduplications(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'delete_expired_deduplications',
    'SELECT delete_expired_message_deduplications(?::text[]) AS deleted',
    [[...ids]],
  );
  return rows[0]?.deleted ?? 0;
}

/** Messages of one class in one call: a transaction of well under a second. A thousand take some 20 ms. */
const MESSAGES_MAX = 5_000;

/** Deletes a part of the contents, and of the records, of messages that have had their time. 0: none is left. */
export async function deleteOldMessages(db: Database): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'delete_old_messages',
    'SELECT delete_old_messages(?) AS deleted',
    [MESSAGES_MAX],
  );
  return rows[0]?.deleted ?? 0;
}
