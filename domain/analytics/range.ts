import { isTimeZone } from '../impact-limits/period.ts';
import { bucketCount, DAY_MS, edgesOf, type Grid, type Interval, INTERVALS } from './grid.ts';

/** The longest range. Rollups are kept as long. */
export const RANGE_DAYS_MAX = 400;
/** As many local days are an hour longer where the clocks change between. */
const CLOCK_CHANGE_MS = 60 * 60_000;
export const BUCKETS_MAX = 400;
export const RANGE_DEFAULT_MS = DAY_MS;

/** `auto` takes the first of these whose range is long enough, else a week. */
const AUTO: readonly { daysMax: number; interval: Interval }[] = [
  { daysMax: 1, interval: '15m' },
  { daysMax: 7, interval: 'hour' },
  { daysMax: 92, interval: 'day' },
];

export interface AskedRange {
  from?: Date | undefined;
  to?: Date | undefined;
  interval: Interval | 'auto';
  /** An IANA name that `isTimeZone` knows. */
  timezone: string;
}

export interface RangeBounds {
  now: Date;
  workspaceSince: Date;
  defaultMs: number;
}

/** A range as it is answered: half-open, its bounds on the grid. */
export interface AnalyticsRange extends Grid {
  from: Date;
  to: Date;
  /** The edges of its buckets, one more than there are buckets. */
  edges: readonly number[];
}

export interface RangeIssue {
  name: 'from' | 'to' | 'interval';
  message: string;
}

export { isTimeZone };

/** The requested range, cut at now and the workspace's beginning, then moved outward to the grid. */
export function resolveRange(asked: AskedRange, bounds: RangeBounds): AnalyticsRange | RangeIssue {
  const nowMs = bounds.now.getTime();
  const toMs = Math.min(asked.to?.getTime() ?? nowMs, nowMs);
  const fromMs = asked.from?.getTime() ?? toMs - bounds.defaultMs;
  const issue = issueOf(asked, { fromMs, toMs }, bounds);
  if (issue !== null) return issue;
  const cutMs = Math.max(fromMs, bounds.workspaceSince.getTime());
  const interval = asked.interval === 'auto' ? autoInterval(toMs - cutMs) : asked.interval;
  const grid = { interval, timezone: isShort(interval) ? 'UTC' : asked.timezone };
  const count = bucketCount(grid, cutMs, toMs);
  if (count > BUCKETS_MAX) {
    const fitting = INTERVALS.find((one) => bucketCount({ ...grid, interval: one }, cutMs, toMs) <= BUCKETS_MAX);
    const message = `makes ${count} buckets of this range, and at most ${BUCKETS_MAX} are answered: the smallest interval that fits is ${fitting}`;
    return { name: 'interval', message };
  }
  const edges = edgesOf(grid, cutMs, toMs);
  return { ...grid, from: new Date(edges[0] ?? cutMs), to: new Date(edges.at(-1) ?? toMs), edges };
}

export function isRangeIssue(range: AnalyticsRange | RangeIssue): range is RangeIssue {
  return 'message' in range;
}

/** The range of equal length before this one. It lies on no grid where months or changed clocks are not of equal length. */
export function precedingRange({ from, to }: Pick<AnalyticsRange, 'from' | 'to'>): { from: Date; to: Date } {
  return { from: new Date(2 * from.getTime() - to.getTime()), to: from };
}

function issueOf(
  asked: AskedRange,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  { now, workspaceSince }: RangeBounds,
): RangeIssue | null {
  if (asked.from !== undefined && asked.to !== undefined && asked.from >= asked.to)
    return { name: 'from', message: `must be before to (${asked.to.toISOString()})` };
  if (fromMs >= now.getTime()) return { name: 'from', message: `is not in the past: it is now ${now.toISOString()}` };
  if (toMs <= workspaceSince.getTime())
    return { name: 'to', message: `is before the workspace was made (${workspaceSince.toISOString()})` };
  if (toMs - fromMs <= RANGE_DAYS_MAX * DAY_MS + CLOCK_CHANGE_MS) return null;
  const days = Math.ceil((toMs - fromMs) / DAY_MS);
  return { name: 'from', message: `is ${days} days before to: a range has at most ${RANGE_DAYS_MAX}` };
}

function autoInterval(lengthMs: number): Interval {
  return AUTO.find(({ daysMax }) => lengthMs <= daysMax * DAY_MS)?.interval ?? 'week';
}

function isShort(interval: Interval): boolean {
  return interval === '15m' || interval === 'hour';
}
