import type { Database } from '../client.ts';

/** Rows of one call: a transaction of well under a second. */
const ROWS_MAX = 1_000;

/** Deletes a part of the events, in every environment, that were kept for their time. 0: none is left. */
export async function deleteOldEvents(db: Database): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>('SELECT delete_old_events(?) AS deleted', [
    ROWS_MAX,
  ]);
  return rows[0]?.deleted ?? 0;
}

/** Deletes a part of what belongs to deleted topics and subscriptions. 0: nothing is left that can go now. */
export async function deleteDeletedTopics(db: Database): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_deleted_topics(?) AS deleted',
    [ROWS_MAX],
  );
  return rows[0]?.deleted ?? 0;
}
