import { beforeEach, describe, expect, it } from 'vitest';
import { setExpensiveWorkPause } from '../../../db/plans/expensive-work.ts';
import { newId } from '../../../domain/ids.ts';
import { FakeEmbedder } from '../../harness/fake-embedder.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { countRows } from '../harness/count-rows.ts';

interface Memory {
  id: string;
  collectionId: string;
  content: string;
  validFrom: string;
  validTo: string | null;
  createdAt: string;
  supersededBy: string | null;
  expiresAt: string | null;
  metadata: Record<string, unknown>;
}

interface Data extends Memory, Record<string, unknown> {}
const dataOf = ({ json }: CallResult): Data => (json as { data: Data }).data;
const memoriesOf = ({ json }: CallResult): Memory[] => (json as { data: Memory[] }).data;
const totalOf = ({ json }: CallResult): number => (json as { pagination: { total: number } }).pagination.total;
const codeOf = ({ json }: CallResult): string => (json as { error: { code: string } }).error.code;

const embedder = new FakeEmbedder();
const api = await startTestApi({ embedder });
const { key } = await api.createKey(api.database.tenant);

describe('memories', () => {
  let collectionId: string;

  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    api.call(method, `/api/v2/memory${path}`, { key, body, headers });
  const store = async (body: object): Promise<Memory> => {
    const stored = await call('POST', '', { collectionId, ...body });
    expect(stored.status, stored.text).toBe(201);
    return dataOf(stored);
  };
  const storedRows = () => countRows(api.database, 'memories WHERE collection_id = $1', [collectionId]);

  beforeEach(async () => {
    embedder.isAway = false;
    const made = await call('POST', '/collections', { name: `collection ${Math.random()}` });
    if (made.status !== 201) throw new Error(made.text);
    collectionId = dataOf(made).id;
  });

  it('are stored with both axes of time, and superseded instead of overwritten', async () => {
    const first = await store({ content: 'Ada lives in London', userId: 'ada', validFrom: '2026-01-01T00:00:00Z' });
    expect(first).toMatchObject({
      kind: 'fact',
      userId: 'ada',
      validFrom: '2026-01-01T00:00:00.000Z',
      validTo: null,
      supersededBy: null,
    });
    const patched = await call('PATCH', `/${first.id}`, {
      content: 'Ada lives in Lisbon',
      validFrom: '2026-05-01T00:00:00Z',
    });
    expect(patched.status, patched.text).toBe(200);
    const second = dataOf(patched);
    expect(second).toMatchObject({ content: 'Ada lives in Lisbon', userId: 'ada', supersededBy: null });
    expect(dataOf(await call('GET', `/${first.id}`))).toMatchObject({
      content: 'Ada lives in London',
      validTo: '2026-05-01T00:00:00.000Z',
      supersededBy: second.id,
    });
    for (const id of [first.id, second.id]) {
      expect(memoriesOf(await call('GET', `/${id}/history`)).map((one) => one.id)).toEqual([second.id, first.id]);
    }
    const listed = async (query: string): Promise<string[]> =>
      memoriesOf(await call('GET', `?collectionIds=${collectionId}${query}`)).map((one) => one.content);
    expect(await listed('')).toEqual(['Ada lives in Lisbon']);
    expect(await listed('&includeSuperseded=true')).toHaveLength(2);
    expect(await listed('&validAt=2026-03-01T00:00:00Z')).toEqual(['Ada lives in London']);
    // Nothing was recorded by then.
    expect(await listed('&asOf=2026-03-01T00:00:00Z')).toEqual([]);
    expect(await listed(`&asOf=${first.createdAt}`)).toEqual(['Ada lives in London']);
    expect((await call('GET', `/collections/${collectionId}`)).json).toMatchObject({ data: { memoryCount: 1 } });
  });

  it('refuse to supersede what is superseded, naming the newest version', async () => {
    const first = await store({ content: 'one' });
    const second = dataOf(await call('PATCH', `/${first.id}`, { content: 'two' }));
    const stale = await call('PATCH', `/${first.id}`, { content: 'three' });
    expect([stale.status, codeOf(stale)]).toEqual([409, 'CONFLICT']);
    expect(stale.text).toContain(second.id);
  });

  it('let one of two supersessions at once win', async () => {
    const { id } = await store({ content: 'one' });
    const both = await Promise.all(['left', 'right'].map((content) => call('PATCH', `/${id}`, { content })));
    expect(both.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409]);
    expect(totalOf(await call('GET', `/${id}/history`))).toBe(2);
  });

  it('store nothing while the embeddings are away, and answer 503', async () => {
    const { id } = await store({ content: 'one' });
    embedder.isAway = true;
    const before = await storedRows();
    for (const refused of [
      await call('POST', '', { collectionId, content: 'two' }),
      await call('PATCH', `/${id}`, { content: 'two' }),
      await call('POST', '/search', { query: 'two' }),
      await call('POST', '/search', { query: 'two', mode: 'vector' }),
    ]) {
      expect([refused.status, codeOf(refused)]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    }
    expect(await storedRows()).toBe(before);
    // What needs no vector works: words, metadata, deleting.
    expect((await call('POST', '/search', { query: 'one', mode: 'text' })).status).toBe(200);
    expect((await call('PATCH', `/${id}`, { metadata: { seen: true } })).status).toBe(200);
    expect((await call('DELETE', `/${id}`)).status).toBe(200);
  });

  it('keep the model of their collection: another one is refused, and words still find them', async () => {
    const { id } = await store({ content: 'a word that is found' });
    const other = await startTestApi({
      database: api.database,
      embedder: Object.assign(new FakeEmbedder(), { dimensions: 32 }),
    });
    const ask = (method: string, path: string, body: unknown) =>
      other.call(method, `/api/v2/memory${path}`, { key, body });
    try {
      const stored = await ask('POST', '', { collectionId, content: 'two' });
      expect([stored.status, codeOf(stored)]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(stored.text).toContain('fake (64 dimensions)');
      const changed = await ask('PATCH', `/${id}`, { content: 'two' });
      expect(changed.status).toBe(503);
      const search = { query: 'word', collectionIds: [collectionId] };
      expect((await ask('POST', '/search', { ...search, mode: 'vector' })).status).toBe(503);
      const found = (
        (await ask('POST', '/search', search)).json as { data: { memory: Memory; why: { vector: unknown } }[] }
      ).data;
      expect(found.map(({ memory, why }) => [memory.id, why.vector])).toEqual([[id, null]]);
    } finally {
      await other.close();
    }
    expect(await storedRows()).toBe(1);
  });

  it('make the default collection when it is first used, once for many at once', async () => {
    const stored = await Promise.all([1, 2, 3, 4].map((n) => call('POST', '', { content: `note ${n}` })));
    expect(stored.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(stored.map((one) => dataOf(one).collectionId)).size).toBe(1);
    expect(memoriesOf(await call('GET', '/collections?name=default'))).toMatchObject([
      { name: 'default', memoryCount: 4 },
    ]);
  });

  it('are deleted with their history and with what was derived from them, however far', async () => {
    const first = await store({ content: 'the source' });
    const second = dataOf(await call('PATCH', `/${first.id}`, { content: 'the source, again' }));
    const derived = await store({ content: 'a conclusion', source: { type: 'memory', id: first.id } });
    const further = await store({ content: 'a further conclusion', source: { type: 'memory', id: derived.id } });
    const apart = await store({ content: 'of another kind', source: { type: 'ticket', id: first.id } });
    const deleted = await call('DELETE', `/${second.id}`);
    expect(dataOf(deleted)).toEqual({ deleted: 4 });
    for (const { id } of [first, second, derived, further]) expect((await call('GET', `/${id}`)).status).toBe(404);
    expect((await call('GET', `/${apart.id}`)).status).toBe(200);
    expect((await call('DELETE', `/${second.id}`)).status).toBe(404);
    const rows = await api.database.asOwner<{ memories: number; vectors: number }>(
      'SELECT (SELECT count(*) FROM memories WHERE collection_id = $1)::int AS memories, (SELECT count(*) FROM memory_vectors WHERE collection_id = $1)::int AS vectors',
      [collectionId],
    );
    expect(rows[0]).toEqual({ memories: 1, vectors: 1 });
  });

  it('take no metadata that their ingest writes by itself', async () => {
    const ingest = (source: object, metadata: object) => call('POST', '/ingest', { collectionId, metadata, ...source });
    const messages = [{ role: 'user', content: 'said' }];
    for (const [source, name] of [
      [{ text: 'a text' }, 'position'],
      [{ messages }, 'role'],
      [{ sessionId: newId('session') }, 'sequence'],
    ] as const) {
      const refused = await ingest(source, { [name]: 1 });
      expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`metadata.${name}`)]);
    }
    expect((await ingest({ text: 'a text' }, { role: 'of the caller' })).status).toBe(202);
  });

  it('are forgotten by a filter, chains and conclusions whole', async () => {
    const mine = await store({ content: 'of Ada', userId: 'ada', metadata: { topic: 'billing', deep: { n: 1 } } });
    await call('PATCH', `/${mine.id}`, { content: 'of Ada, again', metadata: {} });
    await store({ content: 'drawn from it', userId: 'bob', source: { type: 'memory', id: mine.id } });
    const other = await store({ content: 'of Bob', userId: 'bob' });
    for (const filter of [{}, { metadata: {} }]) {
      const refused = await call('POST', '/forget', { filter });
      expect([refused.status, codeOf(refused)]).toEqual([400, 'VALIDATION_ERROR']);
    }
    expect((await call('POST', '/forget', {})).status).toBe(400);
    // An older version matches, and so the whole chain goes.
    const forgotten = await call('POST', '/forget', { filter: { userId: 'ada', metadata: { deep: { n: 1 } } } });
    expect(forgotten.status, forgotten.text).toBe(200);
    expect(dataOf(forgotten)).toEqual({ deleted: 3 });
    expect(memoriesOf(await call('GET', `?collectionIds=${collectionId}`)).map(({ id }) => id)).toEqual([other.id]);
  });

  it('are not there any more when they expire, and neither is any version', async () => {
    const { id } = await store({ content: 'for a while', expiresAt: '2999-01-01T00:00:00Z' });
    const next = dataOf(await call('PATCH', `/${id}`, { content: 'still for a while' }));
    expect(next.expiresAt).toBe('2999-01-01T00:00:00.000Z');
    await api.database.asOwner(`UPDATE memories SET expires_at = now() - interval '1 second' WHERE chain_id = $1`, [
      id,
    ]);
    for (const path of [`/${id}`, `/${next.id}`, `/${next.id}/history`])
      expect((await call('GET', path)).status).toBe(404);
    expect((await call('PATCH', `/${next.id}`, { content: 'later' })).status).toBe(404);
    expect(totalOf(await call('GET', `?collectionIds=${collectionId}&includeSuperseded=true`))).toBe(0);
    expect(dataOf(await call('POST', '/search', { query: 'for a while', collectionIds: [collectionId] }))).toEqual([]);
    expect((await call('GET', `/collections/${collectionId}`)).json).toMatchObject({ data: { memoryCount: 0 } });
  });

  it('vanish with their collection at once', async () => {
    const { id } = await store({ content: 'of a collection' });
    const deleted = await call('DELETE', `/collections/${collectionId}`);
    expect(deleted.json).toMatchObject({
      success: true,
      data: { message: expect.stringContaining('deleted') as string },
    });
    expect((await call('GET', `/${id}`)).status).toBe(404);
    expect((await call('GET', `/collections/${collectionId}`)).status).toBe(404);
    expect((await call('POST', '', { collectionId, content: 'late' })).status).toBe(404);
    expect((await call('DELETE', `/collections/${collectionId}`)).status).toBe(404);
  });

  it.each([
    [
      'an end before the beginning',
      { content: 'x', validFrom: '2026-02-01T00:00:00Z', validTo: '2026-01-01T00:00:00Z' },
      'body.validTo',
    ],
    ['a time without an offset', { content: 'x', validFrom: '2026-02-01T00:00:00' }, 'body.validFrom'],
    ['an end of life that is past', { content: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'body.expiresAt'],
    ['content that is too long', { content: 'x'.repeat(8_193) }, 'body.content'],
    ['metadata that is too large', { content: 'x', metadata: { a: 'x'.repeat(9_000) } }, 'body.metadata'],
    [
      'a source that is not there',
      { content: 'x', source: { type: 'memory', id: 'mem_0000000000000000000000' } },
      'body.source.id',
    ],
  ])('refuse %s', async (_, body, path) => {
    const refused = await call('POST', '', { collectionId, ...body });
    expect(refused.status, refused.text).toBe(400);
    expect((refused.json as { error: { details: { issues: unknown[] } } }).error.details.issues).toEqual(
      expect.arrayContaining([expect.objectContaining({ path })]),
    );
    expect(await storedRows()).toBe(0);
  });

  it('are listed by each filter that a search has', async () => {
    const other = dataOf(await call('POST', '/collections', { name: `other ${Math.random()}` })).id;
    const source = { type: 'ticket', id: 'T-1' };
    const wanted = {
      userId: 'u',
      agentId: 'a',
      sessionId: 's',
      kind: 'episode',
      source,
      metadata: { team: 'x', n: 1 },
    };
    const { id } = await store({ content: 'wanted', ...wanted });
    await store({ content: 'unlike it in everything' });
    await call('POST', '', { collectionId: other, content: 'elsewhere', ...wanted });
    const listed = async (query: Record<string, string>): Promise<string[]> =>
      memoriesOf(await call('GET', `?${new URLSearchParams({ collectionIds: collectionId, ...query })}`)).map(
        (one) => one.id,
      );
    for (const query of [
      { userId: 'u' },
      { agentId: 'a' },
      { sessionId: 's' },
      { kind: 'episode' },
      { sourceType: 'ticket' },
      { sourceType: 'ticket', sourceId: 'T-1' },
      { metadata: '{"team":"x"}' },
      { metadata: '{"n":1,"team":"x"}', userId: 'u' },
    ] as Record<string, string>[]) {
      expect([query, await listed(query)]).toEqual([query, [id]]);
    }
    expect(await listed({ metadata: '{"team":"y"}' })).toEqual([]);
    expect(await listed({ collectionIds: `${collectionId},${other}`, userId: 'u' })).toHaveLength(2);
    const repeated = await call('GET', `?collectionIds=${collectionId}&collectionIds=${other}&userId=u`);
    expect(totalOf(repeated)).toBe(2);
    expect((await call('GET', `?collectionIds=${collectionId},col_none`)).status).toBe(404);
    for (const metadata of ['{', '[1]', '"x"', '{"a":1,"a":2}']) {
      const refused = await call('GET', `?metadata=${encodeURIComponent(metadata)}`);
      expect([metadata, refused.status, refused.text.includes('query.metadata')]).toEqual([metadata, 400, true]);
    }
  });

  it('refuse two moments at once', async () => {
    const both = 'asOf=2026-01-01T00:00:00Z&validAt=2026-01-01T00:00:00Z';
    expect((await call('GET', `?${both}`)).status).toBe(400);
    const at = '2026-01-01T00:00:00Z';
    expect((await call('POST', '/search', { query: 'x', asOf: at, validAt: at })).status).toBe(400);
  });

  it('count against the budget of the key and the month’s allowance; reading and deleting do not', async () => {
    const { record, key: budgeted } = await api.createKey(api.database.tenant);
    const ask = (method: string, path: string, body?: unknown) =>
      api.call(method, `/api/v2${path}`, { key: budgeted, body });
    const put = await ask('PUT', `/budgets/${record.id}`, { caps: { memoryOperations: 20_000 } });
    expect(put.status, put.text).toBe(201);
    const stored = dataOf(await ask('POST', '/memory', { collectionId, content: 'one' }));
    expect((await ask('PATCH', `/memory/${stored.id}`, { content: 'two' })).status).toBe(200);
    expect((await ask('POST', '/memory/search', { query: 'two' })).status).toBe(200);
    expect((await ask('POST', '/memory/ingest', { collectionId, text: 'three' })).status).toBe(202);
    for (const refused of [
      await ask('POST', '/memory', { collectionId, content: 'five' }),
      await ask('POST', '/memory/search', { query: 'five' }),
      await ask('POST', '/memory/ingest', { collectionId, text: 'five' }),
    ]) {
      expect([refused.status, codeOf(refused)]).toEqual([429, 'BUDGET_EXCEEDED']);
    }
    expect((await ask('GET', '/memory')).status).toBe(200);
    expect((await ask('POST', '/memory/forget', { filter: { collectionIds: [collectionId] } })).status).toBe(200);
    const budget = dataOf(await ask('GET', `/budgets/${record.id}`));
    expect(budget['used']).toMatchObject({ memoryOperations: 20_000 });
  });

  it('wait while expensive work is paused; reading, searching and deleting go on', async () => {
    const { id } = await store({ content: 'one' });
    await setExpensiveWorkPause(api.database.db, 'a test');
    try {
      for (const [method, path, body] of [
        ['POST', '', { collectionId, content: 'two' }],
        ['PATCH', `/${id}`, { content: 'two' }],
        ['POST', '/ingest', { collectionId, text: 'two' }],
      ] as const) {
        await expect.poll(async () => codeOf(await call(method, path, body))).toBe('EXPENSIVE_WORK_PAUSED');
      }
      expect((await call('POST', '/search', { query: 'one', collectionIds: [collectionId] })).status).toBe(200);
      expect((await call('GET', `/${id}`)).status).toBe(200);
      expect((await call('DELETE', `/${id}`)).status).toBe(200);
    } finally {
      await setExpensiveWorkPause(api.database.db, null);
    }
  });
});
