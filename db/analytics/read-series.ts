import type { AnalyticsKind } from '../../domain/analytics/kinds.ts';
import { OTHER } from '../../domain/analytics/kinds.ts';
import type { HistogramBucket } from '../../domain/analytics/percentiles.ts';
import type { Sources } from '../../domain/analytics/sources.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { BUCKET_NUMBER, edgesOf, rollupsFor, sourceBindings } from './rollups.ts';

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

/** A group's durations in one bucket. */
export interface HistogramPoint {
  key: string | null;
  bucket: number;
  histogram: HistogramBucket[];
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
  const { rows } = await tx.raw<{ rows: { key: string | null; bucket: number; of: number[]; counts: number[] }[] }>(
    `WITH counted AS MATERIALIZED (
       SELECT ${group} AS key, ${BUCKET_NUMBER} AS bucket, n AS value, buckets, counts
       FROM ${rollupsFor(columnsOf(terms))} r WHERE r.kind = '${kind}' AND ${where}),
     ${TOP},
     named AS MATERIALIZED (
       SELECT key, bucket, of, sum(CAST(n AS float8)) AS n FROM (
         SELECT key, bucket, unnest(buckets) AS of, unnest(counts) AS n FROM counted WHERE key = ANY (ARRAY(SELECT key FROM ranked))) c
       GROUP BY 1, 2, 3),
     summed AS MATERIALIZED (
       SELECT ${BUCKET_NUMBER} AS bucket, buckets, counts FROM ${rollupsFor({ [kind]: where })} r WHERE r.kind = '${kind}' AND ${where}),
     parted AS (
       SELECT * FROM named
       UNION ALL
       SELECT NULL, bucket, of, sum(n) FROM (
         SELECT bucket, unnest(buckets) AS of, CAST(unnest(counts) AS float8) AS n FROM summed UNION ALL SELECT bucket, of, -n FROM named) a
       GROUP BY 2, 3)
     SELECT key, bucket, array_agg(CAST(of AS int)) AS of, array_agg(CAST(n AS int)) AS counts
     FROM parted WHERE n > 0 GROUP BY 1, 2 ORDER BY 1, 2`,
    bindingsOf(place),
  );
  return rows.map(({ key, bucket, of, counts }) => ({
    key,
    bucket,
    histogram: of.map((one, index) => ({ bucket: one, n: counts[index] ?? 0 })),
  }));
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
