import { describe, expect, it } from 'vitest';
import {
  type AnalyticsRange,
  type AskedRange,
  isRangeIssue,
  precedingRange,
  RANGE_DEFAULT_MS,
  type RangeIssue,
  resolveRange,
} from '../../../domain/analytics/range.ts';
import {
  bucketsOf,
  equalEdges,
  sourcesOfBuckets,
  sourcesOfSum,
  sourcesOfTrend,
} from '../../../domain/analytics/sources.ts';

const NOW = new Date('2026-11-27T03:07:00.000Z');
const SINCE = new Date('2025-01-01T10:00:00.000Z');

interface Asked {
  from?: string;
  to?: string;
  interval?: AskedRange['interval'];
  timezone?: string;
}

function resolve({ from, to, interval = 'auto', timezone = 'UTC' }: Asked, workspaceSince = SINCE) {
  const asked = {
    from: from === undefined ? undefined : new Date(from),
    to: to === undefined ? undefined : new Date(to),
  };
  return resolveRange({ ...asked, interval, timezone }, { now: NOW, workspaceSince, defaultMs: RANGE_DEFAULT_MS });
}

function rangeOf(asked: Asked, workspaceSince = SINCE): AnalyticsRange {
  const range = resolve(asked, workspaceSince);
  if (isRangeIssue(range)) throw new Error(range.message);
  return range;
}

function issueOf(asked: Asked, workspaceSince = SINCE): RangeIssue {
  const range = resolve(asked, workspaceSince);
  if (!isRangeIssue(range)) throw new Error('the range is sound');
  return range;
}

const shown = ({ from, to, interval, timezone }: AnalyticsRange) =>
  [from.toISOString().slice(0, 16), to.toISOString().slice(0, 16), interval, timezone].join(' ');

describe('a range', () => {
  it.each<[Asked, string]>([
    [{}, '2026-11-26T03:00 2026-11-27T03:15 15m UTC'],
    [{ from: '2026-11-27T01:01:00Z' }, '2026-11-27T01:00 2026-11-27T03:15 15m UTC'],
    [{ to: '2026-11-20T00:00:00Z' }, '2026-11-19T00:00 2026-11-20T00:00 15m UTC'],
    // The end is cut at now, and moves outward from there.
    [{ from: '2026-11-27T03:00:00Z', to: '2099-01-01T00:00:00Z' }, '2026-11-27T03:00 2026-11-27T03:15 15m UTC'],
    [{ from: '2026-11-25T12:00:00Z', timezone: 'Europe/Berlin' }, '2026-11-25T12:00 2026-11-27T04:00 hour UTC'],
    [
      { from: '2026-11-10T12:00:00Z', timezone: 'Europe/Berlin' },
      '2026-11-09T23:00 2026-11-27T23:00 day Europe/Berlin',
    ],
    [{ from: '2026-01-10T12:00:00Z' }, '2026-01-05T00:00 2026-11-30T00:00 week UTC'],
    [{ from: '2026-11-10T12:00:00Z', interval: 'month' }, '2026-11-01T00:00 2026-12-01T00:00 month UTC'],
  ])('of %j is %s', (asked, range) => {
    expect(shown(rangeOf(asked))).toBe(range);
  });

  it('takes the interval of auto by its length', () => {
    const lengths = [24, 25, 7 * 24, 7 * 24 + 1, 92 * 24, 92 * 24 + 1];
    const to = '2026-11-01T00:00:00Z';
    const from = (hours: number): string => new Date(Date.parse(to) - hours * 3_600_000).toISOString();
    expect(lengths.map((hours) => rangeOf({ from: from(hours), to }).interval)).toEqual([
      '15m',
      'hour',
      'hour',
      'day',
      'day',
      'week',
    ]);
  });

  it('begins with the workspace where it would begin before', () => {
    const made = new Date('2026-11-26T20:20:00Z');
    expect(shown(rangeOf({ from: '2026-11-01T00:00:00Z' }, made))).toBe('2026-11-26T20:15 2026-11-27T03:15 15m UTC');
  });

  it.each<[string, Asked, string, string]>([
    ['reversed', { from: '2026-11-02T00:00:00Z', to: '2026-11-01T00:00:00Z' }, 'from', 'must be before to'],
    ['empty', { from: '2026-11-02T00:00:00Z', to: '2026-11-02T00:00:00Z' }, 'from', 'must be before to'],
    ['too long', { from: '2025-10-22T03:00:00Z' }, 'from', 'is 402 days before to: a range has at most 400'],
    [
      'before the workspace',
      { from: '2024-05-01T00:00:00Z', to: '2024-06-01T00:00:00Z' },
      'to',
      'before the workspace was made',
    ],
    ['in the future', { from: '2026-11-27T03:07:00Z' }, 'from', 'is not in the past'],
    [
      'too fine',
      { from: '2026-11-01T00:00:00Z', interval: '15m' },
      'interval',
      'makes 2509 buckets of this range, and at most 400 are answered: the smallest interval that fits is day',
    ],
    [
      'too fine by a little',
      { from: '2026-11-01T00:00:00Z', to: '2026-11-05T04:01:00Z', interval: '15m' },
      'interval',
      'the smallest interval that fits is hour',
    ],
  ])('that is %s is refused', (_, asked, name, message) => {
    expect(issueOf(asked)).toEqual({ name, message: expect.stringContaining(message) });
  });

  it('may be 400 local days long over a change of the clocks, and no longer', () => {
    const asked = {
      from: '2025-09-21T22:00:00Z',
      to: '2026-10-26T23:00:00Z',
      timezone: 'Europe/Berlin',
      interval: 'day',
    } as const;
    expect(rangeOf(asked).edges).toHaveLength(401);
    expect(issueOf({ ...asked, from: '2025-09-20T22:00:00Z' }).name).toBe('from');
  });

  it('has 400 buckets at most, however they are made', () => {
    const asked = { from: '2026-11-01T00:00:00Z', to: '2026-11-05T04:00:00Z', interval: '15m' } as const;
    expect(rangeOf(asked).edges).toHaveLength(401);
  });

  it('is preceded by one of equal length', () => {
    const range = rangeOf({ from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' });
    expect(precedingRange(range)).toEqual({ from: new Date('2026-11-19T00:00Z'), to: new Date('2026-11-20T00:00Z') });
  });

  it('shows the explicit ends of its buckets', () => {
    const range = rangeOf({
      from: '2026-10-23T22:00Z',
      to: '2026-10-25T23:00Z',
      interval: 'day',
      timezone: 'Europe/Berlin',
    });
    expect(bucketsOf(range)).toEqual([
      { start: '2026-10-23T22:00:00.000Z', end: '2026-10-24T22:00:00.000Z' },
      { start: '2026-10-24T22:00:00.000Z', end: '2026-10-25T23:00:00.000Z' },
    ]);
  });
});

describe('the sources of a range', () => {
  const of = (asked: Asked, read: (range: AnalyticsRange) => ReturnType<typeof sourcesOfSum>) => {
    const { daysFrom, daysTo } = read(rangeOf(asked));
    return { daysFrom: daysFrom.toISOString().slice(0, 16), daysTo: daysTo.toISOString().slice(0, 16) };
  };
  const days = (daysFrom: string, daysTo: string) => ({ daysFrom, daysTo });
  const quartersUntil = (to: string) => days(to, to);

  it.each<[string, Asked, object, object, object]>([
    [
      'one without a whole UTC day',
      { from: '2026-11-25T12:00Z', to: '2026-11-26T12:00Z' },
      quartersUntil('2026-11-26T12:00'),
      quartersUntil('2026-11-26T12:00'),
      quartersUntil('2026-11-26T12:00'),
    ],
    [
      'one with a whole UTC day in hours',
      { from: '2026-11-24T12:00Z', to: '2026-11-26T12:00Z' },
      days('2026-11-25T00:00', '2026-11-26T00:00'),
      quartersUntil('2026-11-26T12:00'),
      quartersUntil('2026-11-26T12:00'),
    ],
    [
      'one of UTC days',
      { from: '2026-10-27T00:00Z', to: '2026-11-27T00:00Z' },
      days('2026-10-27T00:00', '2026-11-27T00:00'),
      days('2026-10-27T00:00', '2026-11-27T00:00'),
      quartersUntil('2026-11-27T00:00'),
    ],
    [
      'a long one of UTC days',
      { from: '2026-10-26T00:00Z', to: '2026-11-27T00:00Z' },
      days('2026-10-26T00:00', '2026-11-27T00:00'),
      days('2026-10-26T00:00', '2026-11-27T00:00'),
      days('2026-10-26T00:00', '2026-11-27T00:00'),
    ],
    [
      'a long one of another zone',
      { from: '2026-09-30T22:00Z', to: '2026-11-26T23:00Z', timezone: 'Europe/Berlin', interval: 'day' },
      days('2026-10-01T00:00', '2026-11-26T00:00'),
      quartersUntil('2026-11-26T23:00'),
      days('2026-10-01T00:00', '2026-11-26T00:00'),
    ],
  ])('of %s', (_, asked, ofSum, ofBuckets, ofTrend) => {
    expect(of(asked, sourcesOfSum)).toEqual(ofSum);
    expect(of(asked, sourcesOfBuckets)).toEqual(ofBuckets);
    expect(of(asked, sourcesOfTrend)).toEqual(ofTrend);
  });

  it('parts a range into equal lengths', () => {
    const edges = equalEdges({ from: new Date(0), to: new Date(100) }, 24);
    expect([edges.length, edges[0], edges.at(-1)]).toEqual([25, 0, 100]);
    expect(edges.every((edge, index) => index === 0 || edge > (edges[index - 1] ?? 0))).toBe(true);
  });
});
