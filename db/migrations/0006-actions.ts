import type { Knex } from 'knex';

export const name = '0006-actions';

/**
 * Actions and their immutable versions. An archived action frees its name and stays readable by id.
 *
 * Approval guards the name. Where an action is archived or renamed while it is governed or requires approval, its former name is
 * kept back. Another action can have it only after a release, which the application does only for holders of `actions:govern`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(ACTIONS);
  await knex.raw(GOVERNED_NAMES);
}

const ACTIONS = `
  CREATE TABLE actions (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9_.-]{0,63}$'),
    description text,
    current_version_id text COLLATE "C" NOT NULL,
    mcp_pinned boolean NOT NULL DEFAULT false, -- a tool of its own for MCP clients
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    archived_at timestamptz(3)
  );
  CREATE UNIQUE INDEX actions_live_name ON actions (environment_id, name) WHERE archived_at IS NULL;
  CREATE INDEX actions_newest_first ON actions (environment_id, created_at DESC, id DESC);
  CREATE INDEX actions_pinned ON actions (environment_id, name COLLATE "C") WHERE mcp_pinned AND archived_at IS NULL;
  CALL make_tenant_table('actions', 'SELECT, INSERT, UPDATE');

  CREATE TABLE action_versions (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    action_id text COLLATE "C" NOT NULL REFERENCES actions,
    number integer NOT NULL CHECK (number >= 1),
    digest text NOT NULL CHECK (digest ~ '^sha256:[0-9a-f]{64}$'),
    definition jsonb NOT NULL,
    change_note text,
    created_by jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (action_id, number)
  );
  -- The first version that governs: a step of the onboarding.
  CREATE INDEX action_versions_governed ON action_versions (environment_id, created_at) WHERE definition ->> 'governed' = 'true';
  CALL make_tenant_table('action_versions', 'SELECT, INSERT');
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON action_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
  -- Added here: an action and its current version refer to each other.
  ALTER TABLE actions ADD CONSTRAINT actions_current_version
    FOREIGN KEY (current_version_id) REFERENCES action_versions DEFERRABLE INITIALLY DEFERRED;
`;

const GOVERNED_NAMES = `
  CREATE TABLE governed_names (
    environment_id uuid NOT NULL REFERENCES environments,
    name text COLLATE "C" NOT NULL,
    action_id text COLLATE "C" NOT NULL REFERENCES actions, -- who left it behind last
    left_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (environment_id, name)
  );
  CALL make_tenant_table('governed_names', 'SELECT, INSERT, DELETE');

  CREATE FUNCTION keep_governed_name() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    -- OLD's version decides: an action that is ungoverned and renamed in one change was governed under its old name.
    INSERT INTO governed_names (environment_id, name, action_id)
    SELECT OLD.environment_id, OLD.name, OLD.id FROM action_versions v
    WHERE v.id = OLD.current_version_id
      AND (COALESCE((v.definition ->> 'governed')::boolean, false)
        OR COALESCE((v.definition -> 'approval' ->> 'required')::boolean, false))
    ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE TRIGGER keep_governed_name AFTER UPDATE ON actions FOR EACH ROW
    WHEN (OLD.archived_at IS NULL AND (NEW.archived_at IS NOT NULL OR NEW.name <> OLD.name))
    EXECUTE FUNCTION keep_governed_name();

  -- Checked at the commit: by then a caller with the right scope has released the name.
  CREATE FUNCTION refuse_governed_name() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM actions a JOIN governed_names g ON g.environment_id = a.environment_id AND g.name = a.name
               WHERE a.id = NEW.id AND a.archived_at IS NULL) THEN
      RAISE EXCEPTION 'the name of action % was governed and is not released', NEW.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER refuse_governed_name AFTER INSERT OR UPDATE OF name ON actions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_governed_name();
`;
