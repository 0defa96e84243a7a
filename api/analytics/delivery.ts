import { z } from 'zod';
import { type AttemptsRow, type Delivery, readDelivery } from '../../db/analytics/delivery.ts';
import { rate } from '../../domain/analytics/counted.ts';
import { APPROXIMATE, countsOf, percentilesOf } from '../../domain/analytics/percentiles.ts';
import { bucketsOf } from '../../domain/analytics/sources.ts';
import { targetOf } from '../../domain/analytics/shapes.ts';
import { defineRoute } from '../http/define-route.ts';
import { analyticsRead } from './analytics-read.ts';
import { approximateSchema, bucketBounds, count, percentilesSchema, rateSchema } from './range-schemas.ts';

const URL_CHARACTERS_MAX = 2_048;
/** Outcomes of an attempt beside those of a lost worker. */
const OUTCOMES = ['2xx', '3xx', '4xx', '5xx', 'timeout', 'connection', 'blocked'] as const;

const deliverySchema = z
  .strictObject({
    attempts: z.strictObject({
      total: count.describe('Attempts that ended in the range, of messages, callbacks and deliveries of events.'),
      succeeded: count.describe('Those that were answered 2xx.'),
      failed: count.describe('All others whose end is known.'),
      abandoned: count.describe('Those whose worker was lost: nobody knows what the destination did.'),
    }),
    byOutcome: z
      .strictObject(Object.fromEntries(OUTCOMES.map((outcome) => [outcome, count])) as Record<Outcome, typeof count>)
      .describe(
        'Without the abandoned ones. `timeout`: no answer in time. `connection`: no connection, or one that broke. `blocked`: the egress ' +
          'rules forbade it, and nothing was sent.',
      ),
    latencyMs: percentilesSchema.describe('From the dialling to the end of the answer, of attempts that dialled.'),
    firstAttemptSuccessRate: rateSchema.describe(
      'The share of first attempts that succeeded, among those that ended in the range.',
    ),
    attemptsPerMessage: z
      .number()
      .min(0)
      .nullable()
      .describe('The mean, over the messages that were delivered or failed in the range, with all their attempts.'),
    timeToDeliveryMs: percentilesSchema.describe(
      'From the time at which a message was due until it was delivered, retries included, of those delivered in the range.',
    ),
    approximate: approximateSchema,
    buckets: z.array(
      z.strictObject({
        ...bucketBounds,
        succeeded: count,
        failed: count.describe('Without the abandoned ones.'),
        p95: z.number().min(0).nullable().describe('The 95th percentile of the latency.'),
      }),
    ),
  })
  .meta({ id: 'DeliveryAnalytics' });

type Outcome = (typeof OUTCOMES)[number];
type DeliveryData = z.input<typeof deliverySchema>;

export const deliveryRoute = defineRoute(
  analyticsRead({
    id: 'analytics.delivery',
    path: '/api/v2/analytics/delivery',
    summary: 'Analyse the delivery of messages',
    description:
      'Attempts by the time at which they ended: how many succeeded, how fast the destinations answered, how long deliveries took. Calls of ' +
      'actions are no deliveries, and are not counted.',
    query: {
      url: z
        .url()
        .max(URL_CHARACTERS_MAX)
        .optional()
        .describe('Only this destination: origin and path. The query and the fragment of the URL are ignored.'),
      subscriptionId: z.string().min(1).max(100).optional().describe('Only deliveries of events to this subscription.'),
    },
    data: deliverySchema,
    csv: { columns: ['start', 'end', 'succeeded', 'failed', 'p95'], records: ({ buckets }) => buckets },
    async read(tx, { query: { url, subscriptionId = null }, range }) {
      const delivery = await readDelivery(tx, range, {
        url: url === undefined ? null : targetOf(url),
        subscriptionId,
      });
      return { data: { ...totalsOf(delivery), buckets: filled(bucketsOf(range), delivery) } };
    },
  }),
);

function totalsOf({ attempts, ended, latency, toDelivery }: Delivery): Omit<DeliveryData, 'buckets'> {
  const sum = (rows: readonly AttemptsRow[], of: 'n' | 'firsts' = 'n'): number =>
    rows.reduce((total, row) => total + row[of], 0);
  const outcomes = OUTCOMES.map((outcome) => [outcome, sum(attempts.filter((row) => row.outcome === outcome))]);
  const total = sum(attempts);
  const succeeded = attempts.filter(isSuccess);
  const abandoned = sum(attempts.filter(({ outcome }) => outcome === 'abandoned'));
  const firsts = sum(attempts, 'firsts');
  return {
    attempts: { total, succeeded: sum(succeeded), failed: total - sum(succeeded) - abandoned, abandoned },
    byOutcome: Object.fromEntries(outcomes) as DeliveryData['byOutcome'],
    latencyMs: percentilesOf(countsOf(latency)),
    firstAttemptSuccessRate: rate(sum(succeeded, 'firsts'), firsts),
    attemptsPerMessage: rate(ended.attempts, ended.messages),
    timeToDeliveryMs: percentilesOf(countsOf(toDelivery)),
    approximate: APPROXIMATE,
  };
}

function isSuccess({ outcome }: AttemptsRow): boolean {
  return outcome === '2xx';
}

function filled(bounds: ReturnType<typeof bucketsOf>, { attempts, p95 }: Delivery): DeliveryData['buckets'] {
  const buckets = bounds.map((one) => ({ ...one, succeeded: 0, failed: 0, p95: null as number | null }));
  for (const row of attempts) {
    const bucket = buckets[row.at];
    if (bucket === undefined || row.outcome === 'abandoned') continue;
    if (isSuccess(row)) bucket.succeeded += row.n;
    else bucket.failed += row.n;
  }
  for (const { at, bucket } of p95) {
    const found = buckets[at];
    if (found !== undefined) found.p95 = percentilesOf(countsOf([{ bucket, n: 1 }]))?.p95 ?? null;
  }
  return buckets;
}
