import type { Knex } from 'knex';
import { beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../db/migrate.ts';
import { changeRows } from '../../../db/migrations/change-rows.ts';
import { MIGRATIONS, type Migration } from '../../../db/migrations/index.ts';
import { createPlainlyOwnedDatabase } from './plain-owner.ts';

/**
 * Migrations that change rows which are there already, under an owner whom row-level security binds. It would hide every row from a
 * statement, and the migration would pass: db/migrations/change-rows.ts.
 */

/** Those up to it run on an empty database: they add foreign keys to tables without rows. Those behind it find rows. */
const LAST_OF_BASELINE = '0038-memory-search';
/** PostgreSQL then says so instead of hiding. It would say it of the bodies of functions too, which it plans to check them. */
const SAYING_SO = '-c row_security=off -c check_function_bodies=off';

const TABLES: Migration = {
  name: '1-tables',
  up: (knex) =>
    knex.raw(
      ['things', 'others']
        .map(
          (table) =>
            `CREATE TABLE ${table} (id integer, is_done boolean NOT NULL DEFAULT false); ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
             ALTER TABLE ${table} FORCE ROW LEVEL SECURITY; CREATE POLICY tenant ON ${table} USING (false)`,
        )
        .join(';'),
    ),
};

const database = await createPlainlyOwnedDatabase();
beforeEach(async () => {
  await database.superuser.query('DROP TABLE IF EXISTS things, others, migrations, migrations_lock');
  await migrateWith();
  await database.superuser.query('INSERT INTO things VALUES (1), (2); INSERT INTO others VALUES (1)');
});

async function migrateWith(up?: (knex: Knex) => Promise<void>): Promise<void> {
  const { ownerUrl, applicationUrl } = database;
  const migrations = up === undefined ? [TABLES] : [TABLES, { name: '2-changes', up }];
  await migrate({ ownerUrl, applicationUrl, migrations });
}
const rowsOf = async (sql: string): Promise<unknown[]> => (await database.superuser.query<object>(sql)).rows;
const done = (): Promise<unknown[]> => rowsOf('SELECT id FROM things WHERE is_done ORDER BY id');
const unforced = (): Promise<unknown[]> =>
  rowsOf(
    `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relrowsecurity AND NOT relforcerowsecurity`,
  );

const FINISH = 'UPDATE things t SET is_done = true FROM others o WHERE o.id = t.id';

test('a statement alone changes no row, and says nothing', async () => {
  await migrateWith((knex) => knex.raw(FINISH));
  expect(await done()).toEqual([]);
});

test('by changeRows it changes them, and row-level security binds the owner again', async () => {
  let seen: unknown;
  await migrateWith(async (knex) => {
    await changeRows(knex, ['things', 'others'], FINISH);
    ({ rows: seen } = await knex.raw<{ rows: unknown }>(
      `SELECT current_setting('row_security') AS setting, (SELECT count(*)::int FROM things) AS things`,
    ));
  });
  expect(await done()).toEqual([{ id: 1 }]);
  expect(await unforced()).toEqual([]);
  expect(seen).toEqual([{ setting: 'on', things: 0 }]);
});

test('it fails where a table is forgotten, and leaves everything as it was', async () => {
  const forgetful = migrateWith((knex) => changeRows(knex, ['things'], FINISH));
  await expect(forgetful).rejects.toThrow(/row-level security policy for table "others"/);
  expect(await done()).toEqual([]);
  expect(await unforced()).toEqual([]);
});

test('no migration behind the baseline touches rows that are hidden from it', async () => {
  const empty = await createPlainlyOwnedDatabase();
  try {
    const { ownerUrl, applicationUrl } = empty;
    const count = MIGRATIONS.findIndex(({ name }) => name === LAST_OF_BASELINE) + 1;
    expect(count).toBeGreaterThan(0);
    await migrate({ ownerUrl, applicationUrl, migrations: MIGRATIONS.slice(0, count) });
    const strictUrl = new URL(ownerUrl);
    strictUrl.searchParams.set('options', SAYING_SO);
    const planted: Migration = { name: '9999-planted', up: (knex) => knex.raw('UPDATE runs SET tags = tags') };
    const strict = { ownerUrl: strictUrl.href, applicationUrl };
    await migrate(strict);
    await expect(migrate({ ...strict, migrations: [...MIGRATIONS, planted] })).rejects.toThrow(/row-level security/);
  } finally {
    await empty.close();
  }
});
