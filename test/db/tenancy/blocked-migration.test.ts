import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { BlockedMigrationError, migrate } from '../../../db/migrate.ts';
import type { Migration } from '../../../db/migrations/index.ts';
import { PATIENCE_MS } from '../../harness/patience.ts';
import { createPlainlyOwnedDatabase } from './plain-owner.ts';

/** Migrations beside processes that work: each is a transaction, and none waits long for a lock. */

const LOCK_WAIT_MS_MAX = 100;

const database = await createPlainlyOwnedDatabase();
const owner = new Client({ connectionString: database.ownerUrl });
await owner.connect();
afterAll(() => owner.end());

const statement = (name: string, sql: string): Migration => ({ name, up: (knex) => knex.raw(sql) });

const migrateWith = (migrations: Migration[]): Promise<string[]> => {
  const { ownerUrl, applicationUrl } = database;
  const options = { ownerUrl, applicationUrl, migrations, lockWaitMsMax: LOCK_WAIT_MS_MAX };
  return migrate(options).then(({ applied }) => applied);
};
const columns = async (): Promise<string[]> => {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = to_regclass('things') AND attnum > 0 ORDER BY attnum`,
  );
  return rows.map(({ name }) => name);
};

test('one that does not get its lock says so and changes nothing; those before it stand, and another run goes on', async () => {
  const migrations = [
    statement('1-made', 'CREATE TABLE things (id integer)'),
    statement('2-blocked', 'ALTER TABLE things ADD COLUMN a integer; ALTER TABLE others ADD COLUMN b integer'),
    statement('3-after', 'ALTER TABLE things ADD COLUMN c integer'),
  ];
  await owner.query('CREATE TABLE others (id integer)');
  await database.superuser.query('BEGIN');
  await database.superuser.query('SELECT FROM others');
  const refusal = await migrateWith(migrations).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(BlockedMigrationError);
  expect(String(refusal)).toMatch(/2-blocked did not get a lock within 0.1 s.*Run it again/);
  expect(await columns()).toEqual(['id']);
  await database.superuser.query('COMMIT');
  expect(await migrateWith(migrations)).toEqual(['2-blocked', '3-after']);
  expect(await columns()).toEqual(['id', 'a', 'c']);
});

test('what one has locked is free before the next begins', async () => {
  const read = (): Promise<unknown> => database.superuser.query(`SET lock_timeout = '100ms'; SELECT FROM others`);
  const migrations = [
    ...['1-made', '2-blocked', '3-after'].map((name) => statement(name, 'SELECT')),
    statement('4-locks', 'ALTER TABLE others ADD COLUMN d integer'),
    { name: '5-works', up: read },
  ] as Migration[];
  expect(await migrateWith(migrations)).toEqual(['4-locks', '5-works']);
});

test('a process that migrates waits for another one however long that takes, and does nothing again', async () => {
  let isBegun = (): void => undefined;
  const begun = new Promise<void>((resolve) => (isBegun = resolve));
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const earlier = ['1-made', '2-blocked', '3-after', '4-locks', '5-works'].map((name) => statement(name, 'SELECT'));
  const slow: Migration = {
    name: '6-slow',
    up: async (knex) => {
      isBegun();
      await ended;
      await knex.raw('ALTER TABLE things ADD COLUMN e integer');
    },
  };
  const migrations = [...earlier, slow, statement('7-last', 'SELECT')];
  const first = migrateWith(migrations);
  await begun;
  const second = migrateWith(migrations);
  const waitsLonger = `SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query_start < clock_timestamp() - make_interval(secs => $1)`;
  await expect
    .poll(async () => (await owner.query(waitsLonger, [(3 * LOCK_WAIT_MS_MAX) / 1_000])).rows, { timeout: PATIENCE_MS })
    .toEqual([{ n: 1 }]);
  end();
  const applied = await Promise.all([first, second]);
  expect(applied.flat().toSorted()).toEqual(['6-slow', '7-last']);
  expect(applied[0]).toContain('6-slow');
  expect((await columns()).filter((name) => name === 'e')).toHaveLength(1);
});
