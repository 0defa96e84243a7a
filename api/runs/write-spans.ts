import type { EnvironmentTransaction } from '../../db/client.ts';
import { findKnownSpans } from '../../db/runs/find-known-spans.ts';
import { type LockedRun, lockRun } from '../../db/runs/get-run.ts';
import { mergedAttributesBytes, upsertSpans } from '../../db/runs/upsert-spans.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { checkSpans } from '../../domain/runs/check-spans.ts';
import {
  type CheckedSpan,
  type KnownSpan,
  type RejectedSpan,
  SPAN_BYTES_MAX,
  SPANS_AFTER_END_SECONDS,
  type SpanUpsert,
} from '../../domain/runs/runs.ts';

/** Locks a run whose spans may be written. @throws {ServiceError} NOT_FOUND; CONFLICT where it ended too long ago. */
export async function lockRunForSpans(tx: EnvironmentTransaction, runId: string): Promise<LockedRun> {
  const run = await lockRun(tx, runId, SPANS_AFTER_END_SECONDS);
  if (run === null) throw notFound('run');
  if (run.isClosed) {
    throw new ServiceError('CONFLICT', {
      message: `The run has ${run.status} more than ${SPANS_AFTER_END_SECONDS / 60} minutes ago: its spans are as they are.`,
    });
  }
  return run;
}

/** Writes what of these spans can be written, of a run that the same transaction has locked. */
export async function writeSpans(
  tx: EnvironmentTransaction,
  runId: string,
  upserts: readonly SpanUpsert[],
): Promise<{ accepted: number; rejected: RejectedSpan[] }> {
  const parentIds = upserts.flatMap(({ parentId }) => parentId ?? []);
  const known = await findKnownSpans(
    tx,
    runId,
    upserts.map(({ id }) => id),
    [...new Set(parentIds)],
  );
  const { spans, rejected } = checkSpans(upserts, known, new Date());
  const full = await findFull(tx, runId, spans, known);
  await upsertSpans(
    tx,
    runId,
    spans.filter(({ id }) => !full.has(id)),
  );
  const refused = new Set(rejected.map(({ index }) => index));
  for (const [index, { id }] of upserts.entries()) {
    if (full.has(id) && !refused.has(index)) rejected.push({ index, message: FULL });
  }
  return {
    accepted: upserts.length - rejected.length,
    rejected: rejected.toSorted((a, b) => a.index - b.index),
  };
}

const FULL = `would have more than ${SPAN_BYTES_MAX} bytes of attributes: they are merged with those that are there`;

/** The spans whose attributes would be too many, with those that are there. */
async function findFull(
  tx: EnvironmentTransaction,
  runId: string,
  spans: readonly CheckedSpan[],
  known: readonly KnownSpan[],
): Promise<Set<string>> {
  const there = new Set(known.map(({ id }) => id));
  const sent = spans.filter(({ attributes }) => attributes);
  const merged = await mergedAttributesBytes(
    tx,
    runId,
    sent.filter(({ id }) => there.has(id)),
  );
  const bytesOf = ({ id, attributes }: CheckedSpan): number =>
    merged.get(id) ?? Buffer.byteLength(JSON.stringify(attributes));
  return new Set(sent.filter((span) => bytesOf(span) > SPAN_BYTES_MAX).map(({ id }) => id));
}
