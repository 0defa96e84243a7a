import { z } from 'zod';
import { INTERVALS } from '../../domain/analytics/grid.ts';
import { BUCKETS_MAX, isTimeZone, RANGE_DAYS_MAX } from '../../domain/analytics/range.ts';
import { filterInstant } from '../http/common-fields.ts';

export const boundsQuery = {
  from: filterInstant
    .optional()
    .describe(
      `The beginning, included, at most ${RANGE_DAYS_MAX} days before \`to\`. Before the workspace was made it is cut.`,
    ),
  to: filterInstant.optional().describe('The end, not included. By default, and at the latest, now.'),
};

export const rangeQuery = {
  ...boundsQuery,
  interval: z
    .enum(['auto', ...INTERVALS])
    .default('auto')
    .describe(
      `The length of a bucket, at most ${BUCKETS_MAX} of them. The bounds move outward to its grid. ` +
        '`auto`: 15m up to a day, an hour up to 7 days, a day up to 92, else a week.',
    ),
  timezone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be an IANA time zone, such as Europe/Berlin')
    .default('UTC')
    .describe('The IANA time zone of days, weeks and months. Shorter intervals are those of UTC.'),
};

const instant = z.iso.datetime();

export const rangeSchema = z
  .strictObject({
    from: instant.describe('The beginning, included, on the grid.'),
    to: instant.describe('The end, not included, on the grid: it may be after now.'),
    interval: z.enum(INTERVALS),
    timezone: z.string().describe('The zone of the grid: UTC where the interval is shorter than a day.'),
    completeUntil: instant.describe(
      'All that was committed before it is counted. Numbers before it change by corrections alone, such as an unknown outcome that is resolved.',
    ),
  })
  .meta({ id: 'AnalyticsRange' });

export const bucketBounds = { start: instant, end: instant.describe('Not included.') };

const milliseconds = z.number().min(0).describe('In milliseconds, at most 5 % from the exact value.');

export const percentilesSchema = z
  .strictObject({
    p50: milliseconds,
    p95: milliseconds,
    p99: milliseconds,
    max: milliseconds,
    count: z.int().min(0).describe('The durations that these are of.'),
  })
  .meta({ id: 'AnalyticsPercentiles' })
  .nullable()
  .describe('Null where there was nothing to measure.');

export const approximateSchema = z.strictObject({ relativeError: z.number().describe('Always 0.05.') }).meta({
  id: 'AnalyticsApproximation',
  description: 'How far the percentiles beside it are from the exact ones, at most.',
});

export const rateSchema = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .meta({ id: 'AnalyticsRate', description: 'From 0 to 1. Null where there was nothing to divide by.' });

export const count = z.int().min(0);

/** Current number, counted from the records up to `count` 10,000. */
export const gaugeSchema = z
  .strictObject({
    count: z.int().min(0).max(10_000),
    isCapped: z.boolean().describe('Whether there may be more: counting ends at 10,000.'),
  })
  .meta({ id: 'AnalyticsGauge', description: 'How many there are now, whatever the range.' });

export const truncatedSchema = z
  .boolean()
  .describe('Whether some are left out, or stand in `(other)` because a day had more than 1,000 different ones.');
