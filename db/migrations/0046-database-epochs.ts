import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0046-database-epochs';

/**
 * The epochs of the database. PostgreSQL begins a new timeline when a standby is promoted and when a backup is restored to a point in time,
 * and a new cluster has a new system identifier. Commits may be lost then: a claim that was committed, and whose request was sent, may
 * never have happened here. So each invocation keeps the timeline under which it was admitted, and no dispatch of it is claimed first
 * under another one: it becomes `unknown`, with the reason `database_recovered` (docs/ha.md).
 *
 * The timeline is asked of the server within the statement that claims, and not remembered by a process: a pooler may lead the next
 * transaction to another server.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(TIMELINE);
  await knex.raw(EPOCHS);
  await makeDirectoryFunctions(knex, [OPEN, RECOVERIES].join(''), [
    'open_database_epoch(text, boolean)',
    'read_recoveries()',
    'count_recovered_work(integer)',
    'release_recovery()',
  ]);
}

const TIMELINE = `
  -- The timeline on which this server writes. pg_control_checkpoint() tells it only after the first checkpoint behind a promotion.
  CREATE FUNCTION current_timeline() RETURNS integer LANGUAGE sql VOLATILE
    RETURN ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::integer;

  -- 0: that of no server. An invocation that waited for people is given the present one by their new decision.
  ALTER TABLE invocations ADD COLUMN timeline integer NOT NULL DEFAULT current_timeline();
`;

const EPOCHS = `
  CREATE TABLE database_epochs (
    id integer PRIMARY KEY,
    system_identifier bigint NOT NULL,
    timeline integer NOT NULL,
    -- How it was told: by the first migration, by one of the two, by a log that is behind what a process has seen, or by an operator.
    reason text NOT NULL CHECK (reason IN ('first', 'timeline', 'system_identifier', 'log_position', 'operator')),
    -- \`none\`: of the first epoch. \`note\`: nothing was lost, and nothing is held. \`open\`, until an operator has released it.
    recovery text NOT NULL CHECK (recovery IN ('none', 'note', 'open', 'released')),
    first_seen timestamptz(3) NOT NULL DEFAULT now(),
    released_at timestamptz(3),
    CHECK ((reason = 'first') = (recovery = 'none')),
    CHECK ((recovery = 'released') = (released_at IS NOT NULL))
  );
  -- Before row-level security would hide rows from the owner.
  INSERT INTO database_epochs (id, system_identifier, timeline, reason, recovery)
    SELECT 1, system_identifier, current_timeline(), 'first', 'none' FROM pg_control_system();
  ALTER TABLE database_epochs ENABLE ROW LEVEL SECURITY;
  ALTER TABLE database_epochs FORCE ROW LEVEL SECURITY;
  CREATE POLICY installation_wide ON database_epochs USING (true) WITH CHECK (true);
  GRANT SELECT ON database_epochs TO service_app;
  GRANT SELECT, INSERT, UPDATE (recovery, released_at) ON database_epochs TO service_directory;

  -- Whether an invocation of this timeline was admitted before a recovery. It fails while no process has looked at the present timeline:
  -- whether anything is held is decided then, within seconds.
  CREATE FUNCTION is_recovered(of_timeline integer) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    IF of_timeline = current_timeline() THEN RETURN false; END IF;
    IF current_timeline() IS DISTINCT FROM (SELECT e.timeline FROM database_epochs e ORDER BY e.id DESC LIMIT 1) THEN
      RAISE EXCEPTION 'the database is on a new timeline, which no process has looked at yet' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN true;
  END $$;

  CREATE POLICY directory_holds ON invocations FOR UPDATE TO service_directory USING (true) WITH CHECK (true);
  GRANT SELECT (timeline, refusal_code), UPDATE (timeline) ON invocations TO service_directory;
  GRANT SELECT (claimed_at) ON attempts TO service_directory;
  GRANT SELECT (invocation_id) ON approvals TO service_directory;
`;

/** The index \`invocations_in_flight\` serves the first part, \`approvals_pending\` the second. */
const AT_WORK = `(SELECT f.id FROM invocations f WHERE f.status IN ('queued', 'dispatching')
        UNION ALL SELECT p.invocation_id FROM approvals p WHERE p.status = 'pending' AND p.invocation_id IS NOT NULL)`;

const OPEN = `
  -- Begins the epoch of this server, where it is not the last one, or where \`asked\` names a reason of its own. One process does: a second
  -- one waits, and finds it. \`nothing_lost\`: what is under way is taken over into the new timeline. Returns how the recovery began; null
  -- where no epoch did.
  CREATE FUNCTION open_database_epoch(asked text, nothing_lost boolean) RETURNS text
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE
    latest database_epochs;
    begun database_epochs;
    cluster bigint := (SELECT c.system_identifier FROM pg_control_system() c);
    why text;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('database epochs'));
    SELECT e.* INTO latest FROM database_epochs e ORDER BY e.id DESC LIMIT 1;
    why := CASE WHEN latest.system_identifier <> cluster THEN 'system_identifier'
      WHEN latest.timeline <> current_timeline() THEN 'timeline'
      -- Several processes may see the log behind at once.
      WHEN asked = 'log_position' AND latest.reason = 'log_position' AND latest.first_seen > clock_timestamp() - interval '1 minute' THEN NULL
      ELSE asked END;
    IF why IS NULL THEN RETURN NULL; END IF;
    INSERT INTO database_epochs (id, system_identifier, timeline, reason, recovery)
      VALUES (latest.id + 1, cluster, current_timeline(), why, CASE WHEN why = 'timeline' AND nothing_lost THEN 'note' ELSE 'open' END) RETURNING * INTO begun;
    IF begun.recovery = 'note' THEN
      UPDATE invocations i SET timeline = current_timeline() WHERE i.id IN ${AT_WORK} AND i.timeline = latest.timeline;
    ELSIF why <> 'timeline' THEN
      UPDATE invocations i SET timeline = 0 WHERE i.id IN ${AT_WORK};
    END IF;
    -- In every environment that has work which the recovery concerns.
    INSERT INTO raised_events (environment_id, type, snapshot)
      SELECT w.environment_id, 'database.recovered', jsonb_build_object('recovery', begun.recovery, 'reason', begun.reason,
        'timeline', begun.timeline, 'first_seen', begun.first_seen, 'invocations', w.n)
      FROM (SELECT i.environment_id, count(*) AS n FROM invocations i WHERE i.id IN ${AT_WORK} GROUP BY i.environment_id) w;
    RETURN begun.recovery;
  END $$;
`;

const RECOVERIES = `
  -- The newest epochs, newest first.
  CREATE FUNCTION read_recoveries() RETURNS TABLE (id integer, timeline integer, system_identifier text, reason text, recovery text,
      first_seen timestamptz, released_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT e.id, e.timeline, e.system_identifier::text, e.reason, e.recovery, e.first_seen, e.released_at
      FROM database_epochs e ORDER BY e.id DESC LIMIT 20;
    END;

  -- What recoveries have left: outcomes that are unknown because of one, work that is held and will be unknown, and what waits for people since
  -- before. Each is counted to \`most\`.
  CREATE FUNCTION count_recovered_work(most integer) RETURNS TABLE (unknown integer, held integer, waiting integer)
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT
        (SELECT count(*)::integer FROM (SELECT FROM invocations i WHERE i.status = 'unknown' AND i.refusal_code = 'database_recovered' LIMIT most) u),
        (SELECT count(*)::integer FROM (SELECT FROM invocations i WHERE i.status IN ('queued', 'dispatching') AND i.timeline <> current_timeline()
          AND NOT EXISTS (SELECT FROM attempts a WHERE a.invocation_id = i.id AND a.kind = 'dispatch' AND a.claimed_at IS NOT NULL) LIMIT most) h),
        (SELECT count(*)::integer FROM (SELECT FROM approvals p JOIN invocations i ON i.id = p.invocation_id
          WHERE p.status = 'pending' AND i.timeline <> current_timeline() LIMIT most) w);
    END;

  -- Ends every open recovery. Nothing that it holds is let go.
  CREATE FUNCTION release_recovery() RETURNS integer
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      WITH released AS (
        UPDATE database_epochs e SET recovery = 'released', released_at = now() WHERE e.recovery = 'open' RETURNING e.id)
      SELECT count(*)::integer FROM released;
    END;
`;
