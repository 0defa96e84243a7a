import { beforeEach, expect, test } from 'vitest';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { createCollection } from '../../../db/memory/collections.ts';
import { type Deleted, deleteMemories } from '../../../db/memory/deletion.ts';
import { lockChain, type NewMemory, storeMemories, supersedeMemory } from '../../../db/memory/changes.ts';
import { createMemoryJob } from '../../../db/memory/jobs.ts';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { randomFrom } from '../../harness/random.ts';
import { plainMemory } from '../../harness/plain-memory.ts';

const EMBEDDING = { model: 'fake', dimensions: 2 };
const plain = (over: Partial<NewMemory> = {}): NewMemory => plainMemory({ vector: Float32Array.from([1, 0]), ...over });

let collectionId: string;
let memoryId: string;
const transaction = <T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> =>
  database.db.withEnvironment(database.tenant, work);

const database = await createTestDatabase();
beforeEach(async () => {
  await transaction(async (tx) => {
    const made = await createCollection(tx, { name: newId('collection'), description: null, embedding: EMBEDDING });
    collectionId = made.id;
    memoryId = (await storeMemories(tx, collectionId, [plain()]))[0] ?? '';
  });
});

const INSERT = `INSERT INTO memories (id, environment_id, collection_id, chain_id, version, kind, content, superseded_by, superseded_at, replaced_from, holds_until)
  SELECT :id, current_environment_id(), :collectionId, :chainId, CAST(:version AS integer), 'fact', 'x', r.by, r.at, r.at, r.at
  FROM (SELECT CAST(:by AS text) AS by, CASE WHEN CAST(:by AS text) IS NULL THEN NULL ELSE now() END AS at) r`;
const insert = (over: Record<string, unknown>): Promise<unknown> => {
  const id = newId('memory');
  return transaction((tx) => tx.raw(null, INSERT, { id, collectionId, chainId: id, version: 1, by: null, ...over }));
};

test('a version follows the newest of its chain, in the same collection, and begins as the newest', async () => {
  await expect(insert({ chainId: memoryId, version: 3 })).rejects.toThrow('does not follow the newest');
  await expect(insert({ chainId: newId('memory'), version: 2 })).rejects.toThrow('does not follow the newest');
  await expect(insert({ by: memoryId })).rejects.toThrow('begins as the newest');
  await insert({ chainId: memoryId, version: 2 });
  await expect(insert({ chainId: memoryId, version: 2 })).rejects.toThrow('does not follow the newest');
  const [elsewhere] = await transaction(async (tx) => {
    const { id } = await createCollection(tx, { name: newId('collection'), description: null, embedding: EMBEDDING });
    return [id];
  });
  await expect(insert({ chainId: memoryId, version: 3, collectionId: elsewhere })).rejects.toThrow('does not follow');
});

test.each([
  [`content = 'another'`, 'permission denied'],
  [`created_at = now() - interval '1 day'`, 'permission denied'],
  [`valid_from = now() - interval '1 day'`, 'permission denied'],
])('the application may not set %s', async (set, refusal) => {
  await expect(
    transaction((tx) => tx.raw(null, `UPDATE memories SET ${set} WHERE id = ?`, [memoryId])),
  ).rejects.toThrow(refusal);
});

test.each([
  [`content = 'another'`],
  [`metadata = '{"a":1}'`],
  [`valid_from = now() - interval '1 day'`],
  [`user_id = 'b'`],
])('what a memory says stays, for the owner of the table too: %s', async (set) => {
  await expect(database.asOwner(`UPDATE memories SET ${set} WHERE id = $1`, [memoryId])).rejects.toThrow(
    'says what it said',
  );
});

test('a memory is superseded once, and its ends only come nearer', async () => {
  await transaction((tx) =>
    supersedeMemory(tx, memoryId, { content: 'later' }, { ...EMBEDDING, vectors: [Float32Array.from([0, 1])] }),
  );
  for (const set of [
    `superseded_by = 'mem_other'`,
    `replaced_from = replaced_from + interval '1 day'`,
    `holds_until = holds_until + interval '1 day'`,
    'superseded_by = NULL, superseded_at = NULL, replaced_from = NULL, holds_until = NULL',
  ]) {
    const change = transaction((tx) => tx.raw(null, `UPDATE memories SET ${set} WHERE id = ?`, [memoryId]));
    await expect(change, set).rejects.toThrow('superseded once');
  }
});

test('the counters of a job only move forward, and what has ended stays so', async () => {
  const template = {
    kind: 'fact',
    userId: null,
    agentId: null,
    sessionId: null,
    metadata: {},
    expiresAt: null,
  } as const;
  const { id } = await transaction((tx) =>
    createMemoryJob(tx, { kind: 'ingest', collectionId, filter: null, template, input: null }),
  );
  const set = (change: string): Promise<unknown> =>
    transaction((tx) => tx.raw(null, `UPDATE memory_jobs SET ${change} WHERE id = ?`, [id]));
  await set(`status = 'running', total = 5, done = 3`);
  for (const change of ['done = 2', 'done = 6', `status = 'queued'`]) {
    await expect(set(change), change).rejects.toThrow('only moves forward');
  }
  await set(`status = 'succeeded', ended_at = now()`);
  await expect(set('done = 4')).rejects.toThrow('has ended');
});

test('a deletion and what is being derived at the same time: either is whole', async () => {
  // The deletion waits for the transaction that derives, and takes what it stored.
  let deriving: Promise<Deleted> | undefined;
  await transaction(async (tx) => {
    expect(await lockChain(tx, memoryId, 'derive')).not.toBeNull();
    deriving = transaction((other) => deleteMemories(other, [memoryId], 10));
    await storeMemories(tx, collectionId, [plain({ source: { type: 'memory', id: memoryId } })]);
    await waitsForALock();
  });
  expect(await deriving).toEqual({ deleted: 2, isWhole: true });
  // Once it is gone nothing is derived from it.
  expect(await transaction((tx) => lockChain(tx, memoryId, 'derive'))).toBeNull();
});

test('a deletion and a version that is being recorded at the same time: no version stays', async () => {
  let deleting: Promise<Deleted> | undefined;
  await transaction(async (tx) => {
    const vectors = [Float32Array.from([0, 1])];
    await supersedeMemory(tx, memoryId, { content: 'later' }, { ...EMBEDDING, vectors });
    deleting = transaction((other) => deleteMemories(other, [memoryId], 10));
    await waitsForALock();
  });
  expect(await deleting).toEqual({ deleted: 2, isWhole: true });
});

/** Memories of which each is derived from the one that it names. */
async function plantDerived(sources: readonly (string | null)[]): Promise<string[]> {
  const ids = sources.map(() => newId('memory'));
  await database.asOwner(
    `INSERT INTO memories (id, environment_id, collection_id, chain_id, version, kind, content, source_type, source_id)
     SELECT p.id, $1, $2, p.id, 1, 'fact', 'x', CASE WHEN p.source IS NOT NULL THEN 'memory' END, p.source
     FROM unnest($3::text[], $4::text[]) AS p (id, source)`,
    [
      database.tenant.environmentId,
      collectionId,
      ids,
      sources.map((source) => (source === null ? null : named(source, ids))),
    ],
  );
  return ids;
}
const named = (source: string, ids: readonly string[]): string => ids[Number(source)] ?? source;

test('what was derived goes in parts, from its ends on: whatever is left still hangs on what it was derived from', async () => {
  const random = randomFrom(7);
  // A line of 60, 60 that are derived from one, and 120 that are derived from any.
  const sources = [
    null,
    ...Array.from({ length: 240 }, (_, index) =>
      String(index < 60 ? index : index < 120 ? 30 : Math.floor(random() * index)),
    ),
  ];
  const ids = await plantDerived(sources);
  const [root = ''] = ids;
  await plantDerived([null]); // of none of them
  const orphans = () =>
    database.asOwner(
      `SELECT d.id FROM memories d WHERE d.source_type = 'memory' AND NOT EXISTS (SELECT FROM memories s WHERE s.id = d.source_id)`,
    );
  let sum = 0;
  for (let isWhole = false; !isWhole;) {
    const part = await transaction((tx) => deleteMemories(tx, [root, ids[100] ?? ''], 7, 16));
    expect(part.deleted).toBeGreaterThan(0);
    expect(part.deleted).toBeLessThanOrEqual(7);
    expect(await orphans()).toEqual([]);
    sum += part.deleted;
    isWhole = part.isWhole;
  }
  expect(sum).toBe(ids.length);
  expect(await database.asOwner('SELECT 1 FROM memories WHERE id = ANY ($1)', [ids])).toEqual([]);
});

test('a line of ten thousand is deleted in a few statements a part', async () => {
  const ids = await plantDerived([null, ...Array.from({ length: 9_999 }, (_, index) => String(index))]);
  await database.asOwner('ANALYZE memories'); // as autovacuum does within a minute
  const statements: number[] = [];
  for (let isWhole = false; !isWhole;) {
    let count = 0;
    const part = await transaction((tx) => {
      const counting: EnvironmentTransaction = {
        ...tx,
        raw: (...statement: Parameters<typeof tx.raw>) => {
          count += 1;
          return tx.raw(...statement);
        },
      };
      return deleteMemories(counting, ids.slice(0, 1), 2_500);
    });
    isWhole = part.isWhole;
    statements.push(count);
  }
  expect(statements).toHaveLength(4); // as in parts of 2,500
  expect(Math.max(...statements)).toBeLessThanOrEqual(5);
  expect(await database.asOwner('SELECT 1 FROM memories WHERE id = ANY ($1)', [ids])).toEqual([]);
});

async function waitsForALock(): Promise<void> {
  await expect
    .poll(async () =>
      database.asOwner(
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%lock_chains%'`,
      ),
    )
    .toHaveLength(1);
}
