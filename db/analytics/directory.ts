import type { Database } from '../client.ts';

/** Facts of one transaction: of about a second. */
const FACTS_MAX = 50_000;

/** Folds until nothing is left that another process does not fold. */
export async function foldAllFacts(db: Pick<Database, 'directory'>): Promise<void> {
  while ((await foldFacts(db)) > 0);
}

/** Adds facts to the rollups, each exactly once. Returns how many; 0: there is nothing to do, or another process folds. */
export async function foldFacts(db: Pick<Database, 'directory'>, most: number = FACTS_MAX): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { folded: number }[] }>(
    'fold_facts',
    'SELECT fold_analytics_facts(?) AS folded',
    [most],
  );
  return rows[0]?.folded ?? 0;
}

/** Makes the partitions of rollups for this month and the next two. Returns how many. */
export async function makeAnalyticsPartitions(db: Pick<Database, 'directory'>): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { made: number }[] }>(
    'make_analytics_partitions',
    'SELECT make_analytics_partitions() AS made',
  );
  return rows[0]?.made ?? 0;
}

/** Drops one partition that ended more than 400 days ago. Returns its name, or null when none can be dropped now. */
export async function dropOldAnalyticsPartition(db: Pick<Database, 'directory'>): Promise<string | null> {
  const { rows } = await db.directory.raw<{ rows: { name: string | null }[] }>(
    'drop_old_analytics_partition',
    'SELECT drop_old_analytics_partition() AS name',
  );
  return rows[0]?.name ?? null;
}
