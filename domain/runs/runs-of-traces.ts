import type { RunFacts, TracedSpan } from './otlp.ts';
import type { SpanUpsert } from './runs.ts';

export interface RunsOfTraces {
  runs: RunSpans[];
  /** Why each of the other spans cannot be read. */
  rejected: string[];
}

export interface RunSpans {
  /** The run that the spans name. Null selects the run of their trace. */
  runId: string | null;
  traceId: string;
  spanCount: number;
  /** A list of `MappedSpan` as JSON, which a thread hands over in no time. */
  spansJson: string;
}

export type MappedSpan = Pick<TracedSpan, 'traceId' | 'parentId' | 'startedAt' | 'endedAt' | 'hasFailed'> & {
  /** For the name of the run; null where it has none. */
  runName: string | null;
  facts: RunFacts;
  /** Null when the span is too large. */
  upsert: SpanUpsert | null;
};
