import type { EnvironmentTransaction } from '../../db/client.ts';
import { attributesBytes, findKnownSpans, upsertSpans } from '../../db/runs/spans.ts';
import { type LockedRun, lockRun } from '../../db/runs/queries.ts';
import { existing, ServiceError } from '../../domain/errors.ts';
import { jsonBytes, type JsonObject } from '../../domain/json.ts';
import { checkSpans } from '../../domain/runs/check-spans.ts';
import {
  type KnownSpan,
  type RejectedSpan,
  SPAN_BYTES_MAX,
  SPANS_AFTER_END_SECONDS,
  type SpanUpsert,
} from '../../domain/runs/runs.ts';

/** Locks a run whose spans may be written. @throws {ServiceError} NOT_FOUND; CONFLICT where it ended too long ago. */
export async function lockRunForSpans(tx: EnvironmentTransaction, runId: string): Promise<LockedRun> {
  const run = existing(await lockRun(tx, runId, SPANS_AFTER_END_SECONDS), 'run');
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
  const { spans, rejected } = checkSpans(upserts, known, new Date(), await findFull(tx, runId, upserts, known));
  await upsertSpans(tx, runId, spans);
  return { accepted: upserts.length - rejected.length, rejected };
}

/** The spans whose attributes would be too many: all that the request has of one, with those that are there. */
async function findFull(
  tx: EnvironmentTransaction,
  runId: string,
  upserts: readonly SpanUpsert[],
  known: readonly KnownSpan[],
): Promise<ReadonlySet<string>> {
  const there = new Set(known.map(({ id }) => id));
  const sent = attributesById(upserts).filter(({ id, attributes }) => there.has(id) || mayBeTooMany(attributes));
  const bytes = await attributesBytes(tx, runId, sent);
  return new Set([...bytes].filter(([, count]) => count > SPAN_BYTES_MAX).map(([id]) => id));
}

function attributesById(upserts: readonly SpanUpsert[]): { id: string; attributes: JsonObject }[] {
  const parts = new Map<string, JsonObject[]>();
  for (const { id, attributes } of upserts) {
    const before = parts.get(id);
    if (before === undefined) parts.set(id, attributes ? [attributes] : []);
    else if (attributes) before.push(attributes);
  }
  return [...parts].flatMap(([id, [first, ...others]]) => {
    if (first === undefined) return [];
    const merged = () => Object.fromEntries([first, ...others].flatMap((part) => Object.entries(part)));
    return [{ id, attributes: others.length === 0 ? first : merged() }];
  });
}

/** PostgreSQL counts, which puts spaces between members. It need not where that cannot be too much. */
function mayBeTooMany(attributes: JsonObject): boolean {
  return jsonBytes(attributes) * 2 > SPAN_BYTES_MAX;
}
