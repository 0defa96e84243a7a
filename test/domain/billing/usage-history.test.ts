import { describe, expect, it } from 'vitest';
import { historyRange, monthsOf, sumOf } from '../../../domain/billing/usage-history.ts';

const now = new Date('2026-11-26T23:59:59.999Z');
const workspaceSince = new Date('2024-02-28T10:00:00.000Z');
const range = (from?: string, to?: string) =>
  historyRange({ ...(from && { from }), ...(to && { to }) }, { now, workspaceSince });

describe('the range of a usage history', () => {
  it.each([
    ['today and the 29 days before without a range', undefined, undefined, '2026-10-28', '2026-11-26'],
    ['30 days up to the last one', undefined, '2026-03-01', '2026-01-31', '2026-03-01'],
    ['one day', '2026-11-26', '2026-11-26', '2026-11-26', '2026-11-26'],
    ['400 days', '2025-10-23', '2026-11-26', '2025-10-23', '2026-11-26'],
    ['today as its end where it would end in the future', '2026-11-01', '2026-12-31', '2026-11-01', '2026-11-26'],
    [
      'the day of the workspace as its begin where it would begin before',
      '2024-01-01',
      '2024-03-01',
      '2024-02-28',
      '2024-03-01',
    ],
  ])('is %s', (_, from, to, first, last) => {
    expect(range(from, to)).toEqual({ from: first, to: last });
  });

  it.each([
    ['a reversed one', '2026-11-02', '2026-11-01', 'from', 'must not be after to (2026-11-01)'],
    ['one of 401 days', '2025-10-22', '2026-11-26', 'from', 'is 401 days from to: a range has at most 400'],
    ['one before the workspace', '2024-01-01', '2024-02-27', 'to', 'is before the workspace was made (2024-02-28)'],
    ['one after today', '2026-11-27', '2026-11-28', 'from', 'is after today (2026-11-26, UTC)'],
  ])('refuses %s', (_, from, to, name, message) => {
    expect(range(from, to)).toEqual({ name, message });
  });
});

describe('the sums of days', () => {
  const days = [
    { date: '2024-02-28', counts: { a: 1, b: 10 } },
    { date: '2024-02-29', counts: { a: 2, b: 20 } },
    { date: '2024-03-01', counts: { a: -4, b: 40 } },
  ];

  it('has a row for each month, the oldest first', () => {
    expect(monthsOf(days)).toEqual([
      { month: '2024-02', counts: { a: 3, b: 30 } },
      { month: '2024-03', counts: { a: -4, b: 40 } },
    ]);
  });

  it('has the same total over months as over days', () => {
    expect(sumOf(monthsOf(days).map(({ counts }) => counts))).toEqual(sumOf(days.map(({ counts }) => counts)));
  });
});
