import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';
import { CLAIM, SETTLE } from './lane-functions.ts';

export const name = '0026-lanes';

/**
 * Lanes of messages: what shares a cap. Each environment has one for its ordinary messages, which needs no row, and one for each
 * flow-control key, which has its limits here. The workspace's share is a cap above all of them.
 *
 * A message is in `lane_queue` from its acceptance to its end, and nowhere else: it is `ready` to be claimed, `taken` by a claimer for one
 * attempt, or waits for its time, which a workflow of its own (`timed`) or the pacer of the environment (`paced`) keeps. What Temporal did
 * not hand over within half a minute of its time is claimed without it. A claim is a lease: when it ends, its attempt is abandoned.
 *
 * The rate counts at the claim, which commits before the call, within a window of the lane. So no window dispatches more than the rate.
 *
 * Locks are taken in this order: the claims of the workspace, the lane's row, rows of the queue, the message. A claim passes over rows that
 * somebody else has locked, so whoever ends or cancels a message never waits for a claim that waits for them.
 *
 * A connection keeps its plans from a time when next to nothing waited, and a crowd may wait now. So the statements name the rows that they
 * mean as an array, and their functions forbid to read the whole table (test/db/flow-control/crowd.test.ts).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(LANES);
  await knex.raw(QUEUE);
  await knex.raw(PACED);
  await makeDirectoryFunctions(knex, DIRECTORY, ['find_due_lanes(text, integer)', 'deliveries_in_flight()']);
  await knex.raw(CLAIM);
  await knex.raw(SETTLE);
}

const LANES = `
  CREATE TABLE lanes (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200), -- the flow-control key
    rate integer CHECK (rate >= 1),                -- calls that one window dispatches; null: no limit
    period_seconds integer CHECK (period_seconds >= 1),
    parallelism integer CHECK (parallelism >= 1),  -- calls in flight at once; null: the installation's limit
    rate_pinned boolean NOT NULL DEFAULT false,    -- messages do not change rate and period
    parallelism_pinned boolean NOT NULL DEFAULT false,
    paused_at timestamptz(3),
    held_until timestamptz,                        -- a destination asked for it, with Retry-After
    window_started_at timestamptz,
    window_count integer NOT NULL DEFAULT 0 CHECK (window_count >= 0), -- dispatched in the window
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT lanes_name UNIQUE (environment_id, key),
    CHECK ((rate IS NULL) = (period_seconds IS NULL))
  );
  CREATE INDEX lanes_newest_first ON lanes (environment_id, created_at DESC, id DESC);
  CALL make_tenant_table('lanes', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (rate, period_seconds, parallelism, rate_pinned, parallelism_pinned, paused_at, held_until, window_started_at,
    window_count, updated_at) ON lanes TO service_app;
`;

const QUEUE = `
  CREATE TABLE lane_queue (
    message_id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    lane_id text COLLATE "C" CONSTRAINT lane_queue_lane REFERENCES lanes, -- null: the lane of the environment
    state text NOT NULL CHECK (state IN ('ready', 'taken', 'timed', 'paced')),
    due_at timestamptz NOT NULL,
    ignores_halt boolean NOT NULL DEFAULT false,   -- an alert tells people of what needs them, the halt included
    has_workflow boolean NOT NULL DEFAULT false,   -- a workflow keeps its time, and is told of its end
    claim text,                                    -- who took it
    lease_until timestamptz,
    CHECK ((state = 'taken') = (claim IS NOT NULL)),
    CHECK ((state = 'taken') = (lease_until IS NOT NULL))
    -- A row lives for one message, and each message leaves some dead ones. Autovacuum would let a fifth of the largest queue pile up first.
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
  -- PostgreSQL reads no index in order behind a column that is only compared with null: queries name lane_id in their order too.
  CREATE INDEX lane_queue_waiting ON lane_queue (environment_id, lane_id, due_at, message_id) WHERE state <> 'taken';
  CREATE INDEX lane_queue_ready ON lane_queue (environment_id, lane_id, due_at) WHERE state = 'ready';
  CREATE INDEX lane_queue_timed ON lane_queue (environment_id, state, due_at, message_id) WHERE state IN ('timed', 'paced');
  CREATE INDEX lane_queue_in_flight ON lane_queue (workspace_id) WHERE state = 'taken';
  CREATE INDEX lane_queue_of_lane ON lane_queue (lane_id, state) WHERE lane_id IS NOT NULL; -- in flight; the deletion of a lane looks for any
  CREATE INDEX lane_queue_alerts ON lane_queue (environment_id, due_at, message_id) WHERE ignores_halt;
  CREATE INDEX lane_queue_leases ON lane_queue (environment_id, lease_until) WHERE state = 'taken';
  CALL make_tenant_table('lane_queue', 'SELECT, INSERT, DELETE');
  ALTER POLICY tenant ON lane_queue USING ((environment_id = current_environment_id()) IS TRUE)
    WITH CHECK ((environment_id = current_environment_id()) IS TRUE); -- as of messages: rows are found by their key
  GRANT UPDATE (state, due_at, has_workflow, claim, lease_until) ON lane_queue TO service_app;
`;

/**
 * What is due later. The first scheduled messages of an environment have a workflow each, which keeps their time. The others are `paced`:
 * rows that wait without one, until the environment's pacer (`paceMessages`) hands them over. Thousands of workflows that are started for
 * tomorrow would stand in the queue of what is due today.
 *
 * A message that is due later is accepted as paced. Who accepted it asks after the commit which of the first have a workflow
 * (`pace_messages`), so what a crash leaves is under the pacer. `looks_at` says when that pacer looks next, so that it is told only of
 * what is due earlier.
 */
const PACED = `
  CREATE TABLE lane_pacers (
    environment_id uuid PRIMARY KEY REFERENCES environments,
    looks_at timestamptz             -- null: nothing waits under it
  );
  CALL make_tenant_table('lane_pacers', 'SELECT, INSERT');
  GRANT UPDATE (looks_at) ON lane_pacers TO service_app;

  -- Whoever counts, looks or changes when the pacer looks holds it until the commit: the next one sees every row.
  CREATE FUNCTION lock_lane_pacer() RETURNS void LANGUAGE sql
    RETURN pg_advisory_xact_lock(hashtextextended('lane-pacer/' || current_environment_id(), 0));

  CREATE FUNCTION first_paced_message() RETURNS timestamptz LANGUAGE sql STABLE
    RETURN (SELECT q.due_at FROM lane_queue q WHERE q.environment_id = current_environment_id() AND q.state = 'paced'
      ORDER BY q.due_at LIMIT 1);

  CREATE FUNCTION note_pacer_look(at timestamptz) RETURNS void LANGUAGE sql
    BEGIN ATOMIC
      INSERT INTO lane_pacers AS p (environment_id, looks_at) VALUES (current_environment_id(), at)
        ON CONFLICT (environment_id) DO UPDATE SET looks_at = at WHERE p.looks_at IS DISTINCT FROM at;
    END;

  -- Lets as many of these messages have a workflow of their own as the environment has room for, and returns all of them that have one.
  -- \`paces\`: nobody looks by the time at which the first of the others is due, so the caller starts or tells the pacer.
  CREATE FUNCTION pace_messages(ids text[], own_max integer) RETURNS TABLE (starting text[], paces boolean) LANGUAGE plpgsql AS $$
  DECLARE
    at timestamptz := clock_timestamp();
    own integer;
    head timestamptz;
    looks timestamptz;
    -- A pacer that is this late is gone.
    overdue constant interval := interval '5 seconds';
  BEGIN
    paces := false;
    starting := '{}';
    IF NOT EXISTS (SELECT FROM lane_queue q WHERE q.message_id = ANY (ids) AND q.state IN ('timed', 'paced')) THEN
      RETURN NEXT;
      RETURN;
    END IF;
    PERFORM lock_lane_pacer();
    SELECT count(*) INTO own FROM (SELECT FROM lane_queue q
      WHERE q.environment_id = current_environment_id() AND q.state = 'timed' LIMIT own_max) o;
    IF own < own_max THEN
      UPDATE lane_queue q SET state = 'timed', has_workflow = true FROM (
          SELECT w.id FROM unnest(ids) WITH ORDINALITY AS w (id, place) JOIN lane_queue p ON p.message_id = w.id
          WHERE p.state = 'paced' ORDER BY w.place LIMIT own_max - own) given
        WHERE q.message_id = given.id AND q.state = 'paced';
    END IF;
    SELECT COALESCE(array_agg(w.id ORDER BY w.place), '{}') INTO starting
      FROM unnest(ids) WITH ORDINALITY AS w (id, place) JOIN lane_queue q ON q.message_id = w.id WHERE q.state = 'timed';
    head := first_paced_message();
    IF head IS NOT NULL THEN
      SELECT p.looks_at INTO looks FROM lane_pacers p WHERE p.environment_id = current_environment_id();
      IF looks IS NULL OR head < looks OR looks < at - overdue THEN
        PERFORM note_pacer_look(head);
        paces := true;
      END IF;
    END IF;
    RETURN NEXT;
  END $$;

  -- The pacer's look: makes up to \`most\` messages ready that are due, in the order of their due times. Returns how many, and the
  -- milliseconds until the next is due: 0 where more are due, null where none waits.
  CREATE FUNCTION hand_over_paced_messages(most integer) RETURNS TABLE (handed integer, next_in_ms double precision) LANGUAGE plpgsql AS $$
  DECLARE
    at timestamptz;
    head timestamptz;
  BEGIN
    PERFORM lock_lane_pacer();
    at := clock_timestamp();
    WITH due AS MATERIALIZED (
        SELECT q.message_id FROM lane_queue q
        WHERE q.environment_id = current_environment_id() AND q.state = 'paced' AND q.due_at <= at
        ORDER BY q.due_at, q.message_id LIMIT most FOR UPDATE SKIP LOCKED),
      made_ready AS (UPDATE lane_queue q SET state = 'ready' FROM due d WHERE q.message_id = d.message_id RETURNING q.message_id),
      pending AS (
        UPDATE messages m SET status = 'pending', updated_at = now() FROM made_ready r WHERE m.id = r.message_id AND m.status = 'scheduled')
      SELECT count(*) INTO handed FROM made_ready;
    head := first_paced_message();
    PERFORM note_pacer_look(head);
    next_in_ms := CASE WHEN head IS NOT NULL THEN GREATEST(0, ceil(extract(epoch FROM head - at) * 1000)) END;
    RETURN NEXT;
  END $$;

  -- For the workflow of a message: makes it ready when its time has come. \`state\` is null once the message has ended.
  CREATE FUNCTION hand_over_message(of_message text) RETURNS TABLE (status text, state text, due_in_ms double precision, is_ready boolean)
    LANGUAGE plpgsql ROWS 1 AS $$
  #variable_conflict use_column
  DECLARE
    at timestamptz;
    due timestamptz;
  BEGIN
    is_ready := false;
    SELECT q.state, q.due_at INTO state, due FROM lane_queue q WHERE q.message_id = of_message FOR UPDATE;
    at := clock_timestamp();
    IF state IN ('timed', 'paced') AND due <= at THEN
      UPDATE lane_queue q SET state = 'ready', has_workflow = true WHERE q.message_id = of_message;
      UPDATE messages m SET status = 'pending', updated_at = now() WHERE m.id = of_message AND m.status = 'scheduled';
      state := 'ready';
      is_ready := true;
    ELSIF state = 'paced' THEN
      UPDATE lane_queue q SET state = 'timed', has_workflow = true WHERE q.message_id = of_message;
      state := 'timed';
    END IF;
    due_in_ms := GREATEST(0, ceil(extract(epoch FROM due - at) * 1000));
    SELECT m.status INTO status FROM messages m WHERE m.id = of_message;
    IF status IS NULL THEN RETURN; END IF;
    RETURN NEXT;
  END $$;
`;

const DIRECTORY = `
  CREATE POLICY directory ON lane_queue FOR SELECT TO service_directory USING (true);
  GRANT SELECT (message_id, environment_id, workspace_id, lane_id, state, due_at, ignores_halt, lease_until) ON lane_queue TO service_directory;
  GRANT SELECT (halted_at) ON environments TO service_directory;

  -- The deliveries of the workspace in flight, in all of its environments.
  CREATE FUNCTION deliveries_in_flight() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    RETURN (SELECT count(*) FROM lane_queue q WHERE q.workspace_id = current_workspace_id() AND q.state = 'taken');

  -- Environments with a message that may be claimed, or whose lease has ended (\`is_lost\`). It walks from environment to environment, and
  -- reads no row behind the first of each. What a limit holds back is for the claim to find out.
  CREATE FUNCTION find_due_lanes(after_id text, most integer)
    RETURNS TABLE (environment_id uuid, workspace_id uuid, is_lost boolean, is_late boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan TO off SET enable_sort TO off
    BEGIN ATOMIC
      WITH RECURSIVE ready (id) AS (
          (SELECT q.environment_id FROM lane_queue q WHERE q.state = 'ready' ORDER BY q.environment_id LIMIT 1)
          UNION ALL
          SELECT (SELECT q.environment_id FROM lane_queue q WHERE q.state = 'ready' AND q.environment_id > w.id ORDER BY q.environment_id LIMIT 1)
          FROM ready w WHERE w.id IS NOT NULL),
        timed (id) AS (
          (SELECT q.environment_id FROM lane_queue q WHERE q.state IN ('timed', 'paced') ORDER BY q.environment_id LIMIT 1)
          UNION ALL
          SELECT (SELECT q.environment_id FROM lane_queue q WHERE q.state IN ('timed', 'paced') AND q.environment_id > w.id
            ORDER BY q.environment_id LIMIT 1)
          FROM timed w WHERE w.id IS NOT NULL),
        taken (id) AS (
          (SELECT q.environment_id FROM lane_queue q WHERE q.state = 'taken' ORDER BY q.environment_id LIMIT 1)
          UNION ALL
          SELECT (SELECT q.environment_id FROM lane_queue q WHERE q.state = 'taken' AND q.environment_id > w.id ORDER BY q.environment_id LIMIT 1)
          FROM taken w WHERE w.id IS NOT NULL),
        found AS (
          SELECT w.id, false AS is_lost, false AS is_late FROM ready w
          WHERE EXISTS (SELECT FROM lane_queue q WHERE q.environment_id = w.id AND q.state = 'ready' AND q.due_at <= clock_timestamp())
          UNION ALL
          SELECT w.id, false, true FROM timed w CROSS JOIN (VALUES ('timed'), ('paced')) s (state)
          WHERE EXISTS (SELECT FROM lane_queue q WHERE q.environment_id = w.id AND q.state IN ('timed', 'paced') AND q.state = s.state
            AND q.due_at <= clock_timestamp() - interval '30 seconds')
          UNION ALL
          SELECT w.id, true, false FROM taken w
          WHERE EXISTS (SELECT FROM lane_queue q WHERE q.environment_id = w.id AND q.state = 'taken' AND q.lease_until <= clock_timestamp()))
      SELECT e.id, e.workspace_id, bool_or(f.is_lost), bool_or(f.is_late) FROM found f JOIN environments e ON e.id = f.id
      WHERE (e.halted_at IS NULL OR f.is_lost
          OR EXISTS (SELECT FROM lane_queue q
            WHERE q.environment_id = e.id AND q.ignores_halt AND q.state <> 'taken' AND q.due_at <= clock_timestamp()))
        AND (after_id = '' OR e.id > NULLIF(after_id, '')::uuid)
      GROUP BY e.id, e.workspace_id ORDER BY e.id LIMIT most;
    END;
`;
