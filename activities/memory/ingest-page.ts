import type { EnvironmentTransaction } from '../../db/client.ts';
import { holdCollection } from '../../db/memory/collections.ts';
import {
  advanceMemoryJob,
  endMemoryJob,
  type JobError,
  lockMemoryJob,
  type MemoryJobRecord,
  noteMemoryJobWait,
  readChunks,
  type StoredChunk,
  takeChunks,
  writeChunks,
} from '../../db/memory/jobs.ts';
import { type NewMemory, storeMemories } from '../../db/memory/changes.ts';
import { readExpensiveWorkPause } from '../../db/plans/expensive-work.ts';
import type { Embedded, EmbeddingModel } from '../../domain/embeddings/embedder.ts';
import { ServiceError } from '../../domain/errors.ts';
import { describeFailure } from '../../domain/failures.ts';
import {
  CHUNKS_MAX,
  INGEST_PAGE_SIZE,
  type IngestTemplate,
  type MemoryJobRef,
  type MemoryJobStep,
  SESSION_BYTES_MAX,
} from '../../domain/memory/memory-jobs.ts';
import { DERIVED_FROM_JOB } from '../../domain/memory/memories.ts';
import type { ActivityDependencies } from '../dependencies.ts';
import { refusesContent } from '../refuses-content.ts';
import { splitInput } from './split-input.ts';

type Dependencies = Pick<ActivityDependencies, 'db' | 'embedder' | 'logger'>;

const GO_ON: MemoryJobStep = { next: 'go on' };

/**
 * Stores one page of a job's chunks. The input is first split, and replaced by the chunks, in one transaction. A page
 * is embedded outside of any transaction; the one that stores it deletes its chunks, so each becomes one memory.
 */
export function ingestMemoryPage(deps: Dependencies, pageSize = INGEST_PAGE_SIZE) {
  return async (ref: MemoryJobRef): Promise<MemoryJobStep> => {
    const pause = await readExpensiveWorkPause(deps.db);
    if (pause !== null) return wait(deps, ref, 'paused', new ServiceError('EXPENSIVE_WORK_PAUSED'));
    const begun = await take(deps, ref, (tx) => begin(tx, ref, pageSize));
    if ('next' in begun) return begun;
    let embedded: Embedded;
    try {
      const texts = begun.chunks.map(({ content }) => content);
      const { workspaceId } = ref;
      embedded = await deps.embedder.embed(texts, { workspaceId, expected: begun.expected });
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'SERVICE_UNAVAILABLE') {
        return wait(deps, ref, 'embeddings', error);
      }
      throw error;
    }
    return take(deps, ref, (tx) => store(tx, ref, begun.chunks, embedded));
  };
}

/** One transaction of a page. A job whose content the database does not take fails: it would take it at no further try. */
async function take<Taken>(
  { db, logger }: Dependencies,
  ref: MemoryJobRef,
  work: (tx: EnvironmentTransaction) => Promise<Taken>,
): Promise<Taken | MemoryJobStep> {
  try {
    return await db.withEnvironment(ref, work);
  } catch (error) {
    if (!refusesContent(error)) throw error;
    logger.error({ jobId: ref.jobId, failure: describeFailure(error) }, 'an ingest has content that cannot be stored');
    return db.withEnvironment(ref, async (tx): Promise<MemoryJobStep> => {
      const job = await lockMemoryJob(tx, ref.jobId);
      if (job === null) return { next: 'end', status: 'failed' };
      if (job.endedAt !== null) return { next: 'end', status: job.status };
      const message = 'It has a value that cannot be stored. What was stored of it stays.';
      return fail(tx, job, { code: 'VALIDATION_ERROR', message });
    });
  }
}

interface Begun {
  chunks: StoredChunk[];
  expected: EmbeddingModel;
}

/** Splits the input, or reads the next page. */
async function begin(tx: EnvironmentTransaction, ref: MemoryJobRef, pageSize: number): Promise<Begun | MemoryJobStep> {
  const job = await lockMemoryJob(tx, ref.jobId);
  // Its collection was deleted, and it went with it.
  if (job === null) return { next: 'end', status: 'failed' };
  if (job.endedAt !== null) return { next: 'end', status: job.status };
  const expected = await collectionOf(tx, job);
  if (expected === null) {
    return fail(tx, job, { code: 'NOT_FOUND', message: 'Its collection was deleted.' });
  }
  if (job.input !== null) return split(tx, job);
  const chunks = await readChunks(tx, job.id, pageSize);
  if (chunks.length > 0) return { chunks, expected };
  await endMemoryJob(tx, job.id, 'succeeded');
  return { next: 'end', status: 'succeeded' };
}

function collectionOf(tx: EnvironmentTransaction, job: MemoryJobRecord): Promise<EmbeddingModel | null> {
  return job.collectionId === null ? Promise.resolve(null) : holdCollection(tx, job.collectionId);
}

const REFUSED = {
  'no session': { code: 'NOT_FOUND', message: 'Its session was deleted, or has expired.' },
  'too large': {
    code: 'VALIDATION_ERROR',
    message: `The messages of its session are larger than ${SESSION_BYTES_MAX} bytes together, images and calls included. Send what is to be remembered as messages, in parts.`,
  },
} as const satisfies Record<string, JobError>;

async function split(tx: EnvironmentTransaction, job: MemoryJobRecord): Promise<MemoryJobStep> {
  if (job.input === null) throw new Error(`job ${job.id} has nothing to split`);
  const done = await splitInput(tx, job.input);
  if ('refused' in done) return fail(tx, job, REFUSED[done.refused]);
  const { chunks } = done;
  if (chunks.length > CHUNKS_MAX) {
    const message = `It makes ${chunks.length} chunks, and ${CHUNKS_MAX} are the most. Raise chunkCharacters, or send less at once.`;
    return fail(tx, job, { code: 'VALIDATION_ERROR', message });
  }
  await writeChunks(tx, job.id, chunks);
  return GO_ON;
}

async function store(
  tx: EnvironmentTransaction,
  ref: MemoryJobRef,
  chunks: readonly StoredChunk[],
  embedded: Embedded,
): Promise<MemoryJobStep> {
  const job = await lockMemoryJob(tx, ref.jobId);
  if (job === null) return { next: 'end', status: 'failed' };
  if (job.endedAt !== null) return { next: 'end', status: job.status };
  const { template, collectionId } = job;
  if (template === null || collectionId === null) throw new Error(`job ${job.id} is no ingest`);
  if ((await holdCollection(tx, collectionId)) === null) return GO_ON; // the next look ends it
  // Some may have been forgotten, or stored by another run, since they were read.
  const positions = chunks.map(({ position }) => position);
  const taken = await takeChunks(tx, job.id, positions);
  const memories = chunks.flatMap((chunk, index) => {
    const vector = embedded.vectors[index];
    if (vector === undefined) throw new Error('a chunk was embedded without a vector');
    return taken.has(chunk.position) ? [memoryOf(job.id, template, chunk, vector)] : [];
  });
  if (memories.length > 0) await storeMemories(tx, collectionId, memories);
  await advanceMemoryJob(tx, job.id, memories.length);
  return GO_ON;
}

function memoryOf(
  jobId: string,
  { metadata, expiresAt, ...shared }: IngestTemplate,
  { content, metadata: own, position }: StoredChunk,
  vector: Float32Array,
): NewMemory {
  return {
    ...shared,
    content,
    source: { type: DERIVED_FROM_JOB, id: jobId },
    metadata: { ...metadata, ...own, position },
    validFrom: null,
    validTo: null,
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
    vector,
  };
}

async function fail(tx: EnvironmentTransaction, job: MemoryJobRecord, error: JobError): Promise<MemoryJobStep> {
  await endMemoryJob(tx, job.id, 'failed', error);
  return { next: 'end', status: 'failed' };
}

/** The job's error says what it waits for. */
async function wait(
  { db }: Dependencies,
  ref: MemoryJobRef,
  why: 'embeddings' | 'paused',
  { code, publicMessage }: ServiceError,
): Promise<MemoryJobStep> {
  const message =
    why === 'embeddings' ? 'The embeddings are not available now. The job goes on when they are.' : publicMessage;
  await db.withEnvironment(ref, (tx) => noteMemoryJobWait(tx, ref.jobId, { code, message }));
  return { next: 'wait', why };
}
