import { describe, expect, it } from 'vitest';
import { bucketOf } from '../../../domain/analytics/histogram.ts';
import { countsOf, countsOfText, percentilesOf } from '../../../domain/analytics/percentiles.ts';

const SIZE = 20_000;

/** A generator of its own, so that a run is like any other. */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

const normal = (next: () => number): number => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());

/** Durations in ms. */
const DISTRIBUTIONS: Record<string, (next: () => number) => number> = {
  constant: () => 250,
  uniform: (next) => 1 + next() * 10_000,
  'narrow uniform': (next) => 95 + next() * 10,
  exponential: (next) => 1 - 200 * Math.log(next()),
  'log-normal': (next) => Math.exp(5 + normal(next)),
  'wide log-normal': (next) => Math.exp(6 + 2.5 * normal(next)),
  Pareto: (next) => 10 / next() ** (1 / 1.5),
  'two humps': (next) => (next() < 0.7 ? 20 + 2 * Math.abs(normal(next)) : 3_000 + 100 * Math.abs(normal(next))),
  Weibull: (next) => 1 + 500 * (-Math.log(next())) ** (1 / 0.7),
  'normal with a tail': (next) =>
    next() < 0.98 ? 120 + 10 * Math.min(5, Math.abs(normal(next))) : 5_000 + 55_000 * next(),
};

/** As PostgreSQL's `percentile_cont`. */
function exact(sorted: readonly number[], quantile: number): number {
  const at = quantile * (sorted.length - 1);
  const [below = 0, above = 0] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return below + (above - below) * (at - Math.floor(at));
}

describe('percentiles', () => {
  it.each(Object.entries(DISTRIBUTIONS))(
    'of a distribution that is %s are at most 5 % from the exact ones',
    (name, draw) => {
      const next = uniform(name.length);
      const durations = Array.from({ length: SIZE }, () => draw(next)).toSorted((a, b) => a - b);
      const found = percentilesOf(countsOf(durations.map((ms) => ({ bucket: bucketOf(ms), n: 1 }))));
      const errorOf = (value: number, of: number): number => Math.abs(value - of) / of;
      expect(found?.count).toBe(SIZE);
      expect(errorOf(found?.p50 ?? 0, exact(durations, 0.5))).toBeLessThan(0.051);
      expect(errorOf(found?.p95 ?? 0, exact(durations, 0.95))).toBeLessThan(0.051);
      expect(errorOf(found?.p99 ?? 0, exact(durations, 0.99))).toBeLessThan(0.051);
      expect(errorOf(found?.max ?? 0, durations.at(-1) ?? 0)).toBeLessThan(0.051);
    },
  );

  it('are none of nothing, and of what was taken back', () => {
    expect(percentilesOf([])).toBeNull();
    expect(
      percentilesOf(
        countsOf([
          { bucket: 7, n: 1 },
          { bucket: 7, n: -1 },
        ]),
      ),
    ).toBeNull();
  });

  it('are read of a text that joins several histograms, with what corrections took back', () => {
    const counts = countsOfText('3,102;12,1;3,0;-5,7');
    expect([counts.length, counts[0], counts[3], counts[102]]).toEqual([103, 7, 7, 1]);
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(15);
    expect(countsOfText('')).toEqual([]);
  });

  it('are those of the one duration there is', () => {
    const only = { p50: 100, p95: 100, p99: 100, max: 100, count: 1 };
    const found = percentilesOf(countsOf([{ bucket: bucketOf(100), n: 1 }]));
    for (const [name, value] of Object.entries(only)) expect(Reflect.get(found ?? {}, name) / value).toBeCloseTo(1, 1);
  });
});
