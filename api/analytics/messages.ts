import { z } from 'zod';
import {
  type MessageCounts,
  readLiveMessages,
  readMessageBuckets,
  readMessageGroups,
} from '../../db/analytics/messages.ts';
import { bucketsOf } from '../../domain/analytics/sources.ts';
import { queryBoolean } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';
import { bucketBounds, count, gaugeSchema } from './range-schemas.ts';

const KINDS_MAX = 10;
const LABELS_MAX = 20;
const COUNTED = ['accepted', 'delivered', 'failed', 'cancelled'] as const;
const NOTHING: MessageCounts = { accepted: 0, delivered: 0, failed: 0, cancelled: 0 };

const counts = {
  accepted: count.describe('Accepted in the range or bucket, duplicates left out.'),
  delivered: count.describe('Delivered in it, whenever they were accepted.'),
  failed: count.describe('Failed for good in it.'),
  cancelled: count.describe('Cancelled in it.'),
};

const messagesSchema = z
  .strictObject({
    totals: z.strictObject(counts).describe('Sums of the buckets.'),
    now: z
      .strictObject({ pending: gaugeSchema, scheduled: gaugeSchema, processing: gaugeSchema })
      .describe('Messages that have not ended, by their status as it is now, whatever the range.'),
    byKind: z
      .array(z.strictObject({ kind: z.string().describe('`message`, `callback`, `event` or `alert`.'), ...counts }))
      .describe('Sums to `totals`.'),
    byLabel: z
      .array(
        z.strictObject({
          label: z
            .string()
            .nullable()
            .describe('Null for messages without a label; `(other)` for those beyond 1,000 labels of a day.'),
          ...counts,
        }),
      )
      .max(LABELS_MAX)
      .describe(`The ${LABELS_MAX} labels with the most messages.`),
    buckets: z.array(z.strictObject({ ...bucketBounds, ...counts })),
  })
  .meta({ id: 'MessageAnalytics' });

export const messagesRoute = defineRoute(
  analyticsRead({
    id: 'analytics.messages',
    path: '/api/v2/analytics/messages',
    summary: 'Count messages',
    description:
      'Messages by the time at which they were accepted, and by the time at which they ended: a message that is accepted before the range ' +
      'and fails in it counts as failed here. So `accepted` is no sum of the others. An attempt that fails and is tried again is no ' +
      'failed message: those are in `analytics.delivery`.',
    query: {
      includeEventDeliveries: queryBoolean
        .default(false)
        .describe('Whether deliveries of events to subscriptions count too, as in the list of messages.'),
    },
    data: messagesSchema,
    csv: { columns: ['start', 'end', ...COUNTED], records: ({ buckets }) => buckets },
    async read(tx, { query: { includeEventDeliveries: includeEvents }, range }) {
      const [counted, kinds, labels, now] = await tx.inOrder(
        () => readMessageBuckets(tx, range, includeEvents),
        () => readMessageGroups(tx, range, { by: 'kind', includeEvents, most: KINDS_MAX }),
        () => readMessageGroups(tx, range, { by: 'label', includeEvents, most: LABELS_MAX }),
        () => readLiveMessages(tx, includeEvents),
      );
      const byNumber = new Map(counted.map(({ at, ...of }) => [at, of]));
      return {
        data: {
          totals: counted.reduce<MessageCounts>(sumOf, NOTHING),
          now,
          byKind: kinds.map(({ key, ...of }) => ({ kind: key, ...of })),
          byLabel: labels.map(({ key, ...of }) => ({ label: key === '' ? null : key, ...of })),
          buckets: bucketsOf(range).map((bounds, at) => ({ ...bounds, ...(byNumber.get(at) ?? NOTHING) })),
        },
      };
    },
  }),
);

function sumOf(one: MessageCounts, other: MessageCounts): MessageCounts {
  const sums = COUNTED.map((name) => [name, one[name] + other[name]]);
  return Object.fromEntries(sums) as Record<(typeof COUNTED)[number], number>;
}
