import type { Knex } from 'knex';

export const name = '0049-bounds';

/**
 * What was bounded in one measure, and could be had without bound in another.
 *
 * - A context is bounded in tokens, of which one may be 128 spaces. Each message says how many bytes it is, so that a context can be
 *   bounded in bytes before any text is read.
 * - A presigned file that is deleted was free at once. Where its URL leads to the store itself, the store takes bytes for as long as the
 *   URL holds, whatever became of the row: the row stays for so long, and counts for as long as it stays.
 *
 * And the check that a memory ends after it begins has a name: an end may pass between the look at it and the row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE memories RENAME CONSTRAINT memories_check1 TO memories_end_after_they_begin;
    ALTER TABLE session_messages ADD COLUMN bytes integer NOT NULL
      GENERATED ALWAYS AS (octet_length(content::text) + coalesce(octet_length(tool_calls::text), 0)) STORED;
  `);
  await knex.raw(STORAGE);
}

const STORAGE = `
  ALTER TABLE files ADD COLUMN is_sent_to_store boolean NOT NULL DEFAULT false; -- its presigned URL is the store's own
  ALTER TABLE files ADD CHECK (upload = 'presigned' OR NOT is_sent_to_store);

  -- A row costs something too: many small files count as 1 KiB each.
  CREATE FUNCTION storage_of(of_status text, of_size bigint, of_is_sent_to_store boolean) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN CASE WHEN of_status = 'deleted' AND NOT of_is_sent_to_store THEN 0 ELSE greatest(of_size, 1024) END;

  CREATE OR REPLACE FUNCTION count_storage() RETURNS trigger LANGUAGE plpgsql AS $$
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
  DROP FUNCTION storage_of(text, bigint);
`;
