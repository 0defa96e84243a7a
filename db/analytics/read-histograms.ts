import type { AnalyticsKind } from '../../domain/analytics/kinds.ts';
import { type HistogramBucket, histogramOf } from '../../domain/analytics/percentiles.ts';
import type { Sources } from '../../domain/analytics/sources.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { histogramsFor, sourceBindings } from './rollups.ts';

export interface HistogramTerms {
  kind: AnalyticsKind;
  /** SQL of the key over the columns of a rollup; a constant of the code. */
  group: string;
  /** Only these keys. By default all. */
  keys?: readonly string[];
}

/** The durations of a kind over the whole of the sources, by key. */
export async function readHistograms(
  tx: EnvironmentTransaction,
  sources: Sources,
  { kind, group, keys }: HistogramTerms,
): Promise<ReadonlyMap<string, HistogramBucket[]>> {
  const { rows } = await tx.raw<{ rows: { key: string; of: number[]; counts: number[] }[] }>(
    { variantsOf: 'read_histograms' },
    `SELECT key, array_agg(CAST(bucket AS int)) AS of, array_agg(CAST(n AS float8)) AS counts
     FROM (SELECT ${group} AS key, bucket, sum(n) AS n FROM ${histogramsFor({ [kind]: group })} r
       WHERE kind = :kind AND (CAST(:keys AS text[]) IS NULL OR ${group} = ANY (CAST(:keys AS text[])))
       GROUP BY 1, 2 HAVING sum(n) > 0) h GROUP BY key`,
    { ...sourceBindings(sources), kind, keys: keys ?? null },
  );
  return new Map(rows.map(({ key, of, counts }) => [key, histogramOf(of, counts)]));
}
