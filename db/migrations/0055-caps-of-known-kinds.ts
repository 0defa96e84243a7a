import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0055-caps-of-known-kinds';

/**
 * A worker grants no permits of a kind that it knows no cap of: one of an earlier release, while a later one brings a new kind. Before, such
 * a worker granted a permit to everybody who waited for one. Workers that know the kind grant them.
 */
export async function up(knex: Knex): Promise<void> {
  await makeDirectoryFunctions(knex, GRANT, ['grant_free_permits(jsonb, interval, integer)']);
}

/**
 * Grants what is free beside somebody who waits: after a release and an ask that did not see each other, the end of a lease, a
 * crash, or a higher cap. A grant that nobody claimed goes back into the queue; after so many in a row its holder is gone.
 */
const GRANT = `
  CREATE OR REPLACE FUNCTION grant_free_permits(caps jsonb, grant_lease interval, unclaimed_max integer)
    RETURNS TABLE (of_kind text, to_workspace uuid, to_environment uuid, to_holder text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      queue record;
      free integer;
    BEGIN
      DELETE FROM in_flight_permits p USING (
          SELECT u.environment_id, u.kind, u.holder FROM in_flight_permits u
          WHERE u.granted_at IS NOT NULL AND u.expires_at <= clock_timestamp() AND u.unclaimed_grants >= unclaimed_max
          FOR UPDATE SKIP LOCKED) gone
        WHERE (p.environment_id, p.kind, p.holder) = (gone.environment_id, gone.kind, gone.holder);
      UPDATE in_flight_permits p
        SET is_taken = false, granted_at = NULL, expires_at = 'infinity', unclaimed_grants = p.unclaimed_grants + 1
        FROM (SELECT u.environment_id, u.kind, u.holder FROM in_flight_permits u
          WHERE u.granted_at IS NOT NULL AND u.expires_at <= clock_timestamp() FOR UPDATE SKIP LOCKED) back
        WHERE (p.environment_id, p.kind, p.holder) = (back.environment_id, back.kind, back.holder);
      FOR queue IN SELECT DISTINCT w.workspace_id, w.kind FROM in_flight_permits w WHERE NOT w.is_taken LOOP
        -- Somebody is asking: the next run looks again.
        CONTINUE WHEN NOT pg_try_advisory_xact_lock(hashtextextended('permit/' || queue.kind || '/' || queue.workspace_id, 0));
        -- Without a cap there are none to grant, and not any number of them, as LIMIT NULL would.
        SELECT COALESCE((caps ->> queue.kind)::integer, 0) - count(*) INTO free FROM in_flight_permits p
          WHERE p.workspace_id = queue.workspace_id AND p.kind = queue.kind AND p.is_taken AND p.expires_at > clock_timestamp();
        CONTINUE WHEN free <= 0;
        RETURN QUERY UPDATE in_flight_permits p
          SET is_taken = true, granted_at = clock_timestamp(), expires_at = clock_timestamp() + grant_lease
          FROM (SELECT w.environment_id, w.holder FROM in_flight_permits w
            WHERE w.workspace_id = queue.workspace_id AND w.kind = queue.kind AND NOT w.is_taken
            ORDER BY w.asked_at, w.holder LIMIT free FOR UPDATE SKIP LOCKED) n
          WHERE p.environment_id = n.environment_id AND p.kind = queue.kind AND p.holder = n.holder
          RETURNING p.kind, p.workspace_id, p.environment_id, p.holder;
      END LOOP;
    END $$;
`;
