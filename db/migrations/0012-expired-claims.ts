import type { Knex } from 'knex';

export const name = '0012-expired-claims';

/**
 * The sweep of idempotency claims looks at the retention again when it deletes: a claim that is past its 24 hours may be taken
 * by a new request between the look and the deletion, and that request's claim must stay.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The function belongs to service_directory: replacing it takes the membership for a moment, as in 0007.
    DO $$ BEGIN EXECUTE format('GRANT service_directory TO %I', current_user); END $$;
    CREATE OR REPLACE FUNCTION delete_expired_idempotency_claims(most integer) RETURNS integer
      LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
      DECLARE deleted integer;
      BEGIN
        DELETE FROM idempotency_claims c USING (
          SELECT environment_id, key FROM idempotency_claims WHERE expires_at < now() LIMIT most) old
        WHERE c.environment_id = old.environment_id AND c.key = old.key AND c.expires_at < now();
        GET DIAGNOSTICS deleted = ROW_COUNT;
        RETURN deleted;
      END $$;
    DO $$ BEGIN EXECUTE format('REVOKE service_directory FROM %I', current_user); END $$;
  `);
}
