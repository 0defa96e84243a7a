import { describe, expect, test } from 'vitest';
import {
  nextReadDelayMs,
  nextReversalReadDelayMs,
  PENDING_READ_INTERVAL_MS,
  PENDING_READS_MAX,
  readsPassed,
  REVERSAL_READ_INTERVAL_MS,
  REVERSAL_READS_MAX,
  UNKNOWN_READ_TIMES_MS,
} from '../../../domain/reconciliation/schedule.ts';

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];
const LOWEST = 0;
const MIDDLE = 0.5;
const HIGHEST = 1 - Number.EPSILON;

describe('an unknown outcome', () => {
  // docs/reconciliation.md, "When it reads": 5 s, 30 s, 2 m, 10 m, 30 m, 1 h, 2 h, 4 h, 8 h, 16 h, 24 h, ±20 %.
  const times = [
    5 * SECOND_MS,
    30 * SECOND_MS,
    2 * MINUTE_MS,
    10 * MINUTE_MS,
    30 * MINUTE_MS,
    HOUR_MS,
    2 * HOUR_MS,
    4 * HOUR_MS,
    8 * HOUR_MS,
    16 * HOUR_MS,
    24 * HOUR_MS,
  ];

  test('is read at the times of the decision', () => {
    expect(UNKNOWN_READ_TIMES_MS).toEqual(times);
  });

  test.each(times.map((at, reads) => ({ at, reads })))(
    'read $reads is due at $at ms, a fifth earlier or later',
    ({ at, reads }) => {
      const due = (random: number): number | null => nextReadDelayMs({ pending: false, reads, elapsedMs: 0 }, random);
      expect(due(LOWEST)).toBe(at * 0.8);
      expect(due(MIDDLE)).toBe(at);
      expect(due(HIGHEST)).toBe(at * 1.2);
    },
  );

  test('every random number stays within the bounds, and they are used to the full', () => {
    const delays = Array.from({ length: 1_000 }, (_, i) =>
      nextReadDelayMs({ pending: false, reads: 3, elapsedMs: 0 }, i / 1_000),
    ).map(Number);
    expect(Math.min(...delays)).toBe(8 * MINUTE_MS);
    expect(Math.max(...delays)).toBeGreaterThan(11.9 * MINUTE_MS);
    expect(Math.max(...delays)).toBeLessThanOrEqual(12 * MINUTE_MS);
  });

  test('what has passed since the unknown is taken off, and a read that is overdue is due now', () => {
    const state = { pending: false, reads: 1 };
    expect(nextReadDelayMs({ ...state, elapsedMs: 6 * SECOND_MS }, MIDDLE)).toBe(24 * SECOND_MS);
    expect(nextReadDelayMs({ ...state, elapsedMs: 2 * HOUR_MS }, MIDDLE)).toBe(0);
  });

  test('after the last read there is none', () => {
    const last = times.length - 1;
    expect(nextReadDelayMs({ pending: false, reads: last, elapsedMs: 0 }, MIDDLE)).not.toBeNull();
    for (const reads of [times.length, times.length + 1, 1_000]) {
      expect(nextReadDelayMs({ pending: false, reads, elapsedMs: 0 }, MIDDLE)).toBeNull();
    }
  });
});

describe('what the provider is still at', () => {
  test('is read daily, a fifth earlier or later, whatever has passed', () => {
    for (const elapsedMs of [0, 40 * HOUR_MS]) {
      const due = (random: number): number | null => nextReadDelayMs({ pending: true, reads: 3, elapsedMs }, random);
      expect([due(LOWEST), due(MIDDLE), due(HIGHEST)]).toEqual(
        [0.8, 1, 1.2].map((part) => part * PENDING_READ_INTERVAL_MS),
      );
    }
  });

  test('is read to thirty days', () => {
    expect(PENDING_READ_INTERVAL_MS * PENDING_READS_MAX).toBe(30 * 24 * HOUR_MS);
    expect(nextReadDelayMs({ pending: true, reads: PENDING_READS_MAX - 1, elapsedMs: 0 }, MIDDLE)).not.toBeNull();
    expect(nextReadDelayMs({ pending: true, reads: PENDING_READS_MAX, elapsedMs: 0 }, MIDDLE)).toBeNull();
  });
});

describe('a schedule that is taken up again', () => {
  test.each([
    [0, 0],
    [4_999, 0],
    [5_000, 1],
    [HOUR_MS, 6],
    [16 * HOUR_MS, 10],
    [24 * HOUR_MS, 10],
    [90 * 24 * HOUR_MS, 10],
  ])(
    'after %i ms of an unknown goes on with read %i: none is made up, the last one is always left',
    (elapsedMs, read) => {
      expect(readsPassed(false, elapsedMs)).toBe(read);
    },
  );

  test.each([
    [HOUR_MS, 0],
    [25 * HOUR_MS, 1],
    [29 * 24 * HOUR_MS, 29],
    [300 * 24 * HOUR_MS, 29],
  ])('after %i ms at the provider goes on with day %i', (elapsedMs, read) => {
    expect(readsPassed(true, elapsedMs)).toBe(read);
  });
});

test('what may be reversed is read daily for thirty days', () => {
  const due = (random: number): number | null => nextReversalReadDelayMs(0, random);
  expect([due(LOWEST), due(MIDDLE), due(HIGHEST)]).toEqual(
    [0.8, 1, 1.2].map((part) => part * REVERSAL_READ_INTERVAL_MS),
  );
  expect(nextReversalReadDelayMs(REVERSAL_READS_MAX - 1, MIDDLE)).not.toBeNull();
  expect(nextReversalReadDelayMs(REVERSAL_READS_MAX, MIDDLE)).toBeNull();
  expect(REVERSAL_READS_MAX * REVERSAL_READ_INTERVAL_MS).toBe(30 * 24 * HOUR_MS);
});
