import type { HistogramBucket } from '../../domain/analytics/percentiles.ts';
import { SQL_OF_GROUP } from '../../domain/analytics/kinds.ts';
import type { AnalyticsRange } from '../../domain/analytics/range.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { BUCKET_NUMBER, boundsOf, edgesOf, histogramsFor, rollupsFor, sumBoundsOf } from './rollups.ts';

export interface DeliveryFilter {
  /** Origin and path, as `targetOf` makes them of a URL. */
  url: string | null;
  subscriptionId: string | null;
}

/** Attempts of one outcome in one bucket. */
export interface AttemptsRow {
  /** The number of the bucket, from 0. */
  at: number;
  outcome: string;
  n: number;
  /** How many were the first attempt of their message. */
  firsts: number;
}

export interface Delivery {
  attempts: AttemptsRow[];
  /** The latencies that are known. */
  latency: HistogramBucket[];
  /** The bucket of the histogram that has the 95th percentile, by the number of the range's bucket. */
  p95: { at: number; bucket: number }[];
  /** Messages that were delivered or failed in the range, with all their attempts. */
  ended: { messages: number; attempts: number };
  /** From the time at which a message was due until it was delivered. */
  toDelivery: HistogramBucket[];
}

/** What the rollups say of the deliveries that ended in the range. */
export async function readDelivery(
  tx: EnvironmentTransaction,
  range: AnalyticsRange,
  filter: DeliveryFilter,
): Promise<Delivery> {
  const ofTarget = targetTerms(filter);
  const [rollups, histograms] = [
    rollupsFor({ 'delivery.attempts': ofTarget }),
    histogramsFor({ 'delivery.attempts': ofTarget }),
  ];
  const bounds = { ...sumBoundsOf(range), ...filter };
  const byBucket = { ...boundsOf(range), ...filter, edges: edgesOf(range) };
  const histogram = (kind: string): string =>
    `SELECT r.bucket, sum(r.n)::float8 AS n FROM ${histograms} r WHERE r.kind = '${kind}' AND ${ofTarget} GROUP BY r.bucket`;
  const [attempts, p95, ended, latency, toDelivery] = await tx.inOrder(
    () =>
      tx.raw<{ rows: AttemptsRow[] }>(
        { variantsOf: 'read_delivery' },
        `SELECT ${BUCKET_NUMBER} AS at, ${SQL_OF_GROUP['delivery.attempts'].outcome.replaceAll('d1', 'r.d1')} AS outcome,
         sum(r.n)::float8 AS n, sum(r.s1)::float8 AS firsts
       FROM ${rollups} r WHERE r.kind = 'delivery.attempts' AND ${ofTarget} GROUP BY 1, 2`,
        byBucket,
      ),
    () =>
      tx.raw<{ rows: { at: number; bucket: number }[] }>(
        { variantsOf: 'read_delivery_2' },
        `SELECT at, min(bucket) FILTER (WHERE upto > 0.95 * (total - 1)) AS bucket FROM (
         SELECT at, bucket, sum(n) OVER (PARTITION BY at ORDER BY bucket) AS upto, sum(n) OVER (PARTITION BY at) AS total FROM (
           SELECT ${BUCKET_NUMBER} AS at, r.bucket, sum(r.n) AS n FROM ${histograms} r
           WHERE r.kind = 'delivery.attempts' AND ${ofTarget} GROUP BY 1, 2 HAVING sum(r.n) > 0) h) c
       GROUP BY at`,
        byBucket,
      ),
    () =>
      tx.raw<{ rows: Delivery['ended'][] }>(
        { variantsOf: 'read_delivery_3' },
        `SELECT COALESCE(sum(r.n), 0)::float8 AS messages, COALESCE(sum(r.s1), 0)::float8 AS attempts
       FROM ${rollups} r WHERE r.kind = 'targets.ended' AND r.d1 IN ('delivered', 'failed') AND ${ofTarget}`,
        bounds,
      ),
    () =>
      tx.raw<{ rows: HistogramBucket[] }>({ variantsOf: 'read_delivery_4' }, histogram('delivery.attempts'), bounds),
    () => tx.raw<{ rows: HistogramBucket[] }>({ variantsOf: 'read_delivery_5' }, histogram('targets.ended'), bounds),
  );
  return {
    attempts: attempts.rows,
    latency: latency.rows,
    p95: p95.rows,
    ended: ended.rows[0] ?? { messages: 0, attempts: 0 },
    toDelivery: toDelivery.rows,
  };
}

/** Only what is asked for is compared, so that all destinations together are read from totals. */
function targetTerms({ url, subscriptionId }: DeliveryFilter): string {
  const terms = [url === null ? '' : 'r.d2 = :url', subscriptionId === null ? '' : 'r.d3 = :subscriptionId'];
  return ['true', ...terms.filter((term) => term !== '')].join(' AND ');
}
