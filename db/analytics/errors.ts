import type { ErrorArea } from '../../domain/analytics/kinds.ts';
import { SAMPLES_MAX, TREND_PARTS } from '../../domain/analytics/error-samples.ts';
import type { AnalyticsRange } from '../../domain/analytics/range.ts';
import { equalEdges, sourcesOfTrend } from '../../domain/analytics/sources.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { ROLLUPS, sourceBindings, sumBoundsOf } from './rollups.ts';

/** One kind of error in a range. */
export interface ErrorGroup {
  area: ErrorArea;
  code: string;
  /** Its text without what differs from one to the next. */
  message: string;
  count: number;
  firstSeenAt: Date;
  lastSeenAt: Date;
  /** Ids of records that had it, the newest first. */
  sampleIds: string[];
  /** Counts of the equal parts of the range, the oldest first. */
  trend: number[];
}

export interface ErrorFilter {
  area: ErrorArea | null;
  code: string | null;
  most: number;
}

type GroupRow = Omit<ErrorGroup, 'sampleIds' | 'trend'> & { all: number };
interface PartRow {
  number: number;
  part: number;
  n: number;
}

const SHOWN = `r.kind = 'errors' AND (CAST(:area AS text) IS NULL OR r.d1 = :area) AND (CAST(:code AS text) IS NULL OR r.d2 = :code)`;
/** The groups that are shown, by their numbers from 0. */
const NUMBERED = `unnest(CAST(:areas AS text[]), CAST(:codes AS text[]), CAST(:messages AS text[])) WITH ORDINALITY g (d1, d2, d3, place)`;

/** The errors with the highest counts, and how many there are in all. */
export async function readErrors(
  tx: EnvironmentTransaction,
  range: AnalyticsRange,
  { area, code, most }: ErrorFilter,
): Promise<{ groups: ErrorGroup[]; total: number }> {
  const bounds = sumBoundsOf(range);
  const { rows } = await tx.raw<{ rows: GroupRow[] }>(
    'read_errors',
    `SELECT r.d1 AS area, r.d2 AS code, r.d3 AS message, sum(r.n)::float8 AS count, COALESCE(min(r.first_at), min(r.at)) AS "firstSeenAt",
       COALESCE(max(r.last_at), max(r.at)) AS "lastSeenAt", count(*) OVER ()::int AS all
     FROM ${ROLLUPS} r WHERE ${SHOWN}
     GROUP BY 1, 2, 3 HAVING sum(r.n) > 0 ORDER BY count DESC, 1, 2, 3 LIMIT :most`,
    { ...bounds, area, code, most },
  );
  if (rows.length === 0) return { groups: [], total: 0 };
  const named = {
    areas: rows.map((row) => row.area),
    codes: rows.map((row) => row.code),
    messages: rows.map((row) => row.message),
  };
  const [parts, samples] = await tx.inOrder(
    () =>
      tx.raw<{ rows: PartRow[] }>(
        'read_errors_2',
        `SELECT (g.place - 1)::int AS number, width_bucket(r.at, CAST(:parts AS timestamptz[])) - 1 AS part, sum(r.n)::float8 AS n
       FROM ${NUMBERED} JOIN ${ROLLUPS} r ON r.kind = 'errors' AND r.d1 = g.d1 AND r.d2 = g.d2 AND r.d3 = g.d3 GROUP BY 1, 2`,
        { ...sourceBindings(sourcesOfTrend(range)), ...named, parts: partsOf(range) },
      ),
    () =>
      tx.raw<{ rows: { number: number; ids: string[] }[] }>(
        'read_errors_3',
        `SELECT (g.place - 1)::int AS number, s.ids FROM ${NUMBERED} CROSS JOIN LATERAL (
         SELECT array_agg(newest.id) AS ids FROM (
           SELECT i.id FROM ${ROLLUPS} r, unnest(r.samples) i (id)
           WHERE r.kind = 'errors' AND r.d1 = g.d1 AND r.d2 = g.d2 AND r.d3 = g.d3 AND r.n > 0
           GROUP BY i.id ORDER BY max(r.last_at) DESC, i.id DESC LIMIT ${SAMPLES_MAX}) newest) s`,
        { ...bounds, ...named },
      ),
  );
  const sampleIds = new Map(samples.rows.map(({ number, ids }) => [number, ids]));
  const groups = rows.map((row, number) => {
    const { all: _, ...group } = row;
    return {
      ...group,
      sampleIds: sampleIds.get(number) ?? [],
      trend: trendOf(parts.rows.filter((part) => part.number === number)),
    };
  });
  return { groups, total: rows[0]?.all ?? 0 };
}

/** Where each part of the range begins. */
function partsOf(range: AnalyticsRange): string[] {
  return equalEdges(range, TREND_PARTS)
    .slice(0, -1)
    .map((edge) => new Date(edge).toISOString());
}

function trendOf(rows: readonly PartRow[]): number[] {
  const trend = Array.from({ length: TREND_PARTS }, () => 0);
  for (const { part, n } of rows) trend[part] = n;
  return trend;
}

/** What an error was about: an action, a destination, a subscription, a schedule, an agent or an integration. */
export interface Affected {
  type: AffectedType;
  id: string;
  name: string | null;
}

export const AFFECTED_TYPES = ['action', 'destination', 'subscription', 'schedule', 'agent', 'integration'] as const;
export type AffectedType = (typeof AFFECTED_TYPES)[number];

interface Row {
  sampleId: string;
  id: string;
  name: string | null;
}

interface Lookup {
  type: AffectedType;
  /** Finds the records of `:ids` by their primary keys. */
  sql: string;
}

const ACTIONS: Lookup = {
  type: 'action',
  sql: `SELECT i.id AS "sampleId", a.id, a.name FROM invocations i JOIN actions a ON a.id = i.action_id WHERE i.id = ANY (:ids)`,
};

const LOOKUPS: Record<ErrorArea, Lookup> = {
  invocation: ACTIONS,
  dispatch: ACTIONS,
  delivery: {
    type: 'destination',
    sql: `SELECT m.id AS "sampleId", m.url AS id, NULL AS name FROM messages m WHERE m.id = ANY (:ids)`,
  },
  subscription: {
    type: 'subscription',
    sql: `SELECT m.id AS "sampleId", m.subscription_id AS id, m.url AS name FROM messages m
      WHERE m.id = ANY (:ids) AND m.subscription_id IS NOT NULL`,
  },
  schedule: {
    type: 'schedule',
    sql: `SELECT s.id AS "sampleId", s.id, s.name FROM schedules s WHERE s.id = ANY (:ids)`,
  },
  run: {
    type: 'agent',
    sql: `SELECT r.id AS "sampleId", r.agent_id AS id, NULL AS name FROM runs r WHERE r.id = ANY (:ids) AND r.agent_id IS NOT NULL`,
  },
  integration: {
    type: 'integration',
    sql: `SELECT p.approval_id AS "sampleId", i.id, i.name FROM chat_posts p JOIN integrations i ON i.id = p.integration_id
      WHERE p.approval_id = ANY (:ids) AND p.status = 'refused'`,
  },
};

/** What the sampled records of an area are about, by the id of the record; a record that is no longer kept has nothing. */
export async function readAffected(
  tx: EnvironmentTransaction,
  area: ErrorArea,
  sampleIds: readonly string[],
): Promise<Map<string, Affected[]>> {
  const found = new Map<string, Affected[]>();
  if (sampleIds.length === 0) return found;
  const { type, sql } = LOOKUPS[area];
  const { rows } = await tx.raw<{ rows: Row[] }>({ variantsOf: 'read_affected' }, sql, { ids: sampleIds });
  for (const { sampleId, id, name } of rows) found.set(sampleId, [...(found.get(sampleId) ?? []), { type, id, name }]);
  return found;
}
