import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tenant } from '../../db/client.ts';
import { createCollection } from '../../db/memory/collections.ts';
import { storeMemories } from '../../db/memory/changes.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { Program } from '../harness/embedded-stack.ts';
import { plainMemory } from '../harness/plain-memory.ts';
import { fetchVectorExtension, withVectorExtension } from '../harness/vector-extension.ts';

const MODEL = { model: 'fake', dimensions: 2 };
const INDEX = 'memory_vectors_near_2';

const extension = await fetchVectorExtension();
afterAll(() => {
  if (extension.reason === null) extension.remove();
});

/** The operator's command in a process of its own. */
describe.skipIf(extension.reason !== null)(`memory:index (${extension.reason ?? 'pgvector is there'})`, () => {
  let database: TestDatabase;
  const start = (...args: string[]): Program =>
    new Program(['embedded/run.mjs', 'embedded/commands/index-memories.js', ...args], {
      DATABASE_URL: database.applicationUrl,
      MIGRATION_DATABASE_URL: database.ownerUrl,
    });
  const run = async (...args: string[]): Promise<{ code: number | null; lines: string[] }> => {
    const program = start(...args);
    return { code: await program.exited, lines: program.output.trim().split('\n') };
  };
  const fill = (tenant: Tenant, count: number): Promise<void> =>
    database.db.withEnvironment(tenant, async (tx) => {
      const { id } = await createCollection(tx, { name: 'filled', description: null, embedding: MODEL });
      const memory = plainMemory({ vector: Float32Array.from([1, 0]) });
      await storeMemories(
        tx,
        id,
        Array.from({ length: count }, () => memory),
      );
    });
  const WITHOUT = '2 dimensions: 15 vectors, without an index.';
  const INDEXED = '2 dimensions: 15 vectors, indexed.';
  const indexesThere = async (): Promise<string[]> => {
    const rows = await database.asOwner<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'i' AND relname LIKE 'memory_vectors_near_%' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    await (await withVectorExtension(database, extension)).close();
    // The command makes the extension itself.
    await database.asOwner('DROP EXTENSION vector');
    await fill(database.tenant, 3);
    await fill((await database.anotherWorkspace()).production, 12);
  });
  afterAll(() => database?.close());

  it('says what there is, and changes nothing', async () => {
    expect(await run('status')).toEqual({ code: 0, lines: [WITHOUT] });
    expect(await indexesThere()).toEqual([]);
  });

  it('builds what is missing, once, and drops it', async () => {
    const built = await run();
    expect(built).toEqual({
      code: 0,
      lines: [expect.stringMatching(/^2 dimensions: the index was built in \d+\.\d s\.$/), INDEXED],
    });
    expect(await indexesThere()).toEqual([INDEX]);
    expect(await run('build')).toEqual({ code: 0, lines: [INDEXED] });
    expect((await run('drop')).lines).toEqual(['2 dimensions: the index was dropped.', WITHOUT]);
    expect(await indexesThere()).toEqual([]);
  });

  it('starts over after a build that was ended, and never runs twice at once', async () => {
    const writer = new Client({ connectionString: database.ownerUrl });
    await writer.connect();
    try {
      // A build waits for who writes to the table.
      await writer.query('BEGIN');
      await writer.query('LOCK TABLE memory_vectors IN ROW EXCLUSIVE MODE');
      const program = start();
      await expect.poll(indexesThere).toEqual([INDEX]);
      expect(await run()).toEqual({
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
    expect(await indexesThere()).toEqual([INDEX]);
    expect((await run('status')).lines).toEqual([WITHOUT]);
    expect((await run()).lines).toEqual([
      '2 dimensions: the index was dropped.',
      expect.stringContaining('2 dimensions: the index was built'),
      INDEXED,
    ]);
  });

  it.each([[['rebuild']], [['--from=many']]])('%j ends with exit code 1 and says why', async (args) => {
    const { code, lines } = await run(...args);
    expect([code, lines.join()]).toEqual([1, expect.stringContaining('Usage: npm run memory:index')]);
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
