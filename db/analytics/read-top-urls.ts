import { OTHER } from '../../domain/analytics/kinds.ts';
import type { HistogramBucket } from '../../domain/analytics/percentiles.ts';
import type { AnalyticsRange } from '../../domain/analytics/range.ts';
import { sourcesOfSum } from '../../domain/analytics/sources.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { readHistograms } from './read-histograms.ts';
import { sumBoundsOf, HISTOGRAMS, ROLLUPS } from './rollups.ts';

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
  latency: HistogramBucket[];
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
  const [last, latency] = await Promise.all([
    tx.raw<{ rows: (Omit<UrlAttempts, 'latency'> & { url: string })[] }>(
      'read_url_attempts',
      `SELECT r.d2 AS url, (array_agg(r.d1 ORDER BY r.last_at DESC NULLS LAST, r.d1))[1] AS "lastOutcome",
         max(r.last_at) FILTER (WHERE r.d1 NOT LIKE '2__') AS "lastFailureAt"
       FROM ${ROLLUPS} r WHERE r.kind = 'delivery.attempts' AND r.d2 = ANY (:urls) AND r.n > 0 GROUP BY r.d2`,
      { ...sumBoundsOf(range), urls },
    ),
    readHistograms(tx, sourcesOfSum(range), { kind: 'delivery.attempts', group: 'd2', keys: urls }),
  ]);
  return new Map(last.rows.map(({ url, ...attempts }) => [url, { ...attempts, latency: latency.get(url) ?? [] }]));
}
