/** Local time and instants, from the time zone data of this process. A local time is written as the milliseconds that it would be in UTC. */

const DAY_MS = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

/**
 * The name that the time zone data have for a zone, or null if there is none. Offsets such as `+01:00` are no zones: they know no
 * daylight saving.
 */
export function canonicalTimeZone(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** What the clocks of the zone show. */
export function localTime(timeZone: string, instantMs: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((instantMs % 1_000) + 1_000) % 1_000);
}

/** The first instant at which the clocks show this time; null for a time that they jump over. */
export function firstInstant(timeZone: string, localMs: number): number | null {
  // No zone moves its clocks twice within two days: what is in force a day before and a day after are the two candidates.
  const offsets = [localMs - DAY_MS, localMs + DAY_MS].map((near) => localTime(timeZone, near) - near);
  const instants = offsets
    .map((offsetMs) => localMs - offsetMs)
    .filter((instantMs) => localTime(timeZone, instantMs) === localMs);
  return instants.length === 0 ? null : Math.min(...instants);
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    calendar: 'gregory',
    numberingSystem: 'latn',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

/** How often the offset is looked at. No zone keeps one for less. */
const LOOK_MS = 6 * 3_600_000;

/** The offsets, in minutes east of UTC, that the zone has between two instants. */
export function offsetsMinutes(timeZone: string, fromMs: number, toMs: number): number[] {
  const offsets = new Set<number>();
  for (let atMs = fromMs; atMs < toMs + LOOK_MS; atMs += LOOK_MS) {
    offsets.add((localTime(timeZone, atMs) - atMs) / 60_000);
  }
  return [...offsets];
}
