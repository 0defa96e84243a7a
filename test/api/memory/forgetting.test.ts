import { beforeEach, expect, test } from 'vitest';
import { forgetMemoryPage } from '../../../activities/memory/forget-page.ts';
import { collectionSchema, jobSchema, memorySchema } from '../../../api/memory/schemas.ts';
import { advanceMemoryJob, createMemoryJob, lockMemoryJob } from '../../../db/memory/jobs.ts';
import { storeMemories } from '../../../db/memory/changes.ts';
import { newId } from '../../../domain/ids.ts';
import { FORGOTTEN_AT_ONCE_MAX } from '../../../domain/memory/memories.ts';
import { FakeEmbedder } from '../../harness/fake-embedder.ts';
import { plainMemory } from '../../harness/plain-memory.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';

/** Forgettings of more than a request deletes. No worker polls: the test runs the pages of their jobs. */
let collectionId: string;
const api = await startTestApi({ embedder: new FakeEmbedder(), taskQueue: 'nobody-polls' });
const { key } = await api.createKey(api.database.tenant);
beforeEach(async () => {
  collectionId = dataOf(await call('POST', '/collections', { name: newId('collection') }), collectionSchema).id;
});

const call = (method: string, path: string, body?: unknown): Promise<CallResult> =>
  api.call(method, `/api/v2/memory${path}`, { key, body });
const left = (): Promise<unknown[]> =>
  api.database.asOwner('SELECT id, content FROM memories WHERE collection_id = $1 LIMIT 10', [collectionId]);
async function runJob(reply: CallResult): Promise<number> {
  expect(reply.status, reply.text).toBe(202);
  const { id: jobId } = dataOf(reply, jobSchema);
  const page = forgetMemoryPage({ db: api.database.db });
  for (let pages = 1; ; pages++) {
    const step = await page({ ...api.database.tenant, jobId, kind: 'forget' });
    if (step.next !== 'end') continue;
    expect(step.status).toBe('succeeded');
    return pages;
  }
}

test('a large forgetting takes what an ingest stored while it waited for that ingest', async () => {
  const { db, tenant } = api.database;
  const template = {
    kind: 'fact',
    userId: 'ada',
    agentId: null,
    sessionId: null,
    metadata: {},
    expiresAt: null,
  } as const;
  const { id: ingest } = await db.withEnvironment(tenant, (tx) =>
    createMemoryJob(tx, {
      kind: 'ingest',
      collectionId,
      filter: null,
      template,
      input: { charactersMax: 100, text: 'x' },
    }),
  );
  let forgetting: Promise<CallResult> | undefined;
  await db.withEnvironment(tenant, async (tx) => {
    await lockMemoryJob(tx, ingest);
    forgetting = call('POST', '/forget', { filter: { userId: 'ada' } });
    await expect
      .poll(() =>
        api.database.asOwner(
          `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%memory_jobs%'`,
        ),
      )
      .toHaveLength(1);
    // More than a request deletes, so that some are left whichever it takes first.
    const vector = new Float32Array(64).fill(0.125);
    const page = Array.from({ length: FORGOTTEN_AT_ONCE_MAX + 50 }, () => plainMemory({ userId: 'ada', vector }));
    await storeMemories(tx, collectionId, page);
    await advanceMemoryJob(tx, ingest, 0);
  });
  await runJob((await forgetting) as CallResult);
  expect(await left()).toEqual([]);
});

test('a deletion of more than a request deletes, derived ones counted, goes on in a job; the memory itself is gone at once', async () => {
  const root = dataOf(await call('POST', '', { collectionId, content: 'the first' }), memorySchema);
  await api.database.asOwner(
    `INSERT INTO memories (id, environment_id, collection_id, chain_id, version, kind, content, source_type, source_id)
     SELECT 'mem_line' || n, $1, $2, 'mem_line' || n, 1, 'fact', 'x', 'memory', CASE n WHEN 1 THEN $3 ELSE 'mem_line' || n - 1 END
     FROM generate_series(1, 2200) n`,
    [api.database.tenant.environmentId, collectionId, root.id],
  );
  const deletion = await call('DELETE', `/${root.id}`);
  expect(deletion.status, deletion.text).toBe(202);
  expect((await call('GET', `/${root.id}`)).status).toBe(404);
  const source = { type: 'memory', id: root.id };
  expect((await call('POST', '', { collectionId, content: 'another', source })).status).toBe(400);
  expect(await left()).not.toEqual([]);
  // The request deleted 1,000 of 2,201; 500 are a page.
  expect(await runJob(deletion)).toBe(3);
  expect(await left()).toEqual([]);
  const small = dataOf(await call('POST', '', { collectionId, content: 'small' }), memorySchema);
  expect((await call('DELETE', `/${small.id}`)).json).toEqual({ success: true, data: { deleted: 1 } });
});
