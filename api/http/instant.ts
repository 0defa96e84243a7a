import { z } from 'zod';

/** Years that PostgreSQL and JavaScript write alike: ours, and those that something may be remembered of. */
const MS_MIN = Date.UTC(1970, 0, 1);
const REMEMBERED_MS_MIN = Date.parse('0001-01-01T00:00:00Z');
const MS_MAX = Date.parse('9999-12-31T23:59:59.999Z');
/** `abort`: what follows it reads a moment, and would fail over another text. */
const rfc3339 = z.iso.datetime({ offset: true, abort: true });

const nearest = (text: string, msMin: number) => new Date(Math.min(MS_MAX, Math.max(msMin, Date.parse(text))));
const nearestFrom = (msMin: number) => rfc3339.transform((text) => nearest(text, msMin));
const boundedFrom = (msMin: number, years: string) =>
  rfc3339
    .refine((text) => Date.parse(text) >= msMin && Date.parse(text) <= MS_MAX, `must be in the years ${years}`)
    .transform((text) => new Date(text));

/** A moment that a list is filtered by: one out of these years is the nearest in them. */
export const filterInstant = nearestFrom(MS_MIN);

/** The same as text in UTC: of a filter that is kept and shown again, or of a due time, where each time that has passed is now. */
export const nearestInstant = rfc3339.overwrite((text) => nearest(text, MS_MIN).toISOString());

/** A moment that is stored, in UTC: PostgreSQL takes neither every year nor every offset that RFC 3339 has. */
export const storedInstant = boundedFrom(MS_MIN, '1970 to 9999').transform((instant) => instant.toISOString());

/** The same of what is remembered, which may have been long ago. */
export const rememberedFilterInstant = nearestFrom(REMEMBERED_MS_MIN);
export const rememberedInstant = boundedFrom(REMEMBERED_MS_MIN, '1 to 9999');
