import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database, Tenant } from '../../../db/client.ts';
import { createCollection, findCollections } from '../../../db/memory/collections.ts';
import { deleteMemories } from '../../../db/memory/delete-memories.ts';
import { nearestByIndex, nearestMemories } from '../../../db/memory/nearest-memories.ts';
import { type NewMemory, storeMemories } from '../../../db/memory/store-memories.ts';
import { supersedeMemory } from '../../../db/memory/supersede-memory.ts';
import { vectorIndexName } from '../../../db/memory/vector-indexes.ts';
import { dotProduct, toUnitLength } from '../../../domain/embeddings/embedder.ts';
import { INDEX_CANDIDATES } from '../../../domain/memory/memories.ts';
import { byScore, RANKING_DEPTH, type Ranked } from '../../../domain/memory/rank-fusion.ts';
import { buildMemoryIndexes, dropMemoryIndexes, listCollections } from '../../../embedded/memory-indexes.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { randomFrom } from '../../harness/random.ts';
import { fetchVectorExtension, withVectorExtension } from '../../harness/vector-extension.ts';
import { plainMemory } from '../../harness/plain-memory.ts';

const DIMENSIONS = 32;
const MODEL = { model: 'fake', dimensions: DIMENSIONS };
const OURS = 500;
/** More than all candidates of a search, ten times over, and each nearer to the query than anything of ours. */
const THEIRS = 10 * OURS;
const PAGE = 2_000;

const extension = await fetchVectorExtension();

describe.skipIf(extension.reason !== null)(`an index over vectors (${extension.reason ?? 'pgvector is there'})`, () => {
  const random = randomFrom(20_261_122);
  const around = (centre: Float32Array, spread: number): Float32Array =>
    toUnitLength(centre.map((value) => value + spread * (random() - 0.5)));
  const anywhere = (): Float32Array => around(new Float32Array(DIMENSIONS), 1);
  const query = anywhere();

  let database: TestDatabase;
  let db: Database;
  let collectionId: string;
  let ids: string[];
  const vectors = Array.from({ length: OURS }, anywhere);
  const wantedOf = (id: string) => ({ collectionIds: [id], filter: {}, moment: {} });
  const plain = (vector: Float32Array, over: Partial<NewMemory> = {}): NewMemory => plainMemory({ vector, ...over });
  const fill = async (tenant: Tenant, name: string, memories: readonly NewMemory[]): Promise<[string, string[]]> =>
    db.withEnvironment(tenant, async (tx) => {
      const { id } = await createCollection(tx, { name, description: null, embedding: MODEL });
      const stored: string[] = [];
      for (let from = 0; from < memories.length; from += PAGE) {
        stored.push(...(await storeMemories(tx, id, memories.slice(from, from + PAGE))));
      }
      return [id, stored];
    });
  const urls = () => ({ ownerUrl: database.ownerUrl, applicationUrl: database.applicationUrl });
  const build = async (isWanted: (collection: { id: string; vectors: number }) => boolean): Promise<string[]> => {
    const lines: string[] = [];
    await buildMemoryIndexes(urls(), isWanted, (line) => lines.push(line));
    return lines;
  };
  const search = (id: string, indexed: readonly string[]): Promise<Ranked[]> =>
    db.withEnvironment(
      database.tenant,
      (tx) => nearestMemories(tx, wantedOf(id), query, { hasExtension: true, indexed }),
      {
        readOnly: true,
      },
    );
  /** As many as a ranking takes, and those that an exact comparison finds. */
  const expectNearAll = (found: readonly Ranked[]): void => {
    const exactly = vectors
      .map((vector, index) => ({ id: ids[index] ?? '', score: dotProduct(query, vector) }))
      .sort(byScore)
      .slice(0, RANKING_DEPTH);
    const truth = new Set(exactly.map(({ id }) => id));
    expect(found).toHaveLength(RANKING_DEPTH);
    expect(found.filter(({ id }) => truth.has(id)).length).toBeGreaterThan(0.95 * RANKING_DEPTH);
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    db = await withVectorExtension(database, extension);
    [collectionId, ids] = await fill(
      database.tenant,
      'ours',
      vectors.map((vector) => plain(vector)),
    );
    await build(({ id }) => id === collectionId);
  });
  afterAll(async () => {
    await db?.close();
    await database?.close();
    if (extension.reason === null) extension.remove();
  });

  it('finds what an exact comparison finds, by the index', async () => {
    expectNearAll(await search(collectionId, [collectionId]));
    const { rows } = await db.withEnvironment(database.tenant, async (tx) => {
      await nearestByIndex(tx, wantedOf(collectionId), collectionId, query);
      return tx.raw<{ rows: { scans: string }[] }>(
        `SELECT pg_stat_get_xact_numscans(to_regclass(format('%I', CAST(? AS text)))) AS scans`,
        [vectorIndexName(collectionId)],
      );
    });
    expect(Number(rows[0]?.scans)).toBeGreaterThan(0);
  });

  it('is never influenced by a neighbour: neither order, nor score, nor count', async () => {
    const candidates = (): Promise<Ranked[]> =>
      db.withEnvironment(database.tenant, (tx) => nearestByIndex(tx, wantedOf(collectionId), collectionId, query));
    const before = { found: await search(collectionId, [collectionId]), candidates: await candidates() };
    const neighbour = (await database.anotherWorkspace()).development;
    const nearer = Array.from({ length: THEIRS }, () => plain(around(query, 0.02)));
    const [theirs] = await fill(neighbour, 'theirs', nearer);
    // With an index of their own, and one that was built anew beside theirs.
    await build(() => true);
    expect({ found: await search(collectionId, [collectionId]), candidates: await candidates() }).toEqual(before);
    await dropMemoryIndexes(urls(), collectionId, () => undefined);
    await build(() => true);
    expectNearAll(await search(collectionId, [collectionId]));
    // Who asks for their collection is answered nothing, and their index is not read for it.
    expect(await search(theirs, [theirs])).toEqual([]);
  });

  it('searches without the index where the filters leave too few of its candidates', async () => {
    const far = Array.from({ length: 20 }, () =>
      plain(
        around(
          query.map((value) => -value),
          0.1,
        ),
        { userId: 'ada' },
      ),
    );
    const [mixed, stored] = await fill(database.tenant, 'mixed', [
      ...Array.from({ length: INDEX_CANDIDATES + 50 }, () => plain(around(query, 0.1))),
      ...far,
    ]);
    await build(({ id }) => id === mixed);
    const wanted = { ...wantedOf(mixed), filter: { userId: 'ada' } };
    const [byIndex, found] = await db.withEnvironment(database.tenant, async (tx) => [
      await nearestByIndex(tx, wanted, mixed, query),
      await nearestMemories(tx, wanted, query, { hasExtension: true, indexed: [mixed] }),
    ]);
    expect(byIndex).toEqual([]);
    expect(found.map(({ id }) => id).toSorted()).toEqual(stored.slice(-far.length).toSorted());
  });

  it('finds nothing that was forgotten, and the version that holds of what was superseded', async () => {
    const many = Array.from({ length: 3 * RANKING_DEPTH }, () => plain(around(query, 0.4)));
    const [changing] = await fill(database.tenant, 'changing', many);
    await build(({ id }) => id === changing);
    const nearest = await search(changing, [changing]);
    const [forgotten = '', superseded = ''] = nearest.map(({ id }) => id);
    const laterId = await db.withEnvironment(database.tenant, async (tx) => {
      await deleteMemories(tx, [forgotten], 10);
      const later = around(query, 0.01);
      return supersedeMemory(tx, superseded, { content: 'later' }, { ...MODEL, vectors: [later] });
    });
    const found = (await search(changing, [changing])).map(({ id }) => id);
    expect(found).toHaveLength(RANKING_DEPTH);
    expect(found[0]).toBe(laterId);
    expect(found).not.toContain(forgotten);
    expect(found).not.toContain(superseded);
    const without = new Set((await search(changing, [])).map(({ id }) => id));
    expect(found.filter((id) => without.has(id)).length).toBeGreaterThan(0.95 * RANKING_DEPTH);
  });

  it('is used once it is whole, and goes with its collection', async () => {
    const isIndexed = async (id: string): Promise<boolean | undefined> =>
      (await db.withEnvironment(database.tenant, (tx) => findCollections(tx, [id])))[0]?.isIndexed;
    const [passing] = await fill(database.tenant, 'passing', [plain(anywhere())]);
    expect(await isIndexed(passing)).toBe(false);
    expect(await build(({ id }) => id === passing)).toEqual([
      expect.stringMatching(`^${passing}: an index over 1 vectors and their words was built`),
    ]);
    expect(await isIndexed(passing)).toBe(true);
    expect((await listCollections(database.applicationUrl)).find(({ id }) => id === passing)?.isIndexed).toBe(true);
    // What a build that was ended leaves behind.
    const name = vectorIndexName(passing);
    await database.asOwner(`UPDATE pg_index SET indisvalid = false WHERE indexrelid = '"${name}"'::regclass`);
    expect(await isIndexed(passing)).toBe(false);
    expect(await build(() => false)).toEqual([`${passing}: its index was dropped.`]);
    await build(({ id }) => id === passing);
    await database.asOwner('UPDATE memory_collections SET deleted_at = now() WHERE id = $1', [passing]);
    expect(await build(() => false)).toEqual([`${passing}: its index was dropped.`]);
  });
});
