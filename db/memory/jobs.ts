import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import {
  ENDED_JOBS_KEPT_DAYS,
  type IngestChunk,
  type IngestTemplate,
  type MemoryJobKind,
  type MemoryJobStatus,
  OPEN_JOBS_MAX,
} from '../../domain/memory/memory-jobs.ts';
import type { MemoryFilter } from '../../domain/memory/memories.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { selected } from '../columns.ts';

export interface JobError {
  code: string;
  message: string;
}

/** What an ingest is made of; null once it is split. */
export type IngestInput = { charactersMax: number } & (
  { text: string } | { messages: readonly IngestMessage[] } | { sessionId: string }
);
export interface IngestMessage {
  role: string;
  content: string;
  name?: string | undefined;
}

export interface MemoryJobRecord {
  id: string;
  collectionId: string | null;
  kind: MemoryJobKind;
  status: MemoryJobStatus;
  filter: MemoryFilter | null;
  template: IngestTemplate | null;
  input: IngestInput | null;
  total: number | null;
  done: number;
  error: JobError | null;
  createdAt: Date;
  updatedAt: Date;
  endedAt: Date | null;
}

const COLUMNS = selected({
  id: 'j.id',
  collectionId: 'j.collection_id',
  kind: 'j.kind',
  status: 'j.status',
  filter: 'j.filter',
  template: 'j.template',
  total: 'j.total',
  done: 'j.done',
  error: 'j.error',
  createdAt: 'j.created_at',
  updatedAt: 'j.updated_at',
  endedAt: 'j.ended_at',
});

export type NewMemoryJob = Pick<MemoryJobRecord, 'kind' | 'collectionId' | 'filter' | 'template' | 'input'>;

/**
 * It is dated by the clock, not by the begin of its transaction: a forgetting takes memories that were recorded until then, also those
 * that an ingest stored while the transaction waited for it. Jobs that ended long ago are deleted in the same transaction.
 *
 * @throws {ServiceError} CONFLICT where too many are under way.
 */
export async function createMemoryJob(tx: EnvironmentTransaction, job: NewMemoryJob): Promise<MemoryJobRecord> {
  // Serialized: two requests that counted at the same time would both miss the other's job.
  await tx.raw(
    'create_memory_job',
    "SELECT pg_advisory_xact_lock(hashtextextended('memory-jobs/' || current_environment_id(), 0))",
  );
  await tx.raw(
    'create_memory_job_2',
    `DELETE FROM memory_jobs WHERE environment_id = current_environment_id() AND ended_at < now() - make_interval(days => ?)`,
    [ENDED_JOBS_KEPT_DAYS],
  );
  const row = await tx.row<{ n: number }>(
    'create_memory_job_3',
    'SELECT count(*)::int AS n FROM memory_jobs WHERE environment_id = current_environment_id() AND ended_at IS NULL',
  );
  // Deleting goes on whatever else is under way.
  if (job.kind === 'ingest' && (row?.n ?? 0) >= OPEN_JOBS_MAX) {
    const message = `${OPEN_JOBS_MAX} memory jobs of this environment are under way already. Wait until one ends.`;
    throw new ServiceError('CONFLICT', { message });
  }
  const id = newId('memoryJob');
  await tx.raw(
    'create_memory_job_4',
    `INSERT INTO memory_jobs (id, environment_id, collection_id, kind, filter, template, input, created_at)
     VALUES (:id, current_environment_id(), :collectionId, :kind, CAST(:filter AS jsonb), CAST(:template AS jsonb), CAST(:input AS jsonb),
       clock_timestamp())`,
    {
      id,
      collectionId: job.collectionId,
      kind: job.kind,
      filter: jsonOrNull(job.filter),
      template: jsonOrNull(job.template),
      input: jsonOrNull(job.input),
    },
  );
  const made = await getMemoryJob(tx, id);
  if (made === null) throw new Error(`memory job ${id} was made and is gone`);
  return made;
}

const jsonOrNull = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** Without its input. Null where there is no job: that of a deleted collection went with it. */
export async function getMemoryJob(tx: EnvironmentTransaction, id: string): Promise<MemoryJobRecord | null> {
  return tx.row<MemoryJobRecord>(
    'get_memory_job',
    `SELECT ${COLUMNS}, NULL AS input FROM memory_jobs j WHERE j.id = ?`,
    [id],
  );
}

/** Locks a job until the transaction ends. Null where there is none. */
export async function lockMemoryJob(tx: EnvironmentTransaction, id: string): Promise<MemoryJobRecord | null> {
  return tx.row<MemoryJobRecord>(
    'lock_memory_job',
    `SELECT ${COLUMNS}, j.input FROM memory_jobs j WHERE j.id = ? FOR NO KEY UPDATE`,
    [id],
  );
}

/** Writes the chunks of a job that the same transaction has locked, in the place of its input. */
export async function writeChunks(
  tx: EnvironmentTransaction,
  jobId: string,
  chunks: readonly IngestChunk[],
): Promise<void> {
  await tx.raw(
    'write_chunks',
    `INSERT INTO memory_job_chunks (job_id, position, environment_id, content, metadata)
     SELECT :jobId, c.position - 1, current_environment_id(), c.content, c.metadata
     FROM ROWS FROM (jsonb_to_recordset(CAST(:chunks AS jsonb)) AS (content text, metadata jsonb)) WITH ORDINALITY AS c (content, metadata, position)`,
    { jobId, chunks: JSON.stringify(chunks) },
  );
  await tx.raw(
    'write_chunks_2',
    `UPDATE memory_jobs SET status = 'running', total = ?, input = NULL, looked_at = now(), updated_at = now() WHERE id = ?`,
    [chunks.length, jobId],
  );
}

export interface StoredChunk {
  position: number;
  content: string;
  metadata: JsonObject;
}

/** The next chunks that are not stored. */
export async function readChunks(tx: EnvironmentTransaction, jobId: string, most: number): Promise<StoredChunk[]> {
  return tx.rows<StoredChunk>(
    'read_chunks',
    'SELECT position, content, metadata FROM memory_job_chunks WHERE job_id = ? ORDER BY position LIMIT ?',
    [jobId, most],
  );
}

/** Returns the positions that were still there: the transaction that deletes a chunk owns it. */
export async function takeChunks(
  tx: EnvironmentTransaction,
  jobId: string,
  positions: readonly number[],
): Promise<Set<number>> {
  const rows = await tx.rows<{ position: number }>(
    'take_chunks',
    'DELETE FROM memory_job_chunks WHERE job_id = ? AND position = ANY (?) RETURNING position',
    [jobId, positions],
  );
  return new Set(rows.map(({ position }) => position));
}

/** Notes progress of a job that the same transaction has locked. */
export async function advanceMemoryJob(tx: EnvironmentTransaction, id: string, done: number): Promise<void> {
  await tx.raw(
    'advance_memory_job',
    `UPDATE memory_jobs SET status = 'running', done = done + ?, error = NULL, looked_at = now(), updated_at = now() WHERE id = ?`,
    [done, id],
  );
}

/** Notes that the workflow has looked at a job and can do nothing now, and why. */
export async function noteMemoryJobWait(tx: EnvironmentTransaction, id: string, error: JobError): Promise<void> {
  await tx.raw(
    'note_memory_job_wait',
    `UPDATE memory_jobs SET status = 'running', error = CAST(? AS jsonb), looked_at = now(), updated_at = now()
     WHERE id = ? AND ended_at IS NULL`,
    [JSON.stringify(error), id],
  );
}

/** Ends a job that the same transaction has locked. Chunks that were not stored go. */
export async function endMemoryJob(
  tx: EnvironmentTransaction,
  id: string,
  status: 'succeeded' | 'failed',
  error: JobError | null = null,
): Promise<void> {
  await tx.raw('end_memory_job', 'DELETE FROM memory_job_chunks WHERE job_id = ?', [id]);
  await tx.raw(
    'end_memory_job_2',
    `UPDATE memory_jobs SET status = :status, error = CAST(:error AS jsonb), input = NULL, looked_at = now(), updated_at = now(), ended_at = now()
     WHERE id = :id AND ended_at IS NULL`,
    { id, status, error: jsonOrNull(error) },
  );
}
