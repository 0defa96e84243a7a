import { Client } from 'pg';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import {
  dropOldAnalyticsPartition,
  foldAllFacts,
  foldFacts,
  makeAnalyticsPartitions,
} from '../../../db/analytics/directory.ts';
import { findDifferences, verifySample } from '../../../db/analytics/verification.ts';
import { deleteOldMessages } from '../../../db/messages/directory.ts';
import { DIMENSIONS_MAX, OTHER } from '../../../domain/analytics/kinds.ts';
import { newId } from '../../../domain/ids.ts';
import { createTestDatabase } from '../../harness/database.ts';
import { plantApproval } from '../approvals/planted-rows.ts';
import { insert, withoutTriggers } from '../harness/plant.ts';
import { idAt } from './id-at.ts';
import { connectOwners } from './owners.ts';

const database = await createTestDatabase();
const [owner, other] = await connectOwners(database);
afterAll(async () => {
  await owner?.end();
  await other?.end();
});
beforeEach(() => foldAll());

const foldAll = (): Promise<void> => foldAllFacts(database.db);
const count = async (table: string): Promise<number> =>
  Number((await database.asOwner<{ n: string }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
const completeUntil = async (): Promise<number> =>
  (await database.asOwner<{ at: Date }>('SELECT analytics_complete_until AS at FROM installation'))[0]?.at.getTime() ??
  0;
const now = async (): Promise<number> =>
  (await database.asOwner<{ at: Date }>('SELECT clock_timestamp() AS at'))[0]?.at.getTime() ?? 0;
const environment = async (): Promise<string> => (await database.anotherWorkspace()).development.environmentId;

/** Messages, in one statement; `label` is SQL over their number. */
async function accept(client: Client, environmentId: string, many: number, label = 'NULL'): Promise<void> {
  await client.query(
    `INSERT INTO messages (id, environment_id, retention, url, method, label, max_retries, timeout_seconds, published_by, status, next_attempt_at)
     SELECT 'msg_' || lpad(i::text, 8, '0') || right(replace($1::uuid::text, '-', ''), 14), $1, 'week', 'https://example.com/', 'POST', ${label}, 5, 30, '{}',
       'pending', now() FROM generate_series(1, $2) i`,
    [environmentId, many],
  );
}

describe('a statement', () => {
  it('of a thousand rows writes one fact for each group, and none where nothing that counts changes', async () => {
    const environmentId = await environment();
    await accept(owner, environmentId, 1_000);
    expect(await count('analytics_facts')).toBe(1);
    await owner.query('UPDATE messages SET next_attempt_at = now() WHERE environment_id = $1', [environmentId]);
    await owner.query(`UPDATE messages SET status = 'processing' WHERE environment_id = $1`, [environmentId]);
    expect(await count('analytics_facts')).toBe(1);
  });

  it('that deletes messages that had their time changes no count', async () => {
    const environmentId = await environment();
    const at = new Date(Date.now() - 20 * 86_400_000);
    const message = idAt('msg', at);
    await insert(owner, 'messages', {
      id: message,
      environment_id: environmentId,
      retention: 'week',
      url: 'https://example.com/',
      method: 'POST',
      max_retries: 5,
      timeout_seconds: 30,
      published_by: {},
      status: 'pending',
      next_attempt_at: at,
      created_at: at,
      updated_at: at,
    });
    await insert(owner, 'message_attempts', {
      message_id: message,
      number: 1,
      environment_id: environmentId,
      target: 'https://example.com/',
    });
    await foldAll();
    const rollups = await database.asOwner('SELECT * FROM analytics_rollups ORDER BY 1, 2, 3, 4, 5, 6, 7');
    await withoutTriggers(owner, () =>
      owner.query(
        `UPDATE messages SET status = 'cancelled', updated_at = now() - interval '8 days' WHERE environment_id = $1`,
        [environmentId],
      ),
    );
    expect(await deleteOldMessages(database.db)).toBe(2); // its content and its record
    expect(await database.asOwner('SELECT FROM messages WHERE id = $1', [message])).toEqual([]);
    expect(await count('analytics_facts')).toBe(0);
    await foldAll();
    expect(await database.asOwner('SELECT * FROM analytics_rollups ORDER BY 1, 2, 3, 4, 5, 6, 7')).toEqual(rollups);
  });
});

describe('a fold', () => {
  it('says how far the counts reach only when it has counted all that was committed', async () => {
    const environmentId = await environment();
    await accept(owner, environmentId, 3, 'i::text');
    const committed = await now();
    expect(await foldFacts(database.db, 2)).toBe(2);
    expect(await completeUntil()).toBeLessThan(committed);
    expect(await foldFacts(database.db, 2)).toBe(1);
    expect(await completeUntil()).toBeGreaterThanOrEqual(committed);
  });

  it('waits for nobody and says nothing while another one folds, which may yet be undone', async () => {
    await accept(owner, await environment(), 3, 'i::text');
    const before = await completeUntil();
    await other.query('BEGIN');
    await other.query('SELECT fold_analytics_facts(2)');
    expect(await foldFacts(database.db)).toBe(0);
    expect(await completeUntil()).toBe(before);
    await other.query('ROLLBACK');
    expect(await foldFacts(database.db)).toBe(3);
  });

  it('that dies in the middle leaves its facts to the next one', async () => {
    const tenant = (await database.anotherWorkspace()).development;
    await accept(owner, tenant.environmentId, 3, 'i::text');
    const dying = new Client({ connectionString: database.ownerUrl });
    dying.on('error', () => undefined);
    await dying.connect();
    await dying.query('BEGIN');
    const { rows } = await dying.query<{ pid: number }>('SELECT pg_backend_pid() AS pid, fold_analytics_facts(2)');
    await owner.query('SELECT pg_terminate_backend($1, 10000)', [rows[0]?.pid]);
    expect(await count('analytics_facts')).toBe(3);
    expect(await foldFacts(database.db)).toBe(3);
    expect(await findDifferences(database.db, tenant)).toEqual([]);
  });

  it('counts what a transaction that was open over three folds committed in the end', async () => {
    const tenant = (await database.anotherWorkspace()).development;
    await other.query('BEGIN');
    await accept(other, tenant.environmentId, 2);
    for (const many of [1, 2, 3]) {
      const { staging } = await database.anotherWorkspace();
      await accept(owner, staging.environmentId, many);
      expect(await foldFacts(database.db)).toBe(1);
    }
    await other.query('COMMIT');
    expect(await foldFacts(database.db)).toBe(1);
    expect(await findDifferences(database.db, tenant)).toEqual([]);
  });

  it('puts the last millisecond of a month into that month, its last day and its last quarter', async () => {
    const { environmentId } = database.tenant;
    for (const at of ['2026-10-31T23:59:59.999Z', '2026-11-01T00:00:00.000Z'])
      await insert(owner, 'runs', { id: newId('run'), environment_id: environmentId, started_at: at });
    await foldAll();
    const runs = (table: string, time: string) =>
      database.asOwner(
        `SELECT ${time}::text AS at, n::integer AS n FROM ${table} WHERE environment_id = $1 AND kind = 'runs.started' AND is_total ORDER BY 1`,
        [environmentId],
      );
    expect(await runs('analytics_rollups', `(quarter AT TIME ZONE 'UTC')`)).toEqual([
      { at: '2026-10-31 23:45:00', n: 1 },
      { at: '2026-11-01 00:00:00', n: 1 },
    ]);
    expect(await runs('analytics_days', 'day')).toEqual([
      { at: '2026-10-31', n: 1 },
      { at: '2026-11-01', n: 1 },
    ]);
  });

  it('keeps a thousand names of a day apart, and counts the others as one that totals and corrections still fit', async () => {
    const tenant = (await database.anotherWorkspace()).development;
    const { environmentId } = tenant;
    const names = `'label ' || i`;
    await accept(owner, environmentId, 700, names);
    await foldAll();
    await owner.query(
      `INSERT INTO messages (id, environment_id, retention, url, method, label, max_retries, timeout_seconds, published_by, status, next_attempt_at)
       SELECT 'msg_z' || lpad(i::text, 7, '0') || right(replace($1::uuid::text, '-', ''), 14), $1, 'week', 'https://example.com/', 'POST', ${names}, 5, 30, '{}',
         'pending', now() FROM generate_series(701, 1100) i`,
      [environmentId],
    );
    await foldAll();
    const pending = () =>
      database.asOwner<{ d2: string; names: number; n: number; others: number }>(
        `SELECT d2, count(*)::integer AS names, sum(n)::integer AS n, sum(n) FILTER (WHERE d3 = $2)::integer AS others FROM analytics_days
         WHERE environment_id = $1 AND kind = 'messages.accepted' AND NOT is_total AND d1 = 'pending' GROUP BY d2`,
        [environmentId, OTHER],
      );
    expect(await pending()).toEqual([{ d2: 'message', names: DIMENSIONS_MAX + 1, n: 1_100, others: 100 }]);
    expect(await findDifferences(database.db, tenant)).toEqual([]);
    await owner.query(`UPDATE messages SET status = 'cancelled', updated_at = now() WHERE environment_id = $1`, [
      environmentId,
    ]);
    expect(await findDifferences(database.db, tenant)).toEqual([]);
    await foldAll();
    expect(await pending()).toMatchObject([{ n: 0, others: 0 }]);
    expect(await findDifferences(database.db, tenant)).toEqual([]);
    const ended = await database.asOwner(
      `SELECT d1, d2, sum(n)::integer AS n FROM analytics_days WHERE environment_id = $1 AND kind = 'messages.ended' AND is_total GROUP BY 1, 2`,
      [environmentId],
    );
    expect(ended).toEqual([{ d1: 'cancelled', d2: 'message', n: 1_100 }]);
  });
});

describe('the months of rollups', () => {
  const months = async (): Promise<string[]> =>
    (
      await database.asOwner<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'partitions'::regnamespace AND relkind = 'r' AND relname ~ '^analytics_.*\\d{6}$' ORDER BY 1`,
      )
    ).map(({ name }) => name);

  it('are made ahead, and go 400 days after their end', async () => {
    const made = await months();
    expect(made).toHaveLength(2 * 3);
    await owner.query(`DROP TABLE partitions.${made[0]}`);
    expect(await makeAnalyticsPartitions(database.db)).toBe(1);
    expect(await months()).toEqual(made);
    const monthsAgo = async (table: string, days: number): Promise<void> => {
      await owner.query(`SELECT make_analytics_partition($1, now() - make_interval(days => $2))`, [table, days]);
    };
    await monthsAgo('analytics_rollups', 440);
    await monthsAgo('analytics_days', 440);
    await monthsAgo('analytics_days', 395);
    const dropped = [await dropOldAnalyticsPartition(database.db), await dropOldAnalyticsPartition(database.db)];
    expect(dropped).toEqual([expect.stringMatching(/^analytics_days_/), expect.stringMatching(/^analytics_rollups_/)]);
    expect(await dropOldAnalyticsPartition(database.db)).toBeNull();
    expect(await months()).toHaveLength(made.length + 1);
  });
});

describe('the sample of a day', () => {
  it('is compared once a UTC day, and finds a rollup of yesterday that was changed', async () => {
    const yesterday = new Date(Date.now() - 86_400_000);
    await plantApproval(owner, database.tenant, { created_at: yesterday });
    await foldAll();
    const sampled = async (): Promise<number | null> => {
      // A few environments are drawn: until ours is among them.
      for (let tries = 0; tries < 200; tries++) {
        await owner.query(`UPDATE installation SET analytics_verified_on = '-infinity'`);
        const sample = await verifySample(database.db, new Date());
        if (sample === null || sample.differences.length > 0) return sample?.differences.length ?? null;
      }
      return 0;
    };
    const changed = `UPDATE analytics_rollups SET n = n + 1 WHERE kind = 'approvals.requested' AND NOT is_total AND environment_id = $1 AND quarter < $2`;
    const today = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000);
    const { rowCount } = await owner.query(changed, [database.tenant.environmentId, today]);
    expect(rowCount).toBe(1);
    expect(await sampled()).toBe(1);
    expect(await verifySample(database.db, new Date())).toBeNull();
  });
});
