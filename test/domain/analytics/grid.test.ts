import { describe, expect, it } from 'vitest';
import { bucketCount, edgesOf, type Interval, INTERVALS } from '../../../domain/analytics/grid.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;

function shown(interval: Interval, timezone: string, from: string, to: string): string[] {
  return edgesOf({ interval, timezone }, Date.parse(from), Date.parse(to)).map((edge) => new Date(edge).toISOString());
}

function hoursOf(timezone: string, from: string, to: string): number[] {
  const edges = edgesOf({ interval: 'day', timezone }, Date.parse(from), Date.parse(to));
  return edges.slice(1).map((edge, index) => (edge - (edges[index] ?? 0)) / HOUR_MS);
}

describe('the edges of buckets', () => {
  it.each<[Interval, string, string, string, string[]]>([
    // Asia/Kathmandu is at +05:45, all year.
    [
      'day',
      'Asia/Kathmandu',
      '2026-11-26T00:00Z',
      '2026-11-27T00:00Z',
      ['2026-11-25T18:15', '2026-11-26T18:15', '2026-11-27T18:15'],
    ],
    // A quarter and an hour are those of UTC, whatever the zone.
    [
      'hour',
      'Asia/Kathmandu',
      '2026-11-26T00:10Z',
      '2026-11-26T01:10Z',
      ['2026-11-26T00:00', '2026-11-26T01:00', '2026-11-26T02:00'],
    ],
    ['15m', 'UTC', '2026-11-26T00:15Z', '2026-11-26T00:30Z', ['2026-11-26T00:15', '2026-11-26T00:30']],
    // ISO 8601: a week begins on Monday. 2026-11-27 is a Friday.
    ['week', 'Europe/Berlin', '2026-11-27T00:00Z', '2026-11-27T12:00Z', ['2026-11-22T23:00', '2026-11-29T23:00']],
    ['week', 'UTC', '2026-11-23T00:00Z', '2026-11-30T00:00Z', ['2026-11-23T00:00', '2026-11-30T00:00']],
    ['month', 'America/New_York', '2026-03-15T00:00Z', '2026-04-01T04:00Z', ['2026-03-01T05:00', '2026-04-01T04:00']],
    ['month', 'UTC', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00Z', ['2026-12-01T00:00', '2027-01-01T00:00']],
    // Lebanon skips midnight: the day begins when the clocks show 01:00.
    ['day', 'Asia/Beirut', '2026-03-29T12:00Z', '2026-03-29T13:00Z', ['2026-03-28T22:00', '2026-03-29T21:00']],
    // Cuba shows the hour from midnight twice: the day begins with the first.
    ['day', 'America/Havana', '2026-11-01T12:00Z', '2026-11-01T13:00Z', ['2026-11-01T04:00', '2026-11-02T05:00']],
  ])('of %s in %s from %s to %s', (interval, timezone, from, to, edges) => {
    expect(shown(interval, timezone, from, to)).toEqual(edges.map((edge) => `${edge}:00.000Z`));
  });

  it.each([
    ['Europe/Berlin', '2026-03-27T23:00Z', '2026-03-30T22:00Z', [24, 23, 24]],
    ['Europe/Berlin', '2026-10-23T22:00Z', '2026-10-26T23:00Z', [24, 25, 24]],
    // Its clocks change by half an hour.
    ['Australia/Lord_Howe', '2026-04-03T13:00Z', '2026-04-06T13:30Z', [24, 24.5, 24]],
    ['Australia/Lord_Howe', '2026-10-02T13:30Z', '2026-10-05T13:00Z', [24, 23.5, 24]],
    ['Asia/Kathmandu', '2026-03-27T18:15Z', '2026-03-29T18:15Z', [24, 24]],
    // Samoa left 30 December 2011 out.
    ['Pacific/Apia', '2011-12-29T10:00Z', '2012-01-01T10:00Z', [24, 24, 24]],
  ])('makes the days of %s from %s to %s as long as its clocks do', (timezone, from, to, hours) => {
    expect(hoursOf(timezone, from, to)).toEqual(hours);
  });

  it('leaves no time out and begins at full quarters, in every zone', () => {
    // A spring and an autumn, in which zones change their clocks: by an hour at most, and by two in Antarctica/Troll.
    const times = [
      ['2026-02-20T10:07:00Z', '2026-05-10T10:07:00Z'],
      ['2026-08-25T10:07:00Z', '2026-11-10T10:07:00Z'],
    ].map((bounds) => bounds.map((bound) => Date.parse(bound)) as [number, number]);
    const faults = Intl.supportedValuesOf('timeZone').filter((timezone) =>
      times.some(([from, to]) => {
        const edges = edgesOf({ interval: 'day', timezone }, from, to);
        const lengths = edges.slice(1).map((edge, index) => edge - (edges[index] ?? edge));
        const isWhole = (edges[0] ?? to) <= from && (edges.at(-1) ?? from) >= to && (edges.at(-2) ?? to) < to;
        const areDays = lengths.every((length) => length >= 22 * HOUR_MS && length <= 26 * HOUR_MS);
        return !(isWhole && areDays && edges.every((edge) => edge % QUARTER_MS === 0));
      }),
    );
    expect(faults).toEqual([]);
  });

  it('counts as many buckets as it makes', () => {
    for (const interval of INTERVALS) {
      const grid = { interval, timezone: 'Europe/Berlin' };
      const [from, to] = [Date.parse('2026-10-20T10:07:00Z'), Date.parse('2026-11-03T10:07:00Z')];
      expect(bucketCount(grid, from, to)).toBe(edgesOf(grid, from, to).length - 1);
    }
  });
});
