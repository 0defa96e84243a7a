import type { JsonObject } from '../../domain/json.ts';
import { CHUNK_METADATA } from '../../domain/memory/memory-jobs.ts';
import { DERIVED_FROM_JOB, type MemoryFilter } from '../../domain/memory/memories.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Applies a forgetting to the chunks that an ingest has not stored yet: a job whose input is still to be split fails if a chunk of it may
 * match, and matching chunks are deleted. Both happen under the lock of their job, so that no page stores them meanwhile. Before the
 * split nobody knows the metadata that the job writes into its chunks; all other metadata are those of the request.
 */
export async function forgetUnstored(
  tx: EnvironmentTransaction,
  collectionIds: readonly string[],
  { userId, agentId, sessionId, kind, source, metadata }: Omit<MemoryFilter, 'collectionIds'>,
): Promise<void> {
  const wanted = Object.entries({ userId, agentId, sessionId, kind }).filter(([, value]) => value !== undefined);
  const bindings = {
    collectionIds,
    template: JSON.stringify(Object.fromEntries(wanted)),
    jobId: source?.type === DERIVED_FROM_JOB ? (source.id ?? null) : null,
    metadata: JSON.stringify(metadata ?? {}),
    writtenOf: JSON.stringify(CHUNK_METADATA),
    otherSource: source !== undefined && source.type !== DERIVED_FROM_JOB,
  };
  const { rows: jobs } = await tx.raw<{ rows: { id: string; isSplit: boolean; metadata: JsonObject }[] }>(
    `SELECT j.id, j.total IS NOT NULL AS "isSplit", j.template -> 'metadata' AS metadata FROM memory_jobs j
     WHERE j.environment_id = current_environment_id() AND j.kind = 'ingest' AND j.ended_at IS NULL AND NOT :otherSource
       AND j.collection_id = ANY (:collectionIds) AND j.template @> CAST(:template AS jsonb)
       AND (CAST(:jobId AS text) IS NULL OR j.id = :jobId)
       AND (j.total IS NOT NULL OR j.template -> 'metadata' @> (CAST(:metadata AS jsonb) - ARRAY(
         SELECT jsonb_array_elements_text(w.names) FROM jsonb_each(CAST(:writtenOf AS jsonb)) AS w (source, names)
         WHERE j.input -> w.source IS NOT NULL)))
     ORDER BY j.id FOR NO KEY UPDATE`,
    bindings,
  );
  for (const job of jobs) await forgetOfJob(tx, job, metadata ?? {});
}

async function forgetOfJob(
  tx: EnvironmentTransaction,
  { id, isSplit, metadata: shared }: { id: string; isSplit: boolean; metadata: JsonObject },
  metadata: JsonObject,
): Promise<void> {
  if (!isSplit) {
    const error = { code: 'CONFLICT', message: 'What it was to store was forgotten before it was stored.' };
    // Its chunks are not known yet, so none of it is stored: otherwise too much could be.
    await tx.raw(
      `UPDATE memory_jobs SET status = 'failed', error = CAST(? AS jsonb), input = NULL, updated_at = now(), ended_at = now() WHERE id = ?`,
      [JSON.stringify(error), id],
    );
    return;
  }
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `DELETE FROM memory_job_chunks WHERE job_id = :id AND (CAST(:shared AS jsonb) || metadata) @> CAST(:metadata AS jsonb) RETURNING 1`,
    { id, shared: JSON.stringify(shared), metadata: JSON.stringify(metadata) },
  );
  await tx.raw('UPDATE memory_jobs SET total = total - ?, updated_at = now() WHERE id = ?', [rows.length, id]);
}
