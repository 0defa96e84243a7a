import { expect, test } from 'vitest';
import { deleteExpiredCacheEntries } from '../../../db/cache/directory.ts';
import { createTestDatabase } from '../../harness/database.ts';

const database = await createTestDatabase();
const another = await database.anotherWorkspace();

const plant = (id: string, environmentId: string, expiresIn: string): Promise<unknown> =>
  database.asOwner(
    `INSERT INTO cache_entries (id, environment_id, identity, prompt_digest, namespace, attributes, prompt, response, tokens, bytes,
       embedding_model, embedding, signs, expires_at)
     VALUES ($1, $2, sha256('identity'), sha256(convert_to($1, 'UTF8')), 'default', '{}', 'prompt', '"answer"', 1, 12, 'model', '', B'0', now() + $3::interval)`,
    [id, environmentId, expiresIn],
  );
const stored = (): Promise<unknown> =>
  database.asOwner(
    `SELECT w.id = $1 AS own, sum(s.bytes) > 0 AS uses FROM workspaces w JOIN stored_state s ON s.workspace_id = w.id AND s.part = 'cache' GROUP BY 1 ORDER BY 1`,
    [database.tenant.workspaceId],
  );

test('cached answers go after their expiry, in every environment, and give their storage back', async () => {
  await plant('cch_old', database.tenant.environmentId, '-1 second');
  await plant('cch_other', another.production.environmentId, '-1 day');
  await plant('cch_young', database.tenant.environmentId, '1 hour');
  expect(await deleteExpiredCacheEntries(database.db)).toBe(2);
  expect(await deleteExpiredCacheEntries(database.db)).toBe(0);
  expect(await database.asOwner('SELECT id FROM cache_entries')).toEqual([{ id: 'cch_young' }]);
  expect(await stored()).toEqual([
    { own: false, uses: false },
    { own: true, uses: true },
  ]);
});
