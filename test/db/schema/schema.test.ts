import { describe, expect, test } from 'vitest';
import { createTestDatabase } from '../../harness/database.ts';
import { dumpSchema } from './dump-schema.ts';

/** The dump before anything was planted; a dump takes a thousand queries. */

const database = await createTestDatabase();
const owner = await database.connectOwner();
const sound = await dumpSchema(owner);

describe('db/schema.sql', () => {
  // `npm run db:schema` runs this test with --update, which rewrites the file.
  test('is what the migrations make', async () => {
    await expect(sound).toMatchFileSnapshot('../../../db/schema.sql');
  });

  test.each([
    ['a column', 'ALTER TABLE secrets ADD COLUMN planted text'],
    ['a table that a crash empties', 'ALTER TABLE monthly_usage SET UNLOGGED'],
    ['a default', "ALTER TABLE secrets ALTER COLUMN description SET DEFAULT 'planted'"],
    ['a constraint', 'ALTER TABLE secrets ADD CONSTRAINT planted CHECK (current_version < 9)'],
    ['an index', 'CREATE INDEX planted ON secrets (name)'],
    ['a policy', 'CREATE POLICY planted ON secrets USING (true)'],
    ['row-level security switched off', 'ALTER TABLE secrets NO FORCE ROW LEVEL SECURITY'],
    ['a grant', 'GRANT DELETE ON evidence TO service_app'],
    ['a column grant', 'GRANT UPDATE (scopes) ON api_keys TO service_app'],
    ['a trigger gone', 'DROP TRIGGER append_only ON evidence'],
    [
      'a function',
      'CREATE OR REPLACE FUNCTION current_environment_id() RETURNS uuid LANGUAGE sql STABLE RETURN gen_random_uuid()',
    ],
    ['a function open to all', 'GRANT EXECUTE ON FUNCTION find_api_key(bytea) TO PUBLIC'],
    ['a foreign key', 'ALTER TABLE evidence DROP CONSTRAINT evidence_effect_id_fkey'],
  ])('shows %s', async (_what, change) => {
    await owner.query('BEGIN');
    await owner.query(change);
    const after = await dumpSchema(owner);
    await owner.query('ROLLBACK');
    expect(after).not.toBe(sound);
  });

  test('shows none of them once they are rolled back', async () => {
    expect(await dumpSchema(owner)).toBe(sound);
  });

  test('refuses a kind of object that it would not show', async () => {
    await owner.query('BEGIN');
    await owner.query('CREATE VIEW planted AS SELECT 1 AS one');
    await expect(dumpSchema(owner)).rejects.toThrow(/planted/);
    await owner.query('ROLLBACK');
  });
});
