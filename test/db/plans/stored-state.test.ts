import { expect, test } from 'vitest';
import { storeEntry } from '../../../db/cache/lookups.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { foldStoredState } from '../../../db/plans/directory.ts';
import { createRun, updateRun } from '../../../db/runs/changes.ts';
import { upsertSpans } from '../../../db/runs/spans.ts';
import { appendMessages, clearMessages, popMessage } from '../../../db/sessions/messages.ts';
import { createSession, updateSession } from '../../../db/sessions/sessions.ts';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';

const database = await createTestDatabase();

const work = <T>(change: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> =>
  database.db.withEnvironment(database.tenant, change);
const counts = () => database.asOwner<{ part: string; bytes: string }>('SELECT part, bytes FROM stored_state');
const counted = async (): Promise<number> => (await counts()).reduce((sum, { bytes }) => sum + Number(bytes), 0);
const TABLES = ['runs', 'spans', 'sessions', 'session_messages', 'cache_entries'];
/** What is there, counted again. */
async function recounted(): Promise<number> {
  const sums = TABLES.map((table) => `SELECT sum(stored_bytes) AS bytes FROM ${table}`).join(' UNION ALL ');
  const [row] = await database.asOwner<{ bytes: string | null }>(`SELECT sum(bytes) AS bytes FROM (${sums}) s`);
  return Number(row?.bytes ?? 0);
}
/** Does the step, and answers by how much it changed the count, which is always that of a recount. */
async function changeBy(step: (tx: EnvironmentTransaction) => Promise<unknown>): Promise<number> {
  const before = await counted();
  await work(step);
  const after = await counted();
  expect(after).toBe(await recounted());
  return after - before;
}

const RUN = {
  name: null,
  agentId: null,
  agentVersion: null,
  userId: null,
  application: null,
  tags: null,
  metadata: null,
};
const spanOf = (id: number, attributes: Record<string, string>) => ({
  id: id.toString(16).padStart(16, '0'),
  name: 'x',
  status: 'running' as const,
  startedAt: '2026-01-01T00:00:00Z',
  endedAt: null,
  sentStatus: null,
  isStartSent: true,
  isEndSent: false,
  attributes,
});

test('what runs, sessions and the cache store is counted with every change, and given back', async () => {
  let runId = '';
  const text = 'x'.repeat(1_000);
  const run = async (tx: EnvironmentTransaction): Promise<void> => {
    runId = (await createRun(tx, { ...RUN, input: text, traceId: null, startedAt: null })).id;
  };
  expect(await changeBy(run)).toBe(512 + 1_002);
  expect(await changeBy((tx) => updateRun(tx, runId, { output: text, tags: ['a', 'b'] }))).toBe(1_002 + 128);
  const before = (await counts()).length;
  const spans = Array.from({ length: 100 }, (_, index) => spanOf(index + 1, { a: text }));
  expect(await changeBy((tx) => upsertSpans(tx, runId, spans))).toBe(100 * (512 + '{"a": ""}'.length + 1_000));
  expect((await counts()).length - before).toBe(1); // many spans in one statement count once
  expect(await changeBy((tx) => upsertSpans(tx, runId, [spanOf(1, { a: '' }), spanOf(101, {})]))).toBe(512 + 2 - 1_000);

  const [hello, kept] = ['hello', 'kept'].map((content) => ({
    role: 'user' as const,
    content,
    tokens: 1,
    name: null,
    toolCallId: null,
    toolCalls: null,
    metadata: null,
  }));
  if (hello === undefined || kept === undefined) throw new Error('two messages');
  let sessionId = '';
  const session = { name: null, userId: null, agentId: null, metadata: null, ttlSeconds: null };
  const open = async (tx: EnvironmentTransaction): Promise<void> => {
    sessionId = (await createSession(tx, session)).id;
  };
  expect(await changeBy(open)).toBe(512);
  expect(await changeBy((tx) => updateSession(tx, sessionId, { metadata: { a: text } }))).toBe(9 + 1_000);
  expect(await changeBy((tx) => appendMessages(tx, sessionId, [kept, hello]))).toBe(2 * 512 + 6 + 7);
  expect(await changeBy((tx) => popMessage(tx, sessionId))).toBe(-512 - 7);
  expect(await changeBy((tx) => clearMessages(tx, sessionId))).toBe(-512 - 6);

  const entry = {
    identity: Buffer.alloc(32),
    promptDigest: Buffer.alloc(32),
    namespace: 'n',
    model: null,
    attributes: {},
    prompt: 'p',
    tokens: 1,
    embeddingModel: 'fake',
    vector: Float32Array.from([1, 0]),
    ttlSeconds: 60,
  };
  const store = (response: string) => (tx: EnvironmentTransaction) =>
    storeEntry(tx, { ...entry, id: newId('cacheEntry'), response });
  expect(await changeBy(store(text))).toBe(512 + 1 + 1_002 + 2 + 8);
  expect(await changeBy(store(''))).toBe(-1_000);
  expect(await changeBy((tx) => tx.raw(null, 'DELETE FROM cache_entries'))).toBe(-(512 + 1 + 2 + 2 + 8));
});

test('nothing is counted of what is rolled back', async () => {
  const before = await counted();
  const failing = work(async (tx) => {
    await createRun(tx, { ...RUN, input: null, traceId: null, startedAt: null });
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');
  expect(await counted()).toBe(before);
});

test('writers do not wait for each other, also not for one that has not committed, and the sweep sums up', async () => {
  const make = (tx: EnvironmentTransaction) => createRun(tx, { ...RUN, input: null, traceId: null, startedAt: null });
  await work(async (tx) => {
    await make(tx);
    await Promise.all(Array.from({ length: 4 }, () => work(make)));
    expect(await foldStoredState(database.db)).toBeGreaterThan(4);
  });
  expect(await foldStoredState(database.db)).toBe(2);
  expect(await foldStoredState(database.db)).toBe(0);
  const parts = (await counts()).map(({ part }) => part);
  expect(parts.toSorted()).toEqual([expect.stringMatching(/^runs_\d{8}$/), 'sessions']);
  expect(await counted()).toBe(await recounted());
  const [week] = await database.asOwner<{ is_there: boolean }>(
    `SELECT to_regclass('partitions.' || part) IS NOT NULL AS is_there FROM stored_state WHERE part LIKE 'runs%'`,
  );
  expect(week?.is_there).toBe(true);
});

test('a week is the range of the run, to the millisecond', async () => {
  const [row] = await database.asOwner(
    `SELECT stored_week(run_id_floor('2026-11-23T00:00:00Z')) AS first, stored_week(run_id_floor('2026-11-22T23:59:59.999Z')) AS before,
       stored_week('run_' || repeat('z', 22)) AS last`,
  );
  expect(row).toMatchObject({ first: 'runs_20261123', before: 'runs_20261116', last: 'runs_99991227' });
});
