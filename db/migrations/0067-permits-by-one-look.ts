import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0067-permits-by-one-look';

/**
 * A look for who waits is made once for each grant: `AS MATERIALIZED`. As a subquery of the UPDATE it was planned as the inner side of a
 * nested loop where the statistics said that the table is empty, as they do after an autovacuum between two crowds. PostgreSQL then ran it
 * again for each row of the table, each time without those that the UPDATE had granted already, and one free permit was granted to all who
 * waited.
 */
export async function up(knex: Knex): Promise<void> {
  await makeDirectoryFunctions(knex, RELEASE + GRANT + SIGN_IN, [
    'release_permit(text, text, integer, interval)',
    'grant_free_permits(jsonb, interval, integer)',
    'settle_sign_in(bytea, bytea, bytea, interval)',
  ]);
}

const RELEASE = `
  CREATE OR REPLACE FUNCTION release_permit(of_kind text, for_holder text, most integer, grant_lease interval)
    RETURNS TABLE (to_workspace uuid, to_environment uuid, to_holder text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      released in_flight_permits;
      taken integer;
    BEGIN
      DELETE FROM in_flight_permits p
        WHERE p.environment_id = current_environment_id() AND p.kind = of_kind AND p.holder = for_holder
        RETURNING * INTO released;
      -- Who only queued, or whose permit had expired, leaves no permit.
      IF released.is_taken IS NOT TRUE OR released.expires_at <= clock_timestamp() THEN
        RETURN;
      END IF;
      SELECT count(*) INTO taken FROM in_flight_permits p
        WHERE p.workspace_id = released.workspace_id AND p.kind = of_kind AND p.is_taken AND p.expires_at > clock_timestamp();
      IF taken >= most THEN -- the cap was lowered
        RETURN;
      END IF;
      RETURN QUERY WITH next AS MATERIALIZED (
          SELECT w.environment_id, w.holder FROM in_flight_permits w
          WHERE w.workspace_id = released.workspace_id AND w.kind = of_kind AND NOT w.is_taken
          ORDER BY w.asked_at, w.holder LIMIT 1 FOR UPDATE SKIP LOCKED)
        UPDATE in_flight_permits p
        SET is_taken = true, granted_at = clock_timestamp(), expires_at = clock_timestamp() + grant_lease
        FROM next n
        WHERE p.environment_id = n.environment_id AND p.kind = of_kind AND p.holder = n.holder
        RETURNING p.workspace_id, p.environment_id, p.holder;
    END $$;
`;

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
        RETURN QUERY WITH next AS MATERIALIZED (
            SELECT w.environment_id, w.holder FROM in_flight_permits w
            WHERE w.workspace_id = queue.workspace_id AND w.kind = queue.kind AND NOT w.is_taken
            ORDER BY w.asked_at, w.holder LIMIT free FOR UPDATE SKIP LOCKED)
          UPDATE in_flight_permits p
          SET is_taken = true, granted_at = clock_timestamp(), expires_at = clock_timestamp() + grant_lease
          FROM next n
          WHERE p.environment_id = n.environment_id AND p.kind = queue.kind AND p.holder = n.holder
          RETURNING p.kind, p.workspace_id, p.environment_id, p.holder;
      END LOOP;
    END $$;
`;

/** It could delete more than its 100 in the same way. */
const SIGN_IN = `
  CREATE OR REPLACE FUNCTION settle_sign_in(of_account bytea, of_address bytea, of_both bytea, forgotten_after interval) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      UPDATE sign_in_throttles SET failures = GREATEST(failures - 1, 0), blocked_until = NULL WHERE key = of_address;
      DELETE FROM sign_in_throttles WHERE key = of_account;
      INSERT INTO sign_in_throttles (key, succeeded_at) VALUES (of_both, now())
        ON CONFLICT (key) DO UPDATE SET failures = 0, blocked_until = NULL, succeeded_at = now(), last_failed_at = now();
      DELETE FROM sign_in_throttles WHERE key = ANY (ARRAY(
        SELECT key FROM sign_in_throttles WHERE last_failed_at < now() - forgotten_after ORDER BY last_failed_at LIMIT 100
        FOR UPDATE SKIP LOCKED));
    END $$;
`;
