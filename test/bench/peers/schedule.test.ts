import { describe, expect, it } from 'vitest';
import { poissonArrivals } from '../../../bench/peers/schedule.ts';

const RATE = 40;
const LONG_MS = 500_000;

describe('poissonArrivals', () => {
  it('draws the same arrivals from the same seed, and others from another', () => {
    expect(poissonArrivals(42, RATE, 10_000)).toEqual(poissonArrivals(42, RATE, 10_000));
    expect(poissonArrivals(43, RATE, 10_000)).not.toEqual(poissonArrivals(42, RATE, 10_000));
  });

  it('begins a longer run with the arrivals of a shorter one', () => {
    const short = poissonArrivals(42, RATE, 1_000);
    expect(poissonArrivals(42, RATE, 10_000).slice(0, short.length)).toEqual(short);
  });

  it('keeps to the time, in order, at the rate that was asked for', () => {
    const arrivals = poissonArrivals(7, RATE, LONG_MS);
    expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b));
    expect(arrivals.at(-1)).toBeLessThan(LONG_MS);
    expect(arrivals.length / (LONG_MS / 1_000) / RATE).toBeCloseTo(1, 1);
  });

  it('has the gaps of a Poisson process: a share of 1/e is longer than their mean, and they vary as much as it', () => {
    const arrivals = poissonArrivals(7, RATE, LONG_MS);
    const gaps = arrivals.map((at, index) => at - (arrivals[index - 1] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    expect(gaps.filter((gap) => gap > mean).length / gaps.length).toBeCloseTo(1 / Math.E, 1.5);
    expect(Math.sqrt(variance) / mean).toBeCloseTo(1, 1);
  });
});
