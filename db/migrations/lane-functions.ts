/**
 * Functions of 0026-lanes: the claim of due messages, and the end of their attempts.
 *
 * Their plans go by the keys of the rows, whatever is known of the tables. A connection plans a statement once, and the statistics of a table
 * that has just begun to grow say that it is empty: its indexes and a sequential scan then look equally cheap. Joins name the ids once more, as
 * an array, so that they do not begin with the larger table.
 */
const BY_KEYS = `SET enable_seqscan TO off SET enable_bitmapscan TO off SET enable_hashjoin TO off SET enable_mergejoin TO off SET enable_sort TO off`;

/**
 * Claims up to \`most\` messages of the environment that may be sent now: each is taken, and its attempt is on record, when the caller
 * commits. One claim of a workspace runs at a time, so that two never both take its last place.
 *
 * Keyed lanes come first, in turn from behind \`after_lane\`, a few messages of each and together at most half of the claim where ordinary
 * messages wait too; these take the rest. An odd place goes to either by chance: where places come free one by one, each has its turns.
 *
 * The last row has no message. It says behind which lane the next claim begins, whether messages are left that only a limit holds back, or
 * that this claim had no room for, and when time alone may let the next one through.
 */
export const CLAIM = `
  CREATE FUNCTION claim_messages(most integer, share integer, in_flight_max integer, of_claim text, worker text, lease interval, after_lane text)
    RETURNS TABLE (number integer, lost integer, message messages, content message_contents, last_lane text, is_left boolean,
      is_more boolean, next_in_ms double precision)
    LANGUAGE plpgsql ROWS 20 ${BY_KEYS} AS $$
  #variable_conflict use_column
  DECLARE
    of_environment constant uuid := current_environment_id();
    at timestamptz;
    free integer;
    is_halted boolean;
    ids text[] := '{}';
    taken text[];
    lane record;
    took record;
    for_keys integer;
    head timestamptz;
    next_at timestamptz;
    behind text := after_lane;
    left_over boolean := false;
    more boolean := false;
    -- What Temporal has not handed over by then is claimed without it.
    late constant interval := interval '30 seconds';
    -- Messages of one keyed lane in one claim.
    turn constant integer := 20;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('lane/delivery/' || current_workspace_id(), 0));
    SELECT h.halted_at IS NOT NULL INTO is_halted FROM read_halt() h;
    at := clock_timestamp();
    free := LEAST(most, share - deliveries_in_flight());
    IF free > 0 THEN
      IF NOT is_halted AND EXISTS (SELECT FROM lane_queue q WHERE q.environment_id = of_environment AND q.lane_id > '' AND q.state <> 'taken') THEN
        for_keys := CASE WHEN EXISTS (SELECT FROM lane_queue q WHERE q.environment_id = of_environment AND q.lane_id IS NULL
            AND q.state <> 'taken' AND q.due_at <= at AND (q.state = 'ready' OR q.due_at <= at - late))
          THEN (free + (random() < 0.5)::integer) / 2 ELSE free END;
        FOR lane IN
          SELECT w.* FROM waiting_lanes(after_lane, NULL) w UNION ALL SELECT w.* FROM waiting_lanes('', after_lane) w
        LOOP
          IF cardinality(ids) >= for_keys THEN
            left_over := true;
            EXIT;
          END IF;
          IF lane.opens_at > at THEN
            next_at := LEAST(next_at, lane.opens_at);
            CONTINUE;
          END IF;
          SELECT * INTO STRICT took
            FROM take_from_lane(lane.id, LEAST(turn, for_keys - cardinality(ids)), in_flight_max, of_claim, at + lease);
          ids := ids || took.taken;
          behind := lane.id;
          left_over := left_over OR took.is_left;
          more := more OR took.is_more;
          next_at := LEAST(next_at, took.next_at);
        END LOOP;
      END IF;
      taken := CASE WHEN is_halted THEN ARRAY(
          SELECT q.message_id FROM lane_queue q
          WHERE q.environment_id = of_environment AND q.ignores_halt AND q.state <> 'taken' AND q.due_at <= at
            AND (q.state = 'ready' OR q.due_at <= at - late)
          ORDER BY q.due_at, q.message_id LIMIT free FOR UPDATE SKIP LOCKED)
        ELSE ARRAY(
          SELECT q.message_id FROM lane_queue q
          WHERE q.environment_id = of_environment AND q.lane_id IS NULL AND q.state <> 'taken' AND q.due_at <= at
            AND (q.state = 'ready' OR q.due_at <= at - late)
          ORDER BY q.lane_id, q.due_at, q.message_id LIMIT free - cardinality(ids) FOR UPDATE SKIP LOCKED) END;
      UPDATE lane_queue q SET state = 'taken', claim = of_claim, lease_until = at + lease WHERE q.message_id = ANY (taken);
      ids := ids || taken;
    ELSE
      left_over := true; -- others of the workspace are in flight
    END IF;
    IF NOT is_halted THEN head := lane_head(NULL, at - late); END IF;
    IF head <= at THEN left_over := true; ELSE next_at := LEAST(next_at, head); END IF;
    IF cardinality(ids) > 0 THEN
      RETURN QUERY WITH begun AS (
          UPDATE messages m SET status = 'processing', attempts = m.attempts + 1, updated_at = now()
          WHERE m.id = ANY (ids) RETURNING m.*),
        added AS (
          INSERT INTO message_attempts (message_id, number, environment_id, target, worker, subscription_id)
          SELECT b.id, b.attempts, of_environment, url_target(b.url), worker, b.subscription_id FROM begun b)
        SELECT b.attempts,
          CASE WHEN b.attempts > 1 THEN (SELECT count(*)::integer FROM message_attempts l WHERE l.message_id = b.id AND l.status = 'abandoned') ELSE 0 END,
          ROW(b.*)::messages, c, NULL::text, NULL::boolean, NULL::boolean, NULL::double precision
        FROM begun b LEFT JOIN message_contents c ON c.message_id = b.id;
    END IF;
    RETURN QUERY SELECT NULL::integer, NULL::integer, NULL::messages, NULL::message_contents, behind, left_over, more, ceil(extract(epoch FROM next_at - at) * 1000)::double precision;
  END $$;

  -- The keyed lanes of the environment in which a message waits and that are not paused: those behind one, as far as another, which is the
  -- last of them. Nothing can be taken of a lane before \`opens_at\`. Rows are read one by one, as the claim asks for them.
  CREATE FUNCTION waiting_lanes(behind_id text, last_id text) RETURNS TABLE (id text, opens_at timestamptz) LANGUAGE sql STABLE
    BEGIN ATOMIC
      WITH RECURSIVE walk (id, due_at) AS (
        (SELECT q.lane_id, q.due_at FROM lane_queue q
          WHERE q.environment_id = current_environment_id() AND q.lane_id > behind_id AND q.state <> 'taken' ORDER BY q.lane_id, q.due_at LIMIT 1)
        UNION ALL
        SELECT n.lane_id, n.due_at FROM walk w CROSS JOIN LATERAL (SELECT q.lane_id, q.due_at FROM lane_queue q
          WHERE q.environment_id = current_environment_id() AND q.lane_id > w.id AND q.state <> 'taken' ORDER BY q.lane_id, q.due_at LIMIT 1) n
        WHERE last_id IS NULL OR w.id < last_id)
      SELECT w.id, GREATEST(w.due_at, l.held_until,
        CASE WHEN l.window_count >= l.rate THEN l.window_started_at + make_interval(secs => l.period_seconds) END)
      FROM walk w CROSS JOIN LATERAL (SELECT * FROM lanes k WHERE k.id = w.id LIMIT 1) l
      WHERE l.paused_at IS NULL AND (last_id IS NULL OR w.id <= last_id);
    END;

  -- When the first message of a lane is due that a claim may take: of those that are ready, or else of those that were due by \`late_at\`.
  -- Each finds its row at once, however many wait for their time beside it. Null for the lane of the environment, which is named in the
  -- order too: PostgreSQL reads no index in order behind a column that is only compared with null.
  CREATE FUNCTION lane_head(of_lane text, late_at timestamptz) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
  DECLARE
    head timestamptz;
  BEGIN
    IF of_lane IS NULL THEN
      SELECT q.due_at INTO head FROM lane_queue q
        WHERE q.environment_id = current_environment_id() AND q.lane_id IS NULL AND q.state = 'ready'
        ORDER BY q.lane_id, q.due_at LIMIT 1;
      IF head IS NULL THEN
        SELECT q.due_at INTO head FROM lane_queue q
          WHERE q.environment_id = current_environment_id() AND q.lane_id IS NULL AND q.state <> 'taken' AND q.due_at <= late_at
          ORDER BY q.lane_id, q.due_at LIMIT 1;
      END IF;
    ELSE
      SELECT q.due_at INTO head FROM lane_queue q
        WHERE q.environment_id = current_environment_id() AND q.lane_id = of_lane AND q.state = 'ready' ORDER BY q.due_at LIMIT 1;
      IF head IS NULL THEN
        SELECT q.due_at INTO head FROM lane_queue q
          WHERE q.environment_id = current_environment_id() AND q.lane_id = of_lane AND q.state <> 'taken' AND q.due_at <= late_at
          ORDER BY q.due_at LIMIT 1;
      END IF;
    END IF;
    RETURN head;
  END $$;

  -- Takes what a keyed lane may send now, in the order of the due times. Somebody who changes the lane at this moment has it: the next
  -- claim looks again. \`next_at\`: when time alone may let more through; \`is_left\`: only a free slot, or the next claim, does;
  -- \`is_more\`: the next claim does.
  CREATE FUNCTION take_from_lane(of_lane text, most integer, in_flight_max integer, of_claim text, until timestamptz)
    RETURNS TABLE (taken text[], next_at timestamptz, is_left boolean, is_more boolean) LANGUAGE plpgsql ROWS 1 AS $$
  DECLARE
    k lanes;
    at timestamptz;
    slots integer;                     -- by parallelism
    calls integer := 2147483647;       -- by rate, within the present window
    head timestamptz;
    late constant interval := interval '30 seconds';
  BEGIN
    taken := '{}';
    is_left := false;
    is_more := false;
    SELECT * INTO k FROM lanes l WHERE l.id = of_lane FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      is_left := true;
      RETURN NEXT;
      RETURN;
    END IF;
    at := clock_timestamp();
    IF k.paused_at IS NOT NULL THEN
      RETURN NEXT;
      RETURN;
    END IF;
    SELECT COALESCE(k.parallelism, in_flight_max) - count(*) INTO slots FROM lane_queue q WHERE q.lane_id = of_lane AND q.state = 'taken';
    IF k.rate IS NOT NULL THEN
      IF COALESCE(k.window_started_at + make_interval(secs => k.period_seconds) <= at, true) THEN
        k.window_started_at := at;
        k.window_count := 0;
      END IF;
      calls := k.rate - k.window_count;
    END IF;
    IF COALESCE(k.held_until <= at, true) AND LEAST(slots, calls) > 0 THEN
      WITH next AS MATERIALIZED (
          SELECT q.message_id FROM lane_queue q
          WHERE q.environment_id = k.environment_id AND q.lane_id = of_lane AND q.state <> 'taken' AND q.due_at <= at
            AND (q.state = 'ready' OR q.due_at <= at - late)
          ORDER BY q.due_at, q.message_id LIMIT LEAST(most, slots, calls) FOR UPDATE SKIP LOCKED),
        leased AS (
          UPDATE lane_queue q SET state = 'taken', claim = of_claim, lease_until = until
          WHERE q.message_id = ANY (ARRAY(SELECT n.message_id FROM next n)) RETURNING q.message_id)
        SELECT COALESCE(array_agg(l.message_id), '{}') INTO taken FROM leased l;
      slots := slots - cardinality(taken);
      calls := calls - cardinality(taken);
      IF k.rate IS NOT NULL AND cardinality(taken) > 0 THEN
        UPDATE lanes l SET window_started_at = k.window_started_at, window_count = k.window_count + cardinality(taken) WHERE l.id = of_lane;
      END IF;
    END IF;
    head := lane_head(of_lane, at - late);
    IF head IS NOT NULL THEN
      next_at := GREATEST(head, k.held_until, CASE WHEN calls <= 0 THEN k.window_started_at + make_interval(secs => k.period_seconds) END);
      is_left := next_at <= at;
      -- Where nothing was taken, somebody has locked what is due.
      is_more := is_left AND slots > 0 AND calls > 0 AND cardinality(taken) > 0;
      IF is_left THEN next_at := NULL; END IF;
    END IF;
    RETURN NEXT;
  END $$;
`;

/**
 * Ends attempts, many at once, each with its outcome: the message is delivered, failed, or waits for its next attempt. An attempt that was
 * closed before (its lease had ended) changes nothing and is not answered. A message that fails becomes a dead letter, but for the delivery of
 * an event: its subscription is recovered (docs/dead-letters.md, "What").
 *
 * A member of \`results\`: id, number, status (of the attempt), response_status, response_headers, response_body (hexadecimal), failure, error,
 * address, latency_ms, outcome (delivered, failed, retry), delay_ms, is_again (the attempt was lost: it is made again without a workflow), reason.
 */
export const SETTLE = `
  CREATE TYPE attempt_result AS (id text, number integer, status text, response_status integer, response_headers jsonb, response_body bytea,
    failure text, error text, address text, latency_ms integer, outcome text, delay_ms bigint, is_again boolean, reason text);

  CREATE FUNCTION settle_attempts(results jsonb) RETURNS TABLE (message_id text, has_workflow boolean) LANGUAGE plpgsql ROWS 20
    ${BY_KEYS} AS $$
  #variable_conflict use_column
  DECLARE
    given attempt_result[];
    ids text[];
    closed text[];
  BEGIN
    SELECT array_agg(r), array_agg(r.id) INTO given, ids FROM jsonb_populate_recordset(NULL::attempt_result, results) r;
    PERFORM FROM lane_queue q WHERE q.message_id = ANY (ids) ORDER BY q.message_id FOR UPDATE;
    WITH ended AS (
        UPDATE message_attempts a SET status = g.status, response_status = g.response_status, response_headers = g.response_headers,
          response_body = g.response_body, failure = g.failure, error = g.error, address = g.address, latency_ms = g.latency_ms,
          finished_at = now()
        FROM unnest(given) g
        WHERE a.message_id = ANY (ids) AND a.message_id = g.id AND a.number = g.number AND a.status = 'started' RETURNING a.message_id)
      SELECT COALESCE(array_agg(e.message_id), '{}') INTO closed FROM ended e;
    UPDATE messages m SET response_status = g.response_status, error_message = g.error, updated_at = now(),
        status = CASE WHEN g.outcome = 'retry' THEN m.status ELSE g.outcome END,
        delivered_at = CASE WHEN g.outcome = 'delivered' THEN now() END,
        failed_at = CASE WHEN g.outcome = 'failed' THEN now() END,
        next_attempt_at = CASE WHEN g.outcome = 'retry' THEN clock_timestamp() + g.delay_ms * interval '1 millisecond' ELSE m.next_attempt_at END
      FROM unnest(given) g WHERE m.id = g.id AND m.id = ANY (closed);
    RETURN QUERY DELETE FROM lane_queue q USING unnest(given) g
      WHERE q.message_id = ANY (closed) AND q.message_id = g.id AND g.outcome <> 'retry' RETURNING q.message_id, q.has_workflow;
    IF EXISTS (SELECT FROM unnest(given) g WHERE g.outcome = 'failed') THEN
      INSERT INTO dead_letters (message_id, environment_id, retention, reason, url, url_group_id, schedule_id, response_status, label,
          last_attempt_at, failed_at)
        SELECT m.id, m.environment_id, m.retention, g.reason, m.url, m.url_group_id, m.schedule_id, m.response_status, m.label,
          (SELECT a.started_at FROM message_attempts a WHERE a.message_id = m.id ORDER BY a.number DESC LIMIT 1), m.failed_at
        FROM unnest(given) g JOIN messages m ON m.id = g.id
        WHERE g.outcome = 'failed' AND m.id = ANY (closed) AND m.kind <> 'event';
    END IF;
    IF EXISTS (SELECT FROM unnest(given) g WHERE g.outcome = 'retry') THEN
      RETURN QUERY UPDATE lane_queue q SET state = CASE WHEN g.is_again THEN 'ready' ELSE 'timed' END, claim = NULL, lease_until = NULL,
          due_at = m.next_attempt_at, has_workflow = q.has_workflow OR NOT g.is_again
        FROM unnest(given) g JOIN messages m ON m.id = g.id
        WHERE q.message_id = ANY (closed) AND q.message_id = g.id AND g.outcome = 'retry' RETURNING q.message_id, q.has_workflow;
    END IF;
  END $$;
`;
