import { Cron as Croner } from 'croner';
import { describe, expect, test } from 'vitest';
import { type Calendar, calendarsOf, type CalendarRange } from '../../../domain/schedules/calendar-specs.ts';
import { CronError, parseCron } from '../../../domain/schedules/cron.ts';
import { isSlot, nextSlots, slotsBetween } from '../../../domain/schedules/slots.ts';
import { localTime } from '../../../domain/local-time.ts';
import { canonicalTimeZone, firstInstant, offsetsMinutes } from '../../../domain/schedules/time-zone.ts';
import { randomFrom } from '../../harness/random.ts';

const DAY_MS = 86_400_000;
const iso = (dates: readonly Date[]): string[] => dates.map((date) => date.toISOString().slice(0, 16));
const slots = (expression: string, timeZone: string, after: string, count: number): string[] =>
  iso(nextSlots(parseCron(expression), timeZone, new Date(after), count));

describe('an expression', () => {
  test.each([
    ['* * * *', '5 fields'],
    ['* * * * * * *', '5 fields'],
    ['', '5 fields'],
    ['@daily', 'in fields'],
    ['60 * * * *', 'from 0 to 59'],
    ['* 24 * * *', 'from 0 to 23'],
    ['* * 0 * *', 'from 1 to 31'],
    ['* * * 13 *', 'or JAN to DEC'],
    ['* * * FOO *', 'or JAN to DEC'],
    ['* * * * 8', 'or SUN to SAT'],
    ['* * L * *', 'L, W, # and ?'],
    ['* * * * 5#2', 'L, W, # and ?'],
    ['* * ? * *', 'L, W, # and ?'],
    ['5/20 * * * *', '5-59/20'],
    ['*/0 * * * *', 'a step is from'],
    ['*/90 * * * *', 'a step is from'],
    ['* 22-2 * * *', 'ends before it begins'],
    ['1,,2 * * * *', 'write a value'],
    ['-5 * * * *', 'write a value'],
    [`${'1,'.repeat(100)}2 * * * *`, 'longer than 200'],
  ])('%s is refused: %s', (expression, message) => {
    expect(() => parseCron(expression)).toThrow(CronError);
    expect(() => parseCron(expression)).toThrow(message);
  });

  test.each([
    ['0 0 * * 7', ['2026-11-08T00:00', '2026-11-15T00:00']],
    ['0 0 * * fri-7', ['2026-11-06T00:00', '2026-11-07T00:00', '2026-11-08T00:00', '2026-11-13T00:00']],
    ['30 5 8-18/5 feb,Mar *', ['2027-02-08T05:30', '2027-02-13T05:30', '2027-02-18T05:30', '2027-03-08T05:30']],
    ['0 0 13 * 5', ['2026-11-06T00:00', '2026-11-13T00:00', '2026-11-20T00:00']], // either day
    ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00']],
    ['30 59 23 31 12 *', ['2026-12-31T23:59']],
    ['0 0 30 2 *', []], // never
  ])('%s is due at %j', (expression, expected) => {
    expect(slots(expression, 'UTC', '2026-11-01T00:00:00Z', Math.max(1, expected.length))).toEqual(expected);
  });
});

test('the slots between two instants take the first, leave out the last, and are bounded', () => {
  const between = (from: string, before: string, most = 10): string[] =>
    iso(slotsBetween(parseCron('0 * * * *'), 'UTC', [new Date(from), new Date(before)], most));
  expect(between('2026-11-01T09:00:00Z', '2026-11-01T11:00:00Z')).toEqual(['2026-11-01T09:00', '2026-11-01T10:00']);
  expect(between('2026-11-01T09:00:01Z', '2026-11-01T11:00:01Z')).toEqual(['2026-11-01T10:00', '2026-11-01T11:00']);
  expect(between('2026-11-01T09:00:00Z', '2026-11-01T23:00:00Z', 1)).toEqual(['2026-11-01T09:00']);
  expect(between('2026-11-01T09:00:00Z', '2026-11-01T08:00:00Z')).toEqual([]);
});

describe('daylight saving', () => {
  test.each([
    [
      'skips what does not exist',
      '30 2 * * *',
      'Europe/Berlin',
      '2027-03-27T00:00:00Z',
      ['2027-03-27T01:30', '2027-03-29T00:30'],
    ],
    [
      'fires once what comes twice',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T12:00:00Z',
      ['2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    [
      'leaves out the second pass',
      '*/30 * * * *',
      'America/New_York',
      '2026-11-01T05:00:00Z',
      ['2026-11-01T05:30', '2026-11-01T07:00'],
    ],
    [
      'continues after the second pass',
      '*/30 * * * *',
      'America/New_York',
      '2026-11-01T06:10:00Z',
      ['2026-11-01T07:00'],
    ],
    ['skips half an hour', '15 2 * * *', 'Australia/Lord_Howe', '2026-10-02T16:00:00Z', ['2026-10-04T15:15']],
    [
      'repeats half an hour once',
      '45 1 * * *',
      'Australia/Lord_Howe',
      '2026-04-04T00:00:00Z',
      ['2026-04-04T14:45', '2026-04-05T15:15'],
    ],
  ] as const)('%s', (_, expression, timeZone, after, expected) => {
    expect(slots(expression, timeZone, after, expected.length)).toEqual(expected);
  });

  test('zones are names of the time zone data', () => {
    expect(canonicalTimeZone('Europe/Berlin')).toBe('Europe/Berlin');
    for (const name of ['+01:00', 'Mars/Olympus', '', 'Europe/Berlin ']) expect(canonicalTimeZone(name)).toBeNull();
  });
});

/** Both changes of each zone. */
const CHANGES = [
  ['Europe/Berlin', '2026-10-25T01:00:00Z'],
  ['Europe/Berlin', '2027-03-28T01:00:00Z'],
  ['America/New_York', '2026-11-01T06:00:00Z'],
  ['America/New_York', '2027-03-14T07:00:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30:00Z'],
  ['Australia/Lord_Howe', '2027-04-03T15:00:00Z'],
] as const;

/** Expressions that are due near a change: the hours of the changes, and days at random. */
function expressions(seed: number, count: number): string[] {
  const random = randomFrom(seed);
  const pick = <T>(...values: T[]): T => values[Math.floor(random() * values.length)] as T;
  const number = (min: number, max: number): number => min + Math.floor(random() * (max - min + 1));
  return Array.from({ length: count }, () =>
    [
      pick('0', '*/15', '15,45', `${number(0, 59)}`, '*/7', '10-50/20'),
      pick('*', '1-3', '2', '*/2', `${number(0, 23)}`, '0,23'),
      pick('*', '*', '1', '28-31', `${number(1, 28)}`, '*/2', '1-31'),
      pick('*', '*', '3,4,10,11', 'MAR-NOV'),
      pick('*', '*', 'SUN', '6-7', 'MON-FRI', `${number(0, 6)}`),
    ].join(' '),
  );
}

const EXPRESSIONS = expressions(4711, 25);

/** Croner moves a time that does not exist, and has wildcards fire in both of two equal hours: what it does beyond our rule is left out. */
function cronersSlots(expression: string, timeZone: string, from: Date, to: Date): string[] {
  const job = new Croner(expression, { timezone: timeZone, paused: true });
  const found: Date[] = [];
  for (let next = job.nextRun(from); next !== null && next <= to; next = job.nextRun(next)) found.push(next);
  const inUtc = new Croner(expression, { timezone: 'UTC', paused: true });
  return iso(
    found.filter((date) => {
      const local = localTime(timeZone, date.getTime());
      const isMoved = inUtc.nextRun(new Date(local - 1_000))?.getTime() !== local;
      return !isMoved && firstInstant(timeZone, local) === date.getTime();
    }),
  );
}

describe.each(CHANGES)('around the change of %s at %s', (timeZone, change) => {
  const from = new Date(Date.parse(change) - 2 * DAY_MS);
  const to = new Date(Date.parse(change) + 2 * DAY_MS);

  test('croner finds the same slots', () => {
    for (const expression of EXPRESSIONS) {
      const ours = nextSlots(parseCron(expression), timeZone, from, 500).filter((date) => date <= to);
      expect({ expression, slots: iso(ours) }).toEqual({
        expression,
        slots: cronersSlots(expression, timeZone, from, to),
      });
    }
  });

  test('the UTC calendars hold every slot, and no other time of theirs is one', () => {
    for (const expression of EXPRESSIONS) {
      const cron = parseCron(expression);
      const calendars = calendarsOf(cron, offsetsMinutes(timeZone, from.getTime(), to.getTime()));
      const fired = timesOf(calendars, from, to).filter((date) => isSlot(cron, timeZone, date));
      const wanted = nextSlots(cron, timeZone, from, 500).filter((date) => date <= to);
      expect({ expression, slots: iso(fired) }).toEqual({ expression, slots: iso(wanted) });
    }
  });
});

/** What Temporal does with calendars, minute by minute. */
function timesOf(calendars: readonly Calendar[], from: Date, to: Date): Date[] {
  const holds = (ranges: readonly CalendarRange[], value: number): boolean =>
    ranges.some(({ start, end, step }) => value >= start && value <= end && (value - start) % step === 0);
  const times: Date[] = [];
  for (let ms = from.getTime() + 60_000; ms <= to.getTime(); ms += 60_000) {
    const date = new Date(ms);
    const matches = calendars.some(
      (calendar) =>
        holds(calendar.minute, date.getUTCMinutes()) &&
        holds(calendar.hour, date.getUTCHours()) &&
        holds(calendar.dayOfMonth, date.getUTCDate()) &&
        holds(calendar.month, date.getUTCMonth() + 1) &&
        holds(calendar.dayOfWeek, date.getUTCDay()),
    );
    if (matches) times.push(date);
  }
  return times;
}
