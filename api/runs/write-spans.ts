import type { EnvironmentTransaction } from '../../db/client.ts';
import { findKnownSpans } from '../../db/runs/find-known-spans.ts';
import { type LockedRun, lockRun } from '../../db/runs/get-run.ts';
import { upsertSpans } from '../../db/runs/upsert-spans.ts';
import { notFound, ServiceError } from '../../domain/errors.ts';
import { checkSpans } from '../../domain/runs/check-spans.ts';
import { type RejectedSpan, SPANS_AFTER_END_SECONDS, type SpanUpsert } from '../../domain/runs/runs.ts';

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
  await upsertSpans(tx, runId, spans);
  return { accepted: upserts.length - rejected.length, rejected };
}
