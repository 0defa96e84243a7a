import { beforeEach, describe, expect, test } from 'vitest';
import { collectionSchema, memorySchema } from '../../../api/memory/schemas.ts';
import { consumeAllowance } from '../../../db/plans/allowances.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { newId } from '../../../domain/ids.ts';
import { COLLECTIONS_MAX, VERSIONS_MAX } from '../../../domain/memory/memories.ts';
import { CHUNKS_MAX, OPEN_JOBS_MAX } from '../../../domain/memory/memory-jobs.ts';
import { CHUNK_CHARACTERS_MIN } from '../../../domain/memory/split-text.ts';
import { PLAN_TABLE } from '../../../domain/plans.ts';
import { FakeEmbedder } from '../../harness/fake-embedder.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf, statusAndCode } from '../invocations/support.ts';
import { countRows, sumUsed } from '../harness/count-rows.ts';

/** What bounds memories, and that it is asked before the work is done. Rows are planted where a thousand requests would make them. */
let collectionId: string;
const embedder = new FakeEmbedder();
const api = await startTestApi({ embedder });
const { key } = await api.createKey(api.database.tenant);
beforeEach(async () => {
  collectionId = dataOf(await call('POST', '/collections', { name: newId('collection') }), collectionSchema).id;
});

const call = (method: string, path: string, body?: unknown, own = key): Promise<CallResult> =>
  api.call(method, `/api/v2/memory${path}`, { key: own, body });
const store = async () => dataOf(await call('POST', '', { collectionId, content: 'one' }), memorySchema);
const stored = (): Promise<unknown[]> =>
  api.database.asOwner('SELECT id FROM memories WHERE collection_id = $1 ORDER BY id', [collectionId]);

/** Each route that makes a vector or begins a job, for a caller who may not. */
async function refusals(id: string, own: string): Promise<[number, string | undefined][]> {
  const before = [embedder.texts.length, await stored()];
  const replies = [
    await call('POST', '', { collectionId, content: 'two' }, own),
    await call('PATCH', `/${id}`, { content: 'two' }, own),
    await call('POST', '/search', { query: 'two' }, own),
    await call('POST', '/ingest', { collectionId, text: 'two' }, own),
  ];
  // Whoever is refused has made nobody work.
  expect([embedder.texts.length, await stored()]).toEqual(before);
  return replies.map(statusAndCode);
}

describe('an operation is admitted before its text is embedded', () => {
  test('by the budget of its key', async () => {
    const { id } = await store();
    const { record, key: spent } = await api.createKey(api.database.tenant);
    const caps = { caps: { memoryOperations: 0 } };
    expect((await api.call('PUT', `/api/v2/budgets/${record.id}`, { key, body: caps })).status).toBe(201);
    expect(await refusals(id, spent)).toEqual(Array.from({ length: 4 }, () => [429, 'BUDGET_EXCEEDED']));
  });

  test('by the month’s allowance of its workspace', async () => {
    const { id } = await store();
    const { tenant, db } = api.database;
    const { memory_processing: allowed } = PLAN_TABLE.free.allowances;
    const used = () => sumUsed(api.database, 'memory_processing');
    await db.withWorkspace(tenant.workspaceId, (tx) => setPlan(tx, 'free'));
    try {
      const rest = (allowed ?? 0) - (await used()) - 1;
      await db.withEnvironment(tenant, (tx) => consumeAllowance(tx, 'memory_processing', rest));
      expect((await call('POST', '/search', { query: 'the last one' })).status).toBe(200);
      expect(await refusals(id, key)).toEqual(Array.from({ length: 4 }, () => [429, 'QUOTA_EXCEEDED']));
      expect(await used()).toBe(allowed);
      expect((await call('GET', `/${id}`)).status).toBe(200);
    } finally {
      await db.withWorkspace(tenant.workspaceId, (tx) => setPlan(tx, 'enterprise'));
    }
  });

  test('and stays counted where the embedding fails; what can be known before is not counted', async () => {
    const { record, key: own } = await api.createKey(api.database.tenant);
    const caps = { caps: { memoryOperations: 5_000 } };
    expect((await api.call('PUT', `/api/v2/budgets/${record.id}`, { key, body: caps })).status).toBe(201);
    const { id } = await store();
    await call('PATCH', `/${id}`, { content: 'two' });
    const source = { type: 'memory', id: newId('memory') };
    const unknown = { collectionId: newId('collection'), content: 'three' };
    const past = { collectionId, content: 'three', expiresAt: '2020-01-01T00:00:00Z' };
    expect((await call('POST', '', unknown, own)).status).toBe(404);
    expect((await call('POST', '', { collectionId, content: 'three', source }, own)).status).toBe(400);
    expect((await call('POST', '', past, own)).status).toBe(400);
    expect((await call('PATCH', `/${id}`, { content: 'three' }, own)).status).toBe(409);
    embedder.isAway = true;
    const failed = await call('POST', '', { collectionId, content: 'three' }, own);
    embedder.isAway = false;
    expect(statusAndCode(failed)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(statusAndCode(await call('POST', '', { collectionId, content: 'three' }, own))).toEqual([
      429,
      'BUDGET_EXCEEDED',
    ]);
  });

  test('and no transaction is open meanwhile', async () => {
    const { id } = await store();
    const open = `pg_stat_activity
      WHERE datname = current_database() AND application_name = 'test-api' AND state LIKE 'idle in transaction%'`;
    const embed = embedder.embed.bind(embedder);
    let watched = 0;
    embedder.embed = async (texts, about) => {
      await expect.poll(() => countRows(api.database, open)).toBe(0);
      watched += 1;
      return embed(texts, about);
    };
    try {
      const replies = [
        await call('POST', '', { collectionId, content: 'two' }),
        await call('PATCH', `/${id}`, { content: 'two' }),
        await call('POST', '/search', { query: 'two' }),
        await api.call('POST', '/api/v2/cache', { key, body: { prompt: 'two', response: 'two' } }),
        await api.call('POST', '/api/v2/cache/lookup', { key, body: { prompt: 'three', near: true } }),
      ];
      expect(replies.map(({ status }) => status)).toEqual([201, 200, 200, 201, 200]);
      expect(watched).toBe(replies.length);
    } finally {
      embedder.embed = embed;
    }
  });
});

describe('there are at most', () => {
  const environmentId = (): string => api.database.tenant.environmentId;

  test('so many collections of an environment', async () => {
    const live = 'memory_collections WHERE environment_id = $1 AND deleted_at IS NULL';
    const existing = await countRows(api.database, live, [environmentId()]);
    await api.database.asOwner(
      `INSERT INTO memory_collections (id, environment_id, name, embedding_model, embedding_dimensions)
       SELECT 'col_cap' || n, $1, 'cap ' || n, 'fake', 64 FROM generate_series(1, $2) n`,
      [environmentId(), COLLECTIONS_MAX - 1 - existing],
    );
    const atOnce = await Promise.all([1, 2, 3, 4].map((n) => call('POST', '/collections', { name: `last ${n}` })));
    expect(atOnce.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 429, 429, 429]);
    expect(statusAndCode(await call('POST', '/collections', { name: 'one more' }))).toEqual([429, 'QUOTA_EXCEEDED']);
    // The default collection is one of them.
    expect(statusAndCode(await call('POST', '', { content: 'names no collection' }))).toEqual([429, 'QUOTA_EXCEEDED']);
    await api.database.asOwner(`DELETE FROM memory_collections WHERE id LIKE 'col_cap%'`);
  });

  test('one collection of a name, however many take it at once', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(
        async () => dataOf(await call('POST', '/collections', { name: newId('collection') }), collectionSchema).id,
      ),
    );
    const taken = newId('collection');
    const replies = await Promise.all(ids.map((id) => call('PATCH', `/collections/${id}`, { name: taken })));
    const conflicts = replies.filter(({ status }) => status !== 200).map(statusAndCode);
    expect(conflicts).toEqual([
      [409, 'CONFLICT'],
      [409, 'CONFLICT'],
    ]);
  });

  test('so many jobs of an environment at once; forgetting goes on', async () => {
    await api.database.asOwner(
      `INSERT INTO memory_jobs (id, environment_id, collection_id, kind, template)
       SELECT 'job_cap' || n, $1, $2, 'ingest', '{}' FROM generate_series(1, $3) n`,
      [environmentId(), collectionId, OPEN_JOBS_MAX],
    );
    const refused = await call('POST', '/ingest', { collectionId, text: 'one more' });
    expect(statusAndCode(refused)).toEqual([409, 'CONFLICT']);
    expect((await call('POST', '/forget', { filter: { collectionIds: [collectionId] } })).status).toBe(200);
    await api.database.asOwner(`DELETE FROM memory_jobs WHERE id = 'job_cap1'`);
    await api.database.asOwner(`DELETE FROM memory_jobs WHERE environment_id = $1 AND id NOT LIKE 'job_cap%'`, [
      environmentId(),
    ]);
    expect((await call('POST', '/ingest', { collectionId, text: 'the last' })).status).toBe(202);
    await api.database.asOwner(`DELETE FROM memory_jobs WHERE id LIKE 'job_cap%'`);
  });

  test('so many versions of a memory', async () => {
    const first = await store();
    const { id } = dataOf(await call('PATCH', `/${first.id}`, { content: 'two' }), memorySchema);
    const move = (version: number): Promise<unknown> =>
      api.database.asOwner(
        `SET session_replication_role = 'replica'; UPDATE memories SET version = ${version} WHERE id = '${id}'`,
      );
    await move(VERSIONS_MAX);
    expect(statusAndCode(await call('PATCH', `/${id}`, { content: 'one more' }))).toEqual([409, 'CONFLICT']);
    await move(VERSIONS_MAX - 1);
    expect((await call('PATCH', `/${id}`, { content: 'the last' })).status).toBe(200);
  });

  test('so many chunks of a text, counted before it is split', async () => {
    const chunkCharacters = CHUNK_CHARACTERS_MIN;
    const most = CHUNKS_MAX * Math.floor(chunkCharacters / 2);
    const refused = await call('POST', '/ingest', { collectionId, text: 'x'.repeat(most), chunkCharacters });
    expect(statusAndCode(refused)).toEqual([400, 'VALIDATION_ERROR']);
    expect(JSON.stringify(errorOf(refused).details)).toContain('body.chunkCharacters');
    const fits = { collectionId, text: 'x'.repeat(most - chunkCharacters), chunkCharacters };
    expect((await call('POST', '/ingest', fits)).status).toBe(202);
  });
});

describe('moments', () => {
  test('are of the years 1 to 9999, and others are refused before anything is counted', async () => {
    const { record, key: own } = await api.createKey(api.database.tenant);
    const caps = { caps: { memoryOperations: 0 } };
    expect((await api.call('PUT', `/api/v2/budgets/${record.id}`, { key, body: caps })).status).toBe(201);
    const { id } = await store();
    for (const moment of ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59-08:00']) {
      for (const name of ['validFrom', 'validTo', 'expiresAt']) {
        const body = { content: 'two', [name]: moment };
        expect(statusAndCode(await call('POST', '', { collectionId, ...body }, own)), name).toEqual([
          400,
          'VALIDATION_ERROR',
        ]);
        expect(statusAndCode(await call('PATCH', `/${id}`, body, own)), name).toEqual([400, 'VALIDATION_ERROR']);
      }
      const ingest = { collectionId, text: 'two', expiresAt: moment };
      expect(statusAndCode(await call('POST', '/ingest', ingest, own))).toEqual([400, 'VALIDATION_ERROR']);
      const at = encodeURIComponent(moment);
      for (const name of ['asOf', 'validAt']) expect((await call('GET', `?${name}=${at}`)).status).toBe(200);
      expect((await call('POST', '/search', { query: 'one', validAt: moment })).status).toBe(200);
    }
    const first = { collectionId, content: 'the calendar', validFrom: '0001-01-01T00:00:00Z' };
    const last = { expiresAt: '9999-12-31T23:59:59.999Z', validTo: '9999-12-30T23:59:59.999Z' };
    expect(dataOf(await call('POST', '', { ...first, ...last }), memorySchema)).toMatchObject({
      validFrom: '0001-01-01T00:00:00.000Z',
      validTo: '9999-12-30T23:59:59.999Z',
      expiresAt: '9999-12-31T23:59:59.999Z',
    });
  });

  test('a validTo that passes while the text is embedded is a 400', async () => {
    const embed = embedder.embed.bind(embedder);
    const validTo = new Date(Date.now() + 1_500);
    embedder.embed = async (texts, about) => {
      await expect.poll(() => Date.now()).toBeGreaterThan(validTo.getTime());
      return embed(texts, about);
    };
    try {
      const late = await call('POST', '', { collectionId, content: 'late', validTo });
      expect(statusAndCode(late)).toEqual([400, 'VALIDATION_ERROR']);
      expect(JSON.stringify(errorOf(late).details)).toContain('body.validTo');
    } finally {
      embedder.embed = embed;
    }
    expect(await stored()).toEqual([]);
  });
});
