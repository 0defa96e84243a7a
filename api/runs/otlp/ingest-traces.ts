import type { EnvironmentTransaction } from '../../../db/client.ts';
import { refuseFullStorage } from '../../../db/plans/refuse-full-storage.ts';
import { createRun } from '../../../db/runs/create-run.ts';
import { endRunOfTrace, findRunOfTrace } from '../../../db/runs/trace-runs.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { isId } from '../../../domain/ids.ts';
import { CUT_ATTRIBUTE } from '../../../domain/runs/cut-contents.ts';
import { firstCharacters, runFactsOf, runIdOf, spanOfTrace, type TracedSpan } from '../../../domain/runs/otlp.ts';
import type { SpanUpsert } from '../../../domain/runs/runs.ts';
import { lockRunForSpans, writeSpans } from '../write-spans.ts';

const RUN_NAME_CHARACTERS_MAX = 200;

export interface Ingested {
  /** Why spans were rejected, one text for each. */
  rejected: string[];
  /** Spans whose contents were cut. */
  cut: number;
}

/** Writes the spans of some runs. @throws {ServiceError} QUOTA_EXCEEDED where the plan's storage is full. */
export async function ingestTraces(
  tx: EnvironmentTransaction,
  groups: readonly RunSpans[],
  captureContent: boolean,
): Promise<Ingested> {
  const ingested: Ingested = { rejected: [], cut: 0 };
  for (const group of groups) {
    const { rejected, cut } = await ingestGroup(tx, group, captureContent);
    ingested.rejected.push(...rejected);
    ingested.cut += cut;
  }
  await refuseFullStorage(tx);
  return ingested;
}

/** Spans of one run. */
export interface RunSpans {
  /** The run that the spans name. Null: that of their trace. */
  runId: string | null;
  traceId: string;
  spans: TracedSpan[];
}

/** By run, in one order: two requests with the same runs wait for each other, and never in a circle. */
export function byRun(spans: readonly TracedSpan[]): RunSpans[] {
  const groups = new Map<string, RunSpans>();
  for (const span of spans) {
    const runId = runIdOf(span);
    const name = runId ?? `trace/${span.traceId}`;
    const group = groups.get(name) ?? { runId, traceId: span.traceId, spans: [] };
    group.spans.push(span);
    groups.set(name, group);
  }
  return [...groups.entries()].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

async function ingestGroup(tx: EnvironmentTransaction, group: RunSpans, captureContent: boolean): Promise<Ingested> {
  const read = group.spans.map((span) => spanOfTrace(span, captureContent));
  const upserts = read.filter((span): span is SpanUpsert => span !== null);
  const tooLarge = read.filter((span) => span === null).map(() => 'a span is too large');
  if (upserts.length === 0) return { rejected: tooLarge, cut: 0 };
  const rejectAll = (why: string): Ingested => ({ rejected: group.spans.map(() => why), cut: 0 });
  try {
    const runId = group.runId ?? (await runOfTrace(tx, group));
    if (!isId('run', runId)) return rejectAll('what a span names as its run is no id of a run');
    await lockRunForSpans(tx, runId);
    const { rejected } = await writeSpans(tx, runId, upserts);
    await endWithRoot(tx, runId, group.spans);
    const cut = upserts.filter(({ attributes }) => attributes?.[CUT_ATTRIBUTE] !== undefined).length;
    return { rejected: [...tooLarge, ...rejected.map(({ message }) => message)], cut };
  } catch (error) {
    // Both are thrown before anything is written, and say that this run takes no spans. Those of other runs are written.
    if (!(error instanceof ServiceError) || (error.code !== 'NOT_FOUND' && error.code !== 'CONFLICT')) throw error;
    return rejectAll(error.publicMessage);
  }
}

async function endWithRoot(tx: EnvironmentTransaction, runId: string, spans: readonly TracedSpan[]): Promise<void> {
  for (const root of spans) {
    const { traceId, startedAt, endedAt, hasFailed } = root;
    if (root.parentId !== null || endedAt === null) continue;
    const name = nameOf(root);
    const status = hasFailed ? 'failed' : 'succeeded';
    await endRunOfTrace(tx, runId, { ...runFactsOf(root), traceId, status, startedAt, endedAt, name });
    return;
  }
}

async function runOfTrace(tx: EnvironmentTransaction, { traceId, spans }: RunSpans): Promise<string> {
  const known = await findRunOfTrace(tx, traceId);
  if (known !== null) return known;
  const root = spans.find(({ parentId }) => parentId === null);
  const facts = spans.map(runFactsOf);
  const first = (member: 'agentId' | 'userId' | 'application'): string | null =>
    facts.map((one) => one[member]).find((value) => value !== null) ?? null;
  const run = await createRun(tx, {
    name: root === undefined ? null : nameOf(root),
    agentId: first('agentId'),
    agentVersion: null,
    userId: first('userId'),
    application: first('application'),
    input: null,
    tags: null,
    metadata: null,
    traceId,
    startedAt: spans.map(({ startedAt }) => startedAt).toSorted()[0] ?? null,
  });
  return run.id;
}

function nameOf({ name }: TracedSpan): string | null {
  return firstCharacters(name, RUN_NAME_CHARACTERS_MAX) || null;
}
