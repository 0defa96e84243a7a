import type { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type LabelsOf, type MetricName, type MetricOf, METRICS } from '../../domain/metrics/catalogue.ts';
import type { MetricDeclaration } from '../../domain/metrics/declaration.ts';
import type { Recorder } from '../../domain/metrics/recorder.ts';

/** The part of prom-client that is used. It is loaded where metrics are served, and nowhere else. */
export interface PromClient {
  Counter: typeof Counter;
  Gauge: typeof Gauge;
  Histogram: typeof Histogram;
  Registry: typeof Registry;
}

/** Keeps in a registry of prom-client what is recorded. A metric that was never recorded is not shown. */
export class Recording implements Recorder {
  readonly registry: Registry;
  private readonly client: PromClient;
  private readonly made = new Map<MetricName, Counter | Gauge | Histogram>();

  constructor(client: PromClient) {
    this.client = client;
    this.registry = new client.Registry();
  }

  set<Name extends MetricOf<'gauge'>>(name: Name, labels: LabelsOf<Name>, value: number): void {
    this.metric(name, (options) => new this.client.Gauge(options)).set(labels, value);
  }

  add<Name extends MetricOf<'counter'>>(name: Name, labels: LabelsOf<Name>, count: number): void {
    this.metric(name, (options) => new this.client.Counter(options)).inc(labels, count);
  }

  observe<Name extends MetricOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, seconds: number): void {
    this.metric(name, (options) => new this.client.Histogram(options)).observe(labels, seconds);
  }

  /** One name has one type, that of the catalogue. */
  private metric<Made extends Counter | Gauge | Histogram>(
    name: MetricName,
    make: (options: OptionsOfMetric) => Made,
  ): Made {
    const known = this.made.get(name) as Made | undefined;
    if (known !== undefined) return known;
    const { help, labels, buckets }: MetricDeclaration = METRICS[name];
    const made = make({
      name,
      help,
      labelNames: [...labels],
      registers: [this.registry],
      ...(buckets === undefined ? {} : { buckets: [...buckets] }),
    });
    this.made.set(name, made);
    return made;
  }
}

interface OptionsOfMetric {
  name: string;
  help: string;
  labelNames: string[];
  registers: Registry[];
  buckets?: number[];
}
