import type { AnalyticsKind } from '../../domain/analytics/kinds.ts';
import { OTHER } from '../../domain/analytics/kinds.ts';
import { histogramOf } from '../../domain/analytics/percentiles.ts';
import { type HistogramPoint, withRest } from '../../domain/analytics/series.ts';
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
  const { daysFrom, daysTo } = place.sources;
  const { rows } = await tx.raw<{ rows: { key: string | null; bucket: number; of: string; counts: string }[] }>(
    { variantsOf: 'read_histogram_series' },
    `WITH counted AS MATERIALIZED (
       SELECT ${group} AS key, ${BUCKET_NUMBER} AS bucket, n AS value, buckets, counts
       FROM ${rollupsFor(columnsOf(terms))} r WHERE r.kind = '${kind}' AND ${where}),
     ${TOP},
     parted AS MATERIALIZED (
       SELECT key, bucket, buckets, counts FROM counted WHERE key = ANY (ARRAY(SELECT key FROM ranked)) AND buckets IS NOT NULL
       UNION ALL
       SELECT NULL, ${BUCKET_NUMBER}, buckets, counts FROM ${rollupsFor({ [kind]: where })} r
       WHERE r.kind = '${kind}' AND ${where} AND buckets IS NOT NULL)
     SELECT key, bucket, string_agg(array_to_string(buckets, ','), ',') AS of, string_agg(array_to_string(counts, ','), ',') AS counts
     FROM ${daysFrom < daysTo ? 'parted' : SUMMED} p GROUP BY 1, 2 ORDER BY 1, 2`,
    bindingsOf(place),
  );
  return withRest(
    rows.map(({ key, bucket, of, counts }) => ({
      key,
      bucket,
      histogram: histogramOf(numbersOf(of), numbersOf(counts)),
    })),
  );
}

/**
 * Quarters of an hour are a hundred a day: what they have in a bucket of the range is added up where it is read. Days are few, and
 * who reads a percentile adds up anyway.
 */
const SUMMED = `(
       SELECT key, bucket, array_agg(of) AS buckets, array_agg(n) AS counts FROM (
         SELECT key, bucket, of, sum(CAST(n AS float8)) AS n FROM (
           SELECT key, bucket, unnest(buckets) AS of, unnest(counts) AS n FROM parted) u GROUP BY 1, 2, 3) s
       GROUP BY 1, 2)`;

function numbersOf(list: string): number[] {
  return list.split(',').map(Number);
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
