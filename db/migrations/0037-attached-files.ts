import type { Knex } from 'knex';

export const name = '0037-attached-files';

/**
 * Which files are still needed by invocations that carry them. The admission writes a hold for each, and the end of the invocation
 * removes them; while there is one, the file cannot be deleted.
 *
 * An unknown outcome keeps its holds where it has an effect: a replay sends the same bytes again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(HOLDS);
  await knex.raw(RELEASE);
  await knex.raw(GUARD);
}

const HOLDS = `
  CREATE TABLE file_holds (
    file_id text COLLATE "C" NOT NULL REFERENCES files,
    invocation_id text COLLATE "C" NOT NULL REFERENCES invocations ON DELETE CASCADE,
    environment_id uuid NOT NULL REFERENCES environments,
    PRIMARY KEY (file_id, invocation_id)
  );
  CREATE INDEX file_holds_of_invocation ON file_holds (invocation_id);
  CALL make_tenant_table('file_holds', 'SELECT, INSERT, DELETE');
`;

const RELEASE = `
  CREATE FUNCTION release_files() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    DELETE FROM file_holds WHERE invocation_id = NEW.id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER release_files AFTER UPDATE OF status ON invocations FOR EACH ROW
    WHEN (NEW.holds_files AND (NEW.status IN ('succeeded', 'failed', 'refused', 'denied', 'expired', 'cancelled')
      OR (NEW.status = 'unknown' AND NEW.effect_id IS NULL)))
    EXECUTE FUNCTION release_files();
`;

// The admission holds a share lock of the file's row until it commits. This trigger runs once the row is locked, so it sees the hold.
const GUARD = `
  CREATE FUNCTION keep_held_file() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM file_holds WHERE file_id = NEW.id) THEN
      RAISE EXCEPTION 'file % is attached to an invocation that has not ended', NEW.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER keep_held BEFORE UPDATE OF status ON files FOR EACH ROW
    WHEN (NEW.status = 'deleted' AND OLD.status = 'ready') EXECUTE FUNCTION keep_held_file();
`;
