import { expect, test } from 'vitest';
import type { z } from 'zod';
import { entrySchema, lookupSchema, statsSchema } from '../../../api/cache/schemas.ts';
import { setExpensiveWorkPause } from '../../../db/plans/expensive-work.ts';
import { CACHE_ENTRIES_MAX } from '../../../domain/cache/cache.ts';
import { FakeEmbedder } from '../../harness/fake-embedder.ts';
import { startTestApi } from '../harness/test-api.ts';
import { dataOf, errorOf } from '../invocations/support.ts';
import { countRows } from '../harness/count-rows.ts';

const embedder = new FakeEmbedder();
const api = await startTestApi({ embedder });
const { key } = await api.createKey(api.database.tenant);

type Body = Record<string, unknown>;
const post = (path: string, body: Body, own = key) => api.call('POST', `/api/v2/cache${path}`, { key: own, body });
const store = async (body: Body) => dataOf(await post('', { response: 'stored', ...body }), entrySchema);
const look = async (body: Body, own = key): Promise<z.infer<typeof lookupSchema>> =>
  dataOf(await post('/lookup', body, own), lookupSchema);
const stats = async (own = key) => dataOf(await api.call('GET', '/api/v2/cache/stats', { key: own }), statsSchema);

const PROMPT = 'Please explain in some detail how the water cycle of the earth works';
/** Differs from it in harmless words alone. */
const NEAR = 'Explain in some detail how the water cycle of an earth works';

test('the same prompt in another form is a hit, and is counted', async () => {
  const namespace = 'exact';
  const before = await stats();
  expect(await look({ prompt: PROMPT, namespace })).toMatchObject({
    hit: false,
    reason: 'not_exact',
    similarity: null,
    entry: null,
  });
  const entry = await store({ prompt: PROMPT, namespace, response: { text: 'x'.repeat(396) } });
  const found = await look({ prompt: ` ${PROMPT.toUpperCase()}!`, namespace });
  expect(found).toMatchObject({ hit: true, wouldHit: true, reason: 'exact', similarity: 1, gate: [] });
  expect(found.entry).toMatchObject({ id: entry.id, hits: 1, response: { text: 'x'.repeat(396) } });
  expect(found.entry?.lastHitAt).not.toBeNull();
  const after = await stats();
  expect([after.hits - before.hits, after.misses - before.misses, after.entries - before.entries]).toEqual([1, 1, 1]);
  expect(after.tokensSaved - before.tokensSaved).toBe(102); // a quarter of 407 characters
});

test('a near prompt is a hit above the threshold, and none below it', async () => {
  const namespace = 'near';
  const entry = await store({ prompt: PROMPT, namespace });
  const near = { prompt: NEAR, namespace, near: true };
  const found = await look(near);
  expect(found).toMatchObject({ hit: true, reason: 'near' });
  expect([found.entry?.id, (found.similarity ?? 0) > 0.85, (found.similarity ?? 1) < 1]).toEqual([
    entry.id,
    true,
    true,
  ]);
  expect(await look({ ...near, threshold: 0.999 })).toMatchObject({
    hit: false,
    reason: 'below_threshold',
    entry: null,
  });
  expect(await look({ prompt: 'Bananas', namespace, near: true })).toMatchObject({
    hit: false,
    reason: 'below_threshold',
  });
});

test('a near prompt is answered only where the lookup asks for near ones, also in shadow', async () => {
  const namespace = 'unasked';
  const entry = await store({ prompt: PROMPT, namespace });
  const prompt = NEAR;
  const before = await stats();
  const miss = { hit: false, wouldHit: false, entry: null, similarity: null, reason: 'not_exact', gate: [] };
  expect(await look({ prompt, namespace })).toEqual(miss);
  expect(await look({ prompt, namespace, near: false, threshold: 0 })).toEqual(miss);
  const after = await stats();
  expect([after.hits - before.hits, after.misses - before.misses, after.gated - before.gated]).toEqual([0, 2, 0]);
  expect(await look({ prompt, namespace, shadow: true })).toEqual(miss);
  expect(await look({ prompt, namespace, shadow: true, near: true })).toMatchObject({
    hit: false,
    wouldHit: true,
    reason: 'near',
    entry: { id: entry.id, hits: 0 },
  });
  expect(await stats()).toEqual(after);
});

test('the gate keeps a near prompt back that means something else, and that is a miss', async () => {
  const namespace = 'gate';
  await store({ prompt: `${PROMPT} and turn on the lights`, namespace });
  const before = await stats();
  const found = await look({ prompt: `${PROMPT} and turn off the lights`, namespace, near: true });
  expect(found).toMatchObject({ hit: false, wouldHit: false, reason: 'gated', entry: null, gate: ['words'] });
  const after = await stats();
  expect([after.gated - before.gated, after.misses - before.misses, after.hits - before.hits]).toEqual([1, 1, 0]);
});

test('a shadow lookup says what it would answer, and is counted as nothing', async () => {
  const namespace = 'shadow';
  const { id } = await store({ prompt: PROMPT, namespace });
  const before = await stats();
  const found = await look({ prompt: PROMPT, namespace, shadow: true });
  expect(found).toMatchObject({ hit: false, wouldHit: true, reason: 'exact', entry: { id, hits: 0, lastHitAt: null } });
  expect(await stats()).toEqual(before);
});

test.each<[string, Body]>([
  ['namespace', { namespace: 'identity-b' }],
  ['model', { model: 'other' }],
  ['system prompt', { system: 'Be rude.' }],
  ['tools', { tools: [{ name: 'search' }] }],
  ['attributes', { attributes: { user: 'b' } }],
])('an entry of another %s answers nothing', async (_what, other) => {
  const identity = { namespace: 'identity', model: 'gpt', system: 'Be kind.', tools: [], attributes: { user: 'a' } };
  await store({ prompt: PROMPT, ...identity });
  expect((await look({ prompt: PROMPT, ...identity })).hit).toBe(true);
  expect(await look({ prompt: PROMPT, ...identity, ...other, near: true })).toMatchObject({
    hit: false,
    reason: 'empty',
  });
});

test('storing the same prompt again replaces it', async () => {
  const namespace = 'replace';
  const first = await store({ prompt: PROMPT, namespace, response: 'old' });
  await look({ prompt: PROMPT, namespace });
  const second = await store({ prompt: `${PROMPT}.`, namespace, response: 'new' });
  expect(second).toMatchObject({ hits: 0, response: 'new' });
  expect((await api.call('GET', `/api/v2/cache/${first.id}`, { key })).status).toBe(404);
  expect((await look({ prompt: PROMPT, namespace })).entry).toMatchObject({ id: second.id, response: 'new' });
  // It is in the audit log, as long as the one that it replaced still answered.
  await api.database.asOwner(`UPDATE cache_entries SET expires_at = now() - interval '1 second' WHERE id = $1`, [
    second.id,
  ]);
  const third = await store({ prompt: PROMPT, namespace, response: 'newest' });
  const entries = await api.database.asOwner(
    `SELECT target_id, details FROM audit_log WHERE action = 'cache_entry.replaced' AND target_id IN ($1, $2, $3)`,
    [first.id, second.id, third.id],
  );
  expect(entries).toEqual([{ target_id: second.id, details: { replaced: first.id, namespace } }]);
});

test('an entry that has expired answers nothing, and is deleted by a later store', async () => {
  const namespace = 'ttl';
  const { id } = await store({ prompt: PROMPT, namespace, ttlSeconds: 60 });
  await api.database.asOwner(`UPDATE cache_entries SET expires_at = now() - interval '1 second' WHERE id = $1`, [id]);
  expect(await look({ prompt: PROMPT, namespace, near: true })).toMatchObject({ hit: false, reason: 'empty' });
  expect((await api.call('GET', `/api/v2/cache/${id}`, { key })).status).toBe(404);
  await store({ prompt: 'another', namespace });
  expect(await api.database.asOwner('SELECT 1 FROM cache_entries WHERE id = $1', [id])).toEqual([]);
});

test('flush takes a namespace, attributes, or everything of its own environment alone', async () => {
  const stranger = (await api.createKey(api.database.tenants.staging)).key;
  await post('', { prompt: PROMPT, response: 'a neighbour’s', namespace: 'flush' }, stranger);
  await store({ prompt: 'one', namespace: 'flush', attributes: { user: 'a', plan: 'pro' } });
  await store({ prompt: 'two', namespace: 'flush', attributes: { user: 'b' } });
  const flush = async (body: Body): Promise<unknown> => (await post('/flush', body)).json;
  const flushed = (count: number) => ({ success: true, data: { flushed: count } });
  expect(await flush({ namespace: 'flush', attributes: { user: 'a' } })).toEqual(flushed(1));
  expect(await flush({ namespace: 'flush' })).toEqual(flushed(1));
  await flush({});
  expect((await stats()).entries).toBe(0);
  // A lookup or flush of one workspace does not reach the entries of another.
  expect((await look({ prompt: PROMPT, namespace: 'flush', near: true })).reason).toBe('empty');
  expect((await look({ prompt: PROMPT, namespace: 'flush' }, stranger)).entry?.response).toBe('a neighbour’s');
});

test.each([[{ text: 'It is refunded.', effectId: `eff_${'0'.repeat(22)}` }], [`Refunded.\neff_${'0'.repeat(22)}`]])(
  'what an action did is never stored: %j',
  async (response) => {
    const reply = await post('', { prompt: 'Refund order 7', response });
    expect([reply.status, errorOf(reply).details?.['issues']]).toEqual([
      400,
      [expect.objectContaining({ path: 'body.response' })],
    ]);
  },
);

test('lookups count in the budget of their key, and a key that has none left gets 429', async () => {
  const { key: own, record } = await api.createKey(api.database.tenant);
  const caps = { caps: { cacheLookups: 1_000 } };
  expect((await api.call('PUT', `/api/v2/budgets/${record.id}`, { key, body: caps })).status).toBeLessThan(300);
  await look({ prompt: PROMPT }, own);
  await look({ prompt: PROMPT, shadow: true }, own);
  const before = embedder.texts.length;
  const refused = await post('/lookup', { prompt: `${PROMPT} here` }, own);
  expect([refused.status, errorOf(refused).code]).toEqual([429, 'BUDGET_EXCEEDED']);
  // A refused request computes no embedding.
  expect(embedder.texts).toHaveLength(before);
});

test('the same prompt is found without a vector, also while the embeddings are away', async () => {
  const namespace = 'without-vector';
  await store({ prompt: PROMPT, namespace });
  const before = embedder.texts.length;
  embedder.isAway = true;
  const found = await post('/lookup', { prompt: `${PROMPT}!`, namespace });
  embedder.isAway = false;
  expect(dataOf(found, lookupSchema)).toMatchObject({ hit: true, reason: 'exact' });
  expect(embedder.texts).toHaveLength(before);
});

test('prompts that only look alike are never the same', async () => {
  const namespace = 'form';
  await store({ prompt: 'What is 5² + 1?', namespace });
  await store({ prompt: 'Wie bestimme ich die Maße?', namespace });
  expect(await look({ prompt: 'WHAT IS 5² + 1', namespace })).toMatchObject({ reason: 'exact' });
  for (const prompt of ['What is 52 + 1?', 'Wie bestimme ich die Masse?']) {
    expect(await look({ prompt, namespace, threshold: 0.01, near: true }), prompt).toMatchObject({
      hit: false,
      reason: 'gated',
    });
  }
});

test('an environment keeps at most so many entries; expired ones do not count', async () => {
  const { key: own } = await api.createKey(api.database.tenants.staging);
  const { environmentId } = api.database.tenants.staging;
  const plant = (from: number, to: number, ttl: string): Promise<unknown> =>
    api.database.asOwner(
      `INSERT INTO cache_entries (id, environment_id, identity, prompt_digest, namespace, attributes, prompt, response, tokens, bytes,
         embedding_model, embedding, signs, expires_at)
       SELECT 'cch_cap' || n, $1, sha256('cap'), sha256(CAST('cap ' || n AS bytea)), 'cap', '{}', 'x', '"x"', 1, 1, 'fake', '', B'0', now() + $4::interval
       FROM generate_series($2::int, $3::int) n`,
      [environmentId, from, to, ttl],
    );
  const stored = await countRows(api.database, 'cache_entries WHERE environment_id = $1', [environmentId]);
  await plant(1, 200, '-1 hour');
  await plant(1_001, 1_000 + CACHE_ENTRIES_MAX - 1 - stored, '1 hour');
  const prompts = ['one', 'two', 'three', 'four'];
  const atOnce = await Promise.all(prompts.map((prompt) => post('', { prompt, response: 'x' }, own)));
  expect(atOnce.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 429, 429, 429]);
  const last = prompts[atOnce.findIndex(({ status }) => status === 201)];
  const refused = await post('', { prompt: 'one more', response: 'x' }, own);
  expect([refused.status, errorOf(refused).code]).toEqual([429, 'QUOTA_EXCEEDED']);
  // One that is there already is replaced.
  expect((await post('', { prompt: last, response: 'y' }, own)).status).toBe(201);
  expect((await post('/flush', { namespace: 'cap' }, own)).status).toBe(200);
});

test('storing waits while expensive work is paused; lookups go on', async () => {
  await setExpensiveWorkPause(api.database.db, 'Maintenance.');
  try {
    await expect.poll(async () => (await post('', { prompt: 'x', response: 'y' })).status).toBe(503);
    expect((await post('/lookup', { prompt: PROMPT })).status).toBe(200);
    expect((await post('/flush', {})).status).toBe(200);
  } finally {
    await setExpensiveWorkPause(api.database.db, null);
  }
  // The process learns of the end by a notification.
  await expect.poll(async () => (await post('', { prompt: 'x', response: 'y' })).status).toBe(201);
});

test('vectors of another model are not compared, and without embeddings nothing is stored', async () => {
  const namespace = 'models';
  await store({ prompt: PROMPT, namespace });
  embedder.name = 'another';
  expect(await look({ prompt: `${PROMPT} here`, namespace, near: true })).toMatchObject({ reason: 'empty' });
  expect(await look({ prompt: PROMPT, namespace })).toMatchObject({ reason: 'exact' });
  embedder.name = 'fake';
  embedder.isAway = true;
  const replies = [
    await post('', { prompt: 'z', response: 'z', namespace }),
    await post('/lookup', { prompt: 'z', namespace, near: true }),
    await post('/lookup', { prompt: 'z', namespace }),
  ];
  embedder.isAway = false;
  expect(replies.map(({ status }) => status)).toEqual([503, 503, 200]);
});
