import { z } from 'zod';

/** Years that PostgreSQL and JavaScript write alike. */
const MS_MIN = Date.UTC(1970, 0, 1);
const MS_MAX = Date.UTC(9999, 11, 31);
const rfc3339 = z.iso.datetime({ offset: true });

/** A moment that a list is filtered by: one out of these years is the nearest in them. */
export const filterInstant = rfc3339.transform(
  (text) => new Date(Math.min(MS_MAX, Math.max(MS_MIN, Date.parse(text)))),
);

/** A moment that is stored, in UTC: PostgreSQL takes neither every year nor every offset that RFC 3339 has. */
export const storedInstant = rfc3339
  .refine((text) => Date.parse(text) >= MS_MIN && Date.parse(text) <= MS_MAX, 'must be in the years 1970 to 9999')
  .transform((text) => new Date(text).toISOString());
