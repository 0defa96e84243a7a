/** Who shows a metric. `database`: one process at a time, of those that have METRICS_ADDRESS, for the whole installation. */
export type ShownBy = 'every process' | 'API' | 'worker' | 'database';

export interface MetricDeclaration {
  type: 'counter' | 'gauge' | 'histogram';
  shownBy: ShownBy;
  /** A sentence without its period, for HELP and docs/metrics.md. */
  help: string;
  /** Each has a bounded number of values, and none names a tenant. */
  labels: readonly string[];
  /** Upper bounds of a histogram, in seconds. */
  buckets?: readonly number[];
}
