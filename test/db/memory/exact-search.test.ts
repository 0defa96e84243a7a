import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database, type Tenant } from '../../../db/client.ts';
import { createCollection, findCollections } from '../../../db/memory/collections.ts';
import type { Wanted } from '../../../db/memory/records.ts';
import { nearestMemories } from '../../../db/memory/nearest-memories.ts';
import { type NewMemory, storeMemories, supersedeMemory } from '../../../db/memory/changes.ts';
import { dotProduct, toUnitLength } from '../../../domain/embeddings/embedder.ts';
import { COMPARED_MAX } from '../../../domain/memory/memories.ts';
import { byScore, RANKING_DEPTH, type Ranked } from '../../../domain/memory/rank-fusion.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { plainMemory } from '../../harness/plain-memory.ts';
import { randomFrom } from '../../harness/random.ts';
import { fetchVectorExtension, withVectorExtension } from '../../harness/vector-extension.ts';

const DIMENSIONS = 32;
const MODEL = { model: 'fake', dimensions: DIMENSIONS };
const OURS = 2 * COMPARED_MAX;
const USERS = 4;
const QUERIES = 10;

const extension = await fetchVectorExtension();

describe.skipIf(extension.reason !== null)(`search by pgvector (${extension.reason ?? 'pgvector is there'})`, () => {
  const random = randomFrom(20_261_123);
  // Their signs say little: most of their length is common to all. A search by signs would miss many.
  const anywhere = (): Float32Array =>
    toUnitLength(Float32Array.from({ length: DIMENSIONS }, () => 1 + 0.3 * (random() - 0.5)));
  const queries = Array.from({ length: QUERIES }, anywhere);
  const vectors = Array.from({ length: OURS }, anywhere);

  let database: TestDatabase;
  let db: Database;
  let collectionId: string;
  let ids: string[];
  const fill = (tenant: Tenant, name: string, memories: readonly NewMemory[]): Promise<[string, string[]]> =>
    db.withEnvironment(tenant, async (tx) => {
      const { id } = await createCollection(tx, { name, description: null, embedding: MODEL });
      return [id, await storeMemories(tx, id, memories)];
    });
  const search = (query: Float32Array, wanted: Partial<Wanted> = {}, hasExtension = true): Promise<Ranked[]> => {
    const all = { collectionIds: [collectionId], filter: {}, moment: {}, ...wanted };
    return db.withEnvironment(database.tenant, (tx) => nearestMemories(tx, all, query, { hasExtension }), {
      readOnly: true,
    });
  };
  const exactly = (query: Float32Array, isWanted: (index: number) => boolean = () => true): string[] =>
    vectors
      .map((vector, index) => ({ index, id: ids[index] ?? '', score: dotProduct(query, vector) }))
      .filter(({ index }) => isWanted(index))
      .sort(byScore)
      .slice(0, RANKING_DEPTH)
      .map(({ id }) => id);
  const idsOf = (found: readonly Ranked[]): string[] => found.map(({ id }) => id);
  /** Every one of them. Two whose scores differ in the last bit may change places. */
  const expectExactly = (found: readonly Ranked[], expected: readonly string[]): void =>
    expect(idsOf(found).toSorted()).toEqual(expected.toSorted());

  beforeAll(async () => {
    database = await createTestDatabase();
    db = await withVectorExtension(database, extension);
    [collectionId, ids] = await fill(
      database.tenant,
      'ours',
      vectors.map((vector, index) => plainMemory({ vector, userId: `user ${index % USERS}` })),
    );
  });
  afterAll(async () => {
    await db?.close();
    await database?.close();
    if (extension.reason === null) extension.remove();
  });

  it(`finds exactly the nearest of ${OURS}, which the order by signs does not`, async () => {
    let missed = 0;
    for (const query of queries) {
      const expected = exactly(query);
      const found = await search(query);
      expectExactly(found, expected);
      expect(found[0]?.score).toBeCloseTo(dotProduct(query, vectors[ids.indexOf(found[0]?.id ?? '')] ?? query), 5);
      const bySigns = new Set(idsOf(await search(query, {}, false)));
      missed += expected.filter((id) => !bySigns.has(id)).length;
    }
    expect(missed).toBeGreaterThan(0);
  });

  it('is exact under a filter, and as of a moment before most was superseded', async () => {
    const query = queries[0] ?? new Float32Array(DIMENSIONS);
    const ofOne = (index: number): boolean => index % USERS === 1;
    expectExactly(await search(query, { filter: { userId: 'user 1' } }), exactly(query, ofOne));

    // More of the nearest than are looked at first give way to what is far: the search goes on behind them.
    const nearest = vectors
      .map((vector, index) => ({ index, score: dotProduct(query, vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 600)
      .map(({ index }) => index);
    const before = new Date();
    const away = { ...MODEL, vectors: [toUnitLength(query.map((value) => -value))] };
    await expect.poll(() => Date.now()).toBeGreaterThan(before.getTime());
    await db.withEnvironment(database.tenant, async (tx) => {
      for (const index of nearest) await supersedeMemory(tx, ids[index] ?? '', { content: 'moved' }, away);
    });
    const superseded = new Set(nearest);
    expectExactly(
      await search(query),
      exactly(query, (index) => !superseded.has(index)),
    );
    expectExactly(await search(query, { moment: { asOf: before } }), exactly(query));
  });

  it('is never influenced by a neighbour: neither order, nor score, nor count', async () => {
    const query = queries[1] ?? new Float32Array(DIMENSIONS);
    const before = await search(query);
    const neighbour = (await database.anotherWorkspace()).development;
    const nearer = Array.from({ length: 1_000 }, () => plainMemory({ vector: query }));
    const [theirs] = await fill(neighbour, 'theirs', nearer);
    expect(await search(query)).toEqual(before);
    expect(await search(query, { collectionIds: [theirs] })).toEqual([]);
    expect(await search(query, { collectionIds: [collectionId, theirs] })).toEqual(before);
  });

  it('goes on by signs once the extension is dropped, and exactly once it is made again', async () => {
    const one = new Database({
      url: database.applicationUrl,
      applicationName: 'test-one-connection',
      poolMax: 1,
    });
    const query = queries[2] ?? new Float32Array(DIMENSIONS);
    const searchNow = (filter: Wanted['filter']): Promise<{ hasExtension: boolean; found: Ranked[] }> =>
      one.withEnvironment(database.tenant, async (tx) => {
        const hasExtension = (await findCollections(tx, [collectionId]))[0]?.hasExtension ?? false;
        const wanted = { collectionIds: [collectionId], filter, moment: {} };
        return { hasExtension, found: await nearestMemories(tx, wanted, query, { hasExtension }) };
      });
    const filters = [{}, { userId: 'user 1' }];
    try {
      const before = [];
      // More often than PostgreSQL makes a plan of its own for each call of a prepared statement.
      for (let round = 0; round < 7; round++) {
        for (const filter of filters) before.push(await searchNow(filter));
      }
      await database.asOwner('DROP EXTENSION vector CASCADE');
      for (const filter of filters) {
        const without = await searchNow(filter);
        expect([without.hasExtension, without.found.length]).toEqual([false, RANKING_DEPTH]);
      }
      await database.asOwner('CREATE EXTENSION vector');
      for (const filter of filters) expect(before).toContainEqual(await searchNow(filter));
      expect(before.every(({ hasExtension }) => hasExtension)).toBe(true);
    } finally {
      await one.close();
    }
  });
});
