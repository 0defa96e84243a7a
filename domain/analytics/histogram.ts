/**
 * Durations in buckets that grow by a factor (the rule of DDSketch), so that histograms can be added and subtracted exactly. Any percentile
 * that is read from one is at most 5 % off.
 */
export const RELATIVE_ERROR = 0.05;
/** (1 + α) / (1 - α) for α = 5 %, rounded down. */
const GAMMA = 1.105;

/** The bucket of a duration. Bucket 0 has everything up to 1 ms. */
export function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.ceil(Math.log(ms) / Math.log(GAMMA));
}

/** The duration that stands for a bucket, in ms: in the middle of its bounds, by relative distance. */
export function valueOf(bucket: number): number {
  return bucket <= 0 ? 1 : (2 * GAMMA ** bucket) / (GAMMA + 1);
}
