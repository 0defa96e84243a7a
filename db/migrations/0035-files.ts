import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0035-files';

/**
 * Files that callers keep here. The bytes are in a store (a folder, or S3), under the id alone; the row is what a caller reads of them.
 *
 * The row is written before the first byte, and goes after the last one: `due_at` says when the sweep looks at a row whose upload or
 * removal may have died between the two. What a file is (its name, size and hash) never changes once it is ready, and a ready row cannot
 * be deleted while its bytes are there: it is `deleted` first.
 *
 * What a workspace stores is counted by a trigger, so that no path can forget it. The count is locked until the commit, so the check
 * that follows it in the same transaction is exact.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(FILES);
  await knex.raw(STORAGE);
  await makeDirectoryFunctions(knex, DIRECTORY, ['find_due_files(text, integer)']);
}

const FILES = `
  CREATE TABLE files (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    upload text NOT NULL CHECK (upload IN ('direct', 'presigned')),
    status text NOT NULL CHECK (status IN ('pending', 'ready', 'deleted')),
    filename text NOT NULL CHECK (char_length(filename) BETWEEN 1 AND 255),
    content_type text NOT NULL CHECK (char_length(content_type) BETWEEN 1 AND 255),
    size bigint NOT NULL CHECK (size BETWEEN 0 AND 5368709120), -- pending: what is reserved for it
    sha256 text COLLATE "C" CHECK (sha256 ~ '^[0-9a-f]{64}$'),  -- pending: what was promised, where anything was
    purpose text CHECK (char_length(purpose) BETWEEN 1 AND 64),
    metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    created_by jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    confirmed_at timestamptz(3),
    expires_at timestamptz(3) NOT NULL, -- until when it can be uploaded to
    due_at timestamptz(3),              -- when the sweep looks at it; null: nothing is left to do
    confirm_token uuid,                 -- who checks the upload now, and until when nobody else does
    confirming_until timestamptz(3),
    -- Its presigned URL is the store's own, which takes bytes for as long as the URL holds, whatever became of the row. So the row of a deleted
    -- file stays for so long, and counts for as long as it stays.
    is_sent_to_store boolean NOT NULL DEFAULT false,
    CHECK (status <> 'ready' OR (sha256 IS NOT NULL AND confirmed_at IS NOT NULL)),
    CHECK (status <> 'pending' OR (confirmed_at IS NULL AND due_at IS NOT NULL)),
    CHECK ((confirm_token IS NULL) = (confirming_until IS NULL)),
    CHECK (upload = 'presigned' OR NOT is_sent_to_store)
  );
  CREATE INDEX files_newest_first ON files (environment_id, created_at DESC, id DESC);
  CREATE INDEX files_due ON files (id) INCLUDE (due_at) WHERE due_at IS NOT NULL;
  CALL make_tenant_table('files', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (status, size, sha256, purpose, metadata, confirmed_at, due_at, confirm_token, confirming_until) ON files TO service_app;

  CREATE FUNCTION check_file_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF OLD.status = 'ready' THEN
        RAISE EXCEPTION 'file % is ready: its bytes go first', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      RETURN OLD;
    END IF;
    IF (NEW.id, NEW.environment_id, NEW.upload, NEW.filename, NEW.content_type, NEW.created_by, NEW.created_at, NEW.expires_at)
       IS DISTINCT FROM (OLD.id, OLD.environment_id, OLD.upload, OLD.filename, OLD.content_type, OLD.created_by, OLD.created_at, OLD.expires_at)
       OR (OLD.status <> 'pending' AND (NEW.size, NEW.sha256, NEW.purpose, NEW.metadata, NEW.confirmed_at)
         IS DISTINCT FROM (OLD.size, OLD.sha256, OLD.purpose, OLD.metadata, OLD.confirmed_at)) THEN
      RAISE EXCEPTION 'file % is what it is', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status <> OLD.status
       AND NOT (OLD.status || ' ' || NEW.status) = ANY (ARRAY['pending ready', 'pending deleted', 'ready deleted']) THEN
      RAISE EXCEPTION 'file % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_change BEFORE UPDATE OR DELETE ON files FOR EACH ROW EXECUTE FUNCTION check_file_change();
`;

const STORAGE = `
  -- What the files of a workspace take of its plan's storage, those that are still uploaded too.
  CREATE TABLE storage_used (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    bytes bigint NOT NULL CHECK (bytes >= 0)
  );
  ALTER TABLE storage_used ENABLE ROW LEVEL SECURITY;
  ALTER TABLE storage_used FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON storage_used USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT, INSERT ON storage_used TO service_app;
  GRANT UPDATE (bytes) ON storage_used TO service_app;

  -- A row costs something too: many small files count as 1 KiB each.
  CREATE FUNCTION storage_of(of_status text, of_size bigint, of_is_sent_to_store boolean) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN of_status = 'deleted' AND NOT of_is_sent_to_store THEN 0 ELSE greatest(of_size, 1024) END;

  CREATE FUNCTION count_storage() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    environment uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.environment_id ELSE NEW.environment_id END;
    change bigint := CASE WHEN TG_OP = 'DELETE' THEN 0 ELSE storage_of(NEW.status, NEW.size, NEW.is_sent_to_store) END
      - CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE storage_of(OLD.status, OLD.size, OLD.is_sent_to_store) END;
  BEGIN
    IF change <> 0 THEN
      INSERT INTO storage_used AS s (workspace_id, bytes)
        SELECT e.workspace_id, greatest(change, 0) FROM environments e WHERE e.id = environment
        ON CONFLICT (workspace_id) DO UPDATE SET bytes = s.bytes + change;
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER count_storage AFTER INSERT OR UPDATE OF status, size OR DELETE ON files FOR EACH ROW EXECUTE FUNCTION count_storage();
`;

const DIRECTORY = `
  CREATE POLICY directory ON files FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, environment_id, due_at) ON files TO service_directory;

  CREATE FUNCTION find_due_files(after_id text, most integer) RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT f.id, f.environment_id, e.workspace_id FROM files f JOIN environments e ON e.id = f.environment_id
      WHERE f.due_at < now() AND f.id > after_id ORDER BY f.id LIMIT most;
    END;
`;
