import { z } from 'zod';
import { readNames } from '../../db/analytics/environment.ts';
import { readHistogramSeries, readSeries, type SeriesPlace } from '../../db/analytics/rollups.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import {
  groupIssue,
  type GroupName,
  type Metric,
  METRIC_NAMES,
  type MetricName,
  METRICS,
} from '../../domain/analytics/metrics.ts';
import { APPROXIMATE } from '../../domain/analytics/percentiles.ts';
import { isPercentile, type Series, seriesOfPercentiles, seriesOfSums } from '../../domain/analytics/series.ts';
import { bucketsOf, sourcesOfBuckets } from '../../domain/analytics/sources.ts';
import { validationError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';
import { approximateSchema, bucketBounds, truncatedSchema } from './range-schemas.ts';

const TOP_MAX = 10;
const ALL = 'all';

const GROUPS_OF_METRICS = METRIC_NAMES.map(
  (name) => `\`${name}\`: ${Object.keys(METRICS[name].groups).join(', ')}`,
).join('. ');

const metricSchema = z.enum(METRIC_NAMES).meta({ id: 'AnalyticsMetric' });

const seriesSchema = z
  .strictObject({
    key: z
      .string()
      .nullable()
      .describe(
        'The value of the group, such as the id of an action; empty for records without one, null for all groups that are not among the top.',
      ),
    label: z
      .string()
      .describe(
        'For people: the name of what the key is the id of, else the key; `none`, `other`, or `all` without a group.',
      ),
    total: z.number().nullable().describe('The sum of the points; for a percentile, that of the whole range.'),
    points: z
      .array(z.number().nullable())
      .describe(
        'One for each bucket, in its order. Counts and sums are integers, 0 where there was none; a percentile is null there.',
      ),
  })
  .meta({ id: 'AnalyticsSeries' });

const timeSeriesSchema = z.strictObject({
  metric: metricSchema,
  unit: z.enum(['count', 'ms', 'tokens', 'micro_usd']).describe('`micro_usd`: millionths of a US dollar.'),
  groupBy: z.string().nullable(),
  buckets: z.array(z.strictObject(bucketBounds)).describe('The oldest first, those without a record included.'),
  series: z
    .array(seriesSchema)
    .describe('The largest first, the rest last. None where nothing was counted and a group was asked for.'),
  approximate: approximateSchema.nullable().describe('Null where the metric is exact.'),
  truncated: truncatedSchema,
});

export const timeSeriesRoute = defineRoute(
  analyticsRead({
    id: 'analytics.timeSeries',
    path: '/api/v2/analytics/time-series',
    summary: 'Get a metric over time',
    description:
      '`…created`, `…accepted`, `…requested` and `…started` count at that time, under the status that the record has now; all others at the time of ' +
      'the end. `approvals.decided`: approved and denied ones. `delivery.attempts` counts each attempt, retries too, `delivery.latency` is that of ' +
      'attempts, and `errors` counts failures of every area. `messages.…` counts deliveries of events too, as `event` among the kinds. `refusals`: invocations that were refused, denied, expired or cancelled. `tokens` and ' +
      '`cost`: what runs say that they used, at their end.',
    query: {
      metric: metricSchema,
      groupBy: z
        .string()
        .min(1)
        .max(64)
        .optional()
        .describe(`One series for each value. By metric: ${GROUPS_OF_METRICS}.`),
      top: z.coerce
        .number()
        .int()
        .min(1)
        .max(TOP_MAX)
        .default(TOP_MAX)
        .describe('How many groups have a series of their own, those with the most; the rest is one series.'),
    },
    data: timeSeriesSchema,
    csv: {
      columns: ['start', 'end', 'key', 'label', 'value'],
      records: ({ buckets, series }) =>
        series.flatMap(({ key, label, points }) =>
          buckets.map((bucket, index) => ({ ...bucket, key, label, value: points[index] })),
        ),
    },
    async read(tx, { query: { metric, groupBy, top }, range }) {
      const group = groupOf(metric, groupBy);
      const place = { sources: sourcesOfBuckets(range), edges: range.edges, top };
      const series = await readMetric(tx, METRICS[metric], group, place);
      const names = await readNames(
        tx,
        group ?? 'status',
        series.flatMap(({ key }) => key ?? []),
      );
      const { unit, of } = METRICS[metric];
      return {
        data: {
          metric,
          unit,
          groupBy: group,
          buckets: bucketsOf(range),
          series: series.map((one) => ({ ...one, label: names.get(one.key ?? '') ?? one.label })),
          approximate: isPercentile(of) ? APPROXIMATE : null,
          truncated: series.some(({ key }) => key === null),
        },
      };
    },
  }),
);

/** @throws {ServiceError} VALIDATION_ERROR that lists the metric's groups. */
function groupOf(metric: MetricName, asked: string | undefined): GroupName | null {
  if (asked === undefined) return null;
  const { groups }: Metric = METRICS[metric];
  if (Object.hasOwn(groups, asked)) return asked as GroupName;
  throw validationError([{ path: 'query.groupBy', message: groupIssue(metric, asked) }]);
}

async function readMetric(
  tx: EnvironmentTransaction,
  { kind, of, where, groups }: Metric,
  group: GroupName | null,
  place: SeriesPlace,
): Promise<Series[]> {
  const terms = { kind, where, group: (group === null ? undefined : groups[group]) ?? `'${ALL}'` };
  const buckets = place.edges.length - 1;
  const series = isPercentile(of)
    ? seriesOfPercentiles(await readHistogramSeries(tx, terms, place), buckets, of)
    : seriesOfSums(await readSeries(tx, { ...terms, value: of }, place), buckets);
  if (group !== null || series.length > 0) return series;
  const nothing = isPercentile(of) ? null : 0;
  return [{ key: ALL, label: ALL, total: nothing, points: Array.from({ length: buckets }, () => nothing) }];
}
