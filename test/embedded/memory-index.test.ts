import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tenant } from '../../db/client.ts';
import { createCollection, markCollectionDeleted } from '../../db/memory/collections.ts';
import { storeMemories } from '../../db/memory/store-memories.ts';
import { vectorIndexName } from '../../db/memory/vector-indexes.ts';
import { wordIndexName } from '../../db/memory/word-indexes.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { Program } from '../harness/embedded-stack.ts';
import { plainMemory } from '../harness/plain-memory.ts';
import { fetchVectorExtension, withVectorExtension } from '../harness/vector-extension.ts';

const SMALL = 3;
const LARGE = 12;
const MODEL = { model: 'fake', dimensions: 2 };

const extension = await fetchVectorExtension();
afterAll(() => {
  if (extension.reason === null) extension.remove();
});

/** The operator's command in a process of its own. */
describe.skipIf(extension.reason !== null)(`memory:index (${extension.reason ?? 'pgvector is there'})`, () => {
  let database: TestDatabase;
  let small: string;
  let large: string;
  const start = (...args: string[]): Program =>
    new Program(['embedded/run.mjs', 'embedded/commands/index-memories.js', ...args], {
      DATABASE_URL: database.applicationUrl,
      MIGRATION_DATABASE_URL: database.ownerUrl,
    });
  const run = async (...args: string[]): Promise<{ code: number | null; lines: string[] }> => {
    const program = start(...args);
    return { code: await program.exited, lines: program.output.trim().split('\n') };
  };
  const fill = (tenant: Tenant, name: string, count: number): Promise<string> =>
    database.db.withEnvironment(tenant, async (tx) => {
      const { id } = await createCollection(tx, { name, description: null, embedding: MODEL });
      const memory = plainMemory({ vector: Float32Array.from([1, 0]), content: 'a lighthouse' });
      await storeMemories(
        tx,
        id,
        Array.from({ length: count }, () => memory),
      );
      return id;
    });
  const stateOf = (id: string, count: number, state: string): string =>
    `${id}: ${count} vectors of 2 dimensions, ${state}.`;
  const INDEXED = 'vectors and words indexed';
  const WITHOUT = 'without an index';
  const indexesThere = async (): Promise<string[]> => {
    const rows = await database.asOwner<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'i' AND (relname LIKE 'memory_vectors_near_%' OR relname LIKE 'memories_worded_%')
       ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };
  const indexesOf = (id: string): string[] => [wordIndexName(id), vectorIndexName(id)];
  const countedOf = async (id: string): Promise<unknown[]> =>
    database.asOwner('SELECT word, memories FROM memory_word_counts WHERE collection_id = $1', [id]);

  beforeAll(async () => {
    database = await createTestDatabase();
    await (await withVectorExtension(database, extension)).close();
    // The command makes the extension itself.
    await database.asOwner('DROP EXTENSION vector');
    small = await fill(database.tenant, 'small', SMALL);
    large = await fill((await database.anotherWorkspace()).production, 'large', LARGE);
  });
  afterAll(() => database?.close());

  it('says what there is, and changes nothing', async () => {
    expect(await run('status')).toEqual({
      code: 0,
      lines: [stateOf(large, LARGE, WITHOUT), stateOf(small, SMALL, WITHOUT)],
    });
    expect(await indexesThere()).toEqual([]);
  });

  it('builds from a size on, or for one collection, and once', async () => {
    expect(await run()).toMatchObject({ code: 0, lines: [expect.stringContaining(WITHOUT), expect.anything()] });
    const built = await run('build', `--from=${LARGE}`);
    expect(built).toEqual({
      code: 0,
      lines: [
        expect.stringMatching(
          `^${large}: an index over ${LARGE} vectors and their words was built in \\d+\\.\\d s\\.$`,
        ),
        stateOf(large, LARGE, INDEXED),
        stateOf(small, SMALL, WITHOUT),
      ],
    });
    expect(await indexesThere()).toEqual(indexesOf(large));
    expect(await countedOf(large)).toEqual([{ word: 'lighthous', memories: LARGE }]);

    const one = await run(`--collection=${small}`);
    expect(one.lines.slice(-2)).toEqual([stateOf(large, LARGE, INDEXED), stateOf(small, SMALL, INDEXED)]);
    const again = await run('--from=0');
    expect(again.lines.slice(0, -2)).toEqual([large, small].map((id) => `${id}: its words were counted again.`));
    expect(await indexesThere()).toEqual([...indexesOf(large), ...indexesOf(small)].toSorted());
  });

  it('drops one, or all, with what was counted', async () => {
    const one = await run('drop', `--collection=${small}`);
    expect(one.lines).toEqual([
      `${small}: its index was dropped.`,
      stateOf(large, LARGE, INDEXED),
      stateOf(small, SMALL, WITHOUT),
    ]);
    expect([await indexesThere(), await countedOf(small)]).toEqual([indexesOf(large), []]);
    expect((await run('drop')).lines.slice(-2)).toEqual([
      stateOf(large, LARGE, WITHOUT),
      stateOf(small, SMALL, WITHOUT),
    ]);
    expect([await indexesThere(), await countedOf(large)]).toEqual([[], []]);
  });

  it('begins anew after a build that was ended, and never runs twice at once', async () => {
    const writer = new Client({ connectionString: database.ownerUrl });
    await writer.connect();
    try {
      // A build waits for who writes to the table.
      await writer.query('BEGIN');
      await writer.query('LOCK TABLE memory_vectors IN ROW EXCLUSIVE MODE');
      const program = start('--from=0');
      await expect.poll(indexesThere).toEqual([vectorIndexName(large)]);
      expect(await run('--from=0')).toEqual({
        code: 1,
        lines: ['Another command builds or drops indexes of memories now. Wait for it.'],
      });
      await database.asOwner(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%'`,
      );
      expect(await program.exited).toBe(1);
    } finally {
      await writer.end();
    }
    expect(await indexesThere()).toEqual([vectorIndexName(large)]);
    expect((await run('status')).lines[0]).toBe(stateOf(large, LARGE, WITHOUT));
    const again = await run('--from=0');
    expect(again.lines).toEqual([
      `${large}: its index was dropped.`,
      expect.stringContaining(`${large}: an index over`),
      expect.stringContaining(`${small}: an index over`),
      stateOf(large, LARGE, INDEXED),
      stateOf(small, SMALL, INDEXED),
    ]);
  });

  it('drops the index of a collection that was deleted', async () => {
    await database.db.withEnvironment(database.tenant, (tx) => markCollectionDeleted(tx, small));
    expect((await run()).lines).toEqual([`${small}: its index was dropped.`, stateOf(large, LARGE, INDEXED)]);
    expect(await indexesThere()).toEqual(indexesOf(large));
  });

  it.each([
    [['rebuild'], 'Usage: npm run memory:index'],
    [['--from=many'], 'Usage: npm run memory:index'],
    [['build', `--collection=col_0000000000000000000000`], 'There is no collection col_0000000000000000000000.'],
  ])('%j ends with exit code 1 and says why', async (args, message) => {
    const { code, lines } = await run(...args);
    expect([code, lines[0]]).toEqual([1, expect.stringContaining(message)]);
  });
});

it('memory:index says what is missing where PostgreSQL has no pgvector', async () => {
  const database = await createTestDatabase();
  try {
    const program = new Program(['embedded/run.mjs', 'embedded/commands/index-memories.js'], {
      DATABASE_URL: database.applicationUrl,
      MIGRATION_DATABASE_URL: database.ownerUrl,
    });
    expect([await program.exited, program.output]).toEqual([1, expect.stringContaining('MEMORY_INDEX=hnsw')]);
  } finally {
    await database.close();
  }
});
