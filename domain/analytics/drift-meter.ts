import type { Metric } from '../metrics.ts';

/** Counts the buckets of the daily sample that differed from their records, for this process. */
export class DriftMeter {
  private buckets = 0;

  note(buckets: number): void {
    this.buckets += buckets;
  }

  metrics(): Metric[] {
    return [
      {
        name: 'agent_actions_analytics_drift_buckets_total',
        help: 'Buckets of analytics that differed from a recount. Anything above 0 is a fault of this service.',
        type: 'counter',
        samples: [{ labels: {}, value: this.buckets }],
      },
    ];
  }
}
