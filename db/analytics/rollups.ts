import { type AnalyticsKind, isOfTotals, OTHER } from '../../domain/analytics/kinds.ts';
import type { AnalyticsRange } from '../../domain/analytics/range.ts';
import { type Sources, sourcesOfBuckets, sourcesOfSum } from '../../domain/analytics/sources.ts';
import { dayOf } from '../../domain/billing/periods.ts';
import { type Counts, countsOfText } from '../../domain/analytics/percentiles.ts';
import { type HistogramPoint, withRest } from '../../domain/analytics/series.ts';
import type { EnvironmentTransaction } from '../client.ts';

const OWN = 'environment_id = current_environment_id()';

/** The three branches of `Sources`. `at` is the beginning of the quarter or of the UTC day. */
const branches = (columns: string, level: string): string => `(
  SELECT ${columns}, quarter AS at FROM analytics_rollups WHERE ${OWN} AND ${level} AND quarter >= :from AND quarter < :daysFrom
  UNION ALL SELECT ${columns}, CAST(day AS timestamp) AT TIME ZONE 'UTC' AS at FROM analytics_days
    WHERE ${OWN} AND ${level} AND day >= CAST(:firstDay AS date) AND day < CAST(:dayAfter AS date)
  UNION ALL SELECT ${columns}, quarter AS at FROM analytics_rollups WHERE ${OWN} AND ${level} AND quarter >= :daysTo AND quarter < :to)`;

const rollupsOf = (level: string): string =>
  branches('kind, d1, d2, d3, n, s1, s2, first_at, last_at, samples, buckets, counts, histogram', level);
const histogramsOf = (level: string): string => `(
  SELECT kind, d1, d2, d3, at, unnest(buckets) AS bucket, unnest(counts) AS n FROM ${rollupsOf(level)} u)`;

/**
 * The rollups of a range, for a FROM of a statement that binds `sourceBindings`: quarters or days, never both of one time. PostgreSQL moves the
 * condition on `kind` into each branch, where it is part of the primary key.
 */
export const ROLLUPS = rollupsOf('NOT is_total');
/** The same without the open dimensions and `samples`: a small part of the rows. */
export const TOTALS = rollupsOf('is_total');
/** The histograms of the same, a row for each `bucket` of the duration. */
export const HISTOGRAMS = histogramsOf('NOT is_total');
const HISTOGRAM_TOTALS = histogramsOf('is_total');

/** The rollups for these terms over the columns of each kind: totals where none of them needs an open dimension. */
export function rollupsFor(terms: Partial<Record<AnalyticsKind, string>>): string {
  return isOfTotals(terms) ? TOTALS : ROLLUPS;
}

export function histogramsFor(terms: Partial<Record<AnalyticsKind, string>>): string {
  return isOfTotals(terms) ? HISTOGRAM_TOTALS : HISTOGRAMS;
}

/** What all of these bind. */
export function sourceBindings({ from, to, daysFrom, daysTo }: Sources) {
  return { from, to, daysFrom, daysTo, firstDay: dayOf(daysFrom), dayAfter: dayOf(daysTo) };
}

/** The same for sums over the whole of a range, which has whole UTC days in every zone. */
export function sumBoundsOf(range: AnalyticsRange) {
  return sourceBindings(sourcesOfSum(range));
}

/** The same for the buckets of a range. */
export function boundsOf(range: AnalyticsRange) {
  return sourceBindings(sourcesOfBuckets(range));
}

/** The number of the bucket that `at` is in, from 0. For a statement that binds `edges`. */
export const BUCKET_NUMBER = '(width_bucket(r.at, CAST(:edges AS timestamptz[])) - 1)';

export function edgesOf({ edges }: Pick<AnalyticsRange, 'edges'>): string[] {
  return edges.map((edge) => new Date(edge).toISOString());
}

/** A read that takes longer is ended (SQLSTATE 57014): nobody waits for it, and the database has other work. */
const READ_TIMEOUT_MS = 5_000;

/** The histograms of a long range do not fit in the default of 4 MB, and would be grouped on disk. At most four read at once. */
const GROUPS_MEMORY = '16MB';

/**
 * A read is one process of the database and goes by the keys of the rollups: PostgreSQL would rather read a month of them whole, with two more
 * processes on what admissions run on, where it takes a page of the index for as slow as a disk's.
 */
const PLANS = { max_parallel_workers_per_gather: '0', random_page_cost: '1.1', jit: 'off' };

const SETTINGS = { statement_timeout: String(READ_TIMEOUT_MS), work_mem: GROUPS_MEMORY, ...PLANS };

/** What every read of analytics begins with. */
export interface ReadStart {
  /** The start of the transaction, by the database's clock. */
  now: Date;
  /** When the workspace was made. */
  workspaceSince: Date;
  /** All that was committed before it is in the rollups. */
  completeUntil: Date;
}

/** Bounds the transaction's statements, and returns what the range is resolved against. Throws when the workspace does not exist. */
export async function beginRead(tx: EnvironmentTransaction): Promise<ReadStart> {
  const [, { rows }] = await tx.inOrder(
    () =>
      tx.raw(
        'begin_read',
        'SELECT set_config(name, value, true) FROM unnest(CAST(? AS text[]), CAST(? AS text[])) s (name, value)',
        [Object.keys(SETTINGS), Object.values(SETTINGS)],
      ),
    () =>
      tx.raw<{ rows: ReadStart[] }>(
        'begin_read_2',
        `SELECT now() AS now, w.created_at AS "workspaceSince", i.analytics_complete_until AS "completeUntil"
         FROM workspaces w, installation i WHERE w.id = current_workspace_id()`,
        [],
      ),
  );
  const start = rows[0];
  if (start === undefined) throw new Error('the transaction names a workspace that is not there');
  return start;
}

/** A group of a kind, as `SQL_OF_GROUP` spells its key. */
export type Groups = Partial<Record<AnalyticsKind, string>>;

/** The sums of one group: what `n`, `s1` and `s2` are is in the table of `kinds.ts`. */
export interface Count {
  kind: AnalyticsKind;
  /** Null where the group has no key for it. */
  key: string | null;
  n: number;
  s1: number;
  s2: number;
}

/** Sums the rollups of several kinds, each by its own group, over the whole of the sources. */
export async function readCounts(tx: EnvironmentTransaction, sources: Sources, groups: Groups): Promise<Count[]> {
  const kinds = Object.keys(groups) as AnalyticsKind[];
  const keys = kinds.map((kind) => `WHEN '${kind}' THEN ${groups[kind]}`).join(' ');
  const { rows } = await tx.raw<{ rows: Count[] }>(
    { variantsOf: 'read_counts' },
    `SELECT kind, key, CAST(sum(n) AS float8) AS n, CAST(sum(s1) AS float8) AS s1, CAST(sum(s2) AS float8) AS s2
     FROM (SELECT *, CASE kind ${keys} END AS key FROM ${rollupsFor(groups)} r WHERE kind = ANY (CAST(:kinds AS text[]))) k
     GROUP BY kind, key HAVING sum(n) > 0 ORDER BY sum(n) DESC, key`,
    { ...sourceBindings(sources), kinds },
  );
  return rows;
}

export interface HistogramTerms {
  kind: AnalyticsKind;
  /** SQL of the key over the columns of a rollup; a constant of the code. */
  group: string;
  /** Only these keys. By default all. */
  keys?: readonly string[];
}

/** The durations of a kind over the whole of the sources, by key. One bucket of the histogram may come several times. */
export async function readHistograms(
  tx: EnvironmentTransaction,
  sources: Sources,
  { kind, group, keys }: HistogramTerms,
): Promise<ReadonlyMap<string, Counts>> {
  const chosen = keys === undefined ? 'true' : `${group} = ANY (CAST(:keys AS text[]))`;
  const rows = `SELECT ${group} AS key, ${HISTOGRAM} FROM ${rollupsFor({ [kind]: group })} r
       WHERE r.kind = '${kind}' AND ${chosen} AND histogram IS NOT NULL`;
  const found = await tx.raw<{ rows: { key: string; histogram: string }[] }>(
    { variantsOf: 'read_histograms' },
    addedUp(rows, ['key'], sources),
    {
      ...sourceBindings(sources),
      ...(keys === undefined ? {} : { keys }),
    },
  );
  return new Map(found.rows.map(({ key, histogram }) => [key, countsOfText(histogram)]));
}

/** The columns of a histogram. Who needs one of the forms reads that one. */
const HISTOGRAM = 'buckets, counts, histogram';

/**
 * SQL that adds up the `HISTOGRAM` of these rows by these columns, to a text for `countsOfText`. Who reads it sums it for less than
 * PostgreSQL, which would make a row of each bucket: here texts are joined. But quarters of an hour are a hundred a day: where there are no
 * days, each key has its sum.
 */
function addedUp(rows: string, by: readonly string[], { daysFrom, daysTo }: Sources): string {
  const key = by.join(', ');
  if (daysFrom < daysTo)
    return `SELECT ${key}, string_agg(histogram, ';') AS histogram FROM (${rows}) h GROUP BY ${key} ORDER BY ${key}`;
  return `SELECT ${key}, analytics_histogram_text(array_agg(of), array_agg(n)) AS histogram FROM (
       SELECT ${key}, of, CAST(sum(CAST(n AS float8)) AS bigint) AS n FROM (
         SELECT ${key}, unnest(buckets) AS of, unnest(counts) AS n FROM (${rows}) h) u GROUP BY ${key}, of) s
     GROUP BY ${key} ORDER BY ${key}`;
}

/** What a series counts. The texts are SQL over the columns of a rollup, constants of the code. */
export interface SeriesTerms {
  kind: AnalyticsKind;
  /** The key of a group. */
  group: string;
  /** Which rollups count. */
  where: string;
}

export interface SeriesPlace {
  sources: Sources;
  /** The edges of the buckets, one more than there are. */
  edges: readonly number[];
  /** How many groups have a series of their own: those with the most. */
  top: number;
}

/** A group's value in one bucket, from 0. `key` is null for the groups beyond the top, and for those that the rollups hold together. */
export interface SeriesPoint {
  key: string | null;
  bucket: number;
  value: number;
}

/** Sums `value` by group and bucket. Points of zero are left out. */
export async function readSeries(
  tx: EnvironmentTransaction,
  terms: SeriesTerms & { value: 'n' | 's1' | 's2' },
  place: SeriesPlace,
): Promise<SeriesPoint[]> {
  const { rows } = await tx.raw<{ rows: SeriesPoint[] }>(
    { variantsOf: 'read_series' },
    `WITH counted AS MATERIALIZED (
       SELECT ${terms.group} AS key, ${BUCKET_NUMBER} AS bucket, sum(${terms.value}) AS value
       FROM ${rollupsFor(columnsOf(terms))} r WHERE r.kind = '${terms.kind}' AND ${terms.where} GROUP BY 1, 2 HAVING sum(${terms.value}) > 0),
     ${TOP}
     SELECT ranked.key, bucket, CAST(sum(value) AS float8) AS value FROM counted LEFT JOIN ranked USING (key)
     GROUP BY 1, 2 ORDER BY 1, 2`,
    bindingsOf(place),
  );
  return rows;
}

/**
 * The histograms of durations by group and bucket. The top groups have the most records; only their histograms are read by group. Those of
 * the rest are what is left of the histograms of all, which need not be read by an open dimension.
 */
export async function readHistogramSeries(
  tx: EnvironmentTransaction,
  terms: SeriesTerms,
  place: SeriesPlace,
): Promise<HistogramPoint[]> {
  const { kind, group, where } = terms;
  const histogramsOf = (key: string, level: string): string =>
    `SELECT ${key} AS key, ${BUCKET_NUMBER} AS bucket, ${HISTOGRAM}
     FROM ${level} r WHERE r.kind = '${kind}' AND ${where} AND histogram IS NOT NULL`;
  const rollups = rollupsFor(columnsOf(terms));
  const parted = `${histogramsOf(group, rollups)} AND ${group} = ANY (ARRAY(SELECT key FROM ranked))
       UNION ALL ${histogramsOf('NULL', rollupsFor({ [kind]: where }))}`;
  const { rows } = await tx.raw<{ rows: { key: string | null; bucket: number; histogram: string }[] }>(
    { variantsOf: 'read_histogram_series' },
    `WITH counted AS MATERIALIZED (
       SELECT ${group} AS key, sum(n) AS value FROM ${rollups} r WHERE r.kind = '${kind}' AND ${where} GROUP BY 1),
     ${TOP}
     ${addedUp(parted, ['key', 'bucket'], place.sources)}`,
    bindingsOf(place),
  );
  return withRest(rows.map(({ key, bucket, histogram }) => ({ key, bucket, counts: countsOfText(histogram) })));
}

/** Groups that the rollups hold together rank in no place: they are among the rest. */
const TOP = `ranked AS (
       SELECT key FROM counted WHERE key <> '${OTHER}' GROUP BY key ORDER BY sum(value) DESC, key LIMIT :top)`;

function columnsOf({ kind, group, where }: SeriesTerms): Partial<Record<AnalyticsKind, string>> {
  return { [kind]: `${group} ${where}` };
}

function bindingsOf({ sources, edges, top }: SeriesPlace) {
  return { ...sourceBindings(sources), edges: edgesOf({ edges }), top };
}
