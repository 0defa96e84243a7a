import type { TestDatabase } from './database.ts';

/** Every row of every table except the vault's sealed versions, as text: by one statement, for a connection for each would be hundreds. */
export async function everyRow({ asOwner }: Pick<TestDatabase, 'asOwner'>): Promise<string[]> {
  const tables = await asOwner<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename <> 'secret_versions'`,
  );
  const each = tables.map(({ name }) => `SELECT row_to_json(t)::text AS row FROM ${name} t`);
  return (await asOwner<{ row: string }>(each.join(' UNION ALL '))).map(({ row }) => row);
}
