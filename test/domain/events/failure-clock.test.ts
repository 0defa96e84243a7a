import { describe, expect, test } from 'vitest';
import { afterFailure, type FailureClock } from '../../../domain/events/failure-clock.ts';
import { randomFrom } from '../../harness/random.ts';

const HOUR_MS = 3_600_000;
const BEGIN_MS = Date.UTC(2026, 0, 1);
const at = (hours: number): Date => new Date(BEGIN_MS + hours * HOUR_MS);
const hoursOf = (time: Date): number => (time.getTime() - BEGIN_MS) / HOUR_MS;

/** The hours of the failures, and after which of them the subscription is disabled. */
function run(hours: readonly number[]): { disabledAt: number | null; clock: FailureClock | null } {
  let clock: FailureClock | null = null;
  for (const hour of hours) {
    const after = afterFailure(clock, at(hour));
    clock = after.clock;
    if (after.disables) return { disabledAt: hour, clock };
  }
  return { disabledAt: null, clock };
}

describe('the clock of a subscription that fails', () => {
  test.each<[what: string, hours: number[], disabledAt: number | null]>([
    ['one bad hour, and failures days later that lie alone', [0, 0.2, 0.9, 130, 200], null],
    ['two failures 12 hours apart, then one after five days', [0, 12, 120], 120],
    ['two failures 12 hours apart, then one just before five days', [0, 12, 119.99], null],
    ['two failures just less than 12 hours apart', [0, 11.99, 130], null],
    ['two failures 24 hours apart', [0, 24, 120], 120],
    ['two failures just more than 24 hours apart', [0, 24.01, 120], null],
    ['a first failure that is too old, and a pair that begins with the second', [0, 10, 26, 129.99, 130], 130],
    ['a failure every hour', Array.from({ length: 130 }, (_, hour) => hour), 120],
    ['a failure every 25 hours', Array.from({ length: 10 }, (_, n) => 25 * n), null],
  ])('%s', (_what, hours, disabledAt) => {
    expect(run(hours).disabledAt).toBe(disabledAt);
  });

  test('two settlements that come in the other order than they began take no time back', () => {
    expect(run([0, 12, 11]).clock).toEqual({ failingSince: at(0), lastFailureAt: at(12), clockRuns: true });
  });

  test('finds the pair that starts it wherever a look at all failures finds one', () => {
    const random = randomFrom(14);
    let started = 0;
    for (let round = 0; round < 5_000; round++) {
      let hour = 0;
      // Steps of all sizes: minutes within a bad hour, and more than a day.
      const hours = Array.from({ length: 8 }, () => (hour += random() < 0.5 ? random() * 4 : random() * 30));
      const isPair = (first: number, second: number): boolean => second - first >= 12 && second - first <= 24;
      const starts = hours.findIndex((second, n) => hours.slice(0, n).some((first) => isPair(first, second)));
      let clock: FailureClock | null = null;
      hours.forEach((now, n) => {
        clock = afterFailure(clock, at(now)).clock;
        expect(clock.clockRuns, `${hours.join()} at ${now}`).toBe(starts !== -1 && n >= starts);
        expect(n !== starts || isPair(hoursOf(clock.failingSince), now)).toBe(true);
      });
      if (starts !== -1) started++;
    }
    expect(started).toBeGreaterThan(1_000);
    expect(started).toBeLessThan(4_999);
  });
});
