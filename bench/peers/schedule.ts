/**
 * When the calls of an open loop are due, in ms from its start: a Poisson process, whose gaps are exponential, drawn
 * from the seed. The same seed makes the same arrivals for every side.
 */
export function poissonArrivals(seed: number, perSecond: number, durationMs: number): number[] {
  const random = mulberry32(seed);
  const arrivals: number[] = [];
  for (let atMs = 0; ;) {
    atMs += (-Math.log(1 - random()) * 1_000) / perSecond;
    if (atMs >= durationMs) return arrivals;
    arrivals.push(atMs);
  }
}

/** Tommy Ettinger's generator: 32 bits of state, enough for arrivals. Answers numbers from 0 to below 1. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
