import { describe, expect, test } from 'vitest';
import { LIMIT_PERIODS, type LimitPeriod } from '../../../domain/impact-limits/limits.ts';
import { currentPeriod, isTimeZone, periodEnd, periodKey } from '../../../domain/impact-limits/period.ts';

const EFFECT = 'eff_1';
const keyAt = (period: LimitPeriod, timezone: string, at: string): string =>
  periodKey({ period, timezone }, new Date(at), EFFECT);
const endAt = (period: LimitPeriod, timezone: string, at: string): string | undefined =>
  periodEnd({ period, timezone }, new Date(at))?.toISOString();

describe('the key of a period', () => {
  test.each<[LimitPeriod, string, string, string]>([
    ['per_effect', 'UTC', '2026-11-21T14:05:00Z', EFFECT],
    ['lifetime', 'UTC', '2026-11-21T14:05:00Z', 'lifetime'],
    ['hour', 'UTC', '2026-11-21T14:05:00Z', '2026-11-21T14+00:00'],
    ['hour', 'Asia/Kolkata', '2026-11-21T14:29:59.999Z', '2026-11-21T19+05:30'],
    ['hour', 'Asia/Kolkata', '2026-11-21T14:30:00Z', '2026-11-21T20+05:30'],
    ['hour', 'America/St_Johns', '2026-11-21T14:29:00Z', '2026-11-21T10-03:30'],
    ['day', 'UTC', '2026-11-21T23:59:59.999Z', '2026-11-21'],
    ['day', 'Europe/Berlin', '2026-11-21T22:59:59.999Z', '2026-11-21'],
    ['day', 'Europe/Berlin', '2026-11-21T23:00:00Z', '2026-11-22'],
    ['day', 'Pacific/Kiritimati', '2026-11-21T10:00:00Z', '2026-11-22'],
    ['day', 'Pacific/Pago_Pago', '2026-11-21T10:59:59Z', '2026-11-20'],
    ['month', 'America/New_York', '2026-03-01T04:59:59Z', '2026-02'],
    ['month', 'America/New_York', '2026-03-01T05:00:00Z', '2026-03'],
    ['month', 'UTC', '2026-12-31T23:59:59Z', '2026-12'],
    // The first hour of a day is 00, not 24.
    ['hour', 'UTC', '2026-11-21T00:00:00Z', '2026-11-21T00+00:00'],
    ['day', 'UTC', '2026-11-21T00:00:00Z', '2026-11-21'],
  ])('%s in %s at %s is %s', (period, timezone, at, key) => {
    expect(keyAt(period, timezone, at)).toBe(key);
  });

  // Source: ISO 8601, week dates. These are years whose first or last days belong to a week of another year.
  test.each([
    ['2005-01-01', '2004-W53'],
    ['2005-01-02', '2004-W53'],
    ['2005-01-03', '2005-W01'],
    ['2007-12-31', '2008-W01'],
    ['2008-12-28', '2008-W52'],
    ['2008-12-29', '2009-W01'],
    ['2010-01-03', '2009-W53'],
    ['2020-12-31', '2020-W53'],
    ['2021-01-03', '2020-W53'],
    ['2021-01-04', '2021-W01'],
    ['2026-11-22', '2026-W47'],
    ['2026-11-23', '2026-W48'],
    ['2026-12-31', '2026-W53'],
    ['2027-01-03', '2026-W53'],
    ['2027-01-04', '2027-W01'],
  ])('the ISO week of %s is %s', (day, week) => {
    expect(keyAt('week', 'UTC', `${day}T12:00:00Z`)).toBe(week);
  });

  test('a week begins on Monday at midnight of the wall clock', () => {
    expect(keyAt('week', 'Asia/Tokyo', '2026-11-22T14:59:59.999Z')).toBe('2026-W47');
    expect(keyAt('week', 'Asia/Tokyo', '2026-11-22T15:00:00Z')).toBe('2026-W48');
  });
});

describe('where the clocks change', () => {
  test('the hour that comes twice is two periods', () => {
    expect(keyAt('hour', 'Europe/Berlin', '2026-10-25T00:30:00Z')).toBe('2026-10-25T02+02:00');
    expect(keyAt('hour', 'Europe/Berlin', '2026-10-25T01:30:00Z')).toBe('2026-10-25T02+01:00');
    expect(endAt('hour', 'Europe/Berlin', '2026-10-25T00:30:00Z')).toBe('2026-10-25T01:00:00.000Z');
    expect(endAt('hour', 'Europe/Berlin', '2026-10-25T01:30:00Z')).toBe('2026-10-25T02:00:00.000Z');
  });

  test('the hour that is left out is no period', () => {
    expect(keyAt('hour', 'America/New_York', '2026-03-08T06:59:59Z')).toBe('2026-03-08T01-05:00');
    expect(keyAt('hour', 'America/New_York', '2026-03-08T07:00:00Z')).toBe('2026-03-08T03-04:00');
  });

  test('days have 23, 25 and 24 and a half hours', () => {
    const hours = (timezone: string, at: string): number => {
      const end = periodEnd({ period: 'day', timezone }, new Date(at));
      return ((end?.getTime() ?? Number.NaN) - new Date(at).getTime()) / 3_600_000;
    };
    expect(hours('Europe/Berlin', '2026-03-28T23:00:00Z')).toBe(23);
    expect(hours('Europe/Berlin', '2026-10-24T22:00:00Z')).toBe(25);
    expect(hours('Australia/Lord_Howe', '2026-04-04T13:00:00Z')).toBe(24.5);
  });

  test('a day whose midnight does not exist begins at one', () => {
    // Cairo: at 00:00 on 2026-04-24 the clocks go to 01:00.
    expect(keyAt('day', 'Africa/Cairo', '2026-04-23T21:59:59Z')).toBe('2026-04-23');
    expect(keyAt('day', 'Africa/Cairo', '2026-04-23T22:00:00Z')).toBe('2026-04-24');
    expect(endAt('day', 'Africa/Cairo', '2026-04-23T12:00:00Z')).toBe('2026-04-23T22:00:00.000Z');
  });

  test('a day that a country left out is no period', () => {
    // Samoa crossed the date line and had no 2011-12-30.
    expect(keyAt('day', 'Pacific/Apia', '2011-12-30T09:59:59Z')).toBe('2011-12-29');
    expect(keyAt('day', 'Pacific/Apia', '2011-12-30T10:00:00Z')).toBe('2011-12-31');
  });
});

describe('the end of a period', () => {
  test.each<[LimitPeriod, string, string, string]>([
    ['hour', 'UTC', '2026-11-21T14:05:00Z', '2026-11-21T15:00:00.000Z'],
    ['day', 'UTC', '2026-11-21T23:59:59.999Z', '2026-11-22T00:00:00.000Z'],
    ['week', 'Europe/Berlin', '2026-10-23T12:00:00Z', '2026-10-25T23:00:00.000Z'],
    ['month', 'Asia/Kathmandu', '2026-11-21T00:00:00Z', '2026-11-30T18:15:00.000Z'],
    ['month', 'Europe/Berlin', '2026-03-01T00:00:00Z', '2026-03-31T22:00:00.000Z'],
  ])('%s in %s at %s: %s', (period, timezone, at, end) => {
    expect(endAt(period, timezone, at)).toBe(end);
  });

  test('never comes for an effect by itself and for a lifetime', () => {
    expect(endAt('per_effect', 'UTC', '2026-11-21T14:05:00Z')).toBeUndefined();
    expect(endAt('lifetime', 'UTC', '2026-11-21T14:05:00Z')).toBeUndefined();
    expect(currentPeriod({ period: 'per_effect', timezone: 'UTC' }, new Date())).toBeNull();
  });

  test('periods follow each other without a gap, over two years of every kind of clock', () => {
    const timezones = [
      'UTC',
      'Europe/Berlin',
      'America/St_Johns',
      'Australia/Lord_Howe',
      'Africa/Cairo',
      'Asia/Kathmandu',
    ];
    for (const timezone of timezones) {
      for (const period of ['hour', 'day', 'week', 'month'] as const) {
        const seen = new Set<string>();
        let at = new Date('2025-02-01T00:00:00Z');
        const until = period === 'hour' ? new Date('2025-05-01T00:00:00Z') : new Date('2027-02-01T00:00:00Z');
        while (at < until) {
          const key = periodKey({ period, timezone }, at, EFFECT);
          expect(seen.has(key), `${key} comes twice in ${timezone}`).toBe(false);
          seen.add(key);
          const end = periodEnd({ period, timezone }, at);
          if (end === null || end <= at)
            throw new Error(`${period} of ${timezone} at ${at.toISOString()} does not end`);
          expect(periodKey({ period, timezone }, new Date(end.getTime() - 1), EFFECT)).toBe(key);
          at = end;
        }
      }
    }
  });
});

describe('a time zone', () => {
  test.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])('%s is one', (name) => {
    expect(isTimeZone(name)).toBe(true);
  });

  test.each(['', 'Mars/Olympus', '+02:00', 'Europe/Berlin ', '../etc/passwd', 'a'.repeat(1_000)])(
    '"%s" is none',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );

  test('every kind of period has a key in it', () => {
    for (const period of LIMIT_PERIODS) {
      expect(periodKey({ period, timezone: 'Europe/Berlin' }, new Date(), EFFECT)).not.toBe('');
    }
  });
});
