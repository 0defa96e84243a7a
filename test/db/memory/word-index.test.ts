import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database, type EnvironmentTransaction, type Tenant } from '../../../db/client.ts';
import { createWorkspace } from '../../../db/environments/create-workspace.ts';
import {
  createCollection,
  deleteCollectionRow,
  findCollections,
  markCollectionDeleted,
} from '../../../db/memory/collections.ts';
import type { Wanted } from '../../../db/memory/conditions.ts';
import { deleteMemories } from '../../../db/memory/delete-memories.ts';
import { matchingByIndex, matchingMemories } from '../../../db/memory/matching-memories.ts';
import { type NewMemory, storeMemories } from '../../../db/memory/store-memories.ts';
import { wordIndexName } from '../../../db/memory/word-indexes.ts';
import { migrate } from '../../../db/migrate.ts';
import { RANKING_DEPTH, type Ranked } from '../../../domain/memory/rank-fusion.ts';
import { RANKED_MAX } from '../../../domain/memory/rarest-words.ts';
import { buildMemoryIndexes, dropMemoryIndexes } from '../../../embedded/memory-indexes.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { plainMemory } from '../../harness/plain-memory.ts';
import { fetchVectorExtension, withVectorExtension } from '../../harness/vector-extension.ts';
import { createPlainlyOwnedDatabase } from '../tenancy/plain-owner.ts';

const OURS = 3_000;
const MODEL = { model: 'fake', dimensions: 2 };
const VECTOR = Float32Array.from([1, 0]);

/** Each memory has a common word and a colour, some have two; one in ten tells of a harbour, and one in 300 of a lighthouse. */
const contentOf = (index: number): string =>
  [
    `note ${'and '.repeat(index % 7)}`,
    index % 2 === 0 ? 'red' : 'blue',
    ...(index % 3 === 0 ? [] : ['green']),
    ...(index % 10 === 0 ? ['harbour'] : []),
    ...(index % 300 === 0 ? ['lighthouse'] : []),
    ...(index % 1_000 === 7 ? ['e-mail'] : []),
  ].join(' ');

const extension = await fetchVectorExtension();
afterAll(() => {
  if (extension.reason === null) extension.remove();
});

describe.skipIf(extension.reason !== null)(`an index over words (${extension.reason ?? 'pgvector is there'})`, () => {
  let database: TestDatabase;
  let db: Database;
  let collectionId: string;
  let ids: string[];
  const fill = (tenant: Tenant, name: string, memories: readonly Partial<NewMemory>[]): Promise<[string, string[]]> =>
    db.withEnvironment(tenant, async (tx) => {
      const { id } = await createCollection(tx, { name, description: null, embedding: MODEL });
      const stored = memories.map((memory) => plainMemory({ vector: VECTOR, ...memory }));
      return [id, await storeMemories(tx, id, stored)];
    });
  const urls = () => ({ ownerUrl: database.ownerUrl, applicationUrl: database.applicationUrl });
  const build = async (isWanted: (collection: { id: string }) => boolean): Promise<string[]> => {
    const lines: string[] = [];
    await buildMemoryIndexes(urls(), isWanted, (line) => lines.push(line));
    return lines;
  };
  const inOurs = <T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> =>
    db.withEnvironment(database.tenant, work);
  const wantedOf = (filter: Wanted['filter'] = {}): Wanted => ({ collectionIds: [collectionId], filter, moment: {} });
  const byIndex = (query: string, filter: Wanted['filter'] = {}): Promise<Ranked[] | null> =>
    inOurs((tx) => matchingByIndex(tx, wantedOf(filter), collectionId, query));
  const search = (query: string, indexed: readonly string[], filter: Wanted['filter'] = {}): Promise<Ranked[]> =>
    inOurs((tx) => matchingMemories(tx, wantedOf(filter), query, indexed));
  const idsOf = (found: readonly Ranked[] | null): string[] => (found ?? []).map(({ id }) => id);
  const counted = async (): Promise<Record<string, number>> => {
    const rows = await database.asOwner<{ word: string; memories: number }>(
      'SELECT word, memories FROM memory_word_counts WHERE collection_id = $1',
      [collectionId],
    );
    return Object.fromEntries(rows.map(({ word, memories }) => [word, memories]));
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    db = await withVectorExtension(database, extension);
    const contents = Array.from({ length: OURS }, (_, index) => ({
      content: contentOf(index),
      userId: index === 0 ? 'ada' : null,
    }));
    [collectionId, ids] = await fill(database.tenant, 'ours', contents);
    await build(({ id }) => id === collectionId);
    await database.asOwner('ANALYZE memories');
  });
  afterAll(async () => {
    await db?.close();
    await database?.close();
  });

  it('is built with the counts of common words, which are refreshed by another run', async () => {
    // "mail" and "e" are words of "e-mail" too. Three of 3,000 are no more than one in a thousand.
    const colours = { red: OURS / 2, blue: OURS / 2, green: (OURS * 2) / 3 };
    expect(await counted()).toEqual({ note: OURS, ...colours, harbour: OURS / 10, lighthous: OURS / 300 });
    const [added = ''] = await inOurs((tx) =>
      storeMemories(tx, collectionId, [plainMemory({ vector: VECTOR, content: 'a harbour' })]),
    );
    expect(await build(({ id }) => id === collectionId)).toEqual([`${collectionId}: its words were counted again.`]);
    expect((await counted())['harbour']).toBe(OURS / 10 + 1);
    await inOurs((tx) => deleteMemories(tx, [added], 10));
    await build(({ id }) => id === collectionId);
  });

  it('finds by rare words what a search without it finds, and reads the index for it', async () => {
    for (const query of ['harbour', 'lighthouse', 'harbour lighthouse', 'an e-mail of the harbour']) {
      expect(await byIndex(query), query).toEqual(await search(query, []));
    }
    expect(await byIndex('lighthouse')).toHaveLength(OURS / 300);
    expect(await byIndex('volcano')).toEqual([]);
    expect(await byIndex('the of and')).toEqual([]);
    const scans = await inOurs(async (tx) => {
      const scansSoFar = async (): Promise<number> => {
        const { rows } = await tx.raw<{ rows: { scans: string }[] }>(
          `SELECT pg_stat_get_xact_numscans(to_regclass(format('%I', CAST(? AS text)))) AS scans`,
          [wordIndexName(collectionId)],
        );
        return Number(rows[0]?.scans);
      };
      const before = await scansSoFar();
      await matchingByIndex(tx, wantedOf(), collectionId, 'harbour');
      return (await scansSoFar()) - before;
    });
    expect(scans).toBe(1);
  });

  it('is asked by the rarest words, and what these find is ranked by all', async () => {
    expect(OURS).toBeGreaterThan(RANKED_MAX);
    const harbours = new Set(ids.filter((_, index) => index % 10 === 0));
    const found = await byIndex('note harbour');
    expect(found).toHaveLength(RANKING_DEPTH);
    expect(idsOf(found).filter((id) => !harbours.has(id))).toEqual([]);
    const withoutIndex = await search('note harbour', []);
    const scoreOf = new Map(withoutIndex.map(({ id, score }) => [id, score]));
    for (const { id, score } of found ?? []) expect(score).toBe(scoreOf.get(id) ?? score);
    expect(idsOf(found).filter((id) => scoreOf.has(id)).length).toBeGreaterThan(0);
    // A common word alone still finds a whole ranking.
    expect(await byIndex('note')).toEqual(await search('note', []));
  });

  it('is asked by a common word beside another one, where no rarer one finds enough', async () => {
    expect(OURS / 2).toBeGreaterThan(RANKED_MAX);
    const lookedBy = async (query: string): Promise<[string[], Ranked[] | null]> => {
      const looked: string[] = [];
      const found = await inOurs((tx) => {
        const raw: typeof tx.raw = (sql, bindings) => {
          if (sql.includes('find_worded_memories')) looked.push((bindings as { looked: string }).looked);
          return tx.raw(sql, bindings);
        };
        return matchingByIndex({ ...tx, raw }, wantedOf(), collectionId, query);
      });
      return [looked, found];
    };
    const [looked, found] = await lookedBy('red green lighthouse');
    expect(looked).toEqual([`'lighthous' | 'red' & ('green')`]);
    expect(found).toEqual(await search('red green lighthouse', []));
    // No memory is of both: then the rarest one alone.
    const [again, either] = await lookedBy('red blue');
    expect(again).toEqual([`'blue' & ('red')`, `'blue'`]);
    expect(either).toHaveLength(RANKING_DEPTH);
    expect(idsOf(either).filter((id) => ids.indexOf(id) % 2 === 0)).toEqual([]);
  });

  it('goes on without the index where the conditions leave too few', async () => {
    const ada = { userId: 'ada' };
    expect(await byIndex('note harbour', ada)).toBeNull();
    expect(idsOf(await search('note harbour', [collectionId], ada))).toEqual([ids[0]]);
    expect(await search('note harbour', [collectionId], ada)).toEqual(await search('note harbour', [], ada));
  });

  it('is never influenced by a neighbour: neither order, nor rank, nor count', async () => {
    const queries = ['harbour', 'lighthouse', 'red green', 'red blue'];
    const asked = async () => [...(await Promise.all(queries.map((query) => byIndex(query)))), await counted()];
    const before = await asked();
    const neighbour = (await database.anotherWorkspace()).development;
    const contents = Array.from({ length: OURS }, () => ({ content: 'harbour lighthouse harbour red red green' }));
    const [theirs] = await fill(neighbour, 'theirs', contents);
    await build(() => true);
    expect(await asked()).toEqual(before);
    // Who asks for their collection is answered nothing, also by the function itself.
    const direct = await inOurs((tx) =>
      tx.raw<{ rows: unknown[] }>('SELECT * FROM find_worded_memories(?, ?, ?, 10)', [theirs, 'harbour', 'harbour']),
    );
    expect(direct.rows).toEqual([]);
    const wanted = { collectionIds: [theirs], filter: {}, moment: {} };
    expect(await inOurs((tx) => matchingMemories(tx, wanted, 'harbour', [theirs]))).toEqual([]);
  });

  it('takes words that are operators or quotes of text search', async () => {
    for (const query of [`a & ! | <-> ( ' \\ :*`, `o'clock`, '日本', `it's ''; DROP TABLE memories --`]) {
      expect(await byIndex(query), query).toEqual(await search(query, []));
    }
  });

  it('goes with what was counted, when it is dropped', async () => {
    const areWordsIndexed = (): Promise<boolean | undefined> =>
      inOurs(async (tx) => (await findCollections(tx, [collectionId]))[0]?.areWordsIndexed);
    expect(await areWordsIndexed()).toBe(true);
    await dropMemoryIndexes(urls(), collectionId, () => undefined);
    expect([await areWordsIndexed(), await counted()]).toEqual([false, {}]);
  });
});

it.skipIf(extension.reason !== null)(
  'words are counted by an owner that is no superuser too, and what was counted goes with its collection',
  async () => {
    if (extension.reason !== null) throw new Error(extension.reason);
    const { ownerUrl, applicationUrl, superuser, close } = await createPlainlyOwnedDatabase();
    try {
      for (const [setting, value] of Object.entries(extension.settings)) {
        const name = new URL(ownerUrl).pathname.slice(1);
        await superuser.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
        await superuser.query(`SET ${setting} = '${value}'`);
      }
      // Where the extension is not a trusted one, only a superuser makes it.
      await superuser.query('CREATE EXTENSION vector');
      await migrate({ ownerUrl, applicationUrl });
      const db = new Database({ url: applicationUrl, applicationName: 'test' });
      try {
        const { workspaceId, environments } = await createWorkspace(db, 'A workspace', 'enterprise');
        const tenant = { workspaceId, environmentId: environments[0]?.id ?? '' };
        const [id, stored] = await db.withEnvironment(tenant, async (tx) => {
          const made = await createCollection(tx, { name: 'ours', description: null, embedding: MODEL });
          const memory = plainMemory({ vector: VECTOR, content: 'a lighthouse' });
          return [made.id, await storeMemories(tx, made.id, [memory])];
        });
        const count = async (): Promise<unknown[]> =>
          (await superuser.query('SELECT word, memories FROM memory_word_counts')).rows as unknown[];
        await buildMemoryIndexes(
          { ownerUrl, applicationUrl },
          () => true,
          () => undefined,
        );
        expect(await count()).toEqual([{ word: 'lighthous', memories: 1 }]);
        const wanted = { collectionIds: [id], filter: {}, moment: {} };
        const found = await db.withEnvironment(tenant, (tx) => matchingByIndex(tx, wanted, id, 'lighthouses'));
        expect(found?.map((one) => one.id)).toEqual(stored);
        await db.withEnvironment(tenant, async (tx) => {
          await markCollectionDeleted(tx, id);
          await deleteMemories(tx, stored, 10);
          await deleteCollectionRow(tx, id);
        });
        expect(await count()).toEqual([]);
      } finally {
        await db.close();
      }
    } finally {
      await close();
    }
  },
);
