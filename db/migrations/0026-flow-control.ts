import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0026-flow-control';

/**
 * Flow-control keys, and the queue of their messages. A message of a key has a row in `flow_control_queue` from its acceptance to
 * its end, and no open workflow unless the row is granted.
 *
 * A granted row is a lease. `granted_at` reserves a slot for the message, `dispatched_at` says that its call counts, `lease_until`
 * when the slot counts as free because the holder is taken for dead. Whoever may change what is free takes the advisory lock of the
 * key and holds it until its commit, so that the next one sees every row. An advisory lock, and not a lock of the key's row:
 * a look that grants nothing, which is what most publishers do at a busy key, then writes nothing and waits for no disk.
 *
 * The rate counts at the dispatch, within a window of the key. A grant that was not dispatched yet takes part of the rate in
 * whichever window it is dispatched. So no window dispatches more than the rate, however long a granted message waits for a worker.
 *
 * Locks are taken in this order: the message, the workspace's permit, the key, rows of the queue, the key's row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(TABLES);
  await knex.raw(GRANT);
  await knex.raw(CLAIM);
  await knex.raw(RELEASE);
  await makeDirectoryFunctions(knex, DIRECTORY, [
    'find_waiting_flow_control_keys(interval, text, integer)',
    'find_lost_flow_control_leases(interval, text, integer)',
  ]);
}

const TABLES = `
  CREATE TABLE flow_control_keys (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 200),
    rate integer CHECK (rate >= 1),                -- calls that one window dispatches; null: no limit
    period_seconds integer CHECK (period_seconds >= 1),
    parallelism integer CHECK (parallelism >= 1),  -- calls in flight at once; null: the installation's limit
    rate_pinned boolean NOT NULL DEFAULT false,    -- messages do not change rate and period
    parallelism_pinned boolean NOT NULL DEFAULT false,
    paused_at timestamptz(3),
    held_until timestamptz,                        -- a destination asked for it, with Retry-After
    window_started_at timestamptz,
    window_count integer NOT NULL DEFAULT 0 CHECK (window_count >= 0), -- dispatched in the window
    next_grant_at timestamptz,                     -- when the key's pacer looks next; null: no pacer is needed
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT flow_control_keys_name UNIQUE (environment_id, key),
    CHECK ((rate IS NULL) = (period_seconds IS NULL))
  );
  CREATE INDEX flow_control_keys_newest_first ON flow_control_keys (environment_id, created_at DESC, id DESC);
  CALL make_tenant_table('flow_control_keys', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (rate, period_seconds, parallelism, rate_pinned, parallelism_pinned, paused_at, held_until, window_started_at,
    window_count, next_grant_at, updated_at) ON flow_control_keys TO service_app;

  CREATE TABLE flow_control_queue (
    message_id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    key_id text COLLATE "C" NOT NULL CONSTRAINT flow_control_queue_key REFERENCES flow_control_keys,
    due_at timestamptz NOT NULL,
    granted_at timestamptz,
    dispatched_at timestamptz,
    lease_until timestamptz,
    CHECK ((granted_at IS NULL) = (lease_until IS NULL)),
    CHECK (dispatched_at IS NULL OR granted_at IS NOT NULL)
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
  CREATE INDEX flow_control_queue_waiting ON flow_control_queue (key_id, due_at, message_id) WHERE granted_at IS NULL;
  CREATE INDEX flow_control_queue_of_key ON flow_control_queue (key_id); -- the deletion of a key looks for all of its messages
  CREATE INDEX flow_control_queue_granted ON flow_control_queue (key_id, message_id) WHERE granted_at IS NOT NULL;
  CALL make_tenant_table('flow_control_queue', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (due_at, granted_at, dispatched_at, lease_until) ON flow_control_queue TO service_app;
`;

/**
 * Grants up to \`most\` due messages of a key, in the order of their due time. \`paces\`: nobody looks at the key by the time when
 * something may be granted, so the caller starts or signals its pacer. \`next_in_ms\`: until that time; null where only a finish, a
 * resumption or a newcomer can change something.
 */
const GRANT = `
  CREATE FUNCTION lock_flow_control_key(the_key text) RETURNS void LANGUAGE sql
    RETURN pg_advisory_xact_lock(hashtextextended('flow-control/' || the_key, 0));

  CREATE FUNCTION grant_flow_control(the_key text, most integer, in_flight_max integer, lease interval, is_pacer boolean)
    RETURNS TABLE (granted text[], paces boolean, next_in_ms double precision) LANGUAGE plpgsql AS $$
  DECLARE
    k flow_control_keys;
    at timestamptz;
    free integer;                      -- slots by parallelism
    rate_left integer := 2147483647;   -- calls by rate, within the present window
    undispatched integer;
    is_new_window boolean := false;
    count_granted integer;
    head timestamptz;
    next_at timestamptz;
    -- A pacer that is this late is gone.
    overdue constant interval := interval '5 seconds';
  BEGIN
    granted := '{}';
    paces := false;
    PERFORM lock_flow_control_key(the_key);
    SELECT * INTO k FROM flow_control_keys f WHERE f.id = the_key;
    at := clock_timestamp();
    -- Nobody took these up in time. Nothing was sent, so they wait again, in their old order.
    UPDATE flow_control_queue q SET granted_at = NULL, lease_until = NULL FROM (
        SELECT o.message_id FROM flow_control_queue o
        WHERE o.key_id = the_key AND o.granted_at IS NOT NULL AND o.dispatched_at IS NULL AND o.lease_until <= at
        FOR UPDATE SKIP LOCKED) old
      WHERE q.message_id = old.message_id;
    IF k.id IS NOT NULL AND k.paused_at IS NULL
       AND NOT EXISTS (SELECT FROM environments e WHERE e.id = k.environment_id AND e.halted_at IS NOT NULL) THEN
      SELECT COALESCE(k.parallelism, in_flight_max) - count(*) FILTER (WHERE q.dispatched_at IS NULL OR q.lease_until > at),
          count(*) FILTER (WHERE q.dispatched_at IS NULL)
        INTO free, undispatched FROM flow_control_queue q WHERE q.key_id = the_key AND q.granted_at IS NOT NULL;
      IF k.rate IS NOT NULL THEN
        is_new_window := COALESCE(k.window_started_at + make_interval(secs => k.period_seconds) <= at, true);
        IF is_new_window THEN
          k.window_started_at := at;
          k.window_count := 0;
        END IF;
        rate_left := k.rate - k.window_count - undispatched;
      END IF;
      IF COALESCE(k.held_until <= at, true) AND LEAST(most, free, rate_left) > 0 THEN
        WITH next AS (
            SELECT q.message_id FROM flow_control_queue q WHERE q.key_id = the_key AND q.granted_at IS NULL AND q.due_at <= at
            ORDER BY q.due_at, q.message_id LIMIT LEAST(most, free, rate_left) FOR UPDATE SKIP LOCKED),
          leased AS (
            UPDATE flow_control_queue q SET granted_at = at, lease_until = at + lease FROM next
            WHERE q.message_id = next.message_id RETURNING q.message_id, q.due_at)
          SELECT COALESCE(array_agg(l.message_id ORDER BY l.due_at, l.message_id), '{}') INTO granted FROM leased l;
        count_granted := cardinality(granted);
        free := free - count_granted;
        IF k.rate IS NOT NULL THEN
          rate_left := rate_left - count_granted;
          IF is_new_window AND count_granted > 0 THEN
            UPDATE flow_control_keys f SET window_started_at = at, window_count = 0 WHERE f.id = the_key;
          END IF;
        END IF;
      END IF;
      SELECT q.due_at INTO head FROM flow_control_queue q WHERE q.key_id = the_key AND q.granted_at IS NULL
        ORDER BY q.due_at, q.message_id LIMIT 1;
      -- Without a free slot a finish grants; it also finds out when to look next.
      IF head IS NOT NULL AND free > 0 THEN
        next_at := GREATEST(at, head, k.held_until,
          CASE WHEN rate_left <= 0 THEN k.window_started_at + make_interval(secs => k.period_seconds) END);
      END IF;
    END IF;
    IF is_pacer THEN
      UPDATE flow_control_keys f SET next_grant_at = next_at WHERE f.id = the_key AND f.next_grant_at IS DISTINCT FROM next_at;
    ELSIF next_at IS NOT NULL
          AND (k.next_grant_at IS NULL OR next_at < k.next_grant_at OR k.next_grant_at < at - overdue) THEN
      UPDATE flow_control_keys f SET next_grant_at = next_at WHERE f.id = the_key;
      paces := true;
    END IF;
    next_in_ms := ceil(extract(epoch FROM next_at - at) * 1000);
    RETURN NEXT;
  END $$;
`;

/**
 * Claims the call of a granted message, in the transaction that starts its attempt. False: it is not to be sent now, because its
 * lease ended, or the key was paused or held since, or its rate lowered.
 */
const CLAIM = `
  CREATE FUNCTION claim_flow_control(the_message text, lease interval) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    the_key text;
    k flow_control_keys;
    at timestamptz;
    counts boolean := false;
  BEGIN
    SELECT q.key_id INTO the_key FROM flow_control_queue q WHERE q.message_id = the_message AND q.granted_at IS NOT NULL;
    IF NOT FOUND THEN RETURN false; END IF;
    SELECT * INTO STRICT k FROM flow_control_keys f WHERE f.id = the_key;
    -- Parallelism was counted when the slot was granted: a key without a rate needs no lock here.
    IF k.rate IS NOT NULL THEN
      PERFORM lock_flow_control_key(the_key);
      SELECT * INTO STRICT k FROM flow_control_keys f WHERE f.id = the_key;
    END IF;
    at := clock_timestamp();
    IF k.paused_at IS NOT NULL OR k.held_until > at THEN RETURN false; END IF;
    IF k.rate IS NOT NULL THEN
      counts := true;
      IF COALESCE(k.window_started_at + make_interval(secs => k.period_seconds) <= at, true) THEN
        k.window_started_at := at;
        k.window_count := 0;
      END IF;
      IF k.window_count >= k.rate THEN RETURN false; END IF;
    END IF;
    UPDATE flow_control_queue q SET dispatched_at = at, lease_until = at + lease
      WHERE q.message_id = the_message AND q.granted_at IS NOT NULL AND q.dispatched_at IS NULL AND q.lease_until > at;
    IF NOT FOUND THEN RETURN false; END IF;
    IF counts THEN
      UPDATE flow_control_keys f SET window_started_at = k.window_started_at, window_count = k.window_count + 1 WHERE f.id = the_key;
    END IF;
    RETURN true;
  END $$;
`;

/**
 * Releases what a message holds, and grants the next of its key. \`ended\`: it leaves the queue. \`retried\`: it waits again, until
 * \`again_in\` from now. \`returned\`: nothing was sent; it waits again where it was. \`hold\`: the key grants nothing for so long.
 * No row: the message is in no queue.
 */
const RELEASE = `
  CREATE FUNCTION release_flow_control(the_message text, how text, again_in interval, hold interval, most integer,
      in_flight_max integer, lease interval)
    RETURNS TABLE (key_id text, granted text[], paces boolean, next_in_ms double precision) LANGUAGE plpgsql AS $$
  DECLARE
    the_key text;
    at timestamptz;
  BEGIN
    SELECT q.key_id INTO the_key FROM flow_control_queue q WHERE q.message_id = the_message;
    IF NOT FOUND THEN RETURN; END IF;
    PERFORM lock_flow_control_key(the_key);
    at := clock_timestamp();
    CASE how
      WHEN 'ended' THEN DELETE FROM flow_control_queue q WHERE q.message_id = the_message;
      WHEN 'retried' THEN
        UPDATE flow_control_queue q SET due_at = at + again_in, granted_at = NULL, dispatched_at = NULL, lease_until = NULL
          WHERE q.message_id = the_message;
      WHEN 'returned' THEN
        UPDATE flow_control_queue q SET granted_at = NULL, dispatched_at = NULL, lease_until = NULL
          WHERE q.message_id = the_message AND q.granted_at IS NOT NULL;
    END CASE;
    IF hold IS NOT NULL THEN
      UPDATE flow_control_keys f SET held_until = GREATEST(f.held_until, at + hold) WHERE f.id = the_key;
    END IF;
    RETURN QUERY SELECT the_key, g.granted, g.paces, g.next_in_ms FROM grant_flow_control(the_key, most, in_flight_max, lease, false) g;
  END $$;
`;

const DIRECTORY = `
  CREATE POLICY directory ON flow_control_keys FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory ON flow_control_queue FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, environment_id, paused_at, held_until, next_grant_at) ON flow_control_keys TO service_directory;
  GRANT SELECT (message_id, environment_id, key_id, due_at, granted_at, dispatched_at, lease_until) ON flow_control_queue
    TO service_directory;

  -- Keys whose first message has been due for a while, and which no pacer is about to look at. It walks from key to key: it does
  -- not read the rows that wait behind the first.
  CREATE FUNCTION find_waiting_flow_control_keys(due_for interval, after_id text, most integer)
    RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      WITH RECURSIVE walk (key_id) AS (
        (SELECT q.key_id FROM flow_control_queue q WHERE q.granted_at IS NULL AND q.key_id > after_id ORDER BY q.key_id LIMIT 1)
        UNION ALL
        SELECT (SELECT q.key_id FROM flow_control_queue q WHERE q.granted_at IS NULL AND q.key_id > w.key_id ORDER BY q.key_id LIMIT 1)
        FROM walk w WHERE w.key_id IS NOT NULL)
      SELECT k.id, k.environment_id, e.workspace_id FROM walk w
        JOIN flow_control_keys k ON k.id = w.key_id JOIN environments e ON e.id = k.environment_id
      WHERE k.paused_at IS NULL AND (k.held_until IS NULL OR k.held_until < now() - due_for) AND e.halted_at IS NULL
        AND (k.next_grant_at IS NULL OR k.next_grant_at < now() - due_for)
        AND (SELECT q.due_at FROM flow_control_queue q WHERE q.key_id = k.id AND q.granted_at IS NULL
             ORDER BY q.due_at, q.message_id LIMIT 1) < now() - due_for
      ORDER BY k.id LIMIT most;
    END;

  -- Messages whose lease ended with nobody sending, and granted ones whose start was lost. One that waits for a permit of its
  -- workspace has a longer lease, and looks again before that ends.
  CREATE FUNCTION find_lost_flow_control_leases(older_than interval, after_id text, most integer)
    RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT q.message_id, q.environment_id, e.workspace_id FROM flow_control_queue q JOIN environments e ON e.id = q.environment_id
      WHERE q.granted_at IS NOT NULL AND q.message_id > after_id
        AND (q.lease_until < now()
          OR (q.dispatched_at IS NULL AND q.granted_at < now() - older_than AND q.lease_until < now() + interval '2 minutes'))
      ORDER BY q.message_id LIMIT most;
    END;
`;
