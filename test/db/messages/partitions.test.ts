import { Client } from 'pg';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { MESSAGE_PARTITION_STEPS } from '../../../activities/maintenance/message-partitions.ts';
import { sweepSteps } from '../../../activities/maintenance/sweep-steps.ts';
import { closeAttempt, recordOutcome, startAttempt } from '../../../db/messages/attempts.ts';
import { getMessage } from '../../../db/messages/queries.ts';
import { insertMessages } from '../../../db/messages/insert-messages.ts';
import { dropOldMessagePartition, keepLiveMessages, makeMessagePartitions } from '../../../db/messages/directory.ts';
import { lockAttempted, lockMessage } from '../../../db/messages/lock-message.ts';
import { encodeUuid } from '../../../domain/ids.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import pino from 'pino';
import { plainMessage } from './plain-message.ts';

/** Ranges of messages are made ahead and dropped when they are old, and nothing that is alive goes with them: docs/retention.md. */

const database = await createTestDatabase();
const other = new Client({ connectionString: database.ownerUrl });
await other.connect();
afterAll(async () => {
  await other?.end();
});

const DAY_MS = 86_400_000;
const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);
const owner = <Row extends Record<string, unknown>>(sql: string, values: unknown[] = []): Promise<Row[]> =>
  database.asOwner<Row>(sql, values);
const sweep = async (): Promise<void> => {
  const dependencies = { db: database.db, logger: pino({ level: 'silent' }) };
  expect(await sweepSteps(dependencies, 'message-partitions', MESSAGE_PARTITION_STEPS)).toMatchObject({ failed: 0 });
};

let count = 0;
/** An id of that moment; the smallest one, but for a number at its end. */
function idAt(at: Date): string {
  const floor = encodeUuid(`${at.getTime().toString(16).padStart(12, '0')}${'0'.repeat(20)}`);
  return `msg_${floor.slice(0, 18)}${String(++count).padStart(4, '0')}`;
}

interface Planted {
  at: Date;
  /** Null while it has not ended. */
  endedAt: Date | null;
  retention?: 'week' | 'quarter';
}

/** A message of then with its content and an attempt, in the range of then. */
async function plant({ at, endedAt, retention = 'week' }: Planted): Promise<string> {
  const id = idAt(at);
  const days = retention === 'week' ? 1 : 7;
  for (const [table, column] of [
    ['messages', 'id'],
    ['message_contents', 'message_id'],
    ['message_attempts', 'message_id'],
  ]) {
    await owner('SELECT make_message_partition($1, $2, $3, $4, $5)', [table, column, retention, days, at]);
  }
  const { environmentId } = database.tenant;
  await other.query(`SET session_replication_role = 'replica'`);
  await other.query(
    `INSERT INTO messages (id, environment_id, retention, url, method, max_retries, timeout_seconds, published_by, status, attempts,
       next_attempt_at, created_at, updated_at, delivered_at, begun_at)
     VALUES ($1, $2, $3, 'https://example.com/hook', 'POST', 3, 30, '{}', $4, 1, now() + interval '300 days', $5, $6, $7, now())`,
    [id, environmentId, retention, endedAt === null ? 'processing' : 'delivered', at, endedAt ?? at, endedAt],
  );
  await other.query(
    `INSERT INTO message_contents (message_id, environment_id, retention, body, body_kind) VALUES ($1, $2, $3, 'hello', 'text')`,
    [id, environmentId, retention],
  );
  await other.query(
    `INSERT INTO message_attempts (message_id, number, environment_id, retention, status, response_status, response_body, finished_at)
     VALUES ($1, 1, $2, $3, 'completed', 200, 'seen', now())`,
    [id, environmentId, retention],
  );
  await other.query(`SET session_replication_role = 'origin'`);
  return id;
}

const partitionsOf = async (id: string): Promise<string[]> => {
  const rows = await owner<{ name: string }>(
    `SELECT tableoid::regclass::text AS name FROM messages WHERE id = $1
     UNION ALL SELECT tableoid::regclass::text FROM message_contents WHERE message_id = $1
     UNION ALL SELECT tableoid::regclass::text FROM message_attempts WHERE message_id = $1`,
    [id],
  );
  return rows.map(({ name }) => name.replace('partitions.', '')).toSorted();
};
const ranges = async (): Promise<string[]> =>
  (
    await owner<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relnamespace = 'partitions'::regnamespace AND relkind = 'r' AND relname !~ '^(runs|run_tags|spans)_' AND relname ~ '_\\d{8}$' ORDER BY 1`,
    )
  ).map(({ name }) => name);
const inEnvironment: TestDatabase['db']['withEnvironment'] = (...given) => database.db.withEnvironment(...given);
const shown = (id: string) => inEnvironment(database.tenant, (tx) => getMessage(tx, id));

let made: string[];
beforeEach(async () => {
  await sweep();
  made = await ranges();
});

describe('ranges', () => {
  test('of now and of the next three are there, and are made again where they are missing', async () => {
    expect(made).toHaveLength(3 * 3 * 4);
    const [last = ''] = made.slice(-1);
    await owner(`DROP TABLE partitions.${last}`);
    expect(await makeMessagePartitions(database.db)).toBe(1);
    expect(await ranges()).toEqual(made);
  });

  test('begin where ids of their moment do', async () => {
    for (const at of [new Date(0), new Date(1_700_000_000_123), new Date(Date.UTC(2100, 0, 1))]) {
      const [row] = await owner<{ id: string }>('SELECT message_id_floor($1) AS id', [at]);
      expect(row?.id).toBe(`msg_${encodeUuid(`${at.getTime().toString(16).padStart(12, '0')}${'0'.repeat(20)}`)}`);
    }
  });

  test('receive what is published, and DEFAULT what is outside them, which is kept a day later', async () => {
    const fresh = plainMessage();
    const early = plainMessage({ id: idAt(daysAgo(0.5)) });
    const strange = plainMessage({ id: idAt(daysAgo(40)) });
    await inEnvironment(database.tenant, (tx) => insertMessages(tx, [fresh, strange, early]));
    expect(await partitionsOf(fresh.id)).toEqual([
      expect.stringMatching(/^message_contents_quarter_\d{8}$/),
      expect.stringMatching(/^messages_quarter_\d{8}$/),
    ]);
    expect(await partitionsOf(strange.id)).toEqual(['message_contents_quarter_default', 'messages_quarter_default']);
    await sweep();
    expect(await partitionsOf(strange.id)).toEqual(['message_contents_kept', 'messages_kept']);
    expect(await shown(strange.id)).toMatchObject({ id: strange.id, status: 'pending', bodyKind: 'none' });
  });

  test('that DEFAULT holds a row of are left to it', async () => {
    const [last = ''] = made.filter((name) => name.startsWith('messages_quarter')).slice(-1);
    await owner(`DROP TABLE partitions.${last}`);
    const then = new Date(`${last.slice(-8, -4)}-${last.slice(-4, -2)}-${last.slice(-2)}T01:00:00Z`);
    const message = plainMessage({ id: idAt(then) });
    await inEnvironment(database.tenant, (tx) => insertMessages(tx, [message]));
    const one = await owner(`SELECT make_message_partition('messages', 'id', 'quarter', 7, $1) AS made`, [then]);
    expect(one).toEqual([{ made: false }]);
    expect(await makeMessagePartitions(database.db)).toBe(0);
    await owner(`SET session_replication_role = 'replica'; DELETE FROM messages WHERE id = '${message.id}'`);
    expect(await makeMessagePartitions(database.db)).toBe(1);
  });
});

describe('a look-up by id', () => {
  test('opens one partition of each class, and what was kept', async () => {
    const id = plainMessage().id;
    for (const [statement, tables] of [
      [`SELECT * FROM messages LEFT JOIN message_contents ON message_id = id WHERE id = '${id}'`, 2],
      [`SELECT 1 FROM message_attempts WHERE message_id = '${id}' AND status = 'started'`, 1],
      [`UPDATE messages SET held_at = NULL WHERE id = '${id}'`, 1],
      [`UPDATE message_attempts SET error = NULL WHERE message_id = '${id}' AND number = 1`, 1],
    ] as const) {
      const plan = await inEnvironment(database.tenant, async (tx) =>
        (await tx.raw<{ rows: { 'QUERY PLAN': string }[] }>(null, `EXPLAIN ${statement}`)).rows.map(
          (row) => row['QUERY PLAN'],
        ),
      );
      const scans = plan.filter((line) => / Scan .*on /.test(line) && !line.includes('Bitmap Index'));
      expect(scans, plan.join('\n')).toHaveLength(4 * tables);
    }
  });
});

describe('an old range', () => {
  test('goes: first what a message carries and its attempts, then the record; what is young stays', async () => {
    const young = await plant({ at: daysAgo(1.5), endedAt: daysAgo(1.4) });
    const halfway = await plant({ at: daysAgo(5.5), endedAt: daysAgo(5.4) });
    const old = await plant({ at: daysAgo(10), endedAt: daysAgo(9.9) });
    const ofAnotherClass = await plant({ at: daysAgo(10), endedAt: daysAgo(9.9), retention: 'quarter' });
    await sweep();
    expect(await partitionsOf(young)).toHaveLength(3);
    expect(await partitionsOf(ofAnotherClass)).toHaveLength(3);
    expect(await partitionsOf(halfway)).toEqual([expect.stringMatching(/^messages_week_\d{8}$/)]);
    expect(await shown(halfway)).toMatchObject({ attempts: 1, body: null, bodyKind: null, responseBody: null });
    expect(await shown(old)).toBeNull();
    const left = (await ranges()).filter((name) => !made.includes(name));
    // young 3, halfway 1, another class 3
    expect(left).toHaveLength(7);
  });

  test('leaves what has not ended or ended late, whole, to be attempted and to go in its turn', async () => {
    const waiting = await plant({ at: daysAgo(20), endedAt: null });
    const late = await plant({ at: daysAgo(20), endedAt: daysAgo(1) });
    const gone = await plant({ at: daysAgo(20), endedAt: daysAgo(19.9) });
    // An attempt that is under way while its message is moved.
    const begun = await inEnvironment(database.tenant, async (tx) => {
      const work = await lockMessage(tx, waiting);
      if (work === null) throw new Error('the message that was planted is not there');
      expect(await startAttempt(tx, work, 'worker')).toEqual({ number: 2 });
      return work;
    });
    // A crash after each step leaves every row in one partition.
    expect(await keepLiveMessages(database.db)).toBe(7); // 3 rows each, and the attempt
    const kept = ['message_attempts_kept', 'message_contents_kept', 'messages_kept'];
    for (const id of [waiting, late]) expect(new Set(await partitionsOf(id))).toEqual(new Set(kept));
    await sweep();
    await sweep();
    expect(await ranges()).toEqual(made);
    expect(await partitionsOf(gone)).toEqual([]);
    for (const id of [waiting, late]) expect(new Set(await partitionsOf(id))).toEqual(new Set(kept));
    await inEnvironment(database.tenant, async (tx) => {
      const { retention } = await lockAttempted(tx, begun);
      expect(retention).toBe('kept_week');
      const seen = { status: 200, headers: null, body: Buffer.from('late') };
      const end = { status: 'completed', seen, failure: null, error: null, address: null, latencyMs: 1 } as const;
      expect(await closeAttempt(tx, begun, 2, end)).toBe(true);
      await recordOutcome(tx, { id: waiting, retention }, 200, { kind: 'delivered' });
      expect(await lockMessage(tx, waiting)).toMatchObject({ content: { body: 'hello' }, openAttempt: null });
    });
    expect(await shown(waiting)).toMatchObject({ status: 'delivered', attempts: 2, body: 'hello' });
    const ages = async (interval: string): Promise<void> => {
      await owner(
        `SET session_replication_role = 'replica';
         UPDATE messages SET updated_at = now() - interval '${interval}' WHERE id IN ('${waiting}', '${late}')`,
      );
      await sweep();
    };
    await ages('4 days');
    for (const id of [waiting, late]) expect(await partitionsOf(id)).toEqual(['messages_kept']);
    await ages('8 days');
    for (const id of [waiting, late]) expect(await partitionsOf(id)).toEqual([]);
  });

  test('stays for a message that ended within its time and was not moved before', async () => {
    const late = await plant({ at: daysAgo(20), endedAt: daysAgo(1) });
    expect(await dropOldMessagePartition(database.db)).toBeNull();
    expect(await partitionsOf(late)).toHaveLength(3);
    // Its content has had its days; its record has not.
    await owner(
      `SET session_replication_role = 'replica'; UPDATE messages SET updated_at = now() - interval '4 days' WHERE id = '${late}'`,
    );
    const dropped = [await dropOldMessagePartition(database.db), await dropOldMessagePartition(database.db)];
    expect(dropped).toEqual([
      expect.stringMatching(/^message_attempts_week_/),
      expect.stringMatching(/^message_contents_week_/),
    ]);
    expect(await dropOldMessagePartition(database.db)).toBeNull();
    await sweep();
    expect(await partitionsOf(late)).toEqual(['messages_kept']);
    expect(await ranges()).toEqual(made);
  });

  test('stays while one of its un-ended messages is locked', async () => {
    const locked = await plant({ at: daysAgo(20), endedAt: null });
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM messages WHERE id = $1 FOR UPDATE', [locked]);
    try {
      await sweep();
      expect(await partitionsOf(locked)).toEqual([
        expect.stringMatching(/^message_attempts_week_/),
        expect.stringMatching(/^message_contents_week_/),
        expect.stringMatching(/^messages_week_/),
      ]);
    } finally {
      await other.query('ROLLBACK');
    }
    await sweep();
    expect(await partitionsOf(locked)).toEqual(['message_attempts_kept', 'message_contents_kept', 'messages_kept']);
    expect(await ranges()).toEqual(made);
  });

  test('stays for a message that commits while the drop waits for its lock', async () => {
    await other.query('BEGIN');
    const late = await plant({ at: daysAgo(20), endedAt: null });
    const dropping = dropOldMessagePartition(database.db);
    const isWaiting = async (): Promise<boolean> =>
      (
        await owner(
          `SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND NOT granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        )
      ).length > 0;
    // Where the drop gave up before it was seen to wait, it has dropped nothing either.
    let isOver = false;
    void dropping.then(() => (isOver = true));
    await expect.poll(async () => isOver || (await isWaiting()), { interval: 10 }).toBe(true);
    await other.query('COMMIT');
    expect(await dropping).toBeNull();
    expect(await partitionsOf(late)).toHaveLength(3);
    await sweep();
    expect(await partitionsOf(late)).toEqual(['message_attempts_kept', 'message_contents_kept', 'messages_kept']);
  });

  test('stays while somebody reads it, for whom the drop does not wait long', async () => {
    await plant({ at: daysAgo(20), endedAt: daysAgo(20) });
    const before = await ranges();
    await other.query('BEGIN');
    await other.query('SELECT count(*) FROM messages');
    try {
      expect(await dropOldMessagePartition(database.db)).toMatch(/^message_(attempts|contents)_week_/);
      expect(await dropOldMessagePartition(database.db)).toMatch(/^message_(attempts|contents)_week_/);
      expect(await dropOldMessagePartition(database.db)).toBeNull();
    } finally {
      await other.query('ROLLBACK');
    }
    expect(await ranges()).toHaveLength(before.length - 2);
    expect(await dropOldMessagePartition(database.db)).toMatch(/^messages_week_/);
  });
});

describe('the application', () => {
  test.each([
    ['read a partition', 'SELECT * FROM partitions.messages_kept'],
    ['write a partition', 'INSERT INTO partitions.messages_kept SELECT * FROM messages'],
    ['read the DEFAULT of a class', 'SELECT id FROM partitions.message_contents_week_default'],
    ['drop a partition', 'DROP TABLE partitions.messages_week_default'],
    ['detach a partition', 'ALTER TABLE messages DETACH PARTITION partitions.messages_kept'],
    ['make a range', `SELECT make_message_partition('messages', 'id', 'week', 1, now())`],
    ['have a table of its own partitioned', `CALL partition_messages('secrets', 'id', 'content')`],
    ['name a table to be dropped', `INSERT INTO partitions.message_tables VALUES ('secrets', 'id', 'content')`],
    ['move a row', `UPDATE messages SET retention = 'kept_week'`],
    ['delete a row', 'DELETE FROM message_contents'],
    ['change what a message carries', `UPDATE message_contents SET body = 'another'`],
    ['ask which ranges are old', 'SELECT * FROM old_message_partitions()'],
  ])('may not %s', async (_what, statement) => {
    const refused = inEnvironment(database.tenant, (tx) => tx.raw(null, statement));
    await expect(refused).rejects.toThrow(/permission denied|must be owner/);
  });

  test('drops nothing that is young, however often it calls', async () => {
    await plant({ at: daysAgo(2), endedAt: daysAgo(2) });
    const before = await ranges();
    for (let call = 0; call < 3; call++) expect(await dropOldMessagePartition(database.db)).toBeNull();
    expect(await ranges()).toEqual(before);
  });
});
