import type { Metric } from './metrics.ts';
import { addCounts, type Counts, percentilesOf } from './percentiles.ts';

/** The label of what is beyond the top, and of what has no value of the group. */
const REST = 'other';
const NONE = 'none';

export interface Series {
  /** The value of the group; empty for records without one, null for the groups beyond the top. */
  key: string | null;
  label: string;
  total: number | null;
  points: (number | null)[];
}

/** Series of sums: a bucket without a record is 0. The rest stands last. */
export function seriesOfSums(
  points: readonly { key: string | null; bucket: number; value: number }[],
  buckets: number,
): Series[] {
  const series = [...byKey(points)].map(([key, of]) => {
    const values = Array.from({ length: buckets }, () => 0);
    for (const { bucket, value } of of) values[bucket] = (values[bucket] ?? 0) + value;
    return { key, label: labelOf(key), total: values.reduce((sum, value) => sum + value, 0), points: values };
  });
  return largestFirst(series, ({ total }) => total);
}

/** The durations of a group in one bucket of a range. */
export interface HistogramPoint {
  key: string | null;
  bucket: number;
  counts: Counts;
}

/** Takes from the points of all groups, whose key is null, what the points of the others have: the rest is left. */
export function withRest(points: readonly HistogramPoint[]): HistogramPoint[] {
  const rest = new Map<number, Counts>();
  for (const { key, bucket, counts } of points) {
    const left = rest.get(bucket) ?? [];
    addCounts(left, counts, key === null ? 1 : -1);
    rest.set(bucket, left);
  }
  return points.flatMap((point) => {
    if (point.key !== null) return [point];
    const counts = rest.get(point.bucket) ?? [];
    return counts.reduce((sum, n) => sum + n, 0) > 0 ? [{ ...point, counts }] : [];
  });
}

/** Series of a percentile: a bucket without a duration is null. The total is the percentile of all, the order that of their counts. */
export function seriesOfPercentiles(
  points: readonly HistogramPoint[],
  buckets: number,
  of: 'p50' | 'p95' | 'p99',
): Series[] {
  const series = [...byKey(points)].map(([key, ofKey]) => {
    const values = Array.from<number | null>({ length: buckets }).fill(null);
    const all: Counts = [];
    for (const { bucket, counts } of ofKey) {
      values[bucket] = percentilesOf(counts)?.[of] ?? null;
      addCounts(all, counts);
    }
    const whole = percentilesOf(all);
    return { key, label: labelOf(key), total: whole?.[of] ?? null, points: values, count: whole?.count ?? 0 };
  });
  return largestFirst(series, ({ count }) => count).map((counted) => {
    const { count: _, ...one } = counted;
    return one;
  });
}

export function isPercentile(of: Metric['of']): of is 'p50' | 'p95' | 'p99' {
  return of.startsWith('p');
}

function byKey<Point extends { key: string | null }>(points: readonly Point[]): Map<string | null, Point[]> {
  const series = new Map<string | null, Point[]>();
  for (const point of points) {
    const known = series.get(point.key);
    if (known === undefined) series.set(point.key, [point]);
    else known.push(point);
  }
  return series;
}

function labelOf(key: string | null): string {
  return key === null ? REST : key === '' ? NONE : key;
}

function largestFirst<One extends Series>(series: readonly One[], sizeOf: (one: One) => number): One[] {
  return series.toSorted(
    (a, b) =>
      Number(a.key === null) - Number(b.key === null) ||
      sizeOf(b) - sizeOf(a) ||
      ((a.key ?? '') < (b.key ?? '') ? -1 : 1),
  );
}
