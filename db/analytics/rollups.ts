import { type AnalyticsKind, isOfTotals } from '../../domain/analytics/kinds.ts';
import type { AnalyticsRange } from '../../domain/analytics/range.ts';
import { type Sources, sourcesOfBuckets, sourcesOfSum } from '../../domain/analytics/sources.ts';
import { dayOf } from '../../domain/billing/periods.ts';

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
