import { beforeEach, expect, test } from 'vitest';
import { flushEntries } from '../../db/cache/entries.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { DELETED_PER_STATEMENT_MAX } from '../../db/delete-in-steps.ts';
import { clearMessages, deleteSession } from '../../db/sessions/messages.ts';
import { newId } from '../../domain/ids.ts';
import { createTestDatabase } from '../harness/database.ts';

const database = await createTestDatabase();

const STEPS = 3;
const ROWS = (STEPS - 1) * DELETED_PER_STATEMENT_MAX + 7;

/** Does the work in one transaction, and answers how many rows each of its DELETEs took away. */
async function deletes<T>(table: string, work: (tx: EnvironmentTransaction) => Promise<T>): Promise<[T, number[]]> {
  const sizes: number[] = [];
  const done = await database.db.withEnvironment(database.tenant, async (tx) => {
    const count = async (): Promise<number> => {
      const { rows } = await tx.raw<{ rows: { n: number }[] }>(null, `SELECT count(*)::int AS n FROM ${table}`);
      return rows[0]?.n ?? 0;
    };
    const watched: EnvironmentTransaction = {
      ...tx,
      raw: async (name, sql, bindings) => {
        const before = await count();
        const result = await tx.raw(name, sql, bindings);
        if (sql.includes('DELETE FROM')) sizes.push(before - (await count()));
        return result as never;
      },
    };
    return work(watched);
  });
  return [done, sizes];
}

async function plantSession(messages: number): Promise<string> {
  const id = newId('session');
  const { environmentId } = database.tenant;
  await database.asOwner(
    `INSERT INTO sessions (id, environment_id, name, message_count, last_sequence) VALUES ($1, $2, 'long', CAST($3 AS int), CAST($3 AS int))`,
    [id, environmentId, messages],
  );
  await database.asOwner(
    `INSERT INTO session_messages (session_id, sequence, environment_id, id, role, content, tokens)
     SELECT CAST($1 AS text), n, CAST($2 AS uuid), 'smg_' || n, 'user', '"hello"', 1 FROM generate_series(1, CAST($3 AS int)) AS n`,
    [id, environmentId, messages],
  );
  return id;
}

async function plantEntries(count: number, namespace: string, expiresAt = '2099-01-01'): Promise<void> {
  await database.asOwner(
    `INSERT INTO cache_entries (id, environment_id, identity, prompt_digest, namespace, attributes, prompt, response, tokens, bytes,
       embedding_model, embedding, signs, expires_at)
     SELECT CAST($1 AS text) || n, CAST($2 AS uuid), sha256(CAST(CAST($1 AS text) AS bytea)), sha256(CAST(CAST($1 AS text) || n AS bytea)), CAST($3 AS text), '{}',
       'planted', '"planted"', 2, 16, 'planted', '\\x00000000', '1', CAST($4 AS timestamptz) FROM generate_series(1, CAST($5 AS int)) AS n`,
    [`${namespace}_${expiresAt}_`, database.tenant.environmentId, namespace, expiresAt, count],
  );
}

const sessionMessages = async (): Promise<{ id: string; messageCount: number; there: number }[]> =>
  database.asOwner(
    `SELECT s.id, s.message_count AS "messageCount", count(m.*)::int AS there FROM sessions s LEFT JOIN session_messages m ON m.session_id = s.id
     GROUP BY s.id ORDER BY there`,
  );
const inSteps = [...Array.from({ length: STEPS - 1 }, () => DELETED_PER_STATEMENT_MAX), 7];

beforeEach(() => database.asOwner('TRUNCATE session_messages, sessions, cache_entries CASCADE'));

test('a session of many messages is cleared in statements of a bounded number of rows', async () => {
  const [id, other] = [await plantSession(ROWS), await plantSession(3)];
  const [deleted, sizes] = await deletes('session_messages', (tx) => clearMessages(tx, id));
  expect([deleted, sizes]).toEqual([ROWS, inSteps]);
  expect(await sessionMessages()).toEqual([
    { id, messageCount: 0, there: 0 },
    { id: other, messageCount: 3, there: 3 },
  ]);
});

test('so is one that is deleted', async () => {
  const [id, other] = [await plantSession(2 * DELETED_PER_STATEMENT_MAX), await plantSession(3)];
  const [, sizes] = await deletes('session_messages', (tx) => deleteSession(tx, id));
  expect(sizes).toEqual([DELETED_PER_STATEMENT_MAX, DELETED_PER_STATEMENT_MAX, 0, 0]); // the last of them is the session
  expect(await sessionMessages()).toEqual([{ id: other, messageCount: 3, there: 3 }]);
});

test('and a cache of many entries that is flushed, which counts the live ones', async () => {
  await plantEntries(ROWS - 2, 'many');
  await plantEntries(2, 'many', '2020-01-01');
  await plantEntries(3, 'other');
  const [flushed, sizes] = await deletes('cache_entries', (tx) =>
    flushEntries(tx, { namespace: 'many', attributes: {} }),
  );
  expect([flushed, sizes]).toEqual([ROWS - 2, inSteps]);
  expect(await database.asOwner('SELECT DISTINCT namespace FROM cache_entries')).toEqual([{ namespace: 'other' }]);
});

test('all of them stay where the transaction fails', async () => {
  const id = await plantSession(ROWS);
  await plantEntries(ROWS, 'many');
  const failing = database.db.withEnvironment(database.tenant, async (tx) => {
    await clearMessages(tx, id);
    await flushEntries(tx, { namespace: null, attributes: {} });
    throw new Error('the reply was not stored');
  });
  await expect(failing).rejects.toThrow('the reply was not stored');
  expect(await sessionMessages()).toEqual([{ id, messageCount: ROWS, there: ROWS }]);
  expect(await database.asOwner('SELECT count(*)::int AS n FROM cache_entries')).toEqual([{ n: ROWS }]);
});

test('a flush goes on where another transaction takes the entries of its first statement', async () => {
  await plantEntries(DELETED_PER_STATEMENT_MAX, 'first');
  await plantEntries(7, 'second');
  const flush = (namespace: string | null) => (tx: EnvironmentTransaction) =>
    flushEntries(tx, { namespace, attributes: {} });
  const both = await database.db.withEnvironment(database.tenant, async (tx) => {
    const first = await flush('first')(tx);
    const all = database.db.withEnvironment(database.tenant, flush(null));
    await expect.poll(() => database.lockWaits(), { interval: 10 }).toBe(1);
    return { first, all };
  });
  expect([both.first, await both.all]).toEqual([DELETED_PER_STATEMENT_MAX, 7]);
  expect(await database.asOwner('SELECT id FROM cache_entries')).toEqual([]);
});
