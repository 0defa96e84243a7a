import type { Knex } from 'knex';

export const name = '0015-audit-and-halt';

/**
 * The audit log, and halting an environment.
 *
 * The log of a workspace is one chain: the database numbers and hashes each entry as it is appended, and entries are never
 * changed or removed. `audit_chains` keeps the chain's end, so that an entry that was cut off the end is missed too; its row lock
 * serializes the writers of one chain.
 *
 * Every dispatch that is marked after a halt must see it. `read_halt` takes a shared advisory lock of the environment until the
 * transaction ends, and halting takes it exclusively: a halt waits for the marks in flight, and later marks wait for the halt.
 * FOR SHARE on the row would not do: sharers can overtake a waiting writer indefinitely, and each of them writes the row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(AUDIT_LOG);
  await knex.raw(AUDIT_CHAIN);
  await knex.raw(HALT);
}

const AUDIT_LOG = `
  CREATE TABLE audit_log (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    environment_id uuid,          -- null: the workspace as a whole
    sequence bigint NOT NULL,
    actor_type text NOT NULL CHECK (actor_type IN ('api_key', 'user', 'system')),
    actor_id text,
    action text NOT NULL CHECK (action ~ '^[a-z_]+\\.[a-z_]+$'),
    target_type text NOT NULL,
    target_id text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
    request_id text,
    recorded_at timestamptz(3) NOT NULL,
    previous_hash text,
    hash text NOT NULL,
    UNIQUE (workspace_id, sequence),
    FOREIGN KEY (environment_id, workspace_id) REFERENCES environments (id, workspace_id)
  );
  CREATE INDEX audit_log_by_target ON audit_log (workspace_id, target_id, sequence DESC);
  CREATE INDEX audit_log_by_actor ON audit_log (workspace_id, actor_id, sequence DESC);
  ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
  ALTER TABLE audit_log FORCE ROW LEVEL SECURITY;
  -- A transaction of an environment sees and writes that environment's entries; one of the workspace sees and writes all.
  CREATE POLICY tenant ON audit_log
    USING (workspace_id = current_workspace_id() AND (current_environment_id() IS NULL OR environment_id = current_environment_id()))
    WITH CHECK (workspace_id = current_workspace_id() AND (current_environment_id() IS NULL OR environment_id = current_environment_id()));
  GRANT SELECT, INSERT ON audit_log TO service_app;
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
`;

const AUDIT_CHAIN = `
  CREATE TABLE audit_chains (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    sequence bigint NOT NULL, -- of the last entry
    hash text                 -- of the last entry
  );
  ALTER TABLE audit_chains ENABLE ROW LEVEL SECURITY;
  ALTER TABLE audit_chains FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON audit_chains USING (workspace_id = current_workspace_id()) WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT ON audit_chains TO service_app;

  CREATE FUNCTION audit_hash(e audit_log) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN 'sha256:' || encode(sha256(convert_to(jsonb_build_array(e.previous_hash, e.id, e.workspace_id, e.environment_id,
      e.sequence, e.actor_type, e.actor_id, e.action, e.target_type, e.target_id, e.details, e.request_id,
      to_char(e.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, 'UTF8')), 'hex');

  -- With the owner's rights: the application appends entries and cannot move the chain's end itself.
  CREATE FUNCTION chain_audit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE last audit_chains;
  BEGIN
    INSERT INTO audit_chains (workspace_id, sequence) VALUES (NEW.workspace_id, 0) ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT last FROM audit_chains WHERE workspace_id = NEW.workspace_id FOR UPDATE; -- one writer of a chain at a time
    NEW.sequence := last.sequence + 1;
    NEW.previous_hash := last.hash;
    NEW.recorded_at := clock_timestamp(); -- after the lock, so that the times run with the sequence
    NEW.hash := audit_hash(NEW);
    UPDATE audit_chains SET sequence = NEW.sequence, hash = NEW.hash WHERE workspace_id = NEW.workspace_id;
    RETURN NEW;
  END $$;
  REVOKE ALL ON FUNCTION chain_audit() FROM PUBLIC; -- a trigger needs no caller's right
  CREATE TRIGGER chain BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION chain_audit();

  -- The end of a chain advances by one entry, and in no other way.
  CREATE TRIGGER moves_on BEFORE UPDATE ON audit_chains FOR EACH ROW
    WHEN (NEW.sequence <> OLD.sequence + 1 OR NEW.hash IS NULL OR NEW.workspace_id <> OLD.workspace_id)
    EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER stays BEFORE DELETE ON audit_chains FOR EACH ROW EXECUTE FUNCTION refuse_change();

  -- Row triggers do not see TRUNCATE.
  CREATE TRIGGER no_truncate BEFORE TRUNCATE ON audit_log EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER no_truncate BEFORE TRUNCATE ON audit_chains EXECUTE FUNCTION refuse_change();
`;

const HALT = `
  CREATE FUNCTION halt_lock_of(environment uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended(environment::text, 1751215220); -- 'halt'

  -- VOLATILE: the read after the lock has its own snapshot, which contains what was committed during the wait.
  CREATE FUNCTION read_halt() RETURNS TABLE (halted_at timestamptz, halted_reason text) LANGUAGE plpgsql VOLATILE AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(halt_lock_of(current_environment_id()));
    RETURN QUERY SELECT e.halted_at, e.halted_reason FROM environments e WHERE e.id = current_environment_id();
  END $$;
`;
