import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0021-lane-places';

/**
 * Places in flight, as of a semaphore: how many calls of a kind a workspace has under way, and who waits in its queue for one. A
 * place is acquired in the transaction that claims the call, and released in the one that records its end. The release grants it
 * to the next in the queue at once, so that who waits need not look. The place of a holder that died expires. The application
 * moves no row itself: the functions do, for the environment of the transaction alone.
 *
 * A look for who waits is made once for each grant: `AS MATERIALIZED`. PostgreSQL plans a subquery of the UPDATE as the inner side of a nested
 * loop where the statistics say that the table is empty, as they do after an autovacuum between two crowds. It then runs the subquery again for
 * each row of the table, each time without those that the UPDATE has granted already, and one free place is granted to all who wait.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(PLACES);
  await makeDirectoryFunctions(knex, ACQUIRE, ['take_place(text, text, integer, interval)']);
  await makeDirectoryFunctions(knex, RELEASE, ['release_place(text, text, integer, interval, boolean)']);
  await makeDirectoryFunctions(knex, GRANT, ['grant_free_places(jsonb, interval, integer)']);
  await makeDirectoryFunctions(knex, UNTOLD, ['discount_untold_grant(text, text)']);
  await makeDirectoryFunctions(knex, SWEEP, ['find_expired_places(text, integer)', 'delete_expired_places(text[])']);
}

const PLACES = `
  CREATE TABLE lane_places (
    environment_id uuid NOT NULL REFERENCES environments,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    -- notification: e-mails, and posts of approvals to chats; maintenance: pages of jobs and of fan-outs.
    kind text NOT NULL CHECK (kind IN ('dispatch', 'provider_read', 'notification', 'maintenance')),
    holder text COLLATE "C" NOT NULL, -- the invocation of a dispatch
    asked_at timestamptz NOT NULL,
    is_taken boolean NOT NULL,
    granted_at timestamptz CHECK (granted_at IS NULL OR is_taken), -- set while its holder was given it and has not claimed it
    unclaimed_grants integer NOT NULL DEFAULT 0,
    expires_at timestamptz NOT NULL, -- infinity while it waits
    PRIMARY KEY (environment_id, kind, holder)
    -- A row lives for one call, and every call leaves two or three dead ones. Autovacuum would let a fifth of the largest queue pile up first.
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
  CREATE INDEX lane_places_queue ON lane_places (workspace_id, kind, is_taken, asked_at, holder);
  CREATE INDEX lane_places_waiting ON lane_places (workspace_id, kind) WHERE NOT is_taken;
  CREATE INDEX lane_places_expiry ON lane_places (expires_at);
  CALL make_tenant_table('lane_places', 'SELECT');
  CREATE POLICY directory ON lane_places TO service_directory USING (true) WITH CHECK (true);
  GRANT SELECT, INSERT, UPDATE, DELETE ON lane_places TO service_directory;
`;

/**
 * 0: the place is held. From 1: the position in the queue, first come, first served, within a workspace. NULL: another
 * transaction of the workspace is asking, and nothing was written.
 */
const ACQUIRE = `
  CREATE FUNCTION take_place(of_kind text, for_holder text, most integer, lease interval) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      of_environment uuid := current_environment_id();
      of_workspace uuid;
      since timestamptz;
      ahead integer;
      is_held boolean;
      -- A position beyond this is told as this one: nobody need count further.
      positions_max constant integer := 300;
    BEGIN
      -- Granted, or held already: it concerns no other asker.
      UPDATE lane_places p SET granted_at = NULL, expires_at = clock_timestamp() + lease
        WHERE p.environment_id = of_environment AND p.kind = of_kind AND p.holder = for_holder
          AND p.is_taken AND p.expires_at > clock_timestamp();
      IF FOUND THEN
        RETURN 0;
      END IF;
      SELECT e.workspace_id INTO STRICT of_workspace FROM environments e WHERE e.id = of_environment;
      -- One at a time: two that ask at once must not both get the last place. Held until the claim commits.
      IF NOT pg_try_advisory_xact_lock(hashtextextended('place/' || of_kind || '/' || of_workspace, 0)) THEN
        RETURN NULL;
      END IF;
      SELECT p.asked_at INTO since FROM lane_places p
        WHERE p.environment_id = of_environment AND p.kind = of_kind AND p.holder = for_holder;
      since := COALESCE(since, clock_timestamp());
      SELECT count(*) INTO ahead FROM (
        SELECT FROM lane_places p
          WHERE p.workspace_id = of_workspace AND p.kind = of_kind AND p.is_taken AND p.expires_at > clock_timestamp()
            AND (p.environment_id, p.holder) <> (of_environment, for_holder)
        UNION ALL (SELECT FROM lane_places p
          WHERE p.workspace_id = of_workspace AND p.kind = of_kind AND NOT p.is_taken AND (p.asked_at, p.holder) < (since, for_holder)
          LIMIT most + positions_max)) before;
      -- It may have been granted since the first look.
      INSERT INTO lane_places AS p (environment_id, workspace_id, kind, holder, asked_at, is_taken, expires_at)
        VALUES (of_environment, of_workspace, of_kind, for_holder, since, ahead < most,
          CASE WHEN ahead < most THEN clock_timestamp() + lease ELSE 'infinity' END)
        ON CONFLICT (environment_id, kind, holder) DO UPDATE SET granted_at = NULL,
          is_taken = EXCLUDED.is_taken OR (p.is_taken AND p.expires_at > clock_timestamp()),
          expires_at = CASE WHEN p.is_taken AND p.expires_at > clock_timestamp() THEN clock_timestamp() + lease ELSE EXCLUDED.expires_at END
        RETURNING p.is_taken INTO is_held;
      RETURN CASE WHEN is_held THEN 0 ELSE ahead - most + 1 END;
    END $$;
`;

/**
 * Releases a place and grants it to the next in the queue of the workspace, who is answered: two that release at once grant two.
 * It takes no lock of the asking, so a release and an ask that do not see each other may leave a place free beside somebody who
 * waits, until the waiter asks again or grant_free_places runs. `unclaimed_only`: what was granted and is claimed meanwhile stays. Never more than `most` are taken: each release grants one.
 */
const RELEASE = `
  CREATE FUNCTION release_place(of_kind text, for_holder text, most integer, grant_lease interval, unclaimed_only boolean)
    RETURNS TABLE (to_workspace uuid, to_environment uuid, to_holder text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      released lane_places;
      taken integer;
    BEGIN
      DELETE FROM lane_places p
        WHERE p.environment_id = current_environment_id() AND p.kind = of_kind AND p.holder = for_holder
          AND (NOT unclaimed_only OR p.granted_at IS NOT NULL)
        RETURNING * INTO released;
      -- Who only queued, or whose place had expired, leaves no place.
      IF released.is_taken IS NOT TRUE OR released.expires_at <= clock_timestamp() THEN
        RETURN;
      END IF;
      SELECT count(*) INTO taken FROM lane_places p
        WHERE p.workspace_id = released.workspace_id AND p.kind = of_kind AND p.is_taken AND p.expires_at > clock_timestamp();
      IF taken >= most THEN -- the cap was lowered
        RETURN;
      END IF;
      RETURN QUERY WITH next AS MATERIALIZED (
          SELECT w.environment_id, w.holder FROM lane_places w
          WHERE w.workspace_id = released.workspace_id AND w.kind = of_kind AND NOT w.is_taken
          ORDER BY w.asked_at, w.holder LIMIT 1 FOR UPDATE SKIP LOCKED)
        UPDATE lane_places p
        SET is_taken = true, granted_at = clock_timestamp(), expires_at = clock_timestamp() + grant_lease
        FROM next n
        WHERE p.environment_id = n.environment_id AND p.kind = of_kind AND p.holder = n.holder
        RETURNING p.workspace_id, p.environment_id, p.holder;
    END $$;
`;

/**
 * Grants what is free beside somebody who waits: after a release and an ask that did not see each other, the end of a lease, a
 * crash, or a higher cap. A grant that nobody claimed goes back into the queue; after so many that it was told of its holder is gone. A worker grants no
 * places of a kind that it knows no cap of, because it is of an earlier release: workers that know the kind grant them.
 */
const GRANT = `
  CREATE FUNCTION grant_free_places(caps jsonb, grant_lease interval, unclaimed_max integer)
    RETURNS TABLE (of_kind text, to_workspace uuid, to_environment uuid, to_holder text)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      queue record;
      free integer;
    BEGIN
      DELETE FROM lane_places p USING (
          SELECT u.environment_id, u.kind, u.holder FROM lane_places u
          WHERE u.granted_at IS NOT NULL AND u.expires_at <= clock_timestamp() AND u.unclaimed_grants >= unclaimed_max
          FOR UPDATE SKIP LOCKED) gone
        WHERE (p.environment_id, p.kind, p.holder) = (gone.environment_id, gone.kind, gone.holder);
      UPDATE lane_places p
        SET is_taken = false, granted_at = NULL, expires_at = 'infinity', unclaimed_grants = p.unclaimed_grants + 1
        FROM (SELECT u.environment_id, u.kind, u.holder FROM lane_places u
          WHERE u.granted_at IS NOT NULL AND u.expires_at <= clock_timestamp() FOR UPDATE SKIP LOCKED) back
        WHERE (p.environment_id, p.kind, p.holder) = (back.environment_id, back.kind, back.holder);
      FOR queue IN SELECT DISTINCT w.workspace_id, w.kind FROM lane_places w WHERE NOT w.is_taken LOOP
        -- Somebody is asking: the next run looks again.
        CONTINUE WHEN NOT pg_try_advisory_xact_lock(hashtextextended('place/' || queue.kind || '/' || queue.workspace_id, 0));
        -- Without a cap there are none to grant, and not any number of them, as LIMIT NULL would.
        SELECT COALESCE((caps ->> queue.kind)::integer, 0) - count(*) INTO free FROM lane_places p
          WHERE p.workspace_id = queue.workspace_id AND p.kind = queue.kind AND p.is_taken AND p.expires_at > clock_timestamp();
        CONTINUE WHEN free <= 0;
        RETURN QUERY WITH next AS MATERIALIZED (
            SELECT w.environment_id, w.holder FROM lane_places w
            WHERE w.workspace_id = queue.workspace_id AND w.kind = queue.kind AND NOT w.is_taken
            ORDER BY w.asked_at, w.holder LIMIT free FOR UPDATE SKIP LOCKED)
          UPDATE lane_places p
          SET is_taken = true, granted_at = clock_timestamp(), expires_at = clock_timestamp() + grant_lease
          FROM next n
          WHERE p.environment_id = n.environment_id AND p.kind = queue.kind AND p.holder = n.holder
          RETURNING p.kind, p.workspace_id, p.environment_id, p.holder;
      END LOOP;
    END $$;
`;

/**
 * A holder that could not be told of its grant does not come, and is not gone for that: one lapse is taken back. The grant may lapse only after
 * this. Such a lapse counts until the next grant that cannot be told, so that an outage of any length adds one to the count.
 */
const UNTOLD = `
  CREATE FUNCTION discount_untold_grant(of_kind text, for_holder text) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      UPDATE lane_places p SET unclaimed_grants = greatest(0, p.unclaimed_grants - 1)
        WHERE p.environment_id = current_environment_id() AND p.kind = of_kind AND p.holder = for_holder;
    END;
`;

/** Whose holder died. An hour later nothing can come of it any more. */
const SWEEP = `
  CREATE FUNCTION find_expired_places(after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT p.id FROM (SELECT (environment_id::text || '/' || kind || '/' || holder) COLLATE "C" AS id
        FROM lane_places WHERE expires_at < now() - interval '1 hour') p
      WHERE p.id > after_id ORDER BY p.id LIMIT most;
    END;
  CREATE FUNCTION delete_expired_places(ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM lane_places p
      WHERE p.expires_at < now() - interval '1 hour' AND (p.environment_id::text || '/' || p.kind || '/' || p.holder) = ANY (ids);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
`;
