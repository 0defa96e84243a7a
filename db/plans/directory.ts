import type { Database } from '../client.ts';

/** A call sums up so many parts: a transaction of well under a second. */
const PARTS_MAX = 1_000;

/** Makes one row of the counts of each part of what a workspace stores. Returns how many rows went; 0: there is nothing to do. */
export async function foldStoredState(db: Database): Promise<number> {
  const row = await db.directory.row<{ folded: number }>('fold_stored_state', 'SELECT fold_stored_state(?) AS folded', [
    PARTS_MAX,
  ]);
  return row?.folded ?? 0;
}
