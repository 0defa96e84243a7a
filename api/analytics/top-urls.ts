import { z } from 'zod';
import { readTopUrls, readUrlAttempts, URL_SORTS } from '../../db/analytics/delivery.ts';
import { rate } from '../../domain/analytics/counted.ts';
import { APPROXIMATE, percentilesOf } from '../../domain/analytics/percentiles.ts';
import { pageQuery } from '../http/common-fields.ts';
import { percentileColumns } from './csv.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';
import { approximateSchema, count, percentilesSchema, rateSchema, truncatedSchema } from './range-schemas.ts';

const topUrlSchema = z
  .strictObject({
    url: z.string().describe('Origin and path. User information, query and fragment are left out.'),
    messages: count.describe(
      'Messages, callbacks and deliveries of events that ended in the range, cancelled ones too.',
    ),
    delivered: count,
    failed: count.describe('Failed for good.'),
    deliveryRate: rateSchema.describe('Delivered of those delivered or failed.'),
    latencyMs: percentilesSchema.describe('The latency of the attempts that ended in the range.'),
    approximate: approximateSchema,
    lastStatus: z
      .int()
      .nullable()
      .describe('What the destination answered to the newest attempt of the range; null where it did not answer.'),
    lastFailureAt: z.iso.datetime().nullable().describe('The newest failed attempt of the range.'),
  })
  .meta({ id: 'TopUrl' });

export const topUrlsRoute = defineRoute(
  analyticsRead({
    id: 'analytics.topUrls',
    path: '/api/v2/analytics/top-urls',
    summary: 'List the busiest, the failing or the slowest destinations',
    description:
      'Destinations of messages with what ended there in the range. URLs that differ in their query alone are one destination. ' +
      '`messages` of all items and of `other` sum to every message that ended in the range.',
    query: {
      sort: z
        .enum(URL_SORTS)
        .default('messages')
        .describe(
          'The first: with the most messages, with the most failed ones, or with the highest 95th percentile of latency.',
        ),
      limit: pageQuery.limit,
    },
    data: z.array(topUrlSchema),
    beside: {
      other: z.strictObject({ messages: count }).describe('The destinations that are not shown.'),
      truncated: truncatedSchema,
    },
    csv: {
      columns: [
        'url',
        'messages',
        'delivered',
        'failed',
        'deliveryRate',
        ...percentileColumns('latencyMs'),
        'lastStatus',
        'lastFailureAt',
      ],
    },
    async read(tx, { query: { sort, limit }, range }) {
      const { urls, otherMessages, isTruncated } = await readTopUrls(tx, range, { sort, most: limit });
      const attempts = await readUrlAttempts(
        tx,
        range,
        urls.map(({ url }) => url),
      );
      const data = urls.map((counts) => {
        const of = attempts.get(counts.url);
        return {
          ...counts,
          deliveryRate: rate(counts.delivered, counts.delivered + counts.failed),
          latencyMs: percentilesOf(of?.latency ?? []),
          approximate: APPROXIMATE,
          lastStatus: statusOf(of?.lastOutcome ?? null),
          lastFailureAt: of?.lastFailureAt?.toISOString() ?? null,
        };
      });
      return { data, beside: { other: { messages: otherMessages }, truncated: isTruncated } };
    },
  }),
);

/** Returns null for an outcome without a reply. */
function statusOf(outcome: string | null): number | null {
  return outcome !== null && /^\d+$/.test(outcome) ? Number(outcome) : null;
}
