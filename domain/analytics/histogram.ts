/** Durations in buckets that grow by a factor (DDSketch): they add exactly, percentiles are 5 % off at most. */
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
