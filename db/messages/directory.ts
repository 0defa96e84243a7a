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

/** Rows of one call: a transaction of well under a second. */
const ROWS_MAX = 1_000;

/** Makes the partitions of messages for now and for later. Returns how many. */
export async function makeMessagePartitions(db: Database): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { made: number }[] }>(
    'make_message_partitions',
    'SELECT make_message_partitions() AS made',
  );
  return rows[0]?.made ?? 0;
}

/** Moves a part of the un-ended messages out of partitions that are old. 0: none is left that nobody has locked. */
export async function keepLiveMessages(db: Database): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { moved: number }[] }>(
    'keep_live_messages',
    'SELECT keep_live_messages(?) AS moved',
    [ROWS_MAX],
  );
  return rows[0]?.moved ?? 0;
}

/** Drops one partition that is old, and returns its name. Returns null when none can be dropped now. */
export async function dropOldMessagePartition(db: Database): Promise<string | null> {
  const { rows } = await db.directory.raw<{ rows: { name: string | null }[] }>(
    'drop_old_message_partition',
    'SELECT drop_old_message_partition() AS name',
  );
  return rows[0]?.name ?? null;
}

/** Deletes a part of the messages that were kept beyond their partition and have had their time since. 0: none is left. */
export async function deleteKeptMessages(db: Database): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'delete_kept_messages',
    'SELECT delete_kept_messages(?) AS deleted',
    [ROWS_MAX],
  );
  return rows[0]?.deleted ?? 0;
}
