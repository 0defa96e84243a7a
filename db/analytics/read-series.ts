import type { AnalyticsKind } from '../../domain/analytics/kinds.ts';
import { OTHER } from '../../domain/analytics/kinds.ts';
import { histogramOfText } from '../../domain/analytics/percentiles.ts';
import { type HistogramPoint, withRest } from '../../domain/analytics/series.ts';
import type { Sources } from '../../domain/analytics/sources.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { addedUp, HISTOGRAM } from './read-histograms.ts';
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
  return withRest(rows.map(({ key, bucket, histogram }) => ({ key, bucket, histogram: histogramOfText(histogram) })));
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
