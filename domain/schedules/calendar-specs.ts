import { ascending, type Cron } from './cron.ts';

/** Values from `start` to `end`, every `step`th. */
export interface CalendarRange {
  start: number;
  end: number;
  step: number;
}

/** One calendar specification of a Temporal Schedule, in UTC: a time that matches all of its members is due. 0 is Sunday. */
export interface Calendar {
  second: CalendarRange[];
  minute: CalendarRange[];
  hour: CalendarRange[];
  dayOfMonth: CalendarRange[];
  month: CalendarRange[];
  dayOfWeek: CalendarRange[];
}

/** Whether the UTC day is the local one, the one before or the one after. */
type DayShift = -1 | 0 | 1;

interface TimesOfDay {
  minutes: number[];
  hours: number[];
  dayShift: DayShift;
}

const EVERY_DAY_OF_MONTH = valuesFrom(1, 31);
const EVERY_DAY_OF_WEEK = valuesFrom(0, 6);
/** One of these is the last day of its month. */
const LAST_DAYS = valuesFrom(28, 31);

/**
 * A cron expression as UTC calendars for the offsets (minutes east of UTC) of the time ahead. They match every slot,
 * and some times more, which `isSlot` refuses. Temporal is not given the zone. Measured on server 1.32: it fires in the
 * second of two equal local hours in Berlin, in both in New York, and leaves out an hour in Lord Howe.
 */
export function calendarsOf(cron: Cron, offsetsMinutes: readonly number[]): Calendar[] {
  const calendars = offsetsMinutes.flatMap((offset) =>
    timesOfDay(cron, offset).flatMap(({ minutes, hours, dayShift }) =>
      daysOf(cron, dayShift).map(({ daysOfMonth, months, daysOfWeek }) => ({
        second: rangesOf(cron.seconds),
        minute: rangesOf(minutes),
        hour: rangesOf(hours),
        dayOfMonth: rangesOf(daysOfMonth),
        month: rangesOf(months),
        dayOfWeek: rangesOf(daysOfWeek),
      })),
    ),
  );
  const different = new Map(calendars.map((calendar) => [JSON.stringify(calendar), calendar]));
  return [...different.values()];
}

function timesOfDay(cron: Cron, offsetMinutes: number): TimesOfDay[] {
  const groups: TimesOfDay[] = [];
  const [hoursOff, minutesOff] = [Math.floor(offsetMinutes / 60), offsetMinutes - 60 * Math.floor(offsetMinutes / 60)];
  for (const borrow of [0, 1]) {
    const minutes = cron.minutes.filter((minute) => minute < minutesOff === (borrow === 1));
    if (minutes.length === 0) continue;
    for (const dayShift of [-1, 0, 1] as const) {
      const hours = cron.hours
        .map((hour) => hour - hoursOff - borrow)
        .filter((hour) => Math.floor(hour / 24) === dayShift)
        .map((hour) => hour - 24 * dayShift);
      if (hours.length === 0) continue;
      groups.push({ minutes: ascending(minutes.map((minute) => minute - minutesOff + 60 * borrow)), hours, dayShift });
    }
  }
  return groups;
}

/** The days in UTC. Temporal asks for all members of a calendar, so two restricted day fields make two calendars. */
function daysOf(cron: Cron, dayShift: DayShift): Pick<Cron, 'daysOfMonth' | 'months' | 'daysOfWeek'>[] {
  const byMonth = shiftedDates(cron.daysOfMonth, cron.months, dayShift);
  const daysOfWeek = ascending(cron.daysOfWeek.map((day) => (day + dayShift + 7) % 7));
  if (!cron.eitherDay) return [{ ...byMonth, daysOfWeek }];
  return [
    { ...byMonth, daysOfWeek: EVERY_DAY_OF_WEEK },
    { ...shiftedDates(EVERY_DAY_OF_MONTH, cron.months, dayShift), daysOfWeek },
  ];
}

function shiftedDates(
  days: readonly number[],
  months: readonly number[],
  dayShift: DayShift,
): Pick<Cron, 'daysOfMonth' | 'months'> {
  if (dayShift === 0) return { daysOfMonth: days, months };
  const crosses = dayShift === -1 ? days.includes(1) : days.some((day) => LAST_DAYS.includes(day));
  const shifted = days.map((day) => day + dayShift).filter((day) => day >= 1 && day <= 31);
  if (!crosses) return { daysOfMonth: ascending(shifted), months };
  const beyond = dayShift === -1 ? LAST_DAYS : [1];
  const neighbours = months.map((month) => ((month - 1 + dayShift + 12) % 12) + 1);
  return { daysOfMonth: ascending([...shifted, ...beyond]), months: ascending([...months, ...neighbours]) };
}

/** Ascending values as one range where they are evenly spaced, else as the longest runs. */
export function rangesOf(values: readonly number[]): CalendarRange[] {
  const [first = 0, second = first + 1] = values;
  const step = second - first;
  const last = values.at(-1) ?? first;
  if (values.every((value, index) => value === first + index * step)) return [{ start: first, end: last, step }];
  const runs: CalendarRange[] = [];
  for (const value of values) {
    const run = runs.at(-1);
    if (run !== undefined && value === run.end + 1) run.end = value;
    else runs.push({ start: value, end: value, step: 1 });
  }
  return runs;
}

function valuesFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
