import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0025-schedules';

/**
 * Schedules, and the runs that they made. The row is the record; a Temporal Schedule of its id keeps the time, and is made and changed
 * after the commit. `revision` counts the changes of the row, `told_revision` is the one that Temporal was last told of: the sweep
 * finds the rows where they differ. What Temporal fires is decided by the row: a deleted or paused schedule publishes nothing.
 *
 * One run exists for each nominal time, written in the transaction that publishes its messages. So a firing that is tried again
 * publishes once. A slot that nobody fired within the catch-up of its schedule is recorded as a run with the outcome `missed`. A firing that
 * comes late finds neither pauses nor halts any more, and is to make up no slot of them: `pauses`, and `halts` of the environment, have the
 * last ones.
 *
 * The schedules of a workspace together fire as often as its plan says, and no oftener. Each row says how often.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(CRON);
  await knex.raw(SCHEDULES);
  await knex.raw(RUNS);
  await makeDirectoryFunctions(knex, DIRECTORY, [
    'find_untold_schedules(interval, interval, text, integer)',
    'find_unfired_runs(interval, text, integer)',
    'active_firings_per_hour()',
  ]);
}

/** Seconds and minutes are numbers: a value, a range, `*`, with a step or without, or a list of these. They are checked before. */
const CRON = `
  CREATE FUNCTION cron_values(field text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT
    RETURN (SELECT count(DISTINCT v)::integer
      FROM regexp_split_to_table(field, ',') part,
        LATERAL (SELECT regexp_match(part, '^(\\*|[0-9]+)(-([0-9]+)){0,1}(/([0-9]+)){0,1}$') AS m) matched,
        LATERAL generate_series(CASE m[1] WHEN '*' THEN 0 ELSE m[1]::integer END,
          CASE m[1] WHEN '*' THEN 59 ELSE COALESCE(m[3], m[1])::integer END, greatest(COALESCE(m[5]::integer, 1), 1)) v);

  CREATE FUNCTION cron_firings_per_hour(cron text) RETURNS integer LANGUAGE sql IMMUTABLE STRICT
    RETURN (SELECT CASE WHEN cardinality(f) = 6 THEN cron_values(f[1]) * cron_values(f[2]) ELSE cron_values(f[1]) END
      -- What no field may hold stands between fields, whichever white space it is.
      FROM string_to_array(btrim(regexp_replace(cron, '[^0-9A-Za-z*,/-]+', ' ', 'g')), ' ') f);
`;

const SCHEDULES = `
  CREATE TABLE schedules (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    name text CHECK (char_length(name) BETWEEN 1 AND 100),
    cron text NOT NULL CHECK (char_length(cron) BETWEEN 1 AND 200),
    timezone text NOT NULL CHECK (char_length(timezone) BETWEEN 1 AND 64),
    overlap text NOT NULL CHECK (overlap IN ('skip', 'buffer_one', 'allow_all')),
    catch_up_seconds integer NOT NULL CHECK (catch_up_seconds BETWEEN 10 AND 86400),
    destination jsonb NOT NULL,      -- a publish request without its headers and body
    headers jsonb,                   -- as they may be shown: the values of credentials replaced
    body text,                       -- the very text that is sent; null where there is none, or it is sealed
    body_kind text NOT NULL CHECK (body_kind IN ('none', 'text', 'json')),
    body_sealed boolean NOT NULL DEFAULT false,
    master_key_version integer CHECK (master_key_version >= 1),
    wrapped_data_key bytea,
    sealed_value bytea,              -- JSON { headers, body }: what headers and body leave out
    paused boolean NOT NULL DEFAULT false,
    created_by jsonb NOT NULL,       -- { type, id }: in whose name it publishes
    last_run_at timestamptz(3),
    due_at timestamptz(3),           -- the next slot when the row or a firing last looked; null while it is paused
    revision integer NOT NULL DEFAULT 1 CHECK (revision >= 1),
    told_revision integer,           -- what Temporal knows; null: nothing, or nothing any more
    renew_at timestamptz(3),         -- when the calendars that Temporal has must be made anew
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    deleted_at timestamptz(3),
    -- The firings of an hour in which it fires: the seconds that its expression names, times its minutes.
    firings_per_hour integer NOT NULL GENERATED ALWAYS AS (cron_firings_per_hour(cron)) STORED,
    pauses tstzmultirange NOT NULL DEFAULT '{}', -- the last times in which it was paused; one that lasts has no end
    CHECK (told_revision <= revision),
    CHECK ((told_revision IS NULL) = (renew_at IS NULL)),
    CHECK (num_nonnulls(master_key_version, wrapped_data_key, sealed_value) IN (0, 3)),
    CHECK (body_kind = 'none' OR (body IS NULL) = body_sealed)
  );
  CREATE INDEX schedules_newest_first ON schedules (environment_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
  -- Each of two looks implies one side. A deleted schedule that Temporal was told of is in neither: its row stays for good.
  CREATE INDEX schedules_untold ON schedules (id)
    WHERE (deleted_at IS NULL AND told_revision IS DISTINCT FROM revision) OR (deleted_at IS NOT NULL AND told_revision IS NOT NULL);
  CREATE INDEX schedules_renewal ON schedules (renew_at);
  CREATE INDEX schedules_due ON schedules (due_at) WHERE deleted_at IS NULL;
  CREATE INDEX schedules_active ON schedules (environment_id) INCLUDE (firings_per_hour) WHERE deleted_at IS NULL AND NOT paused;
  CREATE INDEX schedules_by_master_key ON schedules (environment_id, master_key_version) WHERE master_key_version IS NOT NULL;
  CALL make_tenant_table('schedules', 'SELECT, INSERT');
  GRANT UPDATE (name, cron, timezone, overlap, catch_up_seconds, destination, headers, body, body_kind, body_sealed, master_key_version,
    wrapped_data_key, sealed_value, paused, last_run_at, due_at, revision, told_revision, renew_at, updated_at, deleted_at, pauses)
    ON schedules TO service_app;
  CREATE INDEX messages_unended_of_schedule ON messages (schedule_id)
    WHERE schedule_id IS NOT NULL AND status IN ('pending', 'scheduled', 'processing');
`;

const RUNS = `
  CREATE TABLE schedule_runs (
    environment_id uuid NOT NULL REFERENCES environments,
    schedule_id text COLLATE "C" NOT NULL REFERENCES schedules,
    trigger text NOT NULL CHECK (trigger IN ('schedule', 'manual')),
    nominal_at timestamptz(3) NOT NULL, -- when it was due
    outcome text NOT NULL CHECK (outcome IN ('queued', 'waiting', 'published', 'skipped', 'failed', 'missed')),
    message_ids text[] COLLATE "C" NOT NULL DEFAULT '{}',
    event_id text COLLATE "C",          -- of a schedule that publishes to a topic
    error_code text,
    error_message text,
    fired_at timestamptz(3) NOT NULL,   -- when its outcome came
    PRIMARY KEY (schedule_id, nominal_at, trigger),
    CHECK ((outcome = 'published') = (cardinality(message_ids) > 0 OR event_id IS NOT NULL)),
    CHECK (outcome IN ('queued', 'published') = (error_code IS NULL)),
    CHECK (outcome <> 'queued' OR trigger = 'manual'),
    CHECK ((error_code IS NULL) = (error_message IS NULL))
  );
  CREATE UNIQUE INDEX schedule_runs_waiting ON schedule_runs (schedule_id) WHERE outcome = 'waiting';
  CREATE INDEX schedule_runs_queued ON schedule_runs (schedule_id) WHERE outcome = 'queued';
  CREATE INDEX schedule_runs_newest_first ON schedule_runs (environment_id, fired_at DESC, schedule_id DESC, nominal_at DESC, trigger DESC);
  CALL make_tenant_table('schedule_runs', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (outcome, message_ids, event_id, error_code, error_message, fired_at) ON schedule_runs TO service_app;
`;

const DIRECTORY = `
  CREATE POLICY directory ON schedules FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory ON schedule_runs FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, environment_id, paused, due_at, revision, told_revision, renew_at, updated_at, deleted_at, firings_per_hour)
    ON schedules TO service_directory;
  GRANT SELECT (environment_id, schedule_id, trigger, nominal_at, outcome, fired_at) ON schedule_runs TO service_directory;
  GRANT SELECT (schedule_id, retry_of) ON messages TO service_directory;

  -- Schedules that Temporal knows otherwise than their rows say, whose calendars run out, or whose time came and no firing with it.
  CREATE FUNCTION find_untold_schedules(older_than interval, overdue_by interval, after_id text, most integer)
    RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT s.id, s.environment_id, e.workspace_id FROM schedules s JOIN environments e ON e.id = s.environment_id
      WHERE s.id > after_id AND s.id IN (
        SELECT u.id FROM schedules u WHERE u.deleted_at IS NULL AND u.told_revision IS DISTINCT FROM u.revision AND u.updated_at < now() - older_than
        UNION ALL
        SELECT d.id FROM schedules d WHERE d.deleted_at < now() - older_than AND d.told_revision IS NOT NULL
        UNION ALL
        SELECT r.id FROM schedules r WHERE r.renew_at < now() AND r.deleted_at IS NULL
        UNION ALL
        SELECT o.id FROM schedules o WHERE o.due_at < now() - overdue_by AND o.deleted_at IS NULL)
      ORDER BY s.id LIMIT most;
    END;

  -- Runs that were queued a while ago, and runs that wait although no message of an earlier run is on its way any more. A retry of a dead letter
  -- is no earlier run: one that is scheduled for next year would hold up a schedule until then. A run of a deleted schedule is left: its firing
  -- finds no schedule, and would be started again each minute.
  CREATE FUNCTION find_unfired_runs(older_than interval, after_id text, most integer)
    RETURNS TABLE (id text, schedule_id text, trigger text, nominal_at timestamptz, environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT u.id, u.schedule_id, u.trigger, u.nominal_at, u.environment_id, e.workspace_id
      FROM (SELECT (r.schedule_id || '/' || r.trigger || '/' || extract(epoch FROM r.nominal_at)) COLLATE "C" AS id,
            r.schedule_id, r.trigger, r.nominal_at, r.environment_id
          FROM schedule_runs r JOIN schedules s ON s.id = r.schedule_id AND s.deleted_at IS NULL
          WHERE r.fired_at < now() - older_than AND (r.outcome = 'queued' OR r.outcome = 'waiting' AND NOT EXISTS (
            SELECT FROM messages m WHERE m.schedule_id = r.schedule_id AND m.retry_of IS NULL
              AND m.status IN ('pending', 'scheduled', 'processing')))) u
        JOIN environments e ON e.id = u.environment_id
      WHERE u.id > after_id ORDER BY u.id LIMIT most;
    END;

  -- Over all environments of the workspace of this transaction: paused and deleted schedules fire nothing.
  CREATE FUNCTION active_firings_per_hour() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT COALESCE(sum(s.firings_per_hour), 0)::bigint FROM environments e JOIN schedules s ON s.environment_id = e.id
      WHERE e.workspace_id = current_workspace_id() AND s.deleted_at IS NULL AND NOT s.paused;
    END;
`;
