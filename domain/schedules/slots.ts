import { localTime } from '../local-time.ts';
import { type Cron, parseCron } from './cron.ts';
import type { TemporalPlan } from './schedules.ts';
import { firstInstant } from './time-zone.ts';

/** Skipped local times are left out, repeated ones count once: docs/schedules.md, "Daylight saving". */

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** Ten times 29 February are some forty years. */
const HORIZON_DAYS = 50 * 366;

/** The next `count` slots after an instant, or fewer where so many do not come within fifty years. */
export function nextSlots(cron: Cron, timeZone: string, after: Date, count: number): Date[] {
  const slots: Date[] = [];
  for (const slot of slotsAfter(cron, timeZone, after)) {
    slots.push(slot);
    if (slots.length === count) break;
  }
  return slots;
}

/** The slots from one instant, which is among them, until before another: the first `most` of them. */
export function slotsBetween(
  cron: Cron,
  timeZone: string,
  [from, before]: readonly [Date, Date],
  most: number,
): Date[] {
  const slots: Date[] = [];
  for (const slot of slotsAfter(cron, timeZone, new Date(from.getTime() - 1))) {
    if (slot >= before || slots.length === most) break;
    slots.push(slot);
  }
  return slots;
}

function* slotsAfter(cron: Cron, timeZone: string, after: Date): Generator<Date> {
  for (const localMs of localTimesFrom(cron, localTime(timeZone, after.getTime()))) {
    const instantMs = firstInstant(timeZone, localMs);
    if (instantMs !== null && instantMs > after.getTime()) yield new Date(instantMs);
  }
}

/** The next slot of a schedule; null while it is paused. */
export function dueAfter(
  { cron, timezone, paused }: Pick<TemporalPlan, 'cron' | 'timezone' | 'paused'>,
  after: Date,
): Date | null {
  return paused ? null : (nextSlots(parseCron(cron), timezone, after, 1)[0] ?? null);
}

/** The slots of an hour in which the expression is due at all. */
export function firingsPerHour(cron: Cron): number {
  return cron.seconds.length * cron.minutes.length;
}

/** Whether a schedule fires more often after a change, in an hour in which it fires. A paused one does not fire. */
export function firesMoreOften(
  before: Pick<TemporalPlan, 'cron' | 'paused'>,
  after: Pick<TemporalPlan, 'cron' | 'paused'>,
): boolean {
  const rate = ({ cron, paused }: Pick<TemporalPlan, 'cron' | 'paused'>): number =>
    paused ? 0 : firingsPerHour(parseCron(cron));
  return rate(after) > rate(before);
}

export function isSlot(cron: Cron, timeZone: string, instant: Date): boolean {
  const localMs = localTime(timeZone, instant.getTime());
  const local = new Date(localMs);
  return (
    local.getUTCMilliseconds() === 0 &&
    cron.seconds.includes(local.getUTCSeconds()) &&
    cron.minutes.includes(local.getUTCMinutes()) &&
    cron.hours.includes(local.getUTCHours()) &&
    isDay(cron, local) &&
    firstInstant(timeZone, localMs) === instant.getTime()
  );
}

/** The matching local times from one on, ascending. So are their first instants. */
function* localTimesFrom(cron: Cron, fromMs: number): Generator<number> {
  const firstDayMs = fromMs - (((fromMs % DAY_MS) + DAY_MS) % DAY_MS);
  for (let day = 0; day <= HORIZON_DAYS; day++) {
    const dayMs = firstDayMs + day * DAY_MS;
    if (!isDay(cron, new Date(dayMs))) continue;
    for (const hour of cron.hours) {
      const hourMs = dayMs + hour * HOUR_MS;
      if (hourMs + HOUR_MS <= fromMs) continue;
      for (const minute of cron.minutes) {
        const minuteMs = hourMs + minute * MINUTE_MS;
        if (minuteMs + MINUTE_MS <= fromMs) continue;
        for (const second of cron.seconds) {
          const localMs = minuteMs + second * SECOND_MS;
          if (localMs >= fromMs) yield localMs;
        }
      }
    }
  }
}

function isDay(cron: Cron, local: Date): boolean {
  if (!cron.months.includes(local.getUTCMonth() + 1)) return false;
  const ofMonth = cron.daysOfMonth.includes(local.getUTCDate());
  const ofWeek = cron.daysOfWeek.includes(local.getUTCDay());
  return cron.eitherDay ? ofMonth || ofWeek : ofMonth && ofWeek;
}
