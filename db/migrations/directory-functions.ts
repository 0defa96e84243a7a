import type { Knex } from 'knex';

/**
 * Creates functions that look across environments. Each is SECURITY DEFINER, is owned by `service_directory`, and is called by
 * the application. That role reads and changes exactly what is granted beside each function, and nobody logs in as it.
 *
 * Transferring a function takes CREATE on the schema for its new owner, and membership of that role for the old one. Both end
 * here: an owner of the tables that stayed a member would see what `service_directory` sees.
 */
export async function makeDirectoryFunctions(
  knex: Knex,
  definitions: string,
  signatures: readonly string[],
): Promise<void> {
  await knex.raw(`
    GRANT CREATE ON SCHEMA public TO service_directory;
    DO $$ BEGIN EXECUTE format('GRANT service_directory TO %I', current_user); END $$;
    ${definitions}
    ${signatures.map(handOver).join('')}
    REVOKE CREATE ON SCHEMA public FROM service_directory;
    DO $$ BEGIN EXECUTE format('REVOKE service_directory FROM %I', current_user); END $$;
  `);
}

const handOver = (signature: string): string => `
  ALTER FUNCTION ${signature} OWNER TO service_directory;
  REVOKE ALL ON FUNCTION ${signature} FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION ${signature} TO service_app;`;
