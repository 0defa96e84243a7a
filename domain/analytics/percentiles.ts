import { RELATIVE_ERROR, valueOf } from './histogram.ts';

/** What stands beside each group of percentiles. */
export const APPROXIMATE = { relativeError: RELATIVE_ERROR } as const;

export interface HistogramBucket {
  bucket: number;
  n: number;
}

const [ZERO, COMMA, MINUS, SEMICOLON] = [0x30, 0x2c, 0x2d, 0x3b];

/**
 * The histograms of a text as rollups have it, `buckets;counts`, any number of them behind each other: `3,7;12,1;3;-5`. The text of a quarter
 * has a hundred thousand numbers, and to split it costs ten times as much.
 */
export function histogramOfText(text: string): HistogramBucket[] {
  const histogram: HistogramBucket[] = [];
  let [number, sign] = [0, 1];
  let isCounts = false;
  // Where the counts that are read belong.
  let place = 0;
  const take = (): void => {
    const of = isCounts ? histogram[place++] : undefined;
    if (of === undefined) histogram.push({ bucket: sign * number, n: 0 });
    else of.n = sign * number;
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
  return histogram;
}

/** In milliseconds. `max` is of its bucket too: a correction subtracts, and an exact maximum cannot. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
  max: number;
  count: number;
}

/** How many durations each bucket has, at the bucket's number. Sums of many histograms are made so, without an object for each bucket. */
export type Counts = number[];

/** Adds a histogram to counts, or takes it from them. */
export function addTo(counts: Counts, histogram: readonly HistogramBucket[], sign: 1 | -1 = 1): Counts {
  for (const { bucket, n } of histogram) {
    for (let at = counts.length; at <= bucket; at += 1) counts.push(0);
    counts[bucket] = (counts[bucket] ?? 0) + sign * n;
  }
  return counts;
}

/** Returns null for an empty histogram. The buckets come in any order, and one may come several times. */
export function percentilesOf(histogram: readonly HistogramBucket[]): Percentiles | null {
  return percentilesOfCounts(addTo([], histogram));
}

/** Returns null where no bucket has a duration. */
export function percentilesOfCounts(counts: Counts): Percentiles | null {
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
