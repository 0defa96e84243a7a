import { beforeAll, describe, expect, it } from 'vitest';
import { createCollection } from '../../../db/memory/collections.ts';
import { nearestMemories } from '../../../db/memory/nearest-memories.ts';
import { type NewMemory, storeMemories } from '../../../db/memory/changes.ts';
import { searchMemories } from '../../../api/memory/search-memories.ts';
import { Database, type Tenant } from '../../../db/client.ts';
import { dotProduct, toUnitLength } from '../../../domain/embeddings/embedder.ts';
import { COMPARED_MAX } from '../../../domain/memory/memories.ts';
import { FakeEmbedder } from '../../harness/fake-embedder.ts';
import { randomFrom } from '../../harness/random.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';
import { plainMemory } from '../../harness/plain-memory.ts';

interface Found {
  memory: { id: string; content: string };
  score: number;
  why: { vector: { rank: number; score: number } | null; text: { rank: number; score: number } | null };
}
const foundBy = ({ status, json, text }: CallResult): Found[] => {
  if (status !== 200) throw new Error(`the search was refused: ${text}`);
  return (json as { data: Found[] }).data;
};
const contents = (reply: CallResult): string[] => foundBy(reply).map(({ memory }) => memory.content);

const MODEL = { model: 'fake', dimensions: 64 };
const plain = (content: string, vector: Float32Array): NewMemory => plainMemory({ content, vector });

const embedder = new FakeEmbedder();
const api = await startTestApi({ embedder });
const { key } = await api.createKey(api.database.tenant);

describe('searching memories', () => {
  let collectionId: string;
  const call = (path: string, body: unknown, asKey = key) =>
    api.call('POST', `/api/v2/memory${path}`, { key: asKey, body });
  const search = (body: object) => call('/search', { collectionIds: [collectionId], ...body });
  const newCollection = (tenant: Tenant, name: string): Promise<string> =>
    api.database.db.withEnvironment(tenant, async (tx) => {
      return (await createCollection(tx, { name, description: null, embedding: MODEL })).id;
    });
  const fill = async (tenant: Tenant, into: string, texts: readonly string[]): Promise<void> => {
    const { vectors } = await embedder.embed(texts, { workspaceId: tenant.workspaceId });
    const memories = texts.map((text, index) => plain(text, vectors[index] ?? new Float32Array(64)));
    await api.database.db.withEnvironment(tenant, (tx) => storeMemories(tx, into, memories));
  };

  beforeAll(async () => {
    collectionId = await newCollection(api.database.tenant, 'searched');
    await fill(api.database.tenant, collectionId, [
      'Ada wants her invoices in euro',
      'Ada moved to Lisbon in May',
      'Bob wants his invoices in dollars',
      'The weather in Oslo is cold',
    ]);
  });

  it('fuses meaning and words, and says why', async () => {
    const [best, ...others] = foundBy(await search({ query: 'invoices of Ada in euro' }));
    expect(best?.memory.content).toBe('Ada wants her invoices in euro');
    expect(best?.why).toMatchObject({ vector: { rank: 1 }, text: { rank: 1 } });
    expect(best?.score).toBeCloseTo(2 / 61, 10);
    for (const one of others) expect(one.score).toBeLessThanOrEqual(best?.score ?? 0);
  });

  it('fuses two rankings that run beside each other, and one after the other where no second connection is free', async () => {
    const { database } = api;
    const asked = { query: 'invoices', collectionIds: [collectionId], filter: {}, limit: 10, mode: 'hybrid' } as const;
    const narrow = new Database({ url: database.applicationUrl, applicationName: 'narrow', poolMax: 1 });
    try {
      const many = Array.from({ length: 5 }, () => searchMemories({ db: narrow, embedder }, database.tenant, asked));
      for (const found of await Promise.all(many)) expect(found).toHaveLength(4);
    } finally {
      await narrow.close();
    }
    const steps: string[] = [];
    const withEnvironment: Database['withEnvironment'] = async (...call) => {
      steps.push('begin');
      const answer = await database.db.withEnvironment(...call);
      steps.push('end');
      return answer;
    };
    expect(await searchMemories({ db: { withEnvironment }, embedder }, database.tenant, asked)).toHaveLength(4);
    const [collections, rankings, found] = [
      ['begin', 'end'],
      ['begin', 'begin', 'end', 'end'],
      ['begin', 'end'],
    ];
    expect(steps).toEqual([...collections, ...rankings, ...found]);
  });

  it('finds by words alone any of them, in any form, and by meaning alone everything in order', async () => {
    // "invoice" and "invoices" are one word; Oslo shares none with the query.
    const byText = await search({ query: 'invoice, or moving', mode: 'text' });
    expect(contents(byText)).toHaveLength(3);
    expect(foundBy(byText)[0]?.why.vector).toBeNull();
    const byVector = foundBy(await search({ query: 'Bob invoices dollars', mode: 'vector' }));
    expect(byVector).toHaveLength(4);
    expect(byVector[0]?.memory.content).toBe('Bob wants his invoices in dollars');
    const scores = byVector.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    expect(contents(await search({ query: 'invoices', limit: 1 }))).toHaveLength(1);
  });

  it('takes a query that has no word of the index, and one full of operators', async () => {
    for (const query of ['the of and', "a & ! | <-> ( ' \\ :*", '日本', '%_']) {
      expect((await search({ query, mode: 'text' })).status).toBe(200);
      expect((await search({ query })).status).toBe(200);
    }
  });

  it('narrows by every member of a filter, and refuses a collection that is not there', async () => {
    const narrow = await newCollection(api.database.tenant, 'narrow');
    const base = { collectionId: narrow, content: 'a note about billing' };
    await call('', {
      ...base,
      userId: 'ada',
      agentId: 'a1',
      sessionId: 's1',
      kind: 'episode',
      source: { type: 'ticket', id: '1' },
      metadata: { a: { b: 1 }, c: 2 },
    });
    await call('', { ...base, userId: 'bob' });
    const ask = async (body: object): Promise<number> =>
      foundBy(await call('/search', { query: 'billing', collectionIds: [narrow], ...body })).length;
    expect(await ask({})).toBe(2);
    expect(await ask({ userId: 'ada' })).toBe(1);
    for (const filter of [
      { agentId: 'a1' },
      { sessionId: 's1' },
      { kind: 'episode' },
      { source: { type: 'ticket' } },
      { source: { type: 'ticket', id: '1' } },
      { metadata: { a: { b: 1 } } },
    ]) {
      expect(await ask({ filter }), JSON.stringify(filter)).toBe(1);
      expect(await ask({ filter, userId: 'bob' }), JSON.stringify(filter)).toBe(0);
    }
    const missing = await call('/search', { query: 'x', collectionIds: [narrow, 'col_0000000000000000000000'] });
    expect(missing.status).toBe(404);
  });

  it('is never influenced by a neighbour: neither order, nor score, nor count', async () => {
    const before = foundBy(await call('/search', { query: 'invoices in euro', limit: 100 }));
    const neighbour = api.database.tenants.staging;
    const theirs = await newCollection(neighbour, 'theirs');
    // Nearer than anything of ours, and more of them than a search compares.
    await fill(
      neighbour,
      theirs,
      Array.from({ length: COMPARED_MAX + 100 }, () => 'invoices in euro'),
    );
    expect(foundBy(await call('/search', { query: 'invoices in euro', limit: 100 }))).toEqual(before);
    for (const mode of ['vector', 'text', 'hybrid']) {
      const found = await call('/search', { query: 'invoices in euro', mode, limit: 100 });
      expect(contents(found)).not.toContain('invoices in euro');
    }
    expect((await call('/search', { query: 'invoices', collectionIds: [theirs] })).status).toBe(404);
  });

  it('compares everything by its whole vector in a scope of up to 2,000, and finds the same ten above in nearly all cases', async () => {
    const random = randomFrom(4711);
    const gauss = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const near = (centre: Float32Array, spread: number): Float32Array =>
      toUnitLength(Float32Array.from(centre, (value) => value + spread * gauss()));
    // Texts come in topics, and so do their vectors.
    const topics = Array.from({ length: 60 }, () => near(new Float32Array(64), 1));
    const vectors = Array.from({ length: 6_000 }, (_, index) => near(topics[index % 60] ?? new Float32Array(64), 0.08));
    const queries = topics.slice(0, 20).map((topic) => near(topic, 0.08));
    const { db, tenant } = api.database;
    const exactly = (of: readonly Float32Array[], query: Float32Array): number[] =>
      of
        .map((vector, index) => ({ index, score: dotProduct(vector, query) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, 10)
        .map(({ index }) => index);
    const recallOf = async (of: readonly Float32Array[]): Promise<number> => {
      const into = await newCollection(tenant, `of ${of.length}`);
      const ids = await db.withEnvironment(tenant, (tx) =>
        storeMemories(
          tx,
          into,
          of.map((vector, index) => plain(`n ${index}`, vector)),
        ),
      );
      const wanted = { collectionIds: [into], filter: {}, moment: {} };
      let hits = 0;
      for (const query of queries) {
        const found = await db.withEnvironment(
          tenant,
          (tx) => nearestMemories(tx, wanted, query, { hasExtension: false }),
          { readOnly: true },
        );
        const top = new Set(found.slice(0, 10).map(({ id }) => ids.indexOf(id)));
        hits += exactly(of, query).filter((index) => top.has(index)).length;
      }
      return hits / (queries.length * 10);
    };
    expect(await recallOf(vectors.slice(0, COMPARED_MAX))).toBe(1);
    expect(await recallOf(vectors)).toBeGreaterThan(0.98);
  });
});
