import { expect, test } from 'vitest';
import { deleteExpiredSessions } from '../../../db/sessions/directory.ts';
import { areaBudget } from '../../../activities/maintenance/area-budget.ts';
import { expiredMemories } from '../../../activities/maintenance/memories.ts';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { createCollection } from '../../../db/memory/collections.ts';
import { lockExpired } from '../../../db/memory/deletion.ts';
import { storeMemories, supersedeMemory } from '../../../db/memory/changes.ts';
import { appendMessages } from '../../../db/sessions/messages.ts';
import { createSession, updateSession } from '../../../db/sessions/sessions.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plainMemory } from '../../harness/plain-memory.ts';

/** A change that began before the expiry extends it while the sweep comes: what it is of stays whole, or is gone. */

const EMBEDDING = { model: 'fake', dimensions: 2 };
const SAID = { name: null, toolCallId: null, toolCalls: null, metadata: null, tokens: 1, role: 'user' } as const;

const transaction = <T>(work: (tx: EnvironmentTransaction) => Promise<T>): Promise<T> =>
  database.db.withEnvironment(database.tenant, work);

const database = await createTestDatabase();
const collection = { name: 'expiring', description: null, embedding: EMBEDDING };
const collectionId = (await transaction((tx) => createCollection(tx, collection))).id;

async function plantSession(): Promise<string> {
  return transaction(async (tx) => {
    const session = { name: null, userId: null, agentId: null, metadata: null, ttlSeconds: 1_000 };
    const { id } = await createSession(tx, session);
    await appendMessages(tx, id, [
      { ...SAID, content: 'one' },
      { ...SAID, content: 'two' },
    ]);
    return id;
  });
}

async function plantMemory(): Promise<string> {
  const [id] = await transaction((tx) =>
    storeMemories(tx, collectionId, [
      plainMemory({ vector: Float32Array.from([1, 0]), expiresAt: new Date(Date.now() + 1_000_000) }),
    ]),
  );
  return id ?? '';
}

/** A transaction that begins before the expiry of a row, and goes on behind it. */
const acrossTheEnd = <T>(
  table: 'sessions' | 'memories',
  id: string,
  work: (tx: EnvironmentTransaction) => Promise<T>,
) =>
  transaction(async (tx) => {
    await tx.raw(null, 'SELECT 1'); // from here on its now() stands
    await database.asOwner(`UPDATE ${table} SET expires_at = clock_timestamp() WHERE id = $1`, [id]);
    return work(tx);
  });

const messagesOf = (id: string): Promise<unknown[]> =>
  database.asOwner('SELECT 1 FROM session_messages WHERE session_id = $1', [id]);

test('a session that a change extends keeps its messages: the sweep leaves it alone', async () => {
  const id = await plantSession();
  await acrossTheEnd('sessions', id, async (tx) => {
    expect(await updateSession(tx, id, { ttlSeconds: 1_000 })).not.toBeNull();
    expect(await deleteExpiredSessions(database.db, [id])).toBe(0);
  });
  expect(await messagesOf(id)).toHaveLength(2);
  expect(await deleteExpiredSessions(database.db, [id])).toBe(0);
});

test('a session of which the sweep has deleted a part is extended no more', async () => {
  const id = await plantSession();
  await acrossTheEnd('sessions', id, async (tx) => {
    const part = await database.db.directory.raw(null, 'SELECT delete_expired_sessions(?::text[], 1) AS deleted', [
      [id],
    ]);
    expect(part).toMatchObject({ rows: [{ deleted: 1 }] });
    expect(await updateSession(tx, id, { ttlSeconds: 1_000 })).toBeNull();
  });
  expect(await deleteExpiredSessions(database.db, [id])).toBe(2);
});

test('a memory that a change extends is not deleted by the sweep that waits for it', async () => {
  const memoryId = await plantMemory();
  const expiresAt = new Date(Date.now() + 1_000_000);
  let sweeping: Promise<unknown> | undefined;
  await acrossTheEnd('memories', memoryId, async (tx) => {
    // The end of a supersession that had locked the chain before its time was over.
    await tx.raw(null, 'UPDATE memories SET expires_at = ? WHERE chain_id = ?', [expiresAt, memoryId]);
    sweeping = sweep(memoryId);
    await somebodyWaits();
  });
  await sweeping;
  expect(await database.asOwner('SELECT 1 FROM memories WHERE id = $1', [memoryId])).toHaveLength(1);
});

test('a memory that the sweep has locked is extended no more', async () => {
  const memoryId = await plantMemory();
  const extending = acrossTheEnd('memories', memoryId, async (tx) => {
    const { change } = await transaction(async (other) => {
      expect(await lockExpired(other, memoryId)).toBe(true);
      const extended = supersedeMemory(tx, memoryId, { expiresAt: null }, null);
      const caught = extended.then(
        () => null,
        (error: unknown) => error,
      );
      await somebodyWaits();
      return { change: caught };
    });
    throw (await change) as Error;
  });
  await expect(extending).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await sweep(memoryId);
  expect(await database.asOwner('SELECT 1 FROM memories WHERE id = $1', [memoryId])).toEqual([]);
});

async function sweep(memoryId: string): Promise<void> {
  const deps = { db: database.db } as Parameters<typeof expiredMemories.mend>[0];
  await expiredMemories.mend(deps, [{ ...database.tenant, memoryId }], areaBudget());
}

async function somebodyWaits(): Promise<void> {
  await expect.poll(() => database.lockWaits()).toBe(1);
}
