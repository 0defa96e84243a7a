import { formatsByZone } from '../local-time.ts';
import type { LimitPeriod } from './limits.ts';

/**
 * Periods of impact limits, on the wall clock of the limit's zone. A key names one period for good. hour
 * `2026-10-25T02+01:00` (with its offset: clocks going back repeat an hour), day `2026-10-25`, week `2026-W43` (ISO
 * 8601), month `2026-10`, `lifetime`. Days have 23 or 25 hours where clocks change.
 */
export interface LimitClock {
  period: LimitPeriod;
  timezone: string;
}

const TIME_ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** Upper bounds of each period's length, with a clock change inside. */
const LONGEST_MINUTES: Record<Exclude<LimitPeriod, 'per_effect' | 'lifetime'>, number> = {
  hour: 3 * 60,
  day: 2 * DAY_MINUTES + 60,
  week: 9 * DAY_MINUTES,
  month: 33 * DAY_MINUTES,
};

/** An IANA name that this process knows, such as `Europe/Berlin`. A bare offset is none: it knows no summer time. */
export function isTimeZone(name: string): boolean {
  if (!TIME_ZONE_NAME.test(name)) return false;
  try {
    clockOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The period that `now` belongs to. For `per_effect`, each effect is its own period. */
export function periodKey({ period, timezone }: LimitClock, now: Date, effectId: string): string {
  if (period === 'per_effect') return effectId;
  return currentPeriod({ period, timezone }, now) ?? period;
}

/** The same without an effect: null for `per_effect`, which has no time. */
export function currentPeriod({ period, timezone }: LimitClock, now: Date): string | null {
  switch (period) {
    case 'per_effect':
      return null;
    case 'lifetime':
      return 'lifetime';
    case 'hour': {
      const { year, month, day, hour, offset } = wallClock(timezone, now);
      return `${year}-${month}-${day}T${hour}${offset}`;
    }
    case 'day': {
      const { year, month, day } = wallClock(timezone, now);
      return `${year}-${month}-${day}`;
    }
    case 'week':
      return isoWeek(wallClock(timezone, now));
    case 'month': {
      const { year, month } = wallClock(timezone, now);
      return `${year}-${month}`;
    }
  }
}

/** When the next period begins; null: never. Searched on the wall clock itself, so that every clock change is included. */
export function periodEnd(clock: LimitClock, now: Date): Date | null {
  if (clock.period === 'per_effect' || clock.period === 'lifetime') return null;
  const current = currentPeriod(clock, now);
  // Every zone's offset from UTC has been whole minutes for as long as this service exists.
  let within = Math.floor(now.getTime() / MINUTE_MS);
  let beyond = within + LONGEST_MINUTES[clock.period];
  while (beyond - within > 1) {
    const middle = Math.floor((within + beyond) / 2);
    if (currentPeriod(clock, new Date(middle * MINUTE_MS)) === current) within = middle;
    else beyond = middle;
  }
  return new Date(beyond * MINUTE_MS);
}

interface WallClock {
  year: string;
  month: string;
  day: string;
  hour: string;
  /** `+02:00`. */
  offset: string;
}

const clockOf = formatsByZone({
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  timeZoneName: 'longOffset',
});

function wallClock(timezone: string, now: Date): WallClock {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of clockOf(timezone).formatToParts(now)) parts[type] = value;
  const { year = '', month = '', day = '', hour = '', timeZoneName = '' } = parts;
  const offset = timeZoneName.replace('GMT', '') || '+00:00';
  return { year: year.padStart(4, '0'), month, day, hour, offset };
}

const THURSDAY = 4;
const DAY_MS = DAY_MINUTES * MINUTE_MS;
const WEEK_DAYS = 7;

/** ISO 8601: a week belongs to the year that its Thursday is in. */
function isoWeek({ year, month, day }: WallClock): string {
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const weekday = new Date(date).getUTCDay() || WEEK_DAYS; // Sunday is the last
  const thursday = new Date(date + (THURSDAY - weekday) * DAY_MS);
  const weekYear = thursday.getUTCFullYear();
  const week = Math.floor((thursday.getTime() - Date.UTC(weekYear, 0, 1)) / DAY_MS / WEEK_DAYS) + 1;
  return `${String(weekYear).padStart(4, '0')}-W${String(week).padStart(2, '0')}`;
}
