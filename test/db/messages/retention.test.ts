import pino from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { OLD_MESSAGE_STEPS } from '../../../activities/maintenance/old-messages.ts';
import { sweepSteps } from '../../../activities/maintenance/sweep-steps.ts';
import { deleteOldMessages } from '../../../db/messages/directory.ts';
import { getMessage } from '../../../db/messages/queries.ts';
import { newId } from '../../../domain/ids.ts';
import { MESSAGE_RETENTIONS, type MessageRetention } from '../../../domain/plans.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { withoutTriggers } from '../harness/plant.ts';

/** Messages go when they have had their time, in the order in which they ended, and what has not ended stays: docs/retention.md. */

const database = await createTestDatabase();
const owner = await database.connectOwner();
const another = await database.connectOwner();
beforeEach(async () => {
  await withoutTriggers(owner, () =>
    owner.query('DELETE FROM messages; DELETE FROM message_contents; DELETE FROM message_attempts'),
  );
  await owner.query(`UPDATE message_content_marks SET ended_at = '-infinity', message_id = ''`);
});

const DAYS: Record<MessageRetention, { content: number; record: number }> = {
  week: { content: 3, record: 7 },
  month: { content: 14, record: 30 },
  quarter: { content: 30, record: 90 },
};
const HOUR_OF_DAY = 1 / 24;

interface Planted {
  /** SQL: when it ended; for one that has not ended, when it was moved last. */
  at?: string;
  status?: string;
  retention?: MessageRetention;
  count?: number;
}
const ago = (days: number): string => `now() - ${days} * interval '1 day'`;

/** Messages with their content and an attempt each. */
async function plant({
  at = 'now()',
  status = 'delivered',
  retention = 'week',
  count = 1,
}: Planted): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId('message')).toSorted();
  const values = [ids, database.tenant.environmentId];
  await withoutTriggers(owner, async () => {
    await owner.query(
      `INSERT INTO messages (id, environment_id, retention, url, method, max_retries, timeout_seconds, published_by, status, attempts,
         next_attempt_at, created_at, updated_at, delivered_at, failed_at)
       SELECT id, $2, $3, 'https://example.com/hook', 'POST', 3, 30, '{}', $4, 1, now(), now() - interval '300 days', ${at},
         CASE WHEN $4 = 'delivered' THEN ${at} END, CASE WHEN $4 = 'failed' THEN ${at} END FROM unnest($1::text[]) id`,
      [...values, retention, status],
    );
    await owner.query(
      `INSERT INTO message_contents (message_id, environment_id, body, body_kind) SELECT id, $2, 'hello', 'text' FROM unnest($1::text[]) id`,
      values,
    );
    await owner.query(
      `INSERT INTO message_attempts (message_id, number, environment_id, status, response_status, response_body, finished_at)
       SELECT id, 1, $2, 'completed', 200, 'seen', now() FROM unnest($1::text[]) id`,
      values,
    );
  });
  return ids;
}

/** What is there of these: `record`, `content` and `attempt` of each. */
async function left(ids: readonly string[]): Promise<string[][]> {
  const rows = await database.asOwner<{ id: string; what: string }>(
    `SELECT id, 'record' AS what FROM messages UNION ALL SELECT message_id, 'content' FROM message_contents
     UNION ALL SELECT message_id, 'attempt' FROM message_attempts ORDER BY what`,
  );
  return ids.map((id) => rows.filter((row) => row.id === id).map(({ what }) => what));
}
const WHOLE = ['attempt', 'content', 'record'];
const call = async (most: number): Promise<number> => {
  const [row] = await database.asOwner<{ n: number }>('SELECT delete_old_messages($1) AS n', [most]);
  return row?.n ?? -1;
};
async function sweep(): Promise<void> {
  const dependencies = { db: database.db, logger: pino({ level: 'silent' }) };
  expect(await sweepSteps(dependencies, 'old-messages', OLD_MESSAGE_STEPS)).toMatchObject({ failed: 0 });
  expect(await deleteOldMessages(database.db)).toBe(0);
}
const inEnvironment = <T>(work: Parameters<typeof database.db.withEnvironment<T>>[1]): Promise<T> =>
  database.db.withEnvironment(database.tenant, work);

describe('a message', () => {
  test.each(['pending', 'scheduled', 'processing'])('that is %s stays whole, however old it is', async (status) => {
    const ids = await plant({ at: ago(400), status });
    await sweep();
    expect(await left(ids)).toEqual([WHOLE]);
  });

  test.each(MESSAGE_RETENTIONS)('of class %s loses its content first, and then goes', async (retention) => {
    const { content, record } = DAYS[retention];
    const ended = [content - HOUR_OF_DAY, content + HOUR_OF_DAY, record - HOUR_OF_DAY, record + HOUR_OF_DAY];
    const ids: string[] = [];
    for (const days of ended) ids.push(...(await plant({ at: ago(days), retention })));
    await sweep();
    expect(await left(ids)).toEqual([WHOLE, ['record'], ['record'], []]);
    const shown = await inEnvironment((tx) => getMessage(tx, ids[1] ?? ''));
    expect(shown).toMatchObject({ attempts: 1, body: null, bodyKind: null, responseBody: null });
  });

  test.each(['delivered', 'failed', 'cancelled'])('goes also where it ended as %s', async (status) => {
    const ids = await plant({ at: ago(8), status });
    await sweep();
    expect(await left(ids)).toEqual([[]]);
  });

  test('that was accepted long ago and ended just now has all of its days', async () => {
    const ids = await plant({ at: ago(1) });
    await sweep();
    expect(await left(ids)).toEqual([WHOLE]);
  });

  test('takes with its record what the mark has left of its content', async () => {
    await plant({ at: ago(4) });
    await sweep();
    const late = await plant({ at: ago(6) }); // behind the mark
    await sweep();
    expect(await left(late)).toEqual([WHOLE]);
    await withoutTriggers(owner, () =>
      owner.query(`UPDATE messages SET updated_at = now() - interval '8 days' WHERE id = ANY ($1)`, [late]),
    );
    await sweep();
    expect(await left(late)).toEqual([[]]);
  });
});

describe('a call', () => {
  test('deletes so many of a class, those that ended first, and goes on where the last one stopped', async () => {
    const retention = 'month';
    const younger = await plant({ at: ago(15), retention, count: 2 });
    const older = await plant({ at: ago(16), retention, count: 2 });
    expect(await call(3)).toBe(3);
    expect(await left([...older, ...younger])).toEqual([['record'], ['record'], ['record'], WHOLE]);
    expect(await call(3)).toBe(1);
    expect(await call(3)).toBe(0);
    expect(await left(younger)).toEqual([['record'], ['record']]);
  });

  test('skips nothing of what ended in one millisecond, and looks at nothing twice', async () => {
    const retention = 'quarter';
    const at = `date_trunc('day', now()) - interval '40 days'`;
    const ids = await plant({ at, retention, count: 5 });
    const gone = async (): Promise<number> => (await left(ids)).filter((what) => !what.includes('content')).length;
    for (const [deleted, upTo] of [
      [2, 2],
      [2, 4],
      [1, 5],
      [0, 5],
    ]) {
      expect([await call(2), await gone()]).toEqual([deleted, upTo]);
    }
    const [mark] = await database.asOwner(
      `SELECT message_id, ended_at = ${at} AS is_at FROM message_content_marks WHERE retention = $1`,
      [retention],
    );
    expect(mark).toEqual({ message_id: ids.at(-1), is_at: true });
  });

  test('leaves a class to another call that is at it', async () => {
    const ids = [...(await plant({ at: ago(8) })), ...(await plant({ at: ago(100), retention: 'quarter' }))];
    await another.query('BEGIN');
    try {
      await another.query(`SELECT FROM message_content_marks WHERE retention = 'week' FOR UPDATE`);
      expect(await deleteOldMessages(database.db)).toBe(2); // content and record of the other class
      expect(await left(ids)).toEqual([WHOLE, []]);
    } finally {
      await another.query('ROLLBACK');
    }
    await sweep();
    expect(await left(ids)).toEqual([[], []]);
  });

  test('reads the index of what is due, and not the table', async () => {
    await plant({ at: ago(1), count: 200 });
    await plant({ at: ago(400), status: 'processing', count: 200 });
    await sweep();
    const read = async (): Promise<number> => {
      const { rows } = await owner.query<{ n: number }>(
        `SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_all_tables WHERE relid = 'messages'::regclass`,
      );
      return rows[0]?.n ?? 0;
    };
    await owner.query('BEGIN');
    const before = await read();
    await owner.query('SELECT delete_old_messages(1000)');
    const after = await read();
    await owner.query('ROLLBACK');
    expect(after - before).toBe(0);
  });
});

describe('nobody else', () => {
  test.each([
    ['a record', 'DELETE FROM messages'],
    ['a content', 'DELETE FROM message_contents'],
    ['an attempt', 'DELETE FROM message_attempts'],
    ['where the marks are', `UPDATE message_content_marks SET ended_at = now()`],
    ['the class of a message', `UPDATE messages SET retention = 'week'`],
    ['what a message carries', `UPDATE message_contents SET body = 'another'`],
  ])('of the application deletes or changes %s', async (_what, statement) => {
    await expect(inEnvironment((tx) => tx.raw(null, statement))).rejects.toThrow(/permission denied/);
  });

  test.each([
    ['has not ended', { at: ago(400), status: 'processing' }],
    ['is not past its days', { at: ago(6.9) }],
  ])('deletes a message that %s: neither does the directory', async (_what, planted) => {
    const [id] = await plant(planted);
    await owner.query('BEGIN');
    try {
      // Past its policy, which shows it ended messages alone.
      await owner.query(`CREATE POLICY any_row ON messages FOR DELETE TO service_directory USING (true)`);
      await owner.query('SET LOCAL ROLE service_directory');
      await expect(owner.query('DELETE FROM messages WHERE id = $1', [id])).rejects.toThrow(/is not deleted/);
    } finally {
      await owner.query('ROLLBACK');
    }
  });
});
