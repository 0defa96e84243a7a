import type { AnalyticsKind } from '../../domain/analytics/kinds.ts';
import { type HistogramBucket, histogramOfText } from '../../domain/analytics/percentiles.ts';
import type { Sources } from '../../domain/analytics/sources.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { rollupsFor, sourceBindings } from './rollups.ts';

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
): Promise<ReadonlyMap<string, HistogramBucket[]>> {
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
  return new Map(found.rows.map(({ key, histogram }) => [key, histogramOfText(histogram)]));
}

/** The columns of a histogram. Who needs one of the forms reads that one. */
export const HISTOGRAM = 'buckets, counts, histogram';

/**
 * SQL that adds up the `HISTOGRAM` of these rows by these columns, to a text for `histogramOfText`. Who reads it sums it for less than
 * PostgreSQL, which would make a row of each bucket: here texts are joined. But quarters of an hour are a hundred a day: where there are no
 * days, each key has its sum.
 */
export function addedUp(rows: string, by: readonly string[], { daysFrom, daysTo }: Sources): string {
  const key = by.join(', ');
  if (daysFrom < daysTo)
    return `SELECT ${key}, string_agg(histogram, ';') AS histogram FROM (${rows}) h GROUP BY ${key} ORDER BY ${key}`;
  return `SELECT ${key}, analytics_histogram_text(array_agg(of), array_agg(n)) AS histogram FROM (
       SELECT ${key}, of, CAST(sum(CAST(n AS float8)) AS bigint) AS n FROM (
         SELECT ${key}, unnest(buckets) AS of, unnest(counts) AS n FROM (${rows}) h) u GROUP BY ${key}, of) s
     GROUP BY ${key} ORDER BY ${key}`;
}
