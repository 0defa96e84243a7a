import { LRUCache } from 'lru-cache';

/** Local time, from the time zone data of this process. */

const ZONES_MAX = 1_000;

/** ASCII digits, Gregorian calendar. Making a format costs a hundred uses. RangeError for an unknown zone. */
export function formatsByZone(parts: Intl.DateTimeFormatOptions): (timeZone: string) => Intl.DateTimeFormat {
  const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: ZONES_MAX });
  return (timeZone) => {
    const known = formats.get(timeZone);
    if (known !== undefined) return known;
    const options = { ...parts, timeZone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' } as const;
    const format = new Intl.DateTimeFormat('en-US', options);
    formats.set(timeZone, format);
    return format;
  };
}

const formatOf = formatsByZone({
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

/** What the clocks of the zone show, as the milliseconds that it would be in UTC. */
export function localTime(timeZone: string, instantMs: number): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(timeZone).formatToParts(instantMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  // Date.UTC takes the years from 0 to 99 for those of the twentieth century.
  const shown = new Date(0);
  shown.setUTCFullYear(year, month - 1, day);
  return shown.setUTCHours(hour, minute, second, new Date(instantMs).getUTCMilliseconds());
}
