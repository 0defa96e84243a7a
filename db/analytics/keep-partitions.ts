import type { Database } from '../client.ts';

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
