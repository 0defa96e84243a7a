import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0025-schedules';

/**
 * Schedules, and the runs that they made. The row is the record; a Temporal Schedule of its id keeps the time, and is made and changed
 * after the commit. `revision` counts the changes of the row, `told_revision` is the one that Temporal was last told of: where
 * they differ, the outbox of starts has it told again. What Temporal fires is decided by the row: a deleted or paused schedule publishes nothing.
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
  await makeDirectoryFunctions(knex, DIRECTORY, ['active_firings_per_hour()']);
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
  CREATE INDEX schedule_runs_newest_first ON schedule_runs (environment_id, fired_at DESC, schedule_id DESC, nominal_at DESC, trigger DESC);
  CALL make_tenant_table('schedule_runs', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (outcome, message_ids, event_id, error_code, error_message, fired_at) ON schedule_runs TO service_app;
`;

const DIRECTORY = `
  CREATE POLICY directory ON schedules FOR SELECT TO service_directory USING (true);
  GRANT SELECT (environment_id, paused, deleted_at, firings_per_hour) ON schedules TO service_directory;

  -- Over all environments of the workspace of this transaction: paused and deleted schedules fire nothing.
  CREATE FUNCTION active_firings_per_hour() RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT COALESCE(sum(s.firings_per_hour), 0)::bigint FROM environments e JOIN schedules s ON s.environment_id = e.id
      WHERE e.workspace_id = current_workspace_id() AND s.deleted_at IS NULL AND NOT s.paused;
    END;
`;
