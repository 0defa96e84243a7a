import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0003-api-keys';

/** API keys: a hash, never the key itself. A key belongs to one environment; its workspace can read all its keys. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(API_KEYS);
  await makeDirectoryFunctions(knex, DIRECTORY, ['find_api_key(bytea)']);
}

const API_KEYS = `
  CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id uuid NOT NULL,
    environment_id uuid NOT NULL,
    created_by text COLLATE "C" REFERENCES users, -- null: the operator, at the command line
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    key_hash bytea NOT NULL UNIQUE CHECK (octet_length(key_hash) = 32),
    key_prefix text NOT NULL,
    preset text CHECK (preset IN ('standard', 'read_only', 'full_access', 'agent')), -- its grant is in scopes, written once
    scopes text[] NOT NULL,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    last_used_at timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    FOREIGN KEY (environment_id, workspace_id) REFERENCES environments (id, workspace_id)
  );
  CREATE INDEX api_keys_by_environment ON api_keys (environment_id, created_at DESC, id DESC);
  CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, created_at DESC, id DESC);
  ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
  ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
  -- A transaction of a workspace, which names no environment, sees the keys of all its environments.
  CREATE POLICY tenant ON api_keys
    USING (environment_id = current_environment_id()
           OR (current_environment_id() IS NULL AND workspace_id = current_workspace_id()))
    WITH CHECK (environment_id = current_environment_id()
           OR (current_environment_id() IS NULL AND workspace_id = current_workspace_id()));
  GRANT SELECT, INSERT ON api_keys TO service_app;
  -- A key's hash, scopes, maker and environment are immutable. A revoked key stays revoked.
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

const DIRECTORY = `
  CREATE POLICY directory ON api_keys FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, workspace_id, environment_id, key_hash, preset, scopes, expires_at, revoked_at, last_used_at)
    ON api_keys TO service_directory;

  CREATE FUNCTION find_api_key(hash bytea)
    RETURNS TABLE (id text, workspace_id uuid, environment_id uuid, environment_name text, environment_kind text,
                   environment_protected boolean, preset text, scopes text[], expires_at timestamptz, last_used_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT k.id, k.workspace_id, k.environment_id, e.name, e.kind, e.protected, k.preset, k.scopes, k.expires_at, k.last_used_at
      FROM api_keys k JOIN environments e ON e.id = k.environment_id
      WHERE k.key_hash = hash AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now());
    END;
`;
