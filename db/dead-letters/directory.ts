import type { Database } from '../client.ts';

/** Rows of one call and class: a transaction of well under a second. */
const ROWS_MAX = 1_000;

/** Deletes a part of the dead letters, in every environment, whose messages have had their time. 0: none is left. */
export async function deleteOldDeadLetters(db: Database): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_old_dead_letters',
    'SELECT delete_old_dead_letters(?) AS deleted',
    [ROWS_MAX],
  );
  return row?.deleted ?? 0;
}
