import type { EnvironmentTransaction } from '../../../db/client.ts';
import { refuseFullStorage } from '../../../db/plans/allowances.ts';
import { createRun, endRunOfTrace, findRunOfTrace } from '../../../db/runs/changes.ts';
import { batchesOf } from '../../../domain/batches-of.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { isId } from '../../../domain/ids.ts';
import { CUT_ATTRIBUTE } from '../../../domain/runs/cut-contents.ts';
import { type RejectedSpan, SPANS_PER_REQUEST_MAX, type SpanUpsert } from '../../../domain/runs/runs.ts';
import { lockRunForSpans, writeSpans } from '../write-spans.ts';
import type { MappedSpan, RunSpans } from '../../../domain/runs/runs-of-traces.ts';

export interface Ingested {
  /** Why spans were rejected, one text for each. */
  rejected: string[];
  /** Spans whose contents were cut. */
  cut: number;
}

/** Writes the spans of some runs. @throws {ServiceError} QUOTA_EXCEEDED where the plan's storage is full. */
export async function ingestTraces(tx: EnvironmentTransaction, groups: readonly RunSpans[]): Promise<Ingested> {
  const ingested: Ingested = { rejected: [], cut: 0 };
  for (const group of groups) {
    const { rejected, cut } = await ingestGroup(tx, group);
    ingested.rejected.push(...rejected);
    ingested.cut += cut;
  }
  await refuseFullStorage(tx);
  return ingested;
}

async function ingestGroup(tx: EnvironmentTransaction, group: RunSpans): Promise<Ingested> {
  const spans = JSON.parse(group.spansJson) as MappedSpan[];
  const read = spans.map(({ upsert }) => upsert);
  const upserts = read.filter((span): span is SpanUpsert => span !== null);
  const tooLarge = read.filter((span) => span === null).map(() => 'a span is too large');
  if (upserts.length === 0) return { rejected: tooLarge, cut: 0 };
  const rejectAll = (why: string): Ingested => ({ rejected: spans.map(() => why), cut: 0 });
  try {
    const runId = group.runId ?? (await runOfTrace(tx, group.traceId, spans));
    if (!isId('run', runId)) return rejectAll('what a span names as its run is no id of a run');
    await lockRunForSpans(tx, runId);
    const rejected: RejectedSpan[] = [];
    for (const some of batchesOf(upserts, SPANS_PER_REQUEST_MAX)) {
      rejected.push(...(await writeSpans(tx, runId, some)).rejected);
    }
    await endWithRoot(tx, runId, spans);
    const cut = upserts.filter(({ attributes }) => attributes?.[CUT_ATTRIBUTE] !== undefined).length;
    return { rejected: [...tooLarge, ...rejected.map(({ message }) => message)], cut };
  } catch (error) {
    // Both are thrown before anything is written, and say that this run takes no spans. Those of other runs are written.
    if (!(error instanceof ServiceError) || (error.code !== 'NOT_FOUND' && error.code !== 'CONFLICT')) throw error;
    return rejectAll(error.publicMessage);
  }
}

async function endWithRoot(tx: EnvironmentTransaction, runId: string, spans: readonly MappedSpan[]): Promise<void> {
  for (const root of spans) {
    const { traceId, startedAt, endedAt, hasFailed, facts, runName: name } = root;
    if (root.parentId !== null || endedAt === null) continue;
    const status = hasFailed ? 'failed' : 'succeeded';
    await endRunOfTrace(tx, runId, { ...facts, traceId, status, startedAt, endedAt, name });
    return;
  }
}

async function runOfTrace(tx: EnvironmentTransaction, traceId: string, spans: readonly MappedSpan[]): Promise<string> {
  const known = await findRunOfTrace(tx, traceId);
  if (known !== null) return known;
  const root = spans.find(({ parentId }) => parentId === null);
  const facts = spans.map((span) => span.facts);
  const first = (member: 'agentId' | 'userId' | 'application'): string | null =>
    facts.map((one) => one[member]).find((value) => value !== null) ?? null;
  const run = await createRun(tx, {
    name: root?.runName ?? null,
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
