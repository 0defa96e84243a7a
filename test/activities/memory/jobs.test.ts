import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import pino from 'pino';
import { MockActivityEnvironment } from '@temporalio/testing';
import { ingestMemoryPage } from '../../../activities/memory/ingest-page.ts';
import { forgetMemoryPage } from '../../../activities/memory/forget-page.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import {
  createCollection,
  getCollection,
  lockCollection,
  markCollectionDeleted,
} from '../../../db/memory/collections.ts';
import { forgetUnstored } from '../../../db/memory/deletion.ts';
import { createMemoryJob, getMemoryJob, type IngestInput } from '../../../db/memory/jobs.ts';
import { appendMessages } from '../../../db/sessions/messages.ts';
import { createSession } from '../../../db/sessions/sessions.ts';
import { setExpensiveWorkPause } from '../../../db/plans/expensive-work.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { newId } from '../../../domain/ids.ts';
import {
  CHUNKS_MAX,
  type IngestTemplate,
  type MemoryJobKind,
  type MemoryJobRef,
  type MemoryJobStep,
} from '../../../domain/memory/memory-jobs.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { FakeEmbedder } from '../../harness/fake-embedder.ts';

const EMBEDDING = { model: 'fake', dimensions: 64 };
const TEMPLATE: IngestTemplate = {
  kind: 'fact',
  userId: 'ada',
  agentId: null,
  sessionId: null,
  metadata: { from: 'test' },
  expiresAt: null,
};
const PAGE = 4;
const SAID = { name: null, toolCallId: null, toolCalls: null, metadata: null, tokens: 1 } as const;
const NEW_SESSION = {
  name: null,
  userId: null,
  agentId: null,
  metadata: null,
  ttlSeconds: null,
};
/** Ten chunks of one word each. */
const TEXT = Array.from({ length: 10 }, (_, index) => `word${index}`).join('\n\n');
const CHARACTERS = 8;

describe('memory jobs', () => {
  let database: TestDatabase;
  let embedder: FakeEmbedder;
  let collectionId: string;

  const transaction = <T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> =>
    database.db.withEnvironment(database.tenant, work);
  const start = async (input: IngestInput, template: IngestTemplate = TEMPLATE): Promise<MemoryJobRef> => {
    const job = await transaction((tx) =>
      createMemoryJob(tx, { kind: 'ingest', collectionId, filter: null, template, input }),
    );
    return refOf(job.id, 'ingest');
  };
  const refOf = (jobId: string, kind: MemoryJobKind): MemoryJobRef => ({ ...database.tenant, jobId, kind });
  const step = (ref: MemoryJobRef): Promise<MemoryJobStep> => {
    const deps = { db: database.db, embedder, logger: pino({ level: 'silent' }) };
    const page = ref.kind === 'ingest' ? ingestMemoryPage(deps, PAGE) : forgetMemoryPage(deps, PAGE);
    return new MockActivityEnvironment().run(page, ref);
  };
  const runToItsEnd = async (ref: MemoryJobRef): Promise<MemoryJobStep> => {
    for (;;) {
      const done = await step(ref);
      if (done.next !== 'go on') return done;
    }
  };
  const stored = () =>
    database.asOwner<{
      content: string;
      metadata: { position: number; role?: string };
      source_id: string;
      vectors: number;
    }>(
      `SELECT m.content, m.metadata, m.source_id, (SELECT count(*) FROM memory_vectors v WHERE v.memory_id = m.id)::int AS vectors
       FROM memories m WHERE m.collection_id = $1 ORDER BY (m.metadata ->> 'position')::int`,
      [collectionId],
    );
  const jobOf = ({ jobId }: MemoryJobRef) => transaction((tx) => getMemoryJob(tx, jobId));

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    embedder = new FakeEmbedder();
    collectionId = await transaction(
      async (tx) =>
        (await createCollection(tx, { name: newId('collection'), description: null, embedding: EMBEDDING })).id,
    );
  });

  it('splits, embeds in pages and stores each chunk once, in order, with a vector', async () => {
    const ref = await start({ text: TEXT, charactersMax: CHARACTERS });
    expect(await runToItsEnd(ref)).toEqual({ next: 'end', status: 'succeeded' });
    const memories = await stored();
    expect(memories.map(({ content }) => content)).toEqual(TEXT.split('\n\n'));
    expect(memories.every(({ source_id, vectors }) => source_id === ref.jobId && vectors === 1)).toBe(true);
    expect(memories[3]?.metadata).toEqual({ from: 'test', position: 3 });
    expect(await jobOf(ref)).toMatchObject({ status: 'succeeded', total: 10, done: 10, error: null });
    // Neither the text nor its chunks stay beside the memories.
    const left = await database.asOwner(
      `SELECT 1 FROM memory_jobs WHERE input IS NOT NULL UNION ALL SELECT 1 FROM memory_job_chunks`,
    );
    expect(left).toEqual([]);
    // A workflow that was started again finds the end.
    expect(await step(ref)).toEqual({ next: 'end', status: 'succeeded' });
  });

  it('stores each chunk once where two runs have the same page in their hands', async () => {
    const ref = await start({ text: TEXT, charactersMax: CHARACTERS });
    await step(ref);
    await Promise.all([step(ref), step(ref), step(ref)]);
    await runToItsEnd(ref);
    expect((await stored()).map(({ content }) => content)).toEqual(TEXT.split('\n\n'));
    expect(await jobOf(ref)).toMatchObject({ total: 10, done: 10 });
  });

  it('waits while the embeddings are away, stores nothing of the page, and goes on', async () => {
    const ref = await start({ text: TEXT, charactersMax: CHARACTERS });
    await step(ref);
    embedder.isAway = true;
    expect(await step(ref)).toEqual({ next: 'wait', why: 'embeddings' });
    expect(await stored()).toEqual([]);
    expect(await jobOf(ref)).toMatchObject({ status: 'running', done: 0, error: { code: 'SERVICE_UNAVAILABLE' } });
    embedder.isAway = false;
    await runToItsEnd(ref);
    expect(await jobOf(ref)).toMatchObject({ status: 'succeeded', done: 10, error: null });
  });

  it('refuses a session that makes more chunks than a job may have, and reads no further', async () => {
    const { id: sessionId } = await transaction((tx) => createSession(tx, NEW_SESSION));
    await database.asOwner(
      `INSERT INTO session_messages (session_id, sequence, environment_id, id, role, content, tokens)
       SELECT $1, n, $2, 'smg_cap' || n, 'user', '"x"', 1 FROM generate_series(1, $3) n`,
      [sessionId, database.tenant.environmentId, CHUNKS_MAX + 1],
    );
    const ref = await start({ sessionId, charactersMax: CHARACTERS });
    expect(await step(ref)).toEqual({ next: 'end', status: 'failed' });
    expect((await jobOf(ref))?.error).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(`${CHUNKS_MAX} are the most`) as string,
    });
    expect(await stored()).toEqual([]);
  });

  it('fails where the database does not take what it was to store, and asks the provider no more', async () => {
    // A moment that was let through before, in a form that PostgreSQL does not read.
    const ref = await start(
      { text: TEXT, charactersMax: CHARACTERS },
      { ...TEMPLATE, expiresAt: '+010000-01-01T07:59:59.000Z' },
    );
    expect(await runToItsEnd(ref)).toEqual({ next: 'end', status: 'failed' });
    expect(await jobOf(ref)).toMatchObject({ status: 'failed', done: 0, error: { code: 'VALIDATION_ERROR' } });
    const asked = embedder.texts.length;
    expect(await step(ref)).toEqual({ next: 'end', status: 'failed' });
    expect(embedder.texts).toHaveLength(asked);
    expect(await database.asOwner('SELECT 1 FROM memory_job_chunks WHERE job_id = $1', [ref.jobId])).toEqual([]);
  });

  it('waits while expensive work is paused', async () => {
    const ref = await start({ text: TEXT, charactersMax: CHARACTERS });
    await setExpensiveWorkPause(database.db, 'a test');
    try {
      expect(await step(ref)).toEqual({ next: 'wait', why: 'paused' });
      expect(embedder.texts).toEqual([]);
      expect(await jobOf(ref)).toMatchObject({ error: { code: 'EXPENSIVE_WORK_PAUSED' } });
    } finally {
      await setExpensiveWorkPause(database.db, null);
    }
  });

  it('takes messages one by one, and a session with all of its messages', async () => {
    const messages = [
      { role: 'user', content: 'Hello', name: 'ada' },
      { role: 'assistant', content: '' },
      { role: 'assistant', content: 'Good day' },
    ];
    await runToItsEnd(await start({ messages, charactersMax: 100 }));
    expect((await stored()).map(({ content, metadata }) => [content, metadata.role])).toEqual([
      ['Hello', 'user'],
      ['Good day', 'assistant'],
    ]);
    const sessionId = await transaction(async (tx) => {
      const session = await createSession(tx, NEW_SESSION);
      await appendMessages(tx, session.id, [
        { ...SAID, role: 'user', content: 'first' },
        {
          ...SAID,
          role: 'user',
          content: [
            { type: 'text', text: 'second' },
            { type: 'image', url: 'https://example.com/i.png' },
          ],
        },
      ]);
      return session.id;
    });
    await runToItsEnd(await start({ sessionId, charactersMax: 100 }, { ...TEMPLATE, sessionId }));
    expect((await stored()).map(({ content }) => content).sort()).toEqual(['Good day', 'Hello', 'first', 'second']);
    const gone = await start({ sessionId: 'ses_0000000000000000000000', charactersMax: 100 });
    expect(await runToItsEnd(gone)).toEqual({ next: 'end', status: 'failed' });
  });

  it('stores nothing more of what was forgotten meanwhile, split or not', async () => {
    const split = await start({ text: TEXT, charactersMax: CHARACTERS });
    await step(split);
    await step(split);
    const unsplit = await start({ text: TEXT, charactersMax: CHARACTERS });
    const ofBob = await start({ text: TEXT, charactersMax: CHARACTERS }, { ...TEMPLATE, userId: 'bob' });
    await transaction((tx) => forgetUnstored(tx, [collectionId], { userId: 'ada' }));
    expect(await runToItsEnd(split)).toEqual({ next: 'end', status: 'succeeded' });
    expect(await jobOf(split)).toMatchObject({ total: PAGE, done: PAGE });
    expect(await runToItsEnd(unsplit)).toEqual({ next: 'end', status: 'failed' });
    expect(await runToItsEnd(ofBob)).toEqual({ next: 'end', status: 'succeeded' });
    expect(await stored()).toHaveLength(PAGE + 10);
  });

  it.each<[string, JsonObject, 'succeeded' | 'failed']>([
    ['that it does not have', { from: 'elsewhere' }, 'succeeded'],
    ['that it has', { from: 'test' }, 'failed'],
    ['that a chunk may have', { from: 'test', role: 'user', position: 0 }, 'failed'],
    ['of which a chunk may have one', { from: 'elsewhere', role: 'user' }, 'succeeded'],
    ['that jobs of another input write', { messageId: 'smg_1' }, 'succeeded'],
  ])('an ingest that is not split yet, and a forgetting by metadata %s', async (_what, metadata, status) => {
    const ref = await start({ messages: [{ role: 'user', content: 'Hello' }], charactersMax: 100 });
    await transaction((tx) => forgetUnstored(tx, [collectionId], { metadata }));
    expect(await runToItsEnd(ref)).toEqual({ next: 'end', status });
    expect(await stored()).toHaveLength(status === 'succeeded' ? 1 : 0);
  });

  it('a deleted collection goes in steps, with its memories, its row and its jobs; an ingest under way ends', async () => {
    await runToItsEnd(await start({ text: TEXT, charactersMax: CHARACTERS }));
    const underWay = await start({ text: TEXT, charactersMax: CHARACTERS });
    await step(underWay);
    const job = await transaction(async (tx) => {
      expect(await lockCollection(tx, collectionId)).not.toBeNull();
      await markCollectionDeleted(tx, collectionId);
      return createMemoryJob(tx, { kind: 'delete', collectionId, filter: null, template: null, input: null });
    });
    expect(await transaction((tx) => getCollection(tx, collectionId))).toBeNull();
    const ref = refOf(job.id, 'delete');
    expect(await step(ref)).toEqual({ next: 'go on' });
    expect(await stored()).toHaveLength(10 - PAGE);
    expect(await step(underWay)).toEqual({ next: 'end', status: 'failed' });
    expect(await runToItsEnd(ref)).toEqual({ next: 'end', status: 'succeeded' });
    const rows = await database.asOwner(
      `SELECT id FROM memory_collections WHERE id = $1 UNION ALL SELECT id FROM memories WHERE collection_id = $1
       UNION ALL SELECT id FROM memory_jobs WHERE collection_id = $1`,
      [collectionId],
    );
    expect(rows).toEqual([]);
  });

  it('forgets a filter page by page, and nothing that was recorded after it was asked for', async () => {
    await runToItsEnd(await start({ text: TEXT, charactersMax: CHARACTERS }));
    const filter = { collectionIds: [collectionId], userId: 'ada' };
    const job = await transaction((tx) =>
      createMemoryJob(tx, { kind: 'forget', collectionId: null, filter, template: null, input: null }),
    );
    await runToItsEnd(await start({ text: 'later', charactersMax: 100 }));
    const ref = refOf(job.id, 'forget');
    expect(await runToItsEnd(ref)).toEqual({ next: 'end', status: 'succeeded' });
    expect((await stored()).map(({ content }) => content)).toEqual(['later']);
    expect(await jobOf(ref)).toMatchObject({ status: 'succeeded', done: 10 });
  });
});
