import type { DeadLetterReason } from '../../domain/dead-letters/dead-letters.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** The groups are made of the newest records, so that their cost does not grow with the queue. */
export const STATS_EXAMINED_MAX = 20_000;
const TOP_URLS = 10;

export interface DeadLetterStats {
  total: number;
  oldestAt: Date | null;
  newestAt: Date | null;
  /** How many of the newest records the groups are made of. */
  examined: number;
  byReason: { reason: DeadLetterReason; count: number }[];
  byResponseStatus: { responseStatus: number | null; count: number }[];
  topUrls: { url: string; count: number }[];
}

export async function readDeadLetterStats(tx: EnvironmentTransaction): Promise<DeadLetterStats> {
  const { rows } = await tx.raw<{ rows: DeadLetterStats[] }>(STATS, { examined: STATS_EXAMINED_MAX, top: TOP_URLS });
  const [stats] = rows;
  if (stats === undefined) throw new Error('a count answers one row');
  return stats;
}

/** The total is counted in an index; oldest and newest are its ends. */
const STATS = `
  WITH newest AS MATERIALIZED (
    SELECT d.reason, d.response_status, d.url FROM dead_letters d WHERE d.environment_id = current_environment_id()
    ORDER BY d.failed_at DESC, d.message_id DESC LIMIT :examined)
  SELECT (SELECT count(*)::int FROM dead_letters d WHERE d.environment_id = current_environment_id()) AS total,
    (SELECT failed_at FROM dead_letters d WHERE d.environment_id = current_environment_id()
      ORDER BY d.failed_at, d.message_id LIMIT 1) AS "oldestAt",
    (SELECT failed_at FROM dead_letters d WHERE d.environment_id = current_environment_id()
      ORDER BY d.failed_at DESC, d.message_id DESC LIMIT 1) AS "newestAt",
    (SELECT count(*)::int FROM newest) AS examined,
    COALESCE((SELECT json_agg(json_build_object('reason', g.reason, 'count', g.count) ORDER BY g.count DESC, g.reason)
      FROM (SELECT reason, count(*)::int AS count FROM newest GROUP BY reason) g), '[]') AS "byReason",
    COALESCE((SELECT json_agg(json_build_object('responseStatus', g.response_status, 'count', g.count) ORDER BY g.count DESC, g.response_status)
      FROM (SELECT response_status, count(*)::int AS count FROM newest GROUP BY response_status) g), '[]') AS "byResponseStatus",
    COALESCE((SELECT json_agg(json_build_object('url', g.url, 'count', g.count) ORDER BY g.count DESC, g.url)
      FROM (SELECT url, count(*)::int AS count FROM newest GROUP BY url ORDER BY count DESC, url LIMIT :top) g), '[]') AS "topUrls"`;
