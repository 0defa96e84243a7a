import { expect, test } from 'vitest';
import type { z } from 'zod';
import { entrySchema, lookupSchema, statsSchema } from '../../../api/cache/schemas.ts';
import { newId } from '../../../domain/ids.ts';
import { FakeEmbedder } from '../../harness/fake-embedder.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf } from '../invocations/support.ts';
import { askDuring } from '../harness/open-transaction.ts';

/** The entry that a lookup found is replaced, deleted or flushed before the reply. */
const api = await startTestApi({ embedder: new FakeEmbedder() });
const { key } = await api.createKey(api.database.tenant);

type Body = Record<string, unknown>;
const post = (path: string, body: Body) => api.call('POST', `/api/v2/cache${path}`, { key, body });
const store = async (body: Body) => dataOf(await post('', { response: 'stored', ...body }), entrySchema);
const stats = async () => dataOf(await api.call('GET', '/api/v2/cache/stats', { key }), statsSchema);

const PROMPT = 'Please explain in some detail how the water cycle of the earth works';
/** Differs from it in harmless words alone. */
const NEAR = 'Explain in some detail how the water cycle of an earth works';

/** Looks up once the statement has run, and commits the statement once the lookup waits for it. */
async function lookUpDuring(sql: string, values: unknown[], body: Body): Promise<z.infer<typeof lookupSchema>> {
  return dataOf(await askDuring(api.database, [sql, values], () => post('/lookup', body)), lookupSchema);
}

const REPLACED = `UPDATE cache_entries SET id = $2, response = '"anew"' WHERE id = $1`;
const DELETED = 'DELETE FROM cache_entries WHERE id = $1';

test.each([
  ['exact', PROMPT],
  ['near', NEAR],
])('a hit (%s) on an entry that is replaced meanwhile returns the new entry', async (reason, prompt) => {
  const namespace = `anew-${reason}`;
  const { id } = await store({ prompt: PROMPT, namespace });
  const next = newId('cacheEntry');
  const before = await stats();
  const found = await lookUpDuring(REPLACED, [id, next], { prompt, namespace, near: true });
  expect(found).toMatchObject({ hit: true, wouldHit: true, reason, entry: { id: next, response: 'anew', hits: 1 } });
  const after = await stats();
  expect([after.hits - before.hits, after.misses - before.misses]).toEqual([1, 0]);
});

test.each([
  ['exact', PROMPT],
  ['near', NEAR],
])('a hit (%s) on an entry that is deleted is a miss, and says so', async (reason, prompt) => {
  const namespace = `deleted-${reason}`;
  const { id } = await store({ prompt: PROMPT, namespace });
  const before = await stats();
  const found = await lookUpDuring(DELETED, [id], { prompt, namespace, near: true });
  expect(found).toEqual({ hit: false, wouldHit: false, entry: null, similarity: null, reason: 'empty', gate: [] });
  const after = await stats();
  expect([after.hits - before.hits, after.misses - before.misses]).toEqual([0, 1]);
});
