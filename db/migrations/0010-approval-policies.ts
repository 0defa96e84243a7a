import type { Knex } from 'knex';

export const name = '0010-approval-policies';

/**
 * Approval policies, their immutable versions, and plans made from files.
 *
 * The row of a policy always has the name and priority of its newest version: appending a version updates it, and the application
 * has no right to. Every change of a policy increments the environment's revision in the same transaction. `stamp` is new with
 * each increment and never recurs, not even after a rollback or a restored backup, so a process may cache by it indefinitely.
 *
 * A transaction that changes policies takes `lock_policies` first: no other change can come between a plan's comparison of the
 * revision and its application.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(POLICIES);
  await knex.raw(VERSIONS);
  await knex.raw(REVISION);
  await knex.raw(PLANS);
}

const POLICIES = `
  CREATE TABLE approval_policies (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    name text COLLATE "C" NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    priority integer NOT NULL,
    enabled boolean NOT NULL DEFAULT true,
    current_version integer NOT NULL CHECK (current_version >= 1),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    archived_at timestamptz(3),
    UNIQUE (id, environment_id)
  );
  CREATE UNIQUE INDEX approval_policies_live_name ON approval_policies (environment_id, name) WHERE archived_at IS NULL;
  CREATE INDEX approval_policies_newest_first ON approval_policies (environment_id, created_at DESC, id DESC);
  CALL make_tenant_table('approval_policies', 'SELECT, INSERT');
  GRANT UPDATE (enabled, archived_at, updated_at) ON approval_policies TO service_app;

  CREATE FUNCTION keep_archived_policy() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'approval policy % is archived and no longer changes', OLD.id USING ERRCODE = 'check_violation';
  END $$;
  CREATE TRIGGER keep_archived BEFORE UPDATE ON approval_policies FOR EACH ROW
    WHEN (OLD.archived_at IS NOT NULL) EXECUTE FUNCTION keep_archived_policy();
`;

const VERSIONS = `
  CREATE TABLE approval_policy_versions (
    policy_id text COLLATE "C" NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    environment_id uuid NOT NULL,
    digest text NOT NULL CHECK (digest ~ '^sha256:[0-9a-f]{64}$'), -- over the JCS bytes of the document
    document json NOT NULL CHECK (json_typeof(document) = 'object'), -- json: shown with its members in the order of its schema
    created_by jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (policy_id, version),
    FOREIGN KEY (policy_id, environment_id) REFERENCES approval_policies (id, environment_id)
  );
  CALL make_tenant_table('approval_policy_versions', 'SELECT, INSERT');
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON approval_policy_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
  -- Added here: a policy and its current version refer to each other.
  ALTER TABLE approval_policies ADD CONSTRAINT approval_policies_current_version
    FOREIGN KEY (id, current_version) REFERENCES approval_policy_versions (policy_id, version) DEFERRABLE INITIALLY DEFERRED;

  -- With the owner's rights: a policy's name, priority and number are those of its newest version, whoever appends it.
  CREATE FUNCTION advance_approval_policy() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE
    head approval_policies;
    new_name text := NEW.document ->> 'name';
    new_priority integer := COALESCE(CAST(NEW.document ->> 'priority' AS integer), 0);
  BEGIN
    SELECT * INTO STRICT head FROM approval_policies WHERE id = NEW.policy_id FOR UPDATE;
    IF NEW.version = 1 AND head.current_version = 1 THEN
      IF (head.name, head.priority) IS DISTINCT FROM (new_name, new_priority) THEN
        RAISE EXCEPTION 'approval policy % has another name or priority than its document', NEW.policy_id USING ERRCODE = 'check_violation';
      END IF;
    ELSIF NEW.version <> head.current_version + 1 THEN
      RAISE EXCEPTION 'version % of approval policy % does not follow version %', NEW.version, NEW.policy_id, head.current_version
        USING ERRCODE = 'check_violation';
    ELSE
      UPDATE approval_policies SET current_version = NEW.version, name = new_name, priority = new_priority, updated_at = now()
      WHERE id = NEW.policy_id;
    END IF;
    RETURN NULL;
  END $$;
  REVOKE ALL ON FUNCTION advance_approval_policy() FROM PUBLIC; -- a trigger needs no caller's right
  CREATE TRIGGER advance AFTER INSERT ON approval_policy_versions FOR EACH ROW EXECUTE FUNCTION advance_approval_policy();
`;

const REVISION = `
  CREATE TABLE policy_revisions (
    environment_id uuid PRIMARY KEY REFERENCES environments,
    revision bigint NOT NULL CHECK (revision >= 1),   -- an environment without a row is at 0
    stamp uuid NOT NULL DEFAULT gen_random_uuid(),
    changed_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CALL make_tenant_table('policy_revisions', 'SELECT');

  -- With the owner's rights: no change of a policy can leave the revision unchanged.
  CREATE FUNCTION move_policy_revision() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  BEGIN
    INSERT INTO policy_revisions AS r (environment_id, revision) VALUES (NEW.environment_id, 1)
    ON CONFLICT (environment_id) DO UPDATE SET revision = r.revision + 1, stamp = gen_random_uuid(), changed_at = now();
    RETURN NULL;
  END $$;
  REVOKE ALL ON FUNCTION move_policy_revision() FROM PUBLIC;
  CREATE TRIGGER move_revision AFTER INSERT OR UPDATE ON approval_policies FOR EACH ROW EXECUTE FUNCTION move_policy_revision();

  CREATE FUNCTION lock_policies() RETURNS void LANGUAGE sql VOLATILE
    RETURN pg_advisory_xact_lock(hashtextextended('policies/' || current_environment_id(), 0));
`;

const PLANS = `
  CREATE TABLE policy_plans (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    base_revision bigint NOT NULL CHECK (base_revision >= 0),
    digest text NOT NULL CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
    changes json NOT NULL CHECK (json_typeof(changes) = 'array'),
    created_by jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    applied_at timestamptz(3),
    result json,     -- what the first apply answered, and every later one
    CHECK ((applied_at IS NULL) = (result IS NULL))
  );
  CREATE INDEX policy_plans_by_expiry ON policy_plans (environment_id, expires_at);
  CALL make_tenant_table('policy_plans', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (applied_at, result) ON policy_plans TO service_app;

  CREATE FUNCTION keep_applied_plan() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'plan % was applied and no longer changes', OLD.id USING ERRCODE = 'check_violation';
  END $$;
  CREATE TRIGGER keep_applied BEFORE UPDATE ON policy_plans FOR EACH ROW
    WHEN (OLD.applied_at IS NOT NULL) EXECUTE FUNCTION keep_applied_plan();
`;
