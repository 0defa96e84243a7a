import { expect, test } from 'vitest';
import { ensureDefaultCollection } from '../../../db/memory/collections.ts';
import { COLLECTIONS_MAX } from '../../../domain/memory/memories.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';

const EMBEDDING = { model: 'fake', dimensions: 2 };

const database = await createTestDatabase();

test('where there is room for one collection two requests without a name have the same one', async () => {
  await database.asOwner(
    `INSERT INTO memory_collections (id, environment_id, name, embedding_model, embedding_dimensions)
     SELECT 'col_' || n, $1, 'c' || n, 'fake', 2 FROM generate_series(1, $2::integer) n`,
    [database.tenant.environmentId, COLLECTIONS_MAX - 1],
  );
  const ensured = (): Promise<string> =>
    database.db.withEnvironment(database.tenant, (tx) => ensureDefaultCollection(tx, EMBEDDING));
  let second: Promise<unknown> | undefined;
  const first = await database.db.withEnvironment(database.tenant, async (tx) => {
    const made = await ensureDefaultCollection(tx, EMBEDDING);
    second = ensured().catch((error: unknown) => error);
    await expect.poll(() => waiting(), { timeout: PATIENCE_MS }).toBe(1);
    return made;
  });
  expect(await second).toBe(first);
});

const waiting = () => database.lockWaits();
