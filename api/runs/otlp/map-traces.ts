import { firstCharacters, runFactsOf, runIdOf, spanOfTrace, type TracedSpan } from '../../../domain/runs/otlp.ts';
import { refuseTooManyParts } from '../../http/json-text.ts';
import type { OtlpEncoding } from '../../threads/body-job.ts';
import { readTraces } from './read-traces.ts';
import type { MappedSpan, RunsOfTraces } from '../../../domain/runs/runs-of-traces.ts';

const RUN_NAME_CHARACTERS_MAX = 200;
/** Contents that are JSON in a text are unpacked. 5,000 spans with 16 attributes each have some 180,000. */
const UNPACKED_VALUES_MAX = 250_000;

export interface TracesBody {
  bytes: Uint8Array;
  encoding: OtlpEncoding;
  /** Whether prompts, answers and arguments are kept. */
  captureContent: boolean;
}

/**
 * All that is done to a request before the database: for a large one it takes a second, in a thread.
 *
 * @throws {ServiceError} VALIDATION_ERROR where the body is no request of OTLP's trace service, or has too many parts; PAYLOAD_TOO_LARGE.
 */
export function mapTraces({ bytes, encoding, captureContent }: TracesBody): RunsOfTraces {
  const { spans, rejected } = readTraces(bytes, encoding);
  const runs = byRun(spans).map(({ runId, traceId, spans: ofRun }) => ({
    runId,
    traceId,
    spanCount: ofRun.length,
    spansJson: JSON.stringify(ofRun.map((span) => mapped(span, captureContent))),
  }));
  const unpacked = Buffer.from(`[${runs.map(({ spansJson }) => spansJson).join()}]`);
  refuseTooManyParts(unpacked, 'body', UNPACKED_VALUES_MAX);
  return { runs, rejected };
}

interface TracedRun {
  runId: string | null;
  traceId: string;
  spans: TracedSpan[];
}

/** By run, in one order: two requests with the same runs wait for each other, and never in a circle. */
function byRun(spans: readonly TracedSpan[]): TracedRun[] {
  const groups = new Map<string, TracedRun>();
  for (const span of spans) {
    const runId = runIdOf(span);
    const name = runId ?? `trace/${span.traceId}`;
    const group = groups.get(name) ?? { runId, traceId: span.traceId, spans: [] };
    group.spans.push(span);
    groups.set(name, group);
  }
  return [...groups.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function mapped(span: TracedSpan, captureContent: boolean): MappedSpan {
  const { traceId, parentId, startedAt, endedAt, hasFailed, name } = span;
  return {
    traceId,
    parentId,
    startedAt,
    endedAt,
    hasFailed,
    runName: firstCharacters(name, RUN_NAME_CHARACTERS_MAX) || null,
    facts: runFactsOf(span),
    upsert: spanOfTrace(span, captureContent),
  };
}
