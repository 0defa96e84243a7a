import { DAY_MS } from './grid.ts';
import type { AnalyticsRange } from './range.ts';

/** Up to this length a trend is read from quarters of an hour alone: its parts lie on no grid. */
const QUARTERS_MAX_MS = 31 * DAY_MS;

/** Where the numbers of `[from, to)` are read: UTC days in `[daysFrom, daysTo)`, quarters of an hour before and after them. */
export interface Sources {
  from: Date;
  to: Date;
  daysFrom: Date;
  daysTo: Date;
}

/** For sums over the whole range: whole UTC days are read as days, wherever it begins. */
export function sourcesOfSum({ from, to }: Pick<AnalyticsRange, 'from' | 'to'>): Sources {
  const daysFrom = new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
  const daysTo = new Date(Math.floor(to.getTime() / DAY_MS) * DAY_MS);
  return daysFrom < daysTo ? { from, to, daysFrom, daysTo } : quartersOf({ from, to });
}

/** For a series of buckets: it is made of days where each bucket is, which those of another zone are not. */
export function sourcesOfBuckets(range: AnalyticsRange): Sources {
  const isOfDays = range.edges.every((edge) => edge % DAY_MS === 0);
  return isOfDays ? sourcesOfSum(range) : quartersOf(range);
}

/** For the parts of `equalEdges`: those of a long range are much longer than a day. */
export function sourcesOfTrend(range: Pick<AnalyticsRange, 'from' | 'to'>): Sources {
  return range.to.getTime() - range.from.getTime() <= QUARTERS_MAX_MS ? quartersOf(range) : sourcesOfSum(range);
}

function quartersOf({ from, to }: Pick<AnalyticsRange, 'from' | 'to'>): Sources {
  return { from, to, daysFrom: to, daysTo: to };
}

export function bucketsOf({ edges }: Pick<AnalyticsRange, 'edges'>): { start: string; end: string }[] {
  return edges.slice(1).map((end, index) => ({
    start: new Date(edges[index] ?? end).toISOString(),
    end: new Date(end).toISOString(),
  }));
}

/** `parts` edges of equal lengths over the range, for a trend that lies on no grid. The first is at `from`, the last at `to`. */
export function equalEdges({ from, to }: Pick<AnalyticsRange, 'from' | 'to'>, parts: number): number[] {
  const lengthMs = to.getTime() - from.getTime();
  return Array.from({ length: parts + 1 }, (_, index) => from.getTime() + Math.round((lengthMs * index) / parts));
}
