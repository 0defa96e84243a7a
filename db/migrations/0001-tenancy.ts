import type { Knex } from 'knex';

export const name = '0001-tenancy';

/**
 * Workspaces, environments, API keys, and the rule that holds for every tenant table: row-level security, FORCEd, by the
 * transaction-local settings `app.workspace_id` and `app.environment_id`. Without them a query sees no row.
 *
 * Roles: `service_app` is what the application's login is a member of; it owns nothing. `service_directory` owns the few
 * SECURITY DEFINER functions that must look across environments (0007); no one logs in as it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(ROLES_AND_SETTINGS);
  await knex.raw(WORKSPACES);
  await knex.raw(API_KEYS);
}

const ROLES_AND_SETTINGS = `
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_app') THEN CREATE ROLE service_app NOLOGIN; END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'service_directory') THEN CREATE ROLE service_directory NOLOGIN; END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database of this cluster made them just now
  END $$;

  CREATE FUNCTION current_environment_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('app.environment_id', true), '')::uuid;
  CREATE FUNCTION current_workspace_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('app.workspace_id', true), '')::uuid;

  -- Makes a table a tenant's: RLS enabled and FORCEd, one policy, the application's grants.
  CREATE PROCEDURE make_tenant_table(table_name regclass, privileges text) LANGUAGE plpgsql AS $$
  BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('CREATE POLICY tenant ON %s USING (environment_id = current_environment_id())
                    WITH CHECK (environment_id = current_environment_id())', table_name);
    EXECUTE format('GRANT %s ON %s TO service_app', privileges, table_name);
  END $$;
`;

const WORKSPACES = `
  CREATE TABLE workspaces (
    id uuid PRIMARY KEY,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
  ALTER TABLE workspaces FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON workspaces USING (id = current_workspace_id()) WITH CHECK (id = current_workspace_id());
  GRANT SELECT, INSERT ON workspaces TO service_app;

  CREATE TABLE environments (
    id uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    kind text NOT NULL CHECK (kind IN ('development', 'staging', 'production')),
    protected boolean NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (workspace_id, name),
    UNIQUE (id, workspace_id)
  );
  ALTER TABLE environments ENABLE ROW LEVEL SECURITY;
  ALTER TABLE environments FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON environments USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT, INSERT ON environments TO service_app;
`;

const API_KEYS = `
  CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id uuid NOT NULL,
    environment_id uuid NOT NULL,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    key_hash bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
    key_prefix text NOT NULL,
    preset text CHECK (preset IN ('standard', 'read_only', 'full_access')),
    scopes text[] NOT NULL,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    FOREIGN KEY (environment_id, workspace_id) REFERENCES environments (id, workspace_id)
  );
  CREATE INDEX api_keys_by_environment ON api_keys (environment_id, created_at DESC, id DESC);
  CALL make_tenant_table('api_keys', 'SELECT, INSERT');
  -- A key's hash, scopes and environment never change; a revoked key stays revoked.
  GRANT UPDATE (revoked_at, last_used_at) ON api_keys TO service_app;
  CREATE FUNCTION keep_revoked() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
      RAISE EXCEPTION 'a revoked API key cannot be restored' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER keep_revoked BEFORE UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION keep_revoked();
`;
