import { uuidv7 } from 'uuidv7';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../db/migrate.ts';
import { MIGRATIONS } from '../../../db/migrations/index.ts';
import { insert } from '../harness/plant.ts';
import { createPlainlyOwnedDatabase, type PlainlyOwnedDatabase } from './plain-owner.ts';

/**
 * Migrations that change rows which are there already, under an owner whom row-level security binds. It would hide every row from a
 * statement, and the migration would pass: db/migrations/change-rows.ts.
 */

/** Every migration from here on fails where row-level security would hide rows from it. Those before add foreign keys to tables without rows. */
const FIRST_THAT_CHANGES_ROWS = '0045-run-tags';
/** PostgreSQL then says so instead of hiding. It would say it of the bodies of functions too, which it plans to check them. */
const SAYING_SO = '-c row_security=off -c check_function_bodies=off';

let database: PlainlyOwnedDatabase;
beforeAll(async () => {
  database = await createPlainlyOwnedDatabase();
  const { ownerUrl, applicationUrl } = database;
  const first = MIGRATIONS.findIndex(({ name }) => name === FIRST_THAT_CHANGES_ROWS);
  if (first < 1) throw new Error(`${FIRST_THAT_CHANGES_ROWS} was renamed`);
  await migrate({ ownerUrl, applicationUrl, migrations: MIGRATIONS.slice(0, first) });
  await plant();
  const strictUrl = new URL(ownerUrl);
  strictUrl.searchParams.set('options', SAYING_SO);
  await migrate({ ownerUrl: strictUrl.href, applicationUrl });
});
afterAll(() => database?.close());

async function plant(): Promise<void> {
  const { superuser } = database;
  const [workspace_id, environment_id] = [uuidv7(), uuidv7()];
  await insert(superuser, 'workspaces', { id: workspace_id, name: 'A workspace', plan: 'enterprise' });
  const kind = { name: 'Production', kind: 'production', protected: true };
  await insert(superuser, 'environments', { id: environment_id, workspace_id, ...kind });
  await insert(superuser, 'runs', { id: 'run_tagged', environment_id, tags: ['nightly', 'paid', 'paid'] });
  await insert(superuser, 'runs', { id: 'run_plain', environment_id });
  for (const id of ['sch_deleted', 'sch_kept']) {
    await insert(superuser, 'schedules', {
      id,
      environment_id,
      cron: '* * * * *',
      timezone: 'UTC',
      overlap: 'skip',
      catch_up_seconds: 60,
      destination: {},
      body_kind: 'none',
      created_by: {},
      paused: id === 'sch_kept',
      deleted_at: id === 'sch_deleted' ? new Date() : null,
    });
    const run = { environment_id, schedule_id: id, nominal_at: new Date(0), fired_at: new Date(0) };
    await insert(superuser, 'schedule_runs', { ...run, trigger: 'manual', outcome: 'queued' });
    const waiting = { outcome: 'waiting', error_code: 'OVERLAP', error_message: 'planted' };
    await insert(superuser, 'schedule_runs', { ...run, trigger: 'schedule', ...waiting });
  }
}

const rowsOf = async (sql: string): Promise<unknown[]> => (await database.superuser.query<object>(sql)).rows;

test('a run of before has its tags as rows', async () => {
  expect(await rowsOf('SELECT run_id, tag FROM run_tags ORDER BY tag')).toEqual([
    { run_id: 'run_tagged', tag: 'nightly' },
    { run_id: 'run_tagged', tag: 'paid' },
  ]);
});

test('a run of before whose schedule was deleted is skipped, and others stay', async () => {
  const sql = 'SELECT schedule_id AS id, outcome, error_code AS code FROM schedule_runs ORDER BY schedule_id, trigger';
  expect(await rowsOf(sql)).toEqual([
    { id: 'sch_deleted', outcome: 'skipped', code: 'DELETED' },
    { id: 'sch_deleted', outcome: 'skipped', code: 'DELETED' },
    { id: 'sch_kept', outcome: 'queued', code: null },
    { id: 'sch_kept', outcome: 'waiting', code: 'OVERLAP' },
  ]);
});

test('a schedule that is paused is known as paused since its last change', async () => {
  const sql = `SELECT id, pauses @> updated_at AS since, pauses @> updated_at - interval '1 second' AS before, upper_inf(pauses) AS lasts
    FROM schedules ORDER BY id`;
  expect(await rowsOf(sql)).toEqual([
    { id: 'sch_deleted', since: false, before: false, lasts: false },
    { id: 'sch_kept', since: true, before: false, lasts: true },
  ]);
});

test('row-level security is forced on every table again', async () => {
  const sql = `SELECT relname FROM pg_class WHERE relrowsecurity AND NOT relforcerowsecurity AND relnamespace = 'public'::regnamespace`;
  expect(await rowsOf(sql)).toEqual([]);
});
