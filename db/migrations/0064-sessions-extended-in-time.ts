import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0064-sessions-extended-in-time';

/**
 * A session whose expiry was extended at its last moment lived on without the messages that the sweep had deleted meanwhile. The sweep
 * locks the sessions first, and deletes of these alone. A session that a change has locked is left alone.
 */
export async function up(knex: Knex): Promise<void> {
  await makeDirectoryFunctions(knex, DIRECTORY, ['delete_expired_sessions(text[], integer)']);
}

const DIRECTORY = `
  GRANT UPDATE (expires_at) ON sessions TO service_directory;

  -- Deletes a part of their messages, and those that have none left. Returns the number of rows; 0: none is left.
  CREATE OR REPLACE FUNCTION delete_expired_sessions(ids text[], most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      expired text[];
      messages integer;
      gone integer;
    BEGIN
      expired := ARRAY(SELECT s.id FROM sessions s WHERE s.id = ANY (ids) AND s.expires_at < now() FOR UPDATE SKIP LOCKED);
      DELETE FROM session_messages m USING (
        SELECT o.session_id, o.sequence FROM session_messages o WHERE o.session_id = ANY (expired) LIMIT most) old
      WHERE m.session_id = old.session_id AND m.sequence = old.sequence;
      GET DIAGNOSTICS messages = ROW_COUNT;
      DELETE FROM sessions s WHERE s.id = ANY (expired) AND NOT EXISTS (SELECT FROM session_messages m WHERE m.session_id = s.id);
      GET DIAGNOSTICS gone = ROW_COUNT;
      -- A change that began before the end, and comes between two parts, would still find it.
      UPDATE sessions s SET expires_at = 'epoch' WHERE s.id = ANY (expired) AND s.expires_at <> 'epoch';
      RETURN messages + gone;
    END $$;
`;
