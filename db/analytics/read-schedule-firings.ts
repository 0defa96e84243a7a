import type { HistogramBucket } from '../../domain/analytics/percentiles.ts';
import type { AnalyticsRange } from '../../domain/analytics/range.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { sumBoundsOf, HISTOGRAMS, ROLLUPS } from './rollups.ts';

/** What became of a schedule in a range. */
export interface ScheduleFirings {
  published: number;
  skipped: number;
  failed: number;
  missed: number;
  /** From slot to message, of the published ones. */
  lateness: HistogramBucket[];
  /** Messages of its firings that ended in the range. */
  delivery: { delivered: number; failed: number };
}

const NOTHING = { published: 0, skipped: 0, failed: 0, missed: 0 };

/** The firings of each of these schedules; one that did nothing in the range has zeros. */
export async function readScheduleFirings(
  tx: EnvironmentTransaction,
  range: AnalyticsRange,
  scheduleIds: readonly string[],
): Promise<(scheduleId: string) => ScheduleFirings> {
  const bounds = { ...sumBoundsOf(range), scheduleIds };
  const [counted, lateness] = await tx.inOrder(
    () =>
      tx.raw<{ rows: { id: string; kind: string; outcome: string; n: number }[] }>(
        'read_schedule_firings',
        `SELECT r.d2 AS id, r.kind, r.d1 AS outcome, sum(r.n)::float8 AS n FROM ${ROLLUPS} r
       WHERE r.kind IN ('schedules.fired', 'schedules.delivery') AND r.d2 = ANY (:scheduleIds) GROUP BY 1, 2, 3`,
        bounds,
      ),
    () =>
      tx.raw<{ rows: (HistogramBucket & { id: string })[] }>(
        'read_schedule_firings_2',
        `SELECT r.d2 AS id, r.bucket, sum(r.n)::float8 AS n FROM ${HISTOGRAMS} r
       WHERE r.kind = 'schedules.fired' AND r.d2 = ANY (:scheduleIds) GROUP BY 1, 2`,
        bounds,
      ),
  );
  const found = new Map<string, ScheduleFirings>();
  const of = (id: string): ScheduleFirings => {
    const known = found.get(id) ?? { ...NOTHING, lateness: [], delivery: { delivered: 0, failed: 0 } };
    found.set(id, known);
    return known;
  };
  for (const { id, kind, outcome, n } of counted.rows) {
    if (kind === 'schedules.delivery') {
      if (outcome === 'delivered' || outcome === 'failed') of(id).delivery[outcome] = n;
    } else if (Object.hasOwn(NOTHING, outcome)) of(id)[outcome as keyof typeof NOTHING] = n;
  }
  for (const { id, bucket, n } of lateness.rows) of(id).lateness.push({ bucket, n });
  return of;
}
