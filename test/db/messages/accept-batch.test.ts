import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { expect, test } from 'vitest';
import type { EnvironmentTransaction } from '../../../db/client.ts';
import { haltEnvironment, resumeEnvironment } from '../../../db/environments/halt.ts';
import { type AcceptOptions, acceptMessages, type Published } from '../../../db/messages/accept/accept-messages.ts';
import { setPlan } from '../../../db/plans/plans.ts';
import { Vault } from '../../../db/secrets/vault.ts';
import { createTestDatabase } from '../../harness/database.ts';

const vault = Vault.fromMasterKeys(`1:${randomBytes(32).toString('base64')}`);

const within = <T>(work: (tx: EnvironmentTransaction) => Promise<T>) =>
  database.db.withEnvironment(database.tenant, work);
const rows = async (): Promise<number> => {
  const [row] = await database.asOwner<{ n: number }>('SELECT count(*)::int AS n FROM messages');
  return row?.n ?? 0;
};

const publisher = () => ({
  tenant: database.tenant,
  publishedBy: { type: 'api_key', id: null },
  apiKeyId: null,
  publishesWhileHalted: false,
});

const database = await createTestDatabase({ poolMax: 2 });
await accept(1); // the workspace has its signing key

/** A batch whose every seventh message is due in an hour. `inserts` counts its INSERTs that are under way, after each change. */
function accept(count: number, options: AcceptOptions = {}, inserts: number[] = [], bytes = 0): Promise<Published[]> {
  const drafts = Array.from({ length: count }, (_, n) => ({
    request: {
      url: `https://example.com/${n}`,
      body: 'x'.repeat(bytes),
      label: `${n}`,
      ...(n % 7 === 3 ? { delay: 3_600 } : {}),
    },
  }));
  let underWay = 0;
  return within((tx) => {
    const raw: EnvironmentTransaction['raw'] = async (name, sql, bindings) => {
      const isInsert = sql.includes('INSERT INTO message_contents');
      if (isInsert) inserts.push((underWay += 1));
      try {
        return await tx.raw(name, sql, bindings);
      } finally {
        if (isInsert) inserts.push((underWay -= 1));
      }
    };
    return acceptMessages({ ...tx, raw }, vault, publisher(), drafts, options);
  });
}

test('a batch is answered in its order, however many statements write it', async () => {
  const inserts: number[] = [];
  const published = await accept(1_000, {}, inserts);
  expect(published.map(({ status }) => status)).toEqual(
    Array.from({ length: 1_000 }, (_, n) => (n % 7 === 3 ? 'scheduled' : 'pending')),
  );
  const ids = published.map(({ messageId }) => messageId);
  const stored = await database.asOwner<{ label: string }>(
    'SELECT m.label FROM unnest($1::text[]) WITH ORDINALITY AS w (id, place) JOIN messages m ON m.id = w.id ORDER BY w.place',
    [ids],
  );
  expect(stored.map(({ label }) => Number(label))).toEqual(ids.map((_, n) => n));
  expect(inserts.length).toBe(10);
});

test('large bodies are written one statement after the other', async () => {
  const inserts: number[] = [];
  await accept(12, {}, inserts, 600_000);
  expect(inserts.length).toBe(12);
  expect(Math.max(...inserts)).toBe(1);
});

test('a batch that is refused writes nothing', async () => {
  const before = await rows();
  const { environmentId } = database.tenant;
  await within((tx) =>
    haltEnvironment(tx, environmentId, { reason: 'an incident', actor: { type: 'system', id: 'test' } }),
  );
  const inserts: number[] = [];
  await expect(accept(500, {}, inserts)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await within((tx) => resumeEnvironment(tx, environmentId));
  expect(inserts).toEqual([]);
  expect(await rows()).toBe(before);
});

test('two first publishes of a workspace, one of them with deduplication, do not wait for each other', async () => {
  await database.db.withWorkspace(database.tenant.workspaceId, (tx) => setPlan(tx, 'free'));
  await accept(1); // whose allowance is one row
  await database.asOwner('DELETE FROM signing_keys');
  const holder = new Client({ connectionString: database.ownerUrl });
  await holder.connect();
  const waiting = async (): Promise<number> => {
    const [row] = await database.asOwner<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return row?.n ?? 0;
  };
  try {
    await holder.query(`BEGIN; SELECT FROM monthly_usage WHERE allowance = 'messages' FOR UPDATE`);
    const plain = accept(1);
    await expect.poll(waiting).toBe(1);
    const request = { url: 'https://example.com', deduplicationId: 'once' };
    const deduplicated = within((tx) => acceptMessages(tx, vault, publisher(), [{ request }]));
    await expect.poll(waiting).toBe(2);
    await holder.query('COMMIT');
    expect((await Promise.all([plain, deduplicated])).flat()).toHaveLength(2);
  } finally {
    await holder.end();
  }
  expect(await database.asOwner('SELECT 1 FROM signing_keys')).toHaveLength(1);
});
