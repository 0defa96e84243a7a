/**
 * Tables and functions of 0018-messages for what is due later. The first scheduled messages of an environment have a workflow each, which
 * keeps their time. The others are `paced`: rows that wait without one, until the environment's pacer (`paceMessages`) hands them over.
 * Thousands of workflows that are started for tomorrow would stand in the queue of what is due today.
 *
 * A message without a flow-control key is accepted as paced. Who accepted it asks after the commit which of the first have a workflow
 * (`pace_messages`), so what a crash leaves is under the pacer. `looks_at` says when that pacer looks next, so that it is told only of
 * what is due earlier.
 */
export const PACED = `
  CREATE TABLE message_pacers (
    environment_id uuid PRIMARY KEY REFERENCES environments,
    looks_at timestamptz             -- null: nothing waits under it
  );
  CALL make_tenant_table('message_pacers', 'SELECT, INSERT');
  GRANT UPDATE (looks_at) ON message_pacers TO service_app;

  -- Whoever counts, looks or changes when the pacer looks holds it until the commit: the next one sees every row.
  CREATE FUNCTION lock_message_pacer() RETURNS void LANGUAGE sql
    RETURN pg_advisory_xact_lock(hashtextextended('message-pacer/' || current_environment_id(), 0));

  CREATE FUNCTION first_paced_message() RETURNS timestamptz LANGUAGE sql STABLE
    RETURN (SELECT m.next_attempt_at FROM messages m WHERE m.environment_id = current_environment_id() AND m.paced
      ORDER BY m.next_attempt_at LIMIT 1);

  CREATE FUNCTION note_pacer_look(at timestamptz) RETURNS void LANGUAGE sql
    BEGIN ATOMIC
      INSERT INTO message_pacers AS p (environment_id, looks_at) VALUES (current_environment_id(), at)
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
    PERFORM lock_message_pacer();
    SELECT count(*) INTO own FROM (SELECT FROM messages m
      WHERE m.environment_id = current_environment_id() AND m.status = 'scheduled' AND NOT m.paced AND m.flow_control_key_id IS NULL
      LIMIT own_max) o;
    IF own < own_max THEN
      UPDATE messages m SET paced = false FROM (
          SELECT w.id FROM unnest(ids) WITH ORDINALITY AS w (id, place) JOIN messages p ON p.id = w.id
          WHERE p.paced ORDER BY w.place LIMIT own_max - own) given
        WHERE m.id = given.id AND m.paced;
    END IF;
    SELECT COALESCE(array_agg(w.id ORDER BY w.place), '{}') INTO starting
      FROM unnest(ids) WITH ORDINALITY AS w (id, place) JOIN messages m ON m.id = w.id
      WHERE NOT m.paced AND m.status IN ('pending', 'scheduled');
    head := first_paced_message();
    IF head IS NOT NULL THEN
      SELECT p.looks_at INTO looks FROM message_pacers p WHERE p.environment_id = current_environment_id();
      IF looks IS NULL OR head < looks OR looks < at - overdue THEN
        PERFORM note_pacer_look(head);
        paces := true;
      END IF;
    END IF;
    RETURN NEXT;
  END $$;

  -- The pacer's look: up to \`most\` messages that are due, in the order of their due times. Where none is, when the first will be; null
  -- where none waits.
  CREATE FUNCTION find_due_paced_messages(most integer) RETURNS TABLE (due text[], next_in_ms double precision) LANGUAGE plpgsql AS $$
  DECLARE
    at timestamptz;
    head timestamptz;
  BEGIN
    PERFORM lock_message_pacer();
    at := clock_timestamp();
    SELECT COALESCE(array_agg(d.id ORDER BY d.next_attempt_at, d.id), '{}') INTO due FROM (
      SELECT m.id, m.next_attempt_at FROM messages m
      WHERE m.environment_id = current_environment_id() AND m.paced AND m.next_attempt_at <= at
      ORDER BY m.next_attempt_at, m.id LIMIT most) d;
    IF cardinality(due) > 0 THEN
      next_in_ms := 0;
    ELSE
      head := first_paced_message();
      PERFORM note_pacer_look(head);
      next_in_ms := ceil(extract(epoch FROM head - at) * 1000);
    END IF;
    RETURN NEXT;
  END $$;
`;

/**
 * Environments in which a paced message is due by then, for the sweep: their pacer may never have been started, or was terminated. It
 * walks from environment to environment, and does not read the rows behind the first.
 */
export const PACED_DIRECTORY = `
  GRANT SELECT (paced) ON messages TO service_directory;

  CREATE FUNCTION find_due_message_pacers(due_within interval, after_id text, most integer)
    RETURNS TABLE (environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      WITH RECURSIVE walk (id) AS (
        (SELECT m.environment_id FROM messages m WHERE m.paced AND (after_id = '' OR m.environment_id > NULLIF(after_id, '')::uuid)
          ORDER BY m.environment_id LIMIT 1)
        UNION ALL
        SELECT (SELECT m.environment_id FROM messages m WHERE m.paced AND m.environment_id > w.id ORDER BY m.environment_id LIMIT 1)
        FROM walk w WHERE w.id IS NOT NULL)
      SELECT w.id, e.workspace_id FROM walk w JOIN environments e ON e.id = w.id
      WHERE (SELECT m.next_attempt_at FROM messages m WHERE m.environment_id = w.id AND m.paced
             ORDER BY m.environment_id, m.next_attempt_at LIMIT 1) < now() + due_within
      ORDER BY w.id LIMIT most;
    END;
`;
