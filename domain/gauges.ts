import type { Metric } from './metrics.ts';

/** Figures that a process has found out and shows until it finds out others. One that was never set is not shown. */
export class Gauges {
  private readonly found = new Map<string, Metric>();

  set(name: string, help: string, value: number): void {
    this.found.set(name, { name, help, type: 'gauge', samples: [{ labels: {}, value }] });
  }

  metrics(): Metric[] {
    return [...this.found.values()];
  }
}
