import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0001-workspaces';

/**
 * Workspaces, environments, and the rule for every tenant table: row-level security, FORCEd, by the transaction-local settings
 * `app.workspace_id` and `app.environment_id`. Without them a query sees no row. `installation` is one row that belongs to no tenant and that
 * everybody may read: the switch that pauses expensive work for everybody, and where the sweeps go on.
 *
 * Roles: the application's login is a member of `service_app`, which owns nothing. `service_directory` owns the few SECURITY
 * DEFINER functions that must look across environments (directory-functions.ts); no one logs in as it.
 *
 * The files are a baseline by area: a table has all its columns where it is created, and a function is defined once. Where two tables refer to
 * each other, the file of the second one adds the foreign key of the first, and says so. A function in plain SQL is in the file of the last
 * table that it reads.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(ROLES_AND_SETTINGS);
  await knex.raw(REFUSE);
  await knex.raw(APPEND_ONLY);
  await knex.raw(WORKSPACES);
  await knex.raw(INSTALLATION);
  await makeDirectoryFunctions(knex, DIRECTORY, ['list_environment_ids()', 'list_applied_migrations()']);
}

const ROLES_AND_SETTINGS = `
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_app') THEN CREATE ROLE service_app NOLOGIN; END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_directory') THEN CREATE ROLE service_directory NOLOGIN; END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database of this cluster made them just now
  END $$;

  GRANT USAGE ON SCHEMA public TO service_app, service_directory;
  -- Needed where not everyone may connect to this database (docker-compose.yml).
  DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO service_app', current_database()); END $$;

  CREATE FUNCTION current_environment_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('app.environment_id', true), '')::uuid;
  CREATE FUNCTION current_workspace_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('app.workspace_id', true), '')::uuid;

  -- Makes a table a tenant's: row-level security, enabled and FORCEd, with one policy and the application's grants.
  CREATE PROCEDURE make_tenant_table(table_name regclass, privileges text) LANGUAGE plpgsql AS $$
  BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('CREATE POLICY tenant ON %s USING (environment_id = current_environment_id())
                    WITH CHECK (environment_id = current_environment_id())', table_name);
    EXECUTE format('GRANT %s ON %s TO service_app', privileges, table_name);
  END $$;
`;

/** A statement that calls it fails with what it found out, so that what was sent behind it, the COMMIT too, is not done (db/refused.ts). */
const REFUSE = `
  CREATE FUNCTION refuse(facts jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'refused' USING ERRCODE = 'SC002', DETAIL = facts::text;
  END $$;
`;

const APPEND_ONLY = `
  -- The trigger function of every append-only table.
  CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION '% rows of % are append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'check_violation';
  END $$;
`;

const WORKSPACES = `
  CREATE TABLE workspaces (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    plan text NOT NULL CHECK (plan IN ('free', 'early_beta_access', 'production', 'growth', 'pay_as_you_go', 'enterprise')),
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
  ALTER TABLE workspaces FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON workspaces USING (id = current_workspace_id()) WITH CHECK (id = current_workspace_id());
  GRANT SELECT, INSERT ON workspaces TO service_app;
  GRANT UPDATE (plan) ON workspaces TO service_app;

  CREATE TABLE environments (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    kind text NOT NULL CHECK (kind IN ('development', 'staging', 'production')),
    protected boolean NOT NULL,
    approval_default text CHECK (approval_default IN ('allow', 'require_approval')), -- null: by the kind
    halted_at timestamptz(3),
    halted_reason text,
    halted_by jsonb,  -- { type, id }
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    -- The last times in which it was halted: a firing that comes late makes up no slot of them. A halt that lasts is halted_at alone.
    halts tstzmultirange NOT NULL DEFAULT '{}',
    UNIQUE (workspace_id, name),
    UNIQUE (id, workspace_id),
    CONSTRAINT environments_halt CHECK ((halted_at IS NULL) = (halted_reason IS NULL) AND (halted_at IS NULL) = (halted_by IS NULL))
  );
  ALTER TABLE environments ENABLE ROW LEVEL SECURITY;
  ALTER TABLE environments FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON environments USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT, INSERT ON environments TO service_app;
  GRANT UPDATE (name, protected, approval_default, halted_at, halted_reason, halted_by, halts) ON environments TO service_app;

  -- Bounded: each firing copies the row, and each halt is looked for in it.
  CREATE FUNCTION with_newest_range(past tstzmultirange, newest tstzrange) RETURNS tstzmultirange LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (SELECT range_agg(kept.r) FROM (SELECT newest AS r UNION ALL (SELECT r FROM unnest(past) r ORDER BY r DESC LIMIT 19)) kept);
`;

const INSTALLATION = `
  CREATE TABLE installation (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    expensive_work_paused_at timestamptz(3),
    expensive_work_paused_reason text CHECK (char_length(expensive_work_paused_reason) BETWEEN 1 AND 500),
    -- The id of the row with which an area of the sweep ended, because its time was over, by the name of the area. The next sweep goes on behind it:
    -- otherwise rows that stay where they are would keep those behind them from every sweep.
    sweep_stopped_at jsonb NOT NULL DEFAULT '{}',
    CHECK ((expensive_work_paused_at IS NULL) = (expensive_work_paused_reason IS NULL))
  );
  ALTER TABLE installation ENABLE ROW LEVEL SECURITY;
  ALTER TABLE installation FORCE ROW LEVEL SECURITY;
  CREATE POLICY installation_wide ON installation USING (true) WITH CHECK (true);
  GRANT SELECT, UPDATE (expensive_work_paused_at, expensive_work_paused_reason, sweep_stopped_at) ON installation TO service_app;
  INSERT INTO installation DEFAULT VALUES;
`;

const DIRECTORY = `
  CREATE POLICY directory ON workspaces FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory ON environments FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, name) ON workspaces TO service_directory;
  GRANT SELECT (id, workspace_id, name, kind, protected) ON environments TO service_directory;

  CREATE FUNCTION list_environment_ids() RETURNS TABLE (environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC SELECT e.id, e.workspace_id FROM environments e ORDER BY e.id; END;

  -- API and worker compare the names with their own at start, so that neither runs on the schema of another version. knex has
  -- made that table before it runs the first of them.
  GRANT SELECT ON migrations TO service_directory;
  CREATE FUNCTION list_applied_migrations() RETURNS TABLE (name text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT m.name::text FROM migrations m ORDER BY m.id;
    END;
`;
