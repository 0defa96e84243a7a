import { localTime } from '../local-time.ts';

/** The lengths of a bucket, the shortest first. */
export const INTERVALS = ['15m', 'hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const WEEK_DAYS = 7;
/** 1970-01-01 was a Thursday: three days after the Monday of its week. */
const THURSDAY_AFTER_MONDAY_DAYS = 3;
/** Intervals below a day have the same length everywhere, and begin at full quarters or hours of UTC. */
const FIXED_MS: Partial<Record<Interval, number>> = { '15m': 15 * MINUTE_MS, hour: HOUR_MS };

/** A grid of buckets. `timezone` counts for days, weeks and months, which begin at local midnight. */
export interface Grid {
  interval: Interval;
  /** An IANA name. */
  timezone: string;
}

/** The edges of the buckets that cover `[fromMs, toMs)`. Local days have 23 or 25 hours where the clocks change. */
export function edgesOf(grid: Grid, fromMs: number, toMs: number): number[] {
  const fixedMs = FIXED_MS[grid.interval];
  if (fixedMs !== undefined) {
    const first = Math.floor(fromMs / fixedMs) * fixedMs;
    return Array.from({ length: Math.ceil((toMs - first) / fixedMs) + 1 }, (_, index) => first + index * fixedMs);
  }
  let civil = civilStart(grid.interval, localTime(grid.timezone, fromMs));
  const edges = [instantOf(grid.timezone, civil)];
  for (let last = edges[0] ?? toMs; last < toMs;) {
    civil = civilNext(grid.interval, civil);
    const edge = instantOf(grid.timezone, civil);
    if (edge > last) edges.push(edge); // a day that a zone left out has no length
    last = edge;
  }
  return edges;
}

/** How many buckets that are, without making the short ones. */
export function bucketCount(grid: Grid, fromMs: number, toMs: number): number {
  const fixedMs = FIXED_MS[grid.interval];
  if (fixedMs === undefined) return edgesOf(grid, fromMs, toMs).length - 1;
  return Math.ceil(toMs / fixedMs) - Math.floor(fromMs / fixedMs);
}

/** The start of the local day, week (from Monday, ISO 8601) or month, in the form of `localTime`. */
function civilStart(interval: Interval, civilMs: number): number {
  const day = Math.floor(civilMs / DAY_MS);
  if (interval === 'day') return day * DAY_MS;
  if (interval === 'week') {
    const weekday = (((day + THURSDAY_AFTER_MONDAY_DAYS) % WEEK_DAYS) + WEEK_DAYS) % WEEK_DAYS;
    return (day - weekday) * DAY_MS;
  }
  const date = new Date(civilMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

function civilNext(interval: Interval, civilMs: number): number {
  if (interval === 'day') return civilMs + DAY_MS;
  if (interval === 'week') return civilMs + WEEK_DAYS * DAY_MS;
  const date = new Date(civilMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
}

/** The first instant of this midnight or later. Zones change once between the day before and the day after. */
function instantOf(timezone: string, civilMs: number): number {
  if (timezone === 'UTC') return civilMs;
  const offsetAt = (atMs: number): number => localTime(timezone, atMs) - atMs;
  const [earlier, later] = [civilMs - offsetAt(civilMs - DAY_MS), civilMs - offsetAt(civilMs + DAY_MS)];
  const first = Math.min(earlier, later);
  return localTime(timezone, first) >= civilMs ? first : Math.max(earlier, later);
}
