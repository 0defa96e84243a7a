import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0021-in-flight';

/**
 * Places in flight: how many calls of a kind a workspace has under way, and who waits in line for one. A place is taken in the
 * transaction that claims the call and given back in the one that records its end; the place of a holder that died expires.
 * The application moves no row itself: the two functions do, for the environment of the transaction alone.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(PLACES);
  await makeDirectoryFunctions(knex, TAKE, ['take_place(text, text, integer, interval, interval)']);
  await makeDirectoryFunctions(knex, GIVE_BACK, ['give_place_back(text, text)']);
  await makeDirectoryFunctions(knex, SWEEP, ['find_expired_places(text, integer)', 'delete_expired_places(text[])']);
}

const PLACES = `
  CREATE TABLE places_in_flight (
    environment_id uuid NOT NULL REFERENCES environments,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    kind text NOT NULL CHECK (kind IN ('dispatch', 'delivery')),
    holder text COLLATE "C" NOT NULL, -- the invocation of a dispatch, the message of a delivery
    asked_at timestamptz NOT NULL,
    is_taken boolean NOT NULL,
    -- When it last was told that a place is free.
    told_at timestamptz,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (environment_id, kind, holder)
  );
  CREATE INDEX places_in_line ON places_in_flight (workspace_id, kind, is_taken, asked_at, holder);
  CREATE INDEX places_expiry ON places_in_flight (expires_at);
  CALL make_tenant_table('places_in_flight', 'SELECT');
  CREATE POLICY directory ON places_in_flight TO service_directory USING (true) WITH CHECK (true);
  GRANT SELECT, INSERT, UPDATE, DELETE ON places_in_flight TO service_directory;
`;

/** 0: the place is taken. Otherwise the position in the line, from 1. First come, first served, within a workspace. */
const TAKE = `
  CREATE FUNCTION take_place(of_kind text, for_holder text, most integer, lease interval, waiter_lease interval) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      of_environment uuid := current_environment_id();
      of_workspace uuid;
      mine places_in_flight;
      ahead integer;
      -- Nobody waits longer before a look than at this position, so that nobody need count further.
      positions_max constant integer := 300;
    BEGIN
      SELECT e.workspace_id INTO STRICT of_workspace FROM environments e WHERE e.id = of_environment;
      -- In turn: two that ask at once must not both get the last place. Held until the claim commits.
      PERFORM pg_advisory_xact_lock(hashtextextended('place/' || of_kind || '/' || of_workspace, 0));
      INSERT INTO places_in_flight AS p (environment_id, workspace_id, kind, holder, asked_at, is_taken, expires_at)
        VALUES (of_environment, of_workspace, of_kind, for_holder, clock_timestamp(), false, clock_timestamp() + waiter_lease)
        ON CONFLICT (environment_id, kind, holder) DO UPDATE SET told_at = NULL,
          is_taken = p.is_taken AND p.expires_at > clock_timestamp()
        RETURNING * INTO mine;
      SELECT count(*) INTO ahead FROM (
        SELECT FROM places_in_flight p
          WHERE p.workspace_id = of_workspace AND p.kind = of_kind AND p.is_taken AND p.expires_at > clock_timestamp()
            AND (p.environment_id, p.holder) <> (of_environment, for_holder)
        UNION ALL (SELECT FROM places_in_flight p
          WHERE p.workspace_id = of_workspace AND p.kind = of_kind AND NOT p.is_taken AND p.expires_at > clock_timestamp()
            AND (p.asked_at, p.holder) < (mine.asked_at, mine.holder)
          LIMIT most + positions_max)) before;
      IF mine.is_taken OR ahead < most THEN
        UPDATE places_in_flight p SET is_taken = true, expires_at = clock_timestamp() + lease
          WHERE p.environment_id = of_environment AND p.kind = of_kind AND p.holder = for_holder;
        RETURN 0;
      END IF;
      UPDATE places_in_flight p SET expires_at = clock_timestamp() + waiter_lease
        WHERE p.environment_id = of_environment AND p.kind = of_kind AND p.holder = for_holder;
      RETURN ahead - most + 1;
    END $$;
`;

/** Answers who is next in the line of the workspace, once each: two that give back at once tell two. */
const GIVE_BACK = `
  CREATE FUNCTION give_place_back(of_kind text, for_holder text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      of_workspace uuid;
      next_holder text;
    BEGIN
      DELETE FROM places_in_flight p
        WHERE p.environment_id = current_environment_id() AND p.kind = of_kind AND p.holder = for_holder
        RETURNING p.workspace_id INTO of_workspace;
      UPDATE places_in_flight p SET told_at = clock_timestamp() FROM (
          SELECT w.environment_id, w.holder FROM places_in_flight w
          WHERE w.workspace_id = of_workspace AND w.kind = of_kind AND NOT w.is_taken AND w.expires_at > clock_timestamp()
            AND (w.told_at IS NULL OR w.told_at < clock_timestamp() - interval '10 seconds')
          ORDER BY w.asked_at, w.holder LIMIT 1 FOR UPDATE SKIP LOCKED) n
        WHERE p.environment_id = n.environment_id AND p.kind = of_kind AND p.holder = n.holder
        RETURNING p.holder INTO next_holder;
      RETURN next_holder;
    END $$;
`;

/** Who took a place and died, or waited and never looked again. An hour later nothing can come of it any more. */
const SWEEP = `
  CREATE FUNCTION find_expired_places(after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT p.id FROM (SELECT (environment_id::text || '/' || kind || '/' || holder) COLLATE "C" AS id
        FROM places_in_flight WHERE expires_at < now() - interval '1 hour') p
      WHERE p.id > after_id ORDER BY p.id LIMIT most;
    END;
  CREATE FUNCTION delete_expired_places(ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM places_in_flight p USING unnest(ids) old (id)
      WHERE p.environment_id = split_part(old.id, '/', 1)::uuid AND p.kind = split_part(old.id, '/', 2)
        AND p.holder = split_part(old.id, '/', 3) AND p.expires_at < now() - interval '1 hour';
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
`;
