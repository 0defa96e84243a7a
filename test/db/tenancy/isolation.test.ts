import type { Client } from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Database, EnvironmentTransaction, Tenant } from '../../../db/client.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts';
import { plantRows, saidOfTables, tablesThatAre } from './planted-rows.ts';

/**
 * No row of another environment can be read, inserted, changed or deleted, and without an environment no row at all. The test
 * covers every table of the schema, so a new table is covered, or fails here, on the day it is created.
 */

let database: TestDatabase;
let owner: Client;
let tables: string[] = [];
let mine: Tenant;
/** A sibling environment of the same workspace, and an environment of another workspace. */
let others: Tenant[] = [];

const heldElsewhere = saidOfTables('heldElsewhere');
const canBegin = saidOfTables('canBegin');
const ofWorkspace = tablesThatAre('ofWorkspace');
const writtenByDatabase = tablesThatAre('writtenByDatabase');

beforeAll(async () => {
  database = await createTestDatabase();
  owner = await database.connectOwner();
  mine = database.tenants.development;
  others = [database.tenants.staging, (await database.anotherWorkspace()).production];
  for (const tenant of [mine, ...others]) await plantRows(owner, tenant);
  const { rows } = await owner.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
     AND relname NOT LIKE 'migrations%' ORDER BY 1`,
  );
  tables = rows.map((row) => row.name).filter((name) => !Object.hasOwn(heldElsewhere, name));
});

/** The column that holds a table's tenant, and this tenant's value of it. */
function ownershipOf(table: string, tenant: Tenant): { column: string; value: string } {
  if (table === 'workspaces') return { column: 'id', value: tenant.workspaceId };
  if (ofWorkspace.includes(table)) return { column: 'workspace_id', value: tenant.workspaceId };
  return { column: 'environment_id', value: tenant.environmentId };
}

/** The other tenants, except where the table's rows belong to the workspace and its environments share them. */
function strangersOf(table: string): Tenant[] {
  return others.filter((tenant) => ownershipOf(table, tenant).value !== ownershipOf(table, mine).value);
}

/**
 * How a row of another tenant is refused. A table that only the database or a migration writes takes no row from the application.
 */
function refusalOf(table: string): RegExp {
  return writtenByDatabase.includes(table) ? /permission denied/ : /row-level security/;
}

async function columnsWith(table: string, privilege: 'UPDATE'): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
     AND has_column_privilege('service_app', attrelid, attnum, $2) ORDER BY attnum`,
    [table, privilege],
  );
  return rows.map((row) => row.name);
}

async function countAsOwner(table: string, tenant: Tenant): Promise<number> {
  const { column, value } = ownershipOf(table, tenant);
  const { rows } = await owner.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE ${column} = $1`,
    [value],
  );
  return rows[0]?.count ?? 0;
}

async function forEachTable(work: (table: string) => Promise<void>): Promise<void> {
  expect(tables.length).toBeGreaterThan(10);
  for (const table of tables) await work(table);
}

/** Runs one statement and rolls everything back. */
async function tryAsMe(
  statement: (tx: EnvironmentTransaction) => Promise<{ rowCount: number }>,
): Promise<number | string> {
  const seen: { rows: number | string } = { rows: 'nothing ran' };
  await database.db
    .withEnvironment(mine, async (tx) => {
      seen.rows = (await statement(tx)).rowCount;
      throw new Error('take it back');
    })
    .catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== 'take it back') seen.rows = message;
    });
  return seen.rows;
}

describe('every table', () => {
  test('holds rows of each tenant, so that what follows proves something', async () => {
    await forEachTable(async (table) => {
      const remedy = `${table}: plant a row of it in test/db/<its area>/planted-rows.ts (test/README.md)`;
      for (const tenant of [mine, ...others]) expect(await countAsOwner(table, tenant), remedy).toBeGreaterThan(0);
    });
  });

  test('that an area speaks of is a table', async () => {
    const spokenOf = [
      ...ofWorkspace,
      ...writtenByDatabase,
      ...Object.keys({ ...heldElsewhere, ...canBegin, ...saidOfTables('writtenBeside') }),
    ];
    const { rows } = await owner.query<{ name: string }>(
      'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL',
      [spokenOf],
    );
    expect(rows).toEqual([]);
  });

  test('is under row-level security, enabled and forced, with the tenant policy', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c WHERE c.relname = ANY ($1) AND c.relnamespace = 'public'::regnamespace
         AND c.relrowsecurity AND c.relforcerowsecurity
         AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'tenant' AND p.polwithcheck IS NOT NULL)
         AND NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname <> 'tenant'
                         AND p.polroles <> ARRAY['service_directory'::regrole::oid])
       ORDER BY 1`,
      [tables],
    );
    expect(rows.map((row) => row.name)).toEqual(tables);
  });

  test('shows the rows of its environment and no other', async () => {
    await forEachTable(async (table) => {
      const { column, value } = ownershipOf(table, mine);
      const seen = await database.db.withEnvironment(mine, async (tx) => {
        const { rows } = await tx.raw<{ rows: { tenant: string }[] }>(
          null,
          `SELECT DISTINCT ${column}::text AS tenant FROM ${table}`,
        );
        return rows.map((row) => row.tenant);
      });
      expect(seen, table).toEqual([value]);
    });
  });

  test('is empty outside withEnvironment, and takes nothing', async () => {
    await forEachTable(async (table) => {
      const { rows } = await database.db.directory.raw<{ rows: { count: number }[] }>(
        null,
        `SELECT count(*)::int AS count FROM ${table}`,
      );
      expect(rows[0]?.count, table).toBe(0);
      await expect(copyInto(database.db.directory, table, mine), table).rejects.toThrow(refusalOf(table));
    });
  });

  test('takes no row of another environment', async () => {
    await forEachTable(async (table) => {
      for (const stranger of strangersOf(table)) {
        expect(await tryAsMe((tx) => copyInto(tx, table, stranger)), table).toMatch(refusalOf(table));
      }
    });
  });

  test('changes no row of another environment, and hands none over', async () => {
    await forEachTable(async (table) => {
      const columns = await columnsWith(table, 'UPDATE');
      const first = columns[0];
      const own = ownershipOf(table, mine).column;
      const touched = await tryAsMe((tx) => tx.raw(null, `UPDATE ${table} SET ${first ?? own} = ${first ?? own}`));
      const mayTouch = first === undefined ? /permission denied/ : new RegExp(`^${await countAsOwner(table, mine)}$`);
      expect(String(touched), table).toMatch(mayTouch);
      for (const stranger of strangersOf(table)) {
        const { column, value } = ownershipOf(table, stranger);
        const handedOver = await tryAsMe((tx) => tx.raw(null, `UPDATE ${table} SET ${column} = '${value}'`));
        expect(handedOver, table).toMatch(columns.includes(column) ? /row-level security/ : /permission denied/);
      }
    });
  });

  test('loses no row of another environment', async () => {
    await forEachTable(async (table) => {
      for (const stranger of strangersOf(table)) {
        const { column, value } = ownershipOf(table, stranger);
        const deleted = await tryAsMe((tx) => tx.raw(null, `DELETE FROM ${table} WHERE ${column} = '${value}'`));
        expect(deleted === 0 || /permission denied/.test(String(deleted)), `${table}: ${deleted}`).toBe(true);
        expect(await countAsOwner(table, stranger), table).toBeGreaterThan(0);
      }
    });
  });
});

/** Inserts a copy of a tenant's row, as the superuser read it. */
async function copyInto(
  db: Pick<Database['directory'], 'raw'>,
  table: string,
  tenant: Tenant,
): Promise<{ rowCount: number }> {
  const { column, value } = ownershipOf(table, tenant);
  const { rows } = await owner.query<{ row: unknown }>(
    `SELECT to_jsonb(t) AS row FROM ${table} t WHERE ${column} = $1 AND ${canBegin[table] ?? 'true'} LIMIT 1`,
    [value],
  );
  const { rows: names } = await owner.query<{ name: string }>(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`,
    [table],
  );
  const columns = names.map(({ name }) => name).join(', ');
  return db.raw(
    null,
    `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM jsonb_populate_record(NULL::${table}, ?::jsonb)`,
    [JSON.stringify(rows[0]?.row)],
  );
}

describe('withEnvironment', () => {
  const settings = `SELECT pg_backend_pid() AS pid, current_setting('app.environment_id', true) AS environment, current_setting('app.workspace_id', true) AS workspace,
    (SELECT count(*)::int FROM actions) AS actions`;

  test.each([
    ['a commit', async (): Promise<void> => {}],
    [
      'a rollback',
      (): Promise<void> => {
        throw new Error('roll back');
      },
    ],
  ])('leaves nothing on the connection after %s', async (_end, work) => {
    const single = await createTestDatabase({ poolMax: 1 });
    const inside: { pid?: number; environment?: string } = {};
    await single.db
      .withEnvironment(single.tenant, async (tx) => {
        const { rows } = await tx.raw<{ rows: { environment: string; pid: number }[] }>(null, settings);
        Object.assign(inside, rows[0]);
        await work();
      })
      .catch(() => null);
    expect(inside.environment).toBe(single.tenant.environmentId);
    const { rows } = await single.db.directory.raw<{
      rows: { environment: string | null; workspace: string | null; actions: number; pid: number }[];
    }>(null, settings);
    expect([rows[0]?.environment ?? '', rows[0]?.workspace ?? '', rows[0]?.actions]).toEqual(['', '', 0]);
    expect(rows[0]?.pid).toBe(inside.pid);
    await single.close();
  });

  test('refuses what is no UUID, before any SQL', async () => {
    const forged = { workspaceId: mine.workspaceId, environmentId: `${mine.environmentId}'; DROP TABLE actions; --` };
    await expect(database.db.withEnvironment(forged, () => Promise.resolve())).rejects.toThrow(/UUIDs/);
  });
});
