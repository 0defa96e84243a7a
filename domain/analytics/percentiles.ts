import { RELATIVE_ERROR, valueOf } from './histogram.ts';

/** What stands beside each group of percentiles. */
export const APPROXIMATE = { relativeError: RELATIVE_ERROR } as const;

export interface HistogramBucket {
  bucket: number;
  n: number;
}

/** How many durations each bucket has, at the bucket's number. */
export type Counts = number[];

export function countsOf(histogram: readonly HistogramBucket[]): Counts {
  const counts: Counts = [];
  for (const { bucket, n } of histogram) add(counts, bucket, n);
  return counts;
}

/** Adds other counts, or takes them away. */
export function addCounts(counts: Counts, others: Counts, sign: 1 | -1 = 1): void {
  others.forEach((n, bucket) => add(counts, bucket, sign * n));
}

function add(counts: Counts, bucket: number, n: number): void {
  while (counts.length <= bucket) counts.push(0);
  counts[bucket] = (counts[bucket] ?? 0) + n;
}

const [ZERO, COMMA, MINUS, SEMICOLON] = [0x30, 0x2c, 0x2d, 0x3b];

/**
 * The sum of the histograms of a text as rollups have it, `buckets;counts`, any number of them behind each other: `3,7;12,1;3;-5`. The text
 * of a quarter has a hundred thousand numbers: to split it, or to make an object of each bucket, costs several times as much.
 */
export function countsOfText(text: string): Counts {
  const counts: Counts = [];
  const buckets: number[] = [];
  let [number, sign] = [0, 1];
  let isCounts = false;
  // Where the counts that are read belong.
  let place = 0;
  const take = (): void => {
    if (isCounts) add(counts, buckets[place++] ?? 0, sign * number);
    else buckets.push(number);
    [number, sign] = [0, 1];
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === MINUS) sign = -1;
    else if (code !== COMMA && code !== SEMICOLON) number = number * 10 + code - ZERO;
    else {
      take();
      if (code === SEMICOLON) isCounts = !isCounts;
    }
  }
  if (text !== '') take();
  return counts;
}

/** In milliseconds. `max` is of its bucket too: a correction subtracts, and an exact maximum cannot. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
  max: number;
  count: number;
}

/** Returns null where no bucket has a duration. */
export function percentilesOf(counts: Counts): Percentiles | null {
  let [count, last] = [0, -1];
  for (let bucket = 0; bucket < counts.length; bucket += 1) {
    const n = counts[bucket] ?? 0;
    if (n <= 0) continue;
    count += n;
    last = bucket;
  }
  if (last < 0) return null;
  const at = (quantile: number): number => rounded(valueOf(bucketAt(counts, quantile * (count - 1)) ?? last));
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: rounded(valueOf(last)), count };
}

/** The bucket that holds the value of this rank, from 0. */
function bucketAt(counts: Counts, rank: number): number | undefined {
  let before = 0;
  for (let bucket = 0; bucket < counts.length; bucket += 1) {
    before += Math.max(0, counts[bucket] ?? 0);
    if (before > rank) return bucket;
  }
  return undefined;
}

/** To a tenth of a millisecond: what is behind it is not known. */
function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
