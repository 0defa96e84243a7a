import type { Schema } from '../api/client.ts';
import { useRead } from '../api/queries.ts';
import { Chart } from './chart.tsx';
import { zone } from './clock.tsx';
import { When } from './screen.tsx';
import { capital, countText, durationText, wordsOf } from './text.ts';

export interface Metric {
  title: string;
  metric: Schema<'AnalyticsMetric'>;
  groupBy?: string;
}

const MICRO_OF_A_UNIT = 1_000_000;

const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  count: countText,
  tokens: countText,
  ms: durationText,
  micro_usd: (value) => `${(value / MICRO_OF_A_UNIT).toFixed(2)} USD`,
};

/** One metric of analytics over the time that the query names. */
export function MetricChart({ title, metric, groupBy, range }: Metric & { range: { from: string; to?: string } }) {
  const read = useRead('analytics', '/api/v2/analytics/time-series', {
    query: { metric, ...range, timezone: zone(), ...(groupBy === undefined ? {} : { groupBy }) },
    keepsPrevious: true,
  });
  return (
    <When read={read}>
      {({ data: { buckets, series, unit } }) => (
        <Chart
          title={title}
          file={metric}
          starts={buckets.map(({ start }) => start)}
          series={series.map(({ label, points }) => ({
            label: series.length === 1 && groupBy === undefined ? title : capital(wordsOf(label)),
            points,
          }))}
          {...(FORMATS[unit] === undefined ? {} : { format: FORMATS[unit] })}
        />
      )}
    </When>
  );
}
