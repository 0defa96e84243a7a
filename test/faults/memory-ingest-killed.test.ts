import { beforeAll, describe, expect, test } from 'vitest';
import { collectionSchema, jobSchema } from '../../api/memory/schemas.ts';
import { createApiKey } from '../../db/api-keys/api-keys.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { type Caller, dataOf } from '../api/invocations/support.ts';
import { embeddingModelLookup } from '../../process/embedding-model.ts';
import { fetchEmbeddingModel } from '../../embedded/fetch-embedding-model.ts';
import { HAS_PIP } from '../harness/pip.ts';
import { inForm } from './form.ts';
import { SeparateProcesses } from './separate-processes.ts';

/** SIGKILL of the worker in the middle of an ingest, twice. */

const CHUNKS = inForm({ short: 1_000, full: 10_000 });
const JOB_TIMEOUT_MS = inForm({ short: 300_000, full: 1_800_000 });
const CHUNK_CHARACTERS = 100;

describe.skipIf(!HAS_PIP)('an ingest (skipped only where python3 has no pip, which fetches the local model)', () => {
  let processes: SeparateProcesses;
  let api: Caller;
  beforeAll(async () => {
    const why = await fetchEmbeddingModel(embeddingModelLookup(null));
    if (why !== null) throw new Error(why);
    processes = await SeparateProcesses.start();
    const { database } = processes;
    const { key } = await database.db.withEnvironment(database.tenant, (tx) =>
      createApiKey(tx, { name: 'test', scopes: SCOPES }),
    );
    api = (await processes.startApi()).as(key);
  });

  const job = async (id: string) => dataOf(await api.get(`/api/v2/memory/jobs/${id}`), jobSchema);

  test(
    `of ${CHUNKS} chunks stores each of them once, across two kills of the worker`,
    async () => {
      const { id: collectionId } = dataOf(
        await api.post('/api/v2/memory/collections', { name: 'killed' }),
        collectionSchema,
      );
      // Each paragraph is a chunk: two do not fit into one.
      const paragraphs = Array.from(
        { length: CHUNKS },
        (_, index) => `paragraph ${index} of the text, ${'word '.repeat(8)}end`,
      );
      let worker = await processes.startWorker();
      const asked = { collectionId, text: paragraphs.join('\n\n'), chunkCharacters: CHUNK_CHARACTERS };
      const { id } = dataOf(await api.post('/api/v2/memory/ingest', asked), jobSchema);
      for (const share of [0.2, 0.6]) {
        const isThere = async (): Promise<boolean> => (await job(id)).done >= share * CHUNKS;
        await expect.poll(isThere, { timeout: JOB_TIMEOUT_MS }).toBe(true);
        await worker.end('SIGKILL');
        worker = await processes.startWorker();
      }
      await expect.poll(async () => (await job(id)).endedAt, { timeout: JOB_TIMEOUT_MS }).not.toBeNull();
      expect(await job(id)).toMatchObject({ status: 'succeeded', total: CHUNKS, done: CHUNKS, error: null });
      const [counted] = await processes.database.asOwner(
        `SELECT count(*)::int AS memories, count(DISTINCT m.content)::int AS contents, count(v.memory_id)::int AS vectors,
           count(DISTINCT m.metadata ->> 'position')::int AS positions, (SELECT count(*)::int FROM memory_job_chunks) AS left
         FROM memories m LEFT JOIN memory_vectors v ON v.memory_id = m.id WHERE m.collection_id = $1`,
        [collectionId],
      );
      expect(counted).toEqual({ memories: CHUNKS, contents: CHUNKS, vectors: CHUNKS, positions: CHUNKS, left: 0 });
    },
    2 * JOB_TIMEOUT_MS,
  );
});
