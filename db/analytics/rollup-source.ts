import type { AnalyticsRange } from '../../domain/analytics/range.ts';

/** Longer ranges are read by days where their buckets are whole UTC days: 96 times fewer rows. */
const QUARTERS_MAX = 31 * 96;
const QUARTER_MS = 15 * 60_000;
const DAY_MS = 86_400_000;

/** The rows of a range as items of a FROM clause. Both have the columns of the rollups, and `at`, the start of the quarter or day. */
export interface RollupSource {
  rollups: string;
  histograms: string;
}

const OWN = 'environment_id = current_environment_id()';

function byQuarters(table: string): string {
  return `(SELECT *, quarter AS at FROM ${table} WHERE ${OWN} AND quarter >= :from AND quarter < :to)`;
}

function byDays(table: string): string {
  const day = (name: string): string => `CAST(CAST(:${name} AS timestamptz) AT TIME ZONE 'UTC' AS date)`;
  return `(SELECT *, day::timestamp AT TIME ZONE 'UTC' AS at FROM ${table} WHERE ${OWN} AND day >= ${day('from')} AND day < ${day('to')})`;
}

const QUARTERS: RollupSource = {
  rollups: byQuarters('analytics_rollups'),
  histograms: byQuarters('analytics_histograms'),
};
const DAYS: RollupSource = { rollups: byDays('analytics_days'), histograms: byDays('analytics_day_histograms') };

/** For a statement that binds `from` and `to`. */
export function rollupsOf({ from, to, edges }: Pick<AnalyticsRange, 'from' | 'to' | 'edges'>): RollupSource {
  const isLong = to.getTime() - from.getTime() > QUARTERS_MAX * QUARTER_MS;
  return isLong && edges.every((edge) => edge % DAY_MS === 0) ? DAYS : QUARTERS;
}

/** The number of the bucket that `at` is in, from 0. For a statement that binds `edges`, in ISO 8601. */
export const BUCKET_NUMBER = '(width_bucket(r.at, CAST(:edges AS timestamptz[])) - 1)';

/** What each of these statements binds. */
export function boundsOf({ from, to }: Pick<AnalyticsRange, 'from' | 'to'>): { from: Date; to: Date } {
  return { from, to };
}

export function edgesOf({ edges }: Pick<AnalyticsRange, 'edges'>): string[] {
  return edges.map((edge) => new Date(edge).toISOString());
}
