import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0021-in-flight-permits';

/**
 * Permits in flight, as of a semaphore: how many calls of a kind a workspace has under way, and who waits in its queue for one. A
 * permit is acquired in the transaction that claims the call, and released in the one that records its end. The permit of a holder
 * that died expires. The application moves no row itself: the functions do, for the environment of the transaction alone.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(PERMITS);
  await makeDirectoryFunctions(knex, ACQUIRE, ['acquire_permit(text, text, integer, interval, interval)']);
  await makeDirectoryFunctions(knex, RELEASE, ['release_permit(text, text)']);
  await makeDirectoryFunctions(knex, SWEEP, ['find_expired_permits(text, integer)', 'delete_expired_permits(text[])']);
}

const PERMITS = `
  CREATE TABLE in_flight_permits (
    environment_id uuid NOT NULL REFERENCES environments,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    kind text NOT NULL CHECK (kind IN ('dispatch', 'delivery', 'provider_read')),
    holder text COLLATE "C" NOT NULL, -- the invocation of a dispatch, the message of a delivery
    asked_at timestamptz NOT NULL,
    is_taken boolean NOT NULL,
    told_at timestamptz, -- when it was last told that a permit is free
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (environment_id, kind, holder)
  );
  CREATE INDEX in_flight_permits_queue ON in_flight_permits (workspace_id, kind, is_taken, asked_at, holder);
  CREATE INDEX in_flight_permits_expiry ON in_flight_permits (expires_at);
  CALL make_tenant_table('in_flight_permits', 'SELECT');
  CREATE POLICY directory ON in_flight_permits TO service_directory USING (true) WITH CHECK (true);
  GRANT SELECT, INSERT, UPDATE, DELETE ON in_flight_permits TO service_directory;
`;

/**
 * 0: the permit is held. From 1: the position in the queue, first come, first served, within a workspace. NULL: another
 * transaction of the workspace is asking, and nothing was written.
 */
const ACQUIRE = `
  CREATE FUNCTION acquire_permit(of_kind text, for_holder text, most integer, lease interval, waiter_lease interval) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      of_environment uuid := current_environment_id();
      of_workspace uuid;
      mine in_flight_permits;
      ahead integer;
      -- Nobody waits longer before a look than at this position, so that nobody need count further.
      positions_max constant integer := 300;
    BEGIN
      SELECT e.workspace_id INTO STRICT of_workspace FROM environments e WHERE e.id = of_environment;
      -- One at a time: two that ask at once must not both get the last permit. Held until the claim commits.
      IF NOT pg_try_advisory_xact_lock(hashtextextended('permit/' || of_kind || '/' || of_workspace, 0)) THEN
        RETURN NULL;
      END IF;
      INSERT INTO in_flight_permits AS p (environment_id, workspace_id, kind, holder, asked_at, is_taken, expires_at)
        VALUES (of_environment, of_workspace, of_kind, for_holder, clock_timestamp(), false, clock_timestamp() + waiter_lease)
        ON CONFLICT (environment_id, kind, holder) DO UPDATE SET told_at = NULL,
          is_taken = p.is_taken AND p.expires_at > clock_timestamp()
        RETURNING * INTO mine;
      SELECT count(*) INTO ahead FROM (
        SELECT FROM in_flight_permits p
          WHERE p.workspace_id = of_workspace AND p.kind = of_kind AND p.is_taken AND p.expires_at > clock_timestamp()
            AND (p.environment_id, p.holder) <> (of_environment, for_holder)
        UNION ALL (SELECT FROM in_flight_permits p
          WHERE p.workspace_id = of_workspace AND p.kind = of_kind AND NOT p.is_taken AND p.expires_at > clock_timestamp()
            AND (p.asked_at, p.holder) < (mine.asked_at, mine.holder)
          LIMIT most + positions_max)) before;
      IF mine.is_taken OR ahead < most THEN
        UPDATE in_flight_permits p SET is_taken = true, expires_at = clock_timestamp() + lease
          WHERE p.environment_id = of_environment AND p.kind = of_kind AND p.holder = for_holder;
        RETURN 0;
      END IF;
      UPDATE in_flight_permits p SET expires_at = clock_timestamp() + waiter_lease
        WHERE p.environment_id = of_environment AND p.kind = of_kind AND p.holder = for_holder;
      RETURN ahead - most + 1;
    END $$;
`;

/** Answers who is next in the queue of the workspace, once each: two that release at once tell two. */
const RELEASE = `
  CREATE FUNCTION release_permit(of_kind text, for_holder text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      of_workspace uuid;
      next_holder text;
    BEGIN
      DELETE FROM in_flight_permits p
        WHERE p.environment_id = current_environment_id() AND p.kind = of_kind AND p.holder = for_holder
        RETURNING p.workspace_id INTO of_workspace;
      UPDATE in_flight_permits p SET told_at = clock_timestamp() FROM (
          SELECT w.environment_id, w.holder FROM in_flight_permits w
          WHERE w.workspace_id = of_workspace AND w.kind = of_kind AND NOT w.is_taken AND w.expires_at > clock_timestamp()
            AND (w.told_at IS NULL OR w.told_at < clock_timestamp() - interval '10 seconds')
          ORDER BY w.asked_at, w.holder LIMIT 1 FOR UPDATE SKIP LOCKED) n
        WHERE p.environment_id = n.environment_id AND p.kind = of_kind AND p.holder = n.holder
        RETURNING p.holder INTO next_holder;
      RETURN next_holder;
    END $$;
`;

/** Whose holder died, or waited and never looked again. An hour later nothing can come of it any more. */
const SWEEP = `
  CREATE FUNCTION find_expired_permits(after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT p.id FROM (SELECT (environment_id::text || '/' || kind || '/' || holder) COLLATE "C" AS id
        FROM in_flight_permits WHERE expires_at < now() - interval '1 hour') p
      WHERE p.id > after_id ORDER BY p.id LIMIT most;
    END;
  CREATE FUNCTION delete_expired_permits(ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM in_flight_permits p
      WHERE p.expires_at < now() - interval '1 hour' AND (p.environment_id::text || '/' || p.kind || '/' || p.holder) = ANY (ids);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
`;
