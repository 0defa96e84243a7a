import type { Knex } from 'knex';

/**
 * Runs a statement of a migration that reads or changes rows. In production the owner is no superuser, and FORCEd row-level security binds
 * it: without a tenant it sees no row, and the statement would change none and say nothing. So FORCE is lifted from the tables that the
 * statement names, until it has run. It fails where it meets a table that was forgotten here.
 */
export async function changeRows(knex: Knex, tables: readonly string[], statement: string): Promise<void> {
  const each = (what: 'NO FORCE' | 'FORCE'): string =>
    tables.map((table) => `ALTER TABLE ${table} ${what} ROW LEVEL SECURITY`).join('; ');
  const { rows } = await knex.raw<{ rows: { was: string }[] }>(`SELECT current_setting('row_security') AS was`);
  await knex.raw(`
    ${each('NO FORCE')};
    SET LOCAL row_security = off; -- an error, and no hidden row
    ${statement};
    SET LOCAL row_security = ${rows[0]?.was ?? 'on'};
    ${each('FORCE')}`);
}
