import type { Knex } from 'knex';

export const name = '0003-actions';

/** Actions and their immutable versions. An archived action frees its name and stays readable by id. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION '% rows of % are append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'check_violation';
    END $$;

    CREATE TABLE actions (
      id text COLLATE "C" PRIMARY KEY,
      environment_id uuid NOT NULL REFERENCES environments,
      name text NOT NULL CHECK (name ~ '^[a-z][a-z0-9_.-]{0,63}$'),
      description text,
      current_version_id text COLLATE "C" NOT NULL,
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      updated_at timestamptz(3) NOT NULL DEFAULT now(),
      archived_at timestamptz(3)
    );
    CREATE UNIQUE INDEX actions_live_name ON actions (environment_id, name) WHERE archived_at IS NULL;
    CREATE INDEX actions_newest_first ON actions (environment_id, created_at DESC, id DESC);
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
    CALL make_tenant_table('action_versions', 'SELECT, INSERT');
    CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON action_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();
    ALTER TABLE actions ADD CONSTRAINT actions_current_version
      FOREIGN KEY (current_version_id) REFERENCES action_versions DEFERRABLE INITIALLY DEFERRED;
  `);
}
