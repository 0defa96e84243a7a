import type { AnalyticsKind } from '../../domain/analytics/kinds.ts';
import type { Sources } from '../../domain/analytics/sources.ts';

/** The columns of a rollup beside its time and place. */
const COLUMNS = 'kind, d1, d2, d3, n, s1, s2, first_at, last_at, samples';
const HISTOGRAM_COLUMNS = 'kind, d1, d2, d3, bucket, n';

const ofKinds = `environment_id = current_environment_id() AND kind = ANY (CAST(:kinds AS text[]))`;

/** The three branches of `Sources`. `at` is the beginning of the quarter or of the UTC day. */
const branches = (columns: string, quarters: string, days: string): string => `(
  SELECT ${columns}, quarter AS at FROM ${quarters} WHERE ${ofKinds} AND quarter >= :from AND quarter < :daysFrom
  UNION ALL SELECT ${columns}, CAST(day AS timestamp) AT TIME ZONE 'UTC' AS at FROM ${days}
    WHERE ${ofKinds} AND day >= CAST(:firstDay AS date) AND day < CAST(:dayAfter AS date)
  UNION ALL SELECT ${columns}, quarter AS at FROM ${quarters} WHERE ${ofKinds} AND quarter >= :daysTo AND quarter < :to)`;

/** A subquery over the rollups that `sourceBindings` names, for a FROM. It reads quarters or days, never both of one time. */
export const ROLLUPS = branches(COLUMNS, 'analytics_rollups', 'analytics_days');
/** The same of the histograms: `bucket` is that of the duration. */
export const HISTOGRAMS = branches(HISTOGRAM_COLUMNS, 'analytics_histograms', 'analytics_day_histograms');

/** The bindings of `ROLLUPS` and `HISTOGRAMS`. */
export function sourceBindings(kinds: readonly AnalyticsKind[], { from, to, daysFrom, daysTo }: Sources) {
  return { kinds, from, to, daysFrom, daysTo, firstDay: dayOf(daysFrom), dayAfter: dayOf(daysTo) };
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** The number of the bucket that a rollup is in, from 0. For a statement that binds `edges: edgeTimes(range)`. */
export const BUCKET_NUMBER = '(width_bucket(r.at, CAST(:edges AS timestamptz[])) - 1)';

export function edgeTimes({ edges }: { edges: readonly number[] }): Date[] {
  return edges.map((edge) => new Date(edge));
}
