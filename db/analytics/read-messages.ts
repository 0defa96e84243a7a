import type { AnalyticsRange } from '../../domain/analytics/range.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { BUCKET_NUMBER, boundsOf, edgesOf, ROLLUPS, sumBoundsOf, TOTALS } from './rollups.ts';

/** Messages that were accepted in a range, and those that ended in it, whenever they were accepted. */
export interface MessageCounts {
  accepted: number;
  delivered: number;
  failed: number;
  cancelled: number;
}

export const GAUGE_MAX = 10_000;

/** A count of live rows, at most `GAUGE_MAX`. */
export interface Gauge {
  count: number;
  isCapped: boolean;
}

const LIVE_STATUSES = ['pending', 'scheduled', 'processing'] as const;
type LiveStatus = (typeof LIVE_STATUSES)[number];

const COUNTS = `
  COALESCE(sum(r.n) FILTER (WHERE r.kind = 'messages.accepted'), 0)::float8 AS accepted,
  ${['delivered', 'failed', 'cancelled']
    .map(
      (status) =>
        `COALESCE(sum(r.n) FILTER (WHERE r.kind = 'messages.ended' AND r.d1 = '${status}'), 0)::float8 AS ${status}`,
    )
    .join(', ')}`;
const SHOWN = `r.kind IN ('messages.accepted', 'messages.ended') AND (:includeEvents OR r.d2 <> 'event')`;

/** The counts of each bucket that has any, by its number from 0. */
export async function readMessageBuckets(
  tx: EnvironmentTransaction,
  range: AnalyticsRange,
  includeEvents: boolean,
): Promise<(MessageCounts & { at: number })[]> {
  const { rows } = await tx.raw<{ rows: (MessageCounts & { at: number })[] }>(
    `SELECT ${BUCKET_NUMBER} AS at, ${COUNTS} FROM ${TOTALS} r WHERE ${SHOWN} GROUP BY 1`,
    { ...boundsOf(range), edges: edgesOf(range), includeEvents },
  );
  return rows;
}

/** The counts of each kind, or of each label (an empty text: none), those with the most messages first. */
export async function readMessageGroups(
  tx: EnvironmentTransaction,
  range: AnalyticsRange,
  { by, includeEvents, most }: { by: 'kind' | 'label'; includeEvents: boolean; most: number },
): Promise<(MessageCounts & { key: string })[]> {
  const [column, rollups] = by === 'kind' ? ['r.d2', TOTALS] : ['r.d3', ROLLUPS];
  const { rows } = await tx.raw<{ rows: (MessageCounts & { key: string })[] }>(
    `SELECT ${column} AS key, ${COUNTS} FROM ${rollups} r WHERE ${SHOWN}
     GROUP BY 1 HAVING sum(r.n) > 0 ORDER BY sum(r.n) DESC, 1 LIMIT :most`,
    { ...sumBoundsOf(range), includeEvents, most },
  );
  return rows;
}

/** How many messages are in each status that is not an end, counted from the records by their index. */
export async function readLiveMessages(
  tx: EnvironmentTransaction,
  includeEvents: boolean,
): Promise<Record<LiveStatus, Gauge>> {
  const gauge = (status: LiveStatus): string => `
    (SELECT jsonb_build_object('count', LEAST(count(*) FILTER (WHERE :includeEvents OR m.kind <> 'event'), ${GAUGE_MAX}),
       'isCapped', count(*) > ${GAUGE_MAX})
     FROM (SELECT kind FROM messages WHERE environment_id = current_environment_id() AND status = '${status}'
       LIMIT ${GAUGE_MAX + 1}) m) AS ${status}`;
  const { rows } = await tx.raw<{ rows: Record<LiveStatus, Gauge>[] }>(
    `SELECT ${LIVE_STATUSES.map(gauge).join(', ')}`,
    { includeEvents },
  );
  const row = rows[0];
  if (row === undefined) throw new Error('a SELECT without FROM returns a row');
  return row;
}
