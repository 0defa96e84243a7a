import { Client } from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plainMessage } from './plain-message.ts';

/** The sweep finds what was lost among many that wait, and looks at a bounded number of them: docs/messages.md, "How it runs". */

const CROWD = 600;
const MOST = 40;
/** Three looks, and the row at which each of them stops. */
const READ_MAX = 3 * MOST + 3;

const database = await createTestDatabase();
const client = new Client({ connectionString: database.applicationUrl });
await client.connect();
afterAll(async () => {
  await client?.end();
});

/** A crowd that queues for places, and the ids of those that nobody keeps a place for. All were accepted an hour ago. */
let crowd: string[];
beforeEach(async () => {
  const messages = Array.from({ length: CROWD }, () => plainMessage());
  crowd = messages.map((message) => message.id).toSorted();
  await database.asOwner(`SET session_replication_role = 'replica'; DELETE FROM messages; DELETE FROM lane_places;
    UPDATE installation SET unbegun_looked_to = '', overdue_looked_to = '-infinity', overdue_looked_to_id = ''`);
  await database.db.withEnvironment(database.tenant, (tx) => insertMessages(tx, messages));
  await database.asOwner(
    `INSERT INTO lane_places (environment_id, workspace_id, kind, holder, asked_at, is_taken, expires_at)
     SELECT environment_id, $1, 'delivery', id, now(), false, 'infinity' FROM messages`,
    [database.tenant.workspaceId],
  );
});
const lose = (index: number): Promise<unknown> =>
  database.asOwner('DELETE FROM lane_places WHERE holder = $1', [crowd[index]]);

/** What one look finds, and how many rows of messages it reads for that. */
async function look(most = MOST): Promise<{ found: string[]; read: number }> {
  await client.query('BEGIN');
  const before = await rowsRead();
  const { rows } = await client.query<{ id: string }>(
    "SELECT id FROM find_lost_messages(interval '0', interval '1 hour', $1)",
    [most],
  );
  const read = (await rowsRead()) - before;
  await client.query('COMMIT');
  return { found: rows.map((row) => row.id), read };
}

/** The rows of messages that this connection has read, counted from some time on. */
async function rowsRead(): Promise<number> {
  const { rows } = await client.query<{ read: number }>(
    `SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_all_tables WHERE relid = 'messages'::regclass`,
  );
  return rows[0]?.read ?? 0;
}

/** The looks until the crowd was looked at once. */
async function looks(): Promise<{ found: string[]; read: number }[]> {
  const all = [];
  for (let seen = 0; seen < CROWD; seen += MOST) all.push(await look());
  return all;
}

describe('a look', () => {
  test('finds the lost one among a crowd that queues once in each round, and reads a bounded number', async () => {
    await lose(CROWD / 2);
    for (let round = 0; round < 2; round++) {
      const all = await looks();
      expect(all.flatMap(({ found }) => found)).toEqual([crowd[CROWD / 2]]);
      expect(Math.max(...all.map(({ read }) => read))).toBeLessThan(READ_MAX);
      expect((await look()).found).toEqual([]); // the end of the round
    }
  });

  test('finds what has just been lost at once, however many wait', async () => {
    await lose(CROWD - 2);
    const { found, read } = await look();
    expect(found).toEqual([crowd[CROWD - 2]]);
    expect(read).toBeLessThan(READ_MAX);
  });

  test('finds all that is lost at once where they are few', async () => {
    for (const index of [0, 100, 599]) await lose(index);
    for (let sweep = 0; sweep < 2; sweep++) {
      expect((await look(2 * CROWD)).found).toEqual([crowd[0], crowd[100], crowd[599]]);
    }
  });

  test('finds the overdue one among a crowd that is overdue in the queue', async () => {
    await database.asOwner(
      `SET session_replication_role = 'replica'; UPDATE messages SET begun_at = now(), next_attempt_at = now() - interval '2 hours'`,
    );
    await lose(CROWD / 2);
    const all = await looks();
    expect(all.flatMap(({ found }) => found)).toEqual([crowd[CROWD / 2]]);
    expect(Math.max(...all.map(({ read }) => read))).toBeLessThan(READ_MAX);
  });

  test('reads nothing that a halt holds, or that waits in the queue of a flow-control key', async () => {
    await database.asOwner(
      `SET session_replication_role = 'replica'; UPDATE messages SET begun_at = now(), next_attempt_at = now() - interval '2 hours',
         held_at = CASE WHEN id < '${crowd[300]}' THEN now() END,
         flow_control_key_id = CASE WHEN id >= '${crowd[300]}' THEN 'fck_1' END,
         flow_control_key = CASE WHEN id >= '${crowd[300]}' THEN 'a key' END`,
    );
    expect(await look()).toEqual({ found: [], read: 0 });
  });
});
