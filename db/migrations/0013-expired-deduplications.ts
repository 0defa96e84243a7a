import type { Knex } from 'knex';

export const name = '0013-expired-deduplications';

/**
 * The sweep of deduplication windows looks at the end of a window again when it deletes, as 0012 has it for claims: a window
 * that is over may be taken by a new message between the look and the deletion, and without it a duplicate of that message
 * would be delivered.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DO $$ BEGIN EXECUTE format('GRANT service_directory TO %I', current_user); END $$;
    CREATE OR REPLACE FUNCTION delete_expired_message_deduplications(most integer) RETURNS integer
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
      DECLARE deleted integer;
      BEGIN
        DELETE FROM message_deduplications d USING (
          SELECT environment_id, digest FROM message_deduplications WHERE expires_at < now() LIMIT most) old
        WHERE d.environment_id = old.environment_id AND d.digest = old.digest AND d.expires_at < now();
        GET DIAGNOSTICS deleted = ROW_COUNT;
        RETURN deleted;
      END $$;
    DO $$ BEGIN EXECUTE format('REVOKE service_directory FROM %I', current_user); END $$;
  `);
}
