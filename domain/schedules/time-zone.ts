import { localTime } from '../local-time.ts';

/** Instants of local times, which are written as the milliseconds that they would be in UTC. */

const DAY_MS = 86_400_000;

/** The zone's name in the time zone data, or null. Offsets such as `+01:00` are no zones. */
export function canonicalTimeZone(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
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
