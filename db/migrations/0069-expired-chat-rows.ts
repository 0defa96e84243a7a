import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0069-expired-chat-rows';

/**
 * The sweep deletes clicks and link codes that count no more, in order of time and a bounded number at once. A code had gone only when it
 * was redeemed or its integration reconnected, and a click only with a later click of the same integration.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE INDEX chat_clicks_by_time ON chat_clicks (at);
    DROP INDEX chat_clicks_by_age; -- for each integration: nothing looks there for old ones any more
    CREATE INDEX chat_link_codes_by_expiry ON chat_link_codes (expires_at);
  `);
  await makeDirectoryFunctions(knex, DIRECTORY, [
    'delete_old_chat_clicks(integer)',
    'delete_expired_link_codes(integer)',
  ]);
}

/**
 * Rows that are locked are left to the next sweep: a redemption or a new credential has them, and deletes in an order of its own. The
 * functions are of PL/pgSQL because it plans for the given `most`: a plan for any number of rows could read the whole table each time.
 */
const DIRECTORY = `
  CREATE POLICY directory ON chat_clicks TO service_directory USING (true);
  GRANT SELECT (integration_id, request_hash, at), UPDATE (at), DELETE ON chat_clicks TO service_directory; -- UPDATE: locking a row takes it
  CREATE POLICY directory ON chat_link_codes TO service_directory USING (true);
  GRANT SELECT (integration_id, chat_user_id, expires_at), UPDATE (expires_at), DELETE ON chat_link_codes TO service_directory;

  -- Deletes a part of the clicks of all environments that are an hour old. A request is taken for five minutes. 0: none is left.
  CREATE FUNCTION delete_old_chat_clicks(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      WITH old AS MATERIALIZED (
        SELECT c.integration_id, c.request_hash FROM chat_clicks c WHERE c.at < now() - interval '1 hour'
        ORDER BY c.at LIMIT most FOR UPDATE SKIP LOCKED)
      DELETE FROM chat_clicks c USING old o WHERE c.integration_id = o.integration_id AND c.request_hash = o.request_hash;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;

  -- Deletes a part of the link codes of all environments that are past their time, and with them the names of who never linked themselves.
  -- 0: none is left.
  CREATE FUNCTION delete_expired_link_codes(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      WITH old AS MATERIALIZED (
        SELECT k.integration_id, k.chat_user_id FROM chat_link_codes k WHERE k.expires_at < now()
        ORDER BY k.expires_at LIMIT most FOR UPDATE SKIP LOCKED)
      DELETE FROM chat_link_codes k USING old o WHERE k.integration_id = o.integration_id AND k.chat_user_id = o.chat_user_id;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
`;
