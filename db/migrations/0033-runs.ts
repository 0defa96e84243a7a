import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0033-runs';

/**
 * Runs of agents, their spans, and their tags.
 *
 * The three tables are partitioned by the run's id, which is a UUIDv7: a range of ids is a range of time. A run, its spans and its tags are kept
 * 30 days from the run's beginning and go together, by dropping partitions. No foreign key points at any of them, since it would forbid that.
 *
 * The database holds that a run moves once, from running to its end, and that only its tags and metadata change then. An invocation with
 * a run is a span of it: the statement that admits the invocation writes that span, and its readers take its state from the invocation.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(RUNS);
  await knex.raw(RUN_MOVES);
  await knex.raw(SPANS);
  await knex.raw(TAGS);
  await knex.raw(WAITING_INVOCATIONS);
  await knex.raw(PARTITIONS);
  await makeDirectoryFunctions(knex, DIRECTORY, [
    'find_waiting_invocations_of_cancelled_runs(text, integer)',
    'delete_runs_outside_of_ranges(integer)',
  ]);
  await knex.raw('SELECT make_run_partitions()');
}

const RUNS = `
  CREATE TABLE runs (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    name text CHECK (char_length(name) <= 200),
    agent_id text CHECK (char_length(agent_id) <= 60),
    agent_version text CHECK (char_length(agent_version) <= 60),
    user_id text CHECK (char_length(user_id) <= 200),
    application text CHECK (char_length(application) <= 200),
    status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'succeeded', 'failed', 'cancelled')),
    input jsonb,
    output jsonb,
    error jsonb CHECK (jsonb_typeof(error) = 'object'),
    tokens bigint CHECK (tokens >= 0),
    input_tokens bigint CHECK (input_tokens >= 0), -- of the spans of models that were there at its end
    output_tokens bigint CHECK (output_tokens >= 0),
    cost double precision CHECK (cost >= 0),
    tags text[] CHECK (cardinality(tags) <= 50),
    metadata jsonb CHECK (jsonb_typeof(metadata) = 'object'),
    trace_id text CHECK (trace_id ~ '^[0-9a-f]{32}$'), -- of a run that was made for a trace that names none
    started_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    closed_at timestamptz(3),        -- when it was recorded that it ended: its spans are taken for an hour from then on
    stored_bytes integer NOT NULL GENERATED ALWAYS AS (512 + coalesce(octet_length(input::text), 0) + coalesce(octet_length(output::text), 0)
      + coalesce(octet_length(error::text), 0) + coalesce(octet_length(metadata::text), 0) + 64 * coalesce(cardinality(tags), 0)) STORED,
    CHECK ((status = 'running') = (ended_at IS NULL)),
    CHECK ((ended_at IS NULL) = (closed_at IS NULL)),
    CHECK (ended_at >= started_at)
  ) PARTITION BY RANGE (id);
  CREATE INDEX runs_newest_first ON runs (environment_id, id DESC);
  CREATE INDEX runs_by_status ON runs (environment_id, status, id DESC);
  CREATE INDEX runs_by_agent ON runs (environment_id, agent_id, id DESC) WHERE agent_id IS NOT NULL;
  CREATE INDEX runs_by_user ON runs (environment_id, user_id, id DESC) WHERE user_id IS NOT NULL;
  CREATE INDEX runs_by_application ON runs (environment_id, application, id DESC) WHERE application IS NOT NULL;
  CREATE INDEX runs_by_trace ON runs (environment_id, trace_id) WHERE trace_id IS NOT NULL;
  CALL make_tenant_table('runs', 'SELECT, INSERT');
  GRANT UPDATE (name, status, output, error, tokens, input_tokens, output_tokens, cost, tags, metadata, started_at, ended_at, closed_at, agent_id, user_id, application) ON runs TO service_app;
`;

const RUN_MOVES = `
  CREATE FUNCTION check_run_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.status = 'running' THEN RETURN NEW; END IF;
    IF (NEW.status, NEW.name, NEW.output, NEW.error, NEW.tokens, NEW.input_tokens, NEW.output_tokens, NEW.cost, NEW.started_at, NEW.ended_at, NEW.closed_at)
       IS DISTINCT FROM (OLD.status, OLD.name, OLD.output, OLD.error, OLD.tokens, OLD.input_tokens, OLD.output_tokens, OLD.cost, OLD.started_at, OLD.ended_at, OLD.closed_at) THEN
      RAISE EXCEPTION 'run % has ended: only its tags and its metadata change', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_move BEFORE UPDATE ON runs FOR EACH ROW EXECUTE FUNCTION check_run_move();
`;

const SPANS = `
  CREATE TABLE spans (
    run_id text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL CHECK (id ~ '^(spn_[0-9A-Za-z]{22}|[0-9a-f]{16})$'),
    environment_id uuid NOT NULL REFERENCES environments,
    parent_id text COLLATE "C" CHECK (parent_id <> id), -- it may come later, or never
    trace_id text,
    name text NOT NULL CHECK (char_length(name) <= 200),
    kind text NOT NULL CHECK (kind IN ('agent', 'model', 'tool', 'retrieval', 'action', 'other')),
    status text NOT NULL CHECK (status IN ('running', 'succeeded', 'failed', 'cancelled')),
    started_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    input jsonb,
    output jsonb,
    error jsonb CHECK (jsonb_typeof(error) = 'object'),
    input_tokens bigint CHECK (input_tokens >= 0),
    output_tokens bigint CHECK (output_tokens >= 0),
    cost double precision CHECK (cost >= 0),
    attributes jsonb CHECK (jsonb_typeof(attributes) = 'object'),
    invocation_id text COLLATE "C",  -- it says how the span stands: db/runs/records.ts
    -- A span comes in parts, in any order. What was sent is told from what is filled in until it is sent: a time of arrival gives way to the time
    -- that is sent later, and a success that follows from an end becomes a failure once the error is there.
    sent_status text CHECK (sent_status IN ('succeeded', 'failed', 'cancelled')),
    is_start_sent boolean NOT NULL DEFAULT false,
    is_end_sent boolean NOT NULL DEFAULT false,
    stored_bytes integer NOT NULL GENERATED ALWAYS AS (512 + coalesce(octet_length(input::text), 0) + coalesce(octet_length(output::text), 0)
      + coalesce(octet_length(error::text), 0) + coalesce(octet_length(attributes::text), 0)) STORED,
    PRIMARY KEY (run_id, id),
    CHECK (ended_at >= started_at),
    CHECK ((status = 'running') = (ended_at IS NULL))
  ) PARTITION BY RANGE (run_id);
  CREATE INDEX spans_by_parent ON spans (run_id, parent_id, started_at, id);
  CALL make_tenant_table('spans', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (parent_id, trace_id, name, kind, status, started_at, ended_at, input, output, error, input_tokens, output_tokens, cost,
    attributes, invocation_id, sent_status, is_start_sent, is_end_sent) ON spans TO service_app;
`;

/**
 * Runs by their tags, as rows of their own. An index over the array would serve no filter: under row-level security a condition whose operator
 * may show what it compares (`@>` of arrays may) is checked row by row, behind the policy. `=` of texts shows nothing, and is an index
 * condition. A trigger keeps the rows in the transactions that write the run.
 */
const TAGS = `
  CREATE TABLE run_tags (
    environment_id uuid NOT NULL REFERENCES environments,
    tag text NOT NULL,
    run_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (environment_id, tag, run_id)
  ) PARTITION BY RANGE (run_id);
  CALL make_tenant_table('run_tags', 'SELECT, INSERT, DELETE');

  CREATE FUNCTION keep_run_tags() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      DELETE FROM run_tags t WHERE t.environment_id = OLD.environment_id AND t.tag = ANY (OLD.tags) AND t.run_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO run_tags (environment_id, tag, run_id) SELECT DISTINCT NEW.environment_id, tag, NEW.id FROM unnest(NEW.tags) AS tag;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER keep_tags AFTER INSERT ON runs FOR EACH ROW WHEN (cardinality(NEW.tags) > 0) EXECUTE FUNCTION keep_run_tags();
  CREATE TRIGGER move_tags AFTER UPDATE OF tags ON runs FOR EACH ROW WHEN (OLD.tags IS DISTINCT FROM NEW.tags) EXECUTE FUNCTION keep_run_tags();
  CREATE TRIGGER remove_tags AFTER DELETE ON runs FOR EACH ROW WHEN (cardinality(OLD.tags) > 0) EXECUTE FUNCTION keep_run_tags();
`;

const WAITING_INVOCATIONS = `
  CREATE INDEX invocations_waiting_of_run ON invocations (run_id) WHERE run_id IS NOT NULL AND (status = 'pending_approval'
    OR status = 'queued' AND dependencies_awaited_at IS NOT NULL);
`;

/**
 * Partitions are in the schema `partitions`, on which the application has no right: it reaches rows through `public` alone, and so through
 * row-level security. A DEFAULT partition takes rows outside the ranges, so that no insert ever fails for want of a partition.
 */
const PARTITIONS = `
  CREATE SCHEMA partitions;

  -- The smallest id of a run made at this millisecond: 48 bits of it, then 80 zeros, in base62. Ids compare as bytes.
  CREATE FUNCTION run_id_floor(at timestamptz) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
  DECLARE
    rest numeric := floor(extract(epoch FROM at) * 1000) * 1208925819614629174706176;
    digits text := '';
  BEGIN
    FOR place IN 1..22 LOOP
      digits := substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', mod(rest, 62)::integer + 1, 1) || digits;
      rest := div(rest, 62);
    END LOOP;
    RETURN 'run_' || digits;
  END $$;

  -- Past it, a run has had its time: docs/retention.md.
  CREATE FUNCTION runs_kept_since() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE RETURN now() - interval '30 days';

  CREATE TABLE partitions.runs_default PARTITION OF runs DEFAULT;
  CREATE TABLE partitions.spans_default PARTITION OF spans DEFAULT;
  CREATE TABLE partitions.run_tags_default PARTITION OF run_tags DEFAULT;

  -- Makes the range of an instant in the three tables; for make_run_partitions, and for tests of old ones. False: it is there, or DEFAULT holds rows of it.
  CREATE FUNCTION make_run_partition(at timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    begins timestamptz := date_bin('7 days', at, '2024-01-01T00:00:00Z'); -- a Monday
    lower text := run_id_floor(begins);
    upper text := run_id_floor(begins + interval '168 hours');
    suffix text := '_' || to_char(begins AT TIME ZONE 'UTC', 'YYYYMMDD');
    is_taken boolean;
    one record;
  BEGIN
    IF to_regclass(format('partitions.%I', 'runs' || suffix)) IS NOT NULL THEN RETURN false; END IF;
    SELECT EXISTS (SELECT FROM partitions.runs_default WHERE id >= lower AND id < upper)
      OR EXISTS (SELECT FROM partitions.spans_default WHERE run_id >= lower AND run_id < upper)
      OR EXISTS (SELECT FROM partitions.run_tags_default WHERE run_id >= lower AND run_id < upper) INTO is_taken;
    IF is_taken THEN RETURN false; END IF;
    FOR one IN SELECT unnest(ARRAY['runs', 'spans', 'run_tags']) AS name LOOP
      -- ATTACH locks out the DEFAULT partition alone. CREATE … PARTITION OF would lock out the table.
      EXECUTE format('CREATE TABLE partitions.%I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING STORAGE)', one.name || suffix, one.name);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION partitions.%I FOR VALUES FROM (%L) TO (%L)', one.name, one.name || suffix, lower, upper);
    END LOOP;
    RETURN true;
  END $$;
  REVOKE ALL ON FUNCTION make_run_partition(timestamptz) FROM PUBLIC;

  -- Makes the ranges of now and of the next three. One whose lock is not to be had is left to the next sweep.
  CREATE FUNCTION make_run_partitions() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
  DECLARE
    ahead integer;
    made integer := 0;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('run partitions')) THEN RETURN 0; END IF; -- another sweep
    FOR ahead IN 0..3 LOOP
      BEGIN
        IF make_run_partition(now() + make_interval(days => 7 * ahead)) THEN made := made + 1; END IF;
      EXCEPTION WHEN lock_not_available OR check_violation THEN NULL;
      END;
    END LOOP;
    RETURN made;
  END $$;
  REVOKE ALL ON FUNCTION make_run_partitions() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION make_run_partitions() TO service_app;

  -- Drops one range whose newest run is older than it is kept, of the three tables, and returns its name.
  CREATE FUNCTION drop_old_run_partition() RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
  DECLARE leaf text;
  BEGIN
    FOR leaf IN SELECT o.leaf FROM (
        SELECT c.relname::text AS leaf, (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \\(''(\\w+)''\\)$'))[1] AS upper_id
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'runs'::regclass) o
      WHERE o.upper_id COLLATE "C" <= run_id_floor(runs_kept_since()) ORDER BY o.leaf LOOP
      BEGIN
        EXECUTE format('DROP TABLE partitions.%I, partitions.%I, partitions.%I', replace(leaf, 'runs_', 'spans_'),
          replace(leaf, 'runs_', 'run_tags_'), leaf);
        RETURN leaf;
      EXCEPTION WHEN lock_not_available OR deadlock_detected THEN NULL;
      END;
    END LOOP;
    RETURN NULL;
  END $$;
  REVOKE ALL ON FUNCTION drop_old_run_partition() FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION drop_old_run_partition() TO service_app;
`;

const DIRECTORY = `
  CREATE POLICY directory ON runs TO service_directory USING (true);
  CREATE POLICY directory ON spans TO service_directory USING (true);
  CREATE POLICY directory ON run_tags TO service_directory USING (true);
  GRANT SELECT (id, environment_id, status), DELETE ON runs TO service_directory;
  GRANT SELECT (run_id, id), DELETE ON spans TO service_directory;
  GRANT SELECT, DELETE ON run_tags TO service_directory; -- its trigger deletes them with the run
  GRANT SELECT (id, run_id, dependencies_awaited_at) ON invocations TO service_directory;

  -- Rows that stand in a DEFAULT partition, because their range was not made in time, and have had their time.
  CREATE FUNCTION delete_runs_outside_of_ranges(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      deleted integer;
      total integer := 0;
    BEGIN
      DELETE FROM spans s USING (SELECT o.run_id, o.id FROM spans o WHERE o.run_id < run_id_floor(runs_kept_since() - interval '7 days') LIMIT most) old
        WHERE s.run_id = old.run_id AND s.id = old.id;
      GET DIAGNOSTICS total = ROW_COUNT;
      DELETE FROM runs r WHERE r.id IN (SELECT o.id FROM runs o WHERE o.id < run_id_floor(runs_kept_since() - interval '7 days') LIMIT most);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN total + deleted;
    END $$;

  -- Invocations of cancelled runs that still wait for a person or for other effects: the cancellation did not reach their workflows.
  CREATE FUNCTION find_waiting_invocations_of_cancelled_runs(after_id text, most integer)
    RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT i.id, i.environment_id, e.workspace_id
      FROM invocations i JOIN runs r ON r.id = i.run_id JOIN environments e ON e.id = i.environment_id
      WHERE i.run_id IS NOT NULL AND (i.status = 'pending_approval' OR i.status = 'queued' AND i.dependencies_awaited_at IS NOT NULL)
        AND r.status = 'cancelled' AND i.id > after_id
      ORDER BY i.id LIMIT most;
    END;
`;
