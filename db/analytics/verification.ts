import { DAY_MS } from '../../domain/analytics/grid.ts';
import { COUNTED } from '../migrations/analytics-facts.ts';
import type { Database, EnvironmentTransaction, Tenant } from '../client.ts';
import { listEveryEnvironment } from '../environments/directory.ts';

/** How long the records of a table are kept at least, from any time at which they count. Null for as long as their rollups. */
const KEPT: Readonly<Record<string, string | null>> = {
  invocations: null,
  effects: null,
  approvals: '89 days',
  messages: '6 days 23 hours',
  message_attempts: '2 days 23 hours',
  // The oldest of a schedule with many runs go an hour after they fired.
  schedule_runs: '45 minutes',
  // They go 30 days after their start. One that took longer than 23 days seems to be missing.
  runs: '7 days',
  chat_posts: '89 days', // with their approval
};

const TABLES_OF_ERRORS: Readonly<Record<string, string>> = {
  invocation: 'invocations',
  dispatch: 'invocations',
  delivery: 'message_attempts',
  subscription: 'message_attempts',
  schedule: 'schedule_runs',
  run: 'runs',
  integration: 'chat_posts',
};
const TABLES_OF_KINDS: Readonly<Record<string, string>> = {
  invocations: 'invocations',
  policy: 'invocations',
  effects: 'effects',
  unknowns: 'effects',
  approvals: 'approvals',
  messages: 'messages',
  targets: 'messages',
  'schedules.delivery': 'messages',
  delivery: 'message_attempts',
  'schedules.fired': 'schedule_runs',
  runs: 'runs',
};

const cases = (tables: Readonly<Record<string, string>>): string =>
  Object.entries(tables)
    .map(([name, table]) => `WHEN '${name}' THEN ${since(table)}`)
    .join(' ');

function since(table: string): string {
  const kept = KEPT[table];
  if (kept === undefined) throw new Error(`how long rows of ${table} are kept is not said`);
  return kept === null ? `now() - interval '399 days'` : `now() - interval '${kept}'`;
}

/** SQL over `kind` and `d1` of a row: since when its records are kept. */
const KEPT_SINCE = `CASE WHEN kind = 'errors' THEN CASE d1 ${cases(TABLES_OF_ERRORS)} END
  ELSE COALESCE(CASE kind ${cases(TABLES_OF_KINDS)} END, CASE split_part(kind, '.', 1) ${cases(TABLES_OF_KINDS)} END) END`;

const KEY = 'kind, quarter, d1, d2, d3';
const LEVEL_KEY = `is_total, ${KEY}`;

/**
 * Buckets of the environment that differ from a recount of its records: those whose records are all kept still, from :from and before :to. What
 * is not folded yet is counted with the rollups. A row without `bucket` is of a rollup, the others are of its histogram.
 */
const DIFFERENCES = `WITH recounted AS MATERIALIZED (
    ${COUNTED.map(
      ({
        table,
        facts,
      }) => `SELECT f.kind, analytics_quarter(f.at) AS quarter, f.d1, f.d2, f.d3, analytics_bucket(f.ms) AS bucket, count(*) AS n,
      sum(f.s1) AS s1, sum(f.s2) AS s2
    FROM ${table} r, LATERAL ${facts} f WHERE r.environment_id = current_environment_id() AND f.at >= CAST(:from AS timestamptz)
      AND f.at < CAST(:to AS timestamptz) GROUP BY 1, 2, 3, 4, 5, 6`,
    ).join('\n    UNION ALL ')}),
  pending AS MATERIALIZED (
    SELECT ${KEY}, bucket, n::bigint, s1, s2 FROM analytics_facts WHERE quarter >= CAST(:from AS timestamptz) AND quarter < CAST(:to AS timestamptz)),
  names AS (SELECT array_agg(current_environment_id()) AS e, array_agg(kind) AS k, array_agg(day) AS y, array_agg(d1) AS d1, array_agg(d2) AS d2,
      array_agg(d3) AS d3
    FROM (SELECT kind, (quarter AT TIME ZONE 'UTC')::date AS day, d1, d2, d3 FROM recounted
      UNION SELECT kind, (quarter AT TIME ZONE 'UTC')::date, d1, d2, d3 FROM pending) t),
  beyond AS MATERIALIZED (SELECT b.* FROM names, analytics_beyond_cap(names.e, names.k, names.y, names.d1, names.d2, names.d3) b),
  said AS (
    SELECT 1 AS sign, * FROM recounted UNION ALL SELECT -1, * FROM pending),
  capped AS (
    SELECT s.kind, s.quarter, s.d1, CASE WHEN b.kind IS NULL THEN s.d2 ELSE analytics_capped(s.kind, 2, s.d2) END AS d2,
      CASE WHEN b.kind IS NULL THEN s.d3 ELSE analytics_capped(s.kind, 3, s.d3) END AS d3, s.bucket, s.sign * s.n AS n, s.sign * s.s1 AS s1, s.sign * s.s2 AS s2
    FROM said s LEFT JOIN beyond b ON b.kind = s.kind AND b.day = (s.quarter AT TIME ZONE 'UTC')::date AND b.d1 = s.d1 AND b.d2 = s.d2 AND b.d3 = s.d3),
  levels AS (
    SELECT false AS is_total, c.* FROM capped c
    UNION ALL SELECT true, kind, quarter, d1, analytics_total(kind, 2, d2), analytics_total(kind, 3, d3), bucket, n, s1, s2 FROM capped),
  differing AS (
    SELECT ${LEVEL_KEY}, NULL::smallint AS bucket, sum(n) AS n, sum(s1) AS s1, sum(s2) AS s2 FROM (
      SELECT ${LEVEL_KEY}, n, s1, s2 FROM levels
      UNION ALL SELECT ${LEVEL_KEY}, -n, -s1, -s2 FROM analytics_rollups WHERE environment_id = current_environment_id()
        AND quarter >= CAST(:from AS timestamptz) AND quarter < CAST(:to AS timestamptz)) r
    GROUP BY ${LEVEL_KEY} HAVING sum(n) <> 0 OR sum(s1) <> 0 OR sum(s2) <> 0
    UNION ALL
    SELECT ${LEVEL_KEY}, bucket, sum(n), 0, 0 FROM (
      SELECT ${LEVEL_KEY}, bucket, n FROM levels WHERE bucket IS NOT NULL
      UNION ALL SELECT ${LEVEL_KEY}, unnest(buckets), -unnest(counts) FROM analytics_rollups WHERE environment_id = current_environment_id()
        AND quarter >= CAST(:from AS timestamptz) AND quarter < CAST(:to AS timestamptz)) h
    GROUP BY ${LEVEL_KEY}, bucket HAVING sum(n) <> 0)
  SELECT ${LEVEL_KEY}, bucket, n::bigint AS n, s1::bigint AS s1, s2::bigint AS s2 FROM differing
  WHERE quarter > ${KEPT_SINCE}`;

/** Adds what DIFFERENCES says is missing as facts; the next fold counts them. A fact of a histogram's bucket counts in its
 * rollup too, and each in its total: `mend_analytics_sums` makes those of the rollups before. */
const MEND = `WITH differing AS MATERIALIZED (SELECT * FROM (${DIFFERENCES}) d WHERE NOT is_total),
  mended AS (
    SELECT ${KEY}, bucket, n, 0::bigint AS s1, 0::bigint AS s2 FROM differing WHERE bucket IS NOT NULL
    UNION ALL
    SELECT ${KEY}, NULL, sum(CASE WHEN bucket IS NULL THEN n ELSE -n END), sum(s1), sum(s2) FROM differing GROUP BY ${KEY})
  INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2)
  SELECT current_environment_id(), ${KEY}, bucket, n, s1, s2 FROM mended WHERE n <> 0 OR s1 <> 0 OR s2 <> 0`;

/** A bucket that is not what its records say. */
export interface Difference {
  environmentId: string;
  kind: string;
  /** Whether it is a total: a sum without the open dimensions. */
  isTotal: boolean;
  /** The beginning of its quarter of an hour. */
  quarter: Date;
  d1: string;
  d2: string;
  d3: string;
  /** The bucket of its histogram, or null for the rollup itself. */
  bucket: number | null;
  /** What is missing from it; negative: what it has too many. */
  n: number;
  s1: number;
  s2: number;
}

/** From when, and before when. A null bound is the end of what is kept. */
export interface VerifiedRange {
  from: Date | null;
  to: Date | null;
}

/**
 * Recounts an environment's records and returns the buckets of its rollups that differ. It looks at what is kept still, in one snapshot: what is
 * written meanwhile is in neither.
 */
export async function findDifferences(
  db: Pick<Database, 'withEnvironment'>,
  tenant: Tenant,
  range: VerifiedRange = { from: null, to: null },
): Promise<Difference[]> {
  const { rows } = await db.withEnvironment(tenant, async (tx) => {
    await takeTime(tx);
    return tx.raw<{ rows: Omit<Difference, 'environmentId'>[] }>('find_differences', COMPARED, boundsOf(range));
  });
  return rows.map((row) => ({ environmentId: tenant.environmentId, ...row }));
}

/** Adds what is missing of an environment's rollups, and makes its totals and days what its quarters sum to. Returns how many rows it wrote. */
export async function mendRollups(
  db: Pick<Database, 'withEnvironment' | 'directory'>,
  tenant: Tenant,
): Promise<number> {
  const { rowCount } = await db.withEnvironment(tenant, async (tx) => {
    await takeTime(tx);
    return tx.raw<{ rowCount: number }>('mend_rollups', MEND, boundsOf({ from: null, to: null }));
  });
  const { rows } = await db.directory.raw<{ rows: { mended: number }[] }>(
    'mend_rollups_2',
    'SELECT mend_analytics_sums(?) AS mended',
    [tenant.environmentId],
  );
  return rowCount + (rows[0]?.mended ?? 0);
}

const COMPARED = `SELECT kind, is_total AS "isTotal", quarter, d1, d2, d3, bucket, n::float8 AS n, s1::float8 AS s1, s2::float8 AS s2 FROM (${DIFFERENCES}) d
  ORDER BY kind, quarter, is_total, d1, d2, d3, bucket NULLS FIRST`;

/** A recount looks at every record of the environment. */
async function takeTime(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw('take_time', "SELECT set_config('statement_timeout', '10min', true)");
}

function boundsOf({ from, to }: VerifiedRange): { from: Date | string; to: Date | string } {
  return { from: from ?? '-infinity', to: to ?? 'infinity' };
}

const SAMPLE_ENVIRONMENTS = 5;

/**
 * Compares the last whole UTC day of a few environments with its records, once a UTC day in the whole installation. Returns null when that was done today.
 */
export async function verifySample(
  db: Database,
  now: Date,
): Promise<{ environments: number; differences: Difference[] } | null> {
  const { rows } = await db.directory.raw<{ rows: { claimed: boolean }[] }>(
    'verify_sample',
    'SELECT claim_analytics_verification() AS claimed',
  );
  if (rows[0]?.claimed !== true) return null;
  const to = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const from = new Date(to.getTime() - DAY_MS);
  const sample = sampleOf(await listEveryEnvironment(db));
  const differences: Difference[] = [];
  for (const tenant of sample) differences.push(...(await findDifferences(db, tenant, { from, to })));
  return { environments: sample.length, differences };
}

function sampleOf(tenants: readonly Tenant[]): Tenant[] {
  return tenants
    .map((tenant) => ({ tenant, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .slice(0, SAMPLE_ENVIRONMENTS)
    .map(({ tenant }) => tenant);
}
