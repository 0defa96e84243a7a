import { RELATIVE_ERROR, valueOf } from './histogram.ts';

/** What stands beside each group of percentiles. */
export const APPROXIMATE = { relativeError: RELATIVE_ERROR } as const;

export interface HistogramBucket {
  bucket: number;
  n: number;
}

/** The histogram of two arrays of equal length, as the rollups have it. */
export function histogramOf(buckets: readonly number[], counts: readonly number[]): HistogramBucket[] {
  return buckets.map((bucket, index) => ({ bucket, n: counts[index] ?? 0 }));
}

/** In milliseconds. `max` is of its bucket too: a correction subtracts, and an exact maximum cannot. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
  max: number;
  count: number;
}

/** Returns null for an empty histogram. The buckets come in any order, and one may come several times. */
export function percentilesOf(histogram: readonly HistogramBucket[]): Percentiles | null {
  const counted = new Map<number, number>();
  for (const { bucket, n } of histogram) counted.set(bucket, (counted.get(bucket) ?? 0) + n);
  const ordered = [...counted].filter(([, n]) => n > 0).toSorted(([a], [b]) => a - b);
  const [last] = ordered.at(-1) ?? [];
  if (last === undefined) return null;
  const count = ordered.reduce((sum, [, n]) => sum + n, 0);
  const at = (quantile: number): number => rounded(valueOf(bucketAt(ordered, quantile * (count - 1)) ?? last));
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: rounded(valueOf(last)), count };
}

/** The bucket that holds the value of this rank, from 0. */
function bucketAt(ordered: readonly (readonly [number, number])[], rank: number): number | undefined {
  let before = 0;
  return ordered.find(([, n]) => (before += n) > rank)?.[0];
}

/** To a tenth of a millisecond: what is behind it is not known. */
function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
