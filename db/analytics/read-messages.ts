import type { AnalyticsRange } from '../../domain/analytics/range.ts';
import { LIVE_MESSAGE_STATUSES, type LiveMessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type Gauge, gaugeOf } from './read-gauges.ts';
import { BUCKET_NUMBER, boundsOf, edgesOf, ROLLUPS, sumBoundsOf, TOTALS } from './rollups.ts';

/** Messages that were accepted in a range, and those that ended in it, whenever they were accepted. */
export interface MessageCounts {
  accepted: number;
  delivered: number;
  failed: number;
  cancelled: number;
}

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
    'read_message_buckets',
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
    { variantsOf: 'read_message_groups' },
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
): Promise<Record<LiveMessageStatus, Gauge>> {
  const gauges = LIVE_MESSAGE_STATUSES.map((status) => {
    const live = `SELECT :includeEvents OR kind <> 'event' AS counts FROM messages
      WHERE environment_id = current_environment_id() AND status = '${status}'`;
    return `${gaugeOf(live)} AS ${status}`;
  });
  const { rows } = await tx.raw<{ rows: Record<LiveMessageStatus, Gauge>[] }>(
    'read_live_messages',
    `SELECT ${gauges.join(', ')}`,
    {
      includeEvents,
    },
  );
  const row = rows[0];
  if (row === undefined) throw new Error('a SELECT without FROM returns a row');
  return row;
}
