import type { Counts, HistogramBucket } from '../../domain/analytics/percentiles.ts';
import { OTHER, SQL_OF_GROUP } from '../../domain/analytics/kinds.ts';
import type { AnalyticsRange } from '../../domain/analytics/range.ts';
import { sourcesOfSum } from '../../domain/analytics/sources.ts';
import type { EnvironmentTransaction } from '../client.ts';
import {
  boundsOf,
  BUCKET_NUMBER,
  edgesOf,
  HISTOGRAMS,
  histogramsFor,
  readHistograms,
  ROLLUPS,
  rollupsFor,
  sumBoundsOf,
} from './rollups.ts';

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

export const URL_SORTS = ['messages', 'failed', 'latency'] as const;
export type UrlSort = (typeof URL_SORTS)[number];

export interface UrlCounts {
  /** Origin and path. */
  url: string;
  /** That ended in the range, however. */
  messages: number;
  delivered: number;
  failed: number;
}

export interface UrlAttempts {
  latency: Counts;
  /** What the newest attempt of the range got: a status, or a word such as `timeout`. */
  lastOutcome: string | null;
  lastFailureAt: Date | null;
}

const ORDER: Record<UrlSort, string> = {
  messages: 'messages DESC',
  failed: 'failed DESC, messages DESC',
  latency: 'p95 DESC NULLS LAST, messages DESC',
};

/** The `most` first destinations, and what those behind them have together. */
export async function readTopUrls(
  tx: EnvironmentTransaction,
  range: AnalyticsRange,
  { sort, most }: { sort: UrlSort; most: number },
): Promise<{ urls: UrlCounts[]; otherMessages: number; isTruncated: boolean }> {
  const { rows } = await tx.raw<{ rows: (UrlCounts & { all: number; others: number })[] }>(
    { variantsOf: 'read_top_urls' },
    `WITH ended AS (
       SELECT r.d2 AS url, sum(r.n) AS messages, COALESCE(sum(r.n) FILTER (WHERE r.d1 = 'delivered'), 0) AS delivered,
         COALESCE(sum(r.n) FILTER (WHERE r.d1 = 'failed'), 0) AS failed
       FROM ${ROLLUPS} r WHERE r.kind = 'targets.ended' GROUP BY r.d2 HAVING sum(r.n) > 0),
     slow AS (
       SELECT url, min(bucket) FILTER (WHERE upto > 0.95 * (total - 1)) AS p95 FROM (
         SELECT url, bucket, sum(n) OVER (PARTITION BY url ORDER BY bucket) AS upto, sum(n) OVER (PARTITION BY url) AS total FROM (
           SELECT r.d2 AS url, r.bucket, sum(r.n) AS n FROM ${HISTOGRAMS} r
           WHERE :byLatency AND r.kind = 'delivery.attempts' GROUP BY 1, 2 HAVING sum(r.n) > 0) h) c
       GROUP BY url)
     SELECT url, messages::float8, delivered::float8, failed::float8,
       (SELECT COALESCE(sum(messages), 0) FROM ended)::float8 AS all,
       (SELECT COALESCE(sum(messages), 0) FROM ended WHERE url = :other)::float8 AS others
     FROM ended LEFT JOIN slow USING (url) ORDER BY url = :other, ${ORDER[sort]}, url LIMIT :most`,
    { ...sumBoundsOf(range), byLatency: sort === 'latency', other: OTHER, most },
  );
  const named = rows.filter(({ url }) => url !== OTHER);
  const urls = named.map((row) => {
    const { all: _, others: __, ...counts } = row;
    return counts;
  });
  const [any] = rows;
  const shown = urls.reduce((sum, { messages }) => sum + messages, 0);
  return { urls, otherMessages: (any?.all ?? 0) - shown, isTruncated: (any?.others ?? 0) > 0 };
}

/** The attempts that ended in the range, of each of these destinations. */
export async function readUrlAttempts(
  tx: EnvironmentTransaction,
  range: AnalyticsRange,
  urls: readonly string[],
): Promise<Map<string, UrlAttempts>> {
  const [last, latency] = await tx.inOrder(
    () =>
      tx.raw<{ rows: (Omit<UrlAttempts, 'latency'> & { url: string })[] }>(
        'read_url_attempts',
        `SELECT r.d2 AS url, (array_agg(r.d1 ORDER BY r.last_at DESC NULLS LAST, r.d1))[1] AS "lastOutcome",
         max(r.last_at) FILTER (WHERE r.d1 NOT LIKE '2__') AS "lastFailureAt"
       FROM ${ROLLUPS} r WHERE r.kind = 'delivery.attempts' AND r.d2 = ANY (:urls) AND r.n > 0 GROUP BY r.d2`,
        { ...sumBoundsOf(range), urls },
      ),
    () => readHistograms(tx, sourcesOfSum(range), { kind: 'delivery.attempts', group: 'd2', keys: urls }),
  );
  return new Map(last.rows.map(({ url, ...attempts }) => [url, { ...attempts, latency: latency.get(url) ?? [] }]));
}
