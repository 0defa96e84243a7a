import { Client } from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { ForeignSchemaError, migrate } from '../../../db/migrate.ts';
import { MIGRATIONS } from '../../../db/migrations/index.ts';
import { createPlainlyOwnedDatabase } from './plain-owner.ts';

/**
 * A database with the migrations of another version is refused. The message says what to do, and nothing in the database is
 * changed.
 */

const BEFORE = /before the first release.*DATA_DIR/s;
const LATER = MIGRATIONS.slice(1).map(({ name }) => name);

const database = await createPlainlyOwnedDatabase();
const owner = new Client({ connectionString: database.ownerUrl });
await owner.connect();
await owner.query('CREATE TABLE migrations (name text NOT NULL)');

afterAll(() => owner.end());

async function refusalOf(names: string[]): Promise<unknown> {
  await owner.query('TRUNCATE migrations');
  await owner.query('INSERT INTO migrations SELECT unnest($1::text[])', [names]);
  const { ownerUrl, applicationUrl } = database;
  return migrate({ ownerUrl, applicationUrl }).catch((error: unknown) => error);
}

async function tables(): Promise<string[]> {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
  );
  return rows.map(({ name }) => name);
}

describe('a database is refused, and nothing is changed in it', () => {
  test.each([
    ['an early checkout made it', ['0001-tenancy', '0002-vault', '0003-actions'], BEFORE],
    [
      'a checkout that had patches on the baseline made it',
      ['0001-tenancy', ...LATER, '0039-queued-deliveries', '0067-places-by-one-look'],
      BEFORE,
    ],
    // Its other names are those of the baseline: they stood for tables that lacked columns.
    ['a checkout without those patches made it', ['0001-tenancy', ...LATER], BEFORE],
    [
      'a newer version used it',
      ['0001-workspaces', ...LATER, '9999-of-a-newer-version'],
      /9999-of-a-newer-version.*newer version/s,
    ],
  ])('%s', async (_, names, says) => {
    const refusal = await refusalOf(names);
    expect(refusal).toBeInstanceOf(ForeignSchemaError);
    expect(String(refusal)).toMatch(says);
    expect(await tables()).toEqual(['migrations']);
  });
});
