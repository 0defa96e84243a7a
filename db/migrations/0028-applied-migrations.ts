import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0028-applied-migrations';

/** API and worker compare the names with their own at start, so that neither runs on the schema of another version. */
export async function up(knex: Knex): Promise<void> {
  await makeDirectoryFunctions(knex, LIST, ['list_applied_migrations()']);
}

const LIST = `
  GRANT SELECT ON migrations TO service_directory;
  CREATE FUNCTION list_applied_migrations() RETURNS TABLE (name text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT m.name::text FROM migrations m ORDER BY m.id;
    END;
`;
