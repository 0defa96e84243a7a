import type { AnalyticsRange } from '../../domain/analytics/range.ts';
import { LIVE_MESSAGE_STATUSES, type LiveMessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { boundsOf, BUCKET_NUMBER, edgesOf, ROLLUPS, sumBoundsOf, TOTALS } from './rollups.ts';

/** Counting ends here, so that a gauge costs the same however much is live. */
const GAUGE_MAX = 10_000;

/** How many records there are now. */
interface Gauge {
  count: number;
  /** There may be more. */
  isCapped: boolean;
}

const OWN = 'environment_id = current_environment_id()';

/** What can be counted as it stands now, each from an index of the live rows. `counts`: whether a row is one of them. */
const LIVE = {
  // Those under way are few, and an index holds them alone; the many that wait for a decision have an approval each.
  invocationsPending: `SELECT true AS counts FROM (
      SELECT id FROM invocations WHERE ${OWN} AND status IN ('queued', 'dispatching')
      UNION ALL SELECT id FROM approvals WHERE ${OWN} AND status = 'pending' AND kind = 'invocation') p`,
  effectsUnknown: `SELECT true AS counts FROM effects WHERE ${OWN} AND grade = 'unknown'`,
  approvalsPending: `SELECT true AS counts FROM approvals WHERE ${OWN} AND status = 'pending'`,
  // No index knows the kind: deliveries of events are looked at too.
  messagesPending: `SELECT kind <> 'event' AS counts FROM messages
      WHERE ${OWN} AND status IN ('pending', 'scheduled', 'processing')`,
  schedulesActive: `SELECT true AS counts FROM schedules WHERE ${OWN} AND deleted_at IS NULL AND NOT paused`,
  runsRunning: `SELECT true AS counts FROM runs WHERE ${OWN} AND status = 'running'`,
  deadLetters: `SELECT true AS counts FROM dead_letters WHERE ${OWN}`,
} as const;
export type GaugeName = keyof typeof LIVE;

/** SQL of a gauge. `live` selects rows with `counts`: whether a row is one of them. */
const gaugeOf = (live: string): string =>
  `(SELECT jsonb_build_object('count', LEAST(count(*) FILTER (WHERE counts), ${GAUGE_MAX}), 'isCapped', count(*) > ${GAUGE_MAX})
       FROM (${live} LIMIT ${GAUGE_MAX + 1}) l)`;

/** Counts each, in one statement. */
export async function readGauges<Name extends GaugeName>(
  tx: EnvironmentTransaction,
  names: readonly Name[],
): Promise<Record<Name, Gauge>> {
  const counted = names.map((name) => `${gaugeOf(LIVE[name])} AS "${name}"`);
  const { rows } = await tx.raw<{ rows: Record<Name, Gauge>[] }>(
    { variantsOf: 'read_gauges' },
    `SELECT ${counted.join(', ')}`,
    [],
  );
  const row = rows[0];
  if (row === undefined) throw new Error('a count answers one row');
  return row;
}

/** When the oldest effect that is unknown now became so; null when none is. Only the oldest 10,000 by creation are looked at. */
export async function oldestUnknownAt(tx: EnvironmentTransaction): Promise<Date | null> {
  const { rows } = await tx.raw<{ rows: { at: Date | null }[] }>(
    'oldest_unknown_at',
    `SELECT min(u.unknown_at) AS at FROM (
       SELECT unknown_at FROM effects WHERE environment_id = current_environment_id() AND grade = 'unknown'
       ORDER BY created_at, id LIMIT :most) u`,
    { most: GAUGE_MAX },
  );
  return rows[0]?.at ?? null;
}

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
