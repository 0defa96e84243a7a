import type { LabelsOf, MetricOf } from './catalogue.ts';

/** Takes what is measured. The labels are those of the catalogue. Never throws. */
export interface Recorder {
  set<Name extends MetricOf<'gauge'>>(name: Name, labels: LabelsOf<Name>, value: number): void;
  add<Name extends MetricOf<'counter'>>(name: Name, labels: LabelsOf<Name>, count: number): void;
  observe<Name extends MetricOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, seconds: number): void;
}

/** For a process without METRICS_ADDRESS. */
export const NOTHING_RECORDED: Recorder = { set: () => {}, add: () => {}, observe: () => {} };
