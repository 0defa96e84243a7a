import type { Database } from '../client.ts';

/** Rows of one call: a transaction of well under a second. */
const ROWS_MAX = 1_000;

/** Makes the partitions of runs and spans for now and for later. Returns how many ranges. */
export async function makeRunPartitions(db: Database): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { made: number }[] }>('SELECT make_run_partitions() AS made');
  return rows[0]?.made ?? 0;
}

/** Drops one range that is old, of both tables, and returns its name. Null: none is left that can go now. */
export async function dropOldRunPartition(db: Database): Promise<string | null> {
  const { rows } = await db.directory.raw<{ rows: { name: string | null }[] }>(
    'SELECT drop_old_run_partition() AS name',
  );
  return rows[0]?.name ?? null;
}

/** Gives back the storage of ranges that were dropped. Returns how many rows of counts went. */
export async function forgetStoredWeeks(db: Database): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { forgotten: number }[] }>(
    'SELECT forget_stored_weeks() AS forgotten',
  );
  return rows[0]?.forgotten ?? 0;
}

/** Deletes a part of what is old and in no range. 0: none is left. */
export async function deleteRunsOutsideOfRanges(db: Database): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_runs_outside_of_ranges(?) AS deleted',
    [ROWS_MAX],
  );
  return rows[0]?.deleted ?? 0;
}
