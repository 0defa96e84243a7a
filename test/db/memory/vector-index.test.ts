import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database, type Tenant } from '../../../db/client.ts';
import { createCollection } from '../../../db/memory/collections.ts';
import { deleteMemories } from '../../../db/memory/deletion.ts';
import { nearestMemories } from '../../../db/memory/nearest-memories.ts';
import { storeMemories, supersedeMemory } from '../../../db/memory/changes.ts';
import { dotProduct, toUnitLength } from '../../../domain/embeddings/embedder.ts';
import { byScore, RANKING_DEPTH, type Ranked } from '../../../domain/memory/rank-fusion.ts';
import { buildMemoryIndexes, listVectorIndexes } from '../../../embedded/memory-indexes.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { plainMemory } from '../../harness/plain-memory.ts';
import { randomFrom } from '../../harness/random.ts';
import { fetchVectorExtension, withVectorExtension } from '../../harness/vector-extension.ts';

const DIMENSIONS = 32;
const MODEL = { model: 'fake', dimensions: DIMENSIONS };
const OURS = 1_000;
/** Ten times as many, and each nearer to the query than anything of ours. */
const THEIRS = 10 * OURS;
const PAGE = 2_000;

const extension = await fetchVectorExtension();

/** One index over the vectors of every tenant. PostgreSQL is kept from comparing them one by one, which it would do in so small a scope. */
describe.skipIf(extension.reason !== null)(`an index over vectors (${extension.reason ?? 'pgvector is there'})`, () => {
  const random = randomFrom(20_261_122);
  const around = (centre: Float32Array, spread: number): Float32Array =>
    toUnitLength(centre.map((value) => value + spread * (random() - 0.5)));
  const anywhere = (): Float32Array => around(new Float32Array(DIMENSIONS), 1);
  const query = anywhere();
  const vectors = Array.from({ length: OURS }, anywhere);

  let database: TestDatabase;
  let db: Database;
  let collectionId: string;
  let ids: string[];
  const fill = (tenant: Tenant, name: string, own: readonly Float32Array[]): Promise<[string, string[]]> =>
    db.withEnvironment(tenant, async (tx) => {
      const { id } = await createCollection(tx, { name, description: null, embedding: MODEL });
      const stored: string[] = [];
      for (let from = 0; from < own.length; from += PAGE) {
        const page = own.slice(from, from + PAGE).map((vector) => plainMemory({ vector }));
        stored.push(...(await storeMemories(tx, id, page)));
      }
      return [id, stored];
    });
  const urls = () => ({ ownerUrl: database.ownerUrl, applicationUrl: database.applicationUrl });
  const search = (id = collectionId): Promise<Ranked[]> =>
    db.withEnvironment(database.tenant, (tx) =>
      nearestMemories(tx, { collectionIds: [id], filter: {}, moment: {} }, query, { hasExtension: true }),
    );
  /** How many candidates the function finds, and how often it reads the index for them. */
  const candidates = (wanted: number): Promise<{ found: number; scans: number }> =>
    db.withEnvironment(database.tenant, async (tx) => {
      const scans = `pg_stat_get_xact_numscans(to_regclass('memory_vectors_near_${DIMENSIONS}'))`;
      const { rows } = await tx.raw<{ rows: { found: number; scans: number }[] }>(
        null,
        `WITH before AS MATERIALIZED (SELECT ${scans} AS scans),
         near AS MATERIALIZED (SELECT count(*)::int AS found FROM before, find_nearest_memories(:collections, :query, :dimensions, :wanted))
         SELECT near.found, (${scans} - before.scans)::int AS scans FROM before, near`,
        { collections: [collectionId], query: `[${query.join(',')}]`, dimensions: DIMENSIONS, wanted },
      );
      return rows[0] ?? { found: 0, scans: 0 };
    });
  const recallOf = (found: readonly Ranked[]): number => {
    const exactly = vectors
      .map((vector, index) => ({ id: ids[index] ?? '', score: dotProduct(query, vector) }))
      .sort(byScore)
      .slice(0, RANKING_DEPTH);
    const truth = new Set(exactly.map(({ id }) => id));
    return found.filter(({ id }) => truth.has(id)).length / RANKING_DEPTH;
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    await (await withVectorExtension(database, extension)).close();
    const name = new URL(database.ownerUrl).pathname.slice(1);
    for (const setting of ['enable_sort', 'enable_seqscan', 'enable_bitmapscan']) {
      await database.asOwner(`ALTER DATABASE ${name} SET ${setting} = off`);
    }
    db = new Database({ url: database.applicationUrl, applicationName: 'test-vector-index', poolMax: 2 });
    [collectionId, ids] = await fill(database.tenant, 'ours', vectors);
    await buildMemoryIndexes(urls(), () => undefined);
  });
  afterAll(async () => {
    await db?.close();
    await database?.close();
    if (extension.reason === null) extension.remove();
  });

  it('finds nearly all that an exact comparison finds', async () => {
    expect(await candidates(200), 'find_nearest_memories must ask the index: migration 0038').toEqual({
      found: 200,
      scans: 1,
    });
    const found = await search();
    expect(found).toHaveLength(RANKING_DEPTH);
    expect(recallOf(found)).toBeGreaterThan(0.95);
  });

  it('finds as much among ten times as many nearer vectors of a neighbour, and none of theirs', async () => {
    const neighbour = (await database.anotherWorkspace()).development;
    const nearer = Array.from({ length: THEIRS }, () => around(query, 0.02));
    const [theirs] = await fill(neighbour, 'theirs', nearer);
    await database.asOwner('ANALYZE memory_vectors');
    expect(
      (await candidates(200)).found,
      'a neighbour’s vectors use the candidates up: find_nearest_memories must set hnsw.iterative_scan',
    ).toBe(200);
    const found = await search();
    expect(found.filter(({ id }) => !ids.includes(id))).toEqual([]);
    expect(recallOf(found)).toBeGreaterThan(0.95);
    expect(await search(theirs)).toEqual([]);
  });

  it('compares exactly where the index gives up before it has found enough', async () => {
    const name = new URL(database.ownerUrl).pathname.slice(1);
    await database.asOwner(`ALTER DATABASE ${name} SET hnsw.max_scan_tuples = 1`);
    const before = db;
    db = new Database({ url: database.applicationUrl, applicationName: 'test-vector-index', poolMax: 2 });
    try {
      expect((await candidates(200)).found).toBeLessThan(RANKING_DEPTH);
      expect(recallOf(await search())).toBe(1);
    } finally {
      await db.close();
      db = before;
      await database.asOwner(`ALTER DATABASE ${name} RESET hnsw.max_scan_tuples`);
    }
  });

  it('finds nothing that was forgotten, and the version that holds of what was superseded', async () => {
    const [forgotten = '', superseded = ''] = (await search()).map(({ id }) => id);
    const laterId = await db.withEnvironment(database.tenant, async (tx) => {
      await deleteMemories(tx, [forgotten], 10);
      return supersedeMemory(tx, superseded, { content: 'later' }, { ...MODEL, vectors: [around(query, 0.01)] });
    });
    const found = (await search()).map(({ id }) => id);
    expect(found).toHaveLength(RANKING_DEPTH);
    expect(found[0]).toBe(laterId);
    expect(found).not.toContain(forgotten);
    expect(found).not.toContain(superseded);
  });

  it('is one for each dimensions, over the vectors of every tenant', async () => {
    const three = { model: 'other', dimensions: 3 };
    await db.withEnvironment(database.tenant, async (tx) => {
      const { id } = await createCollection(tx, { name: 'other', description: null, embedding: three });
      await storeMemories(tx, id, [plainMemory({ vector: Float32Array.from([1, 0, 0]) })]);
    });
    await buildMemoryIndexes(urls(), () => undefined);
    expect(await listVectorIndexes(urls())).toEqual([
      { dimensions: 3, vectors: 1, isIndexed: true },
      { dimensions: DIMENSIONS, vectors: expect.any(Number), isIndexed: true },
    ]);
    const names = await database.asOwner(
      `SELECT indexname AS name FROM pg_indexes WHERE tablename = 'memory_vectors' AND indexdef LIKE '%hnsw%' ORDER BY 1`,
    );
    expect(names, 'an index for each dimensions, and none for a collection').toEqual([
      { name: 'memory_vectors_near_3' },
      { name: `memory_vectors_near_${DIMENSIONS}` },
    ]);
  });
});
