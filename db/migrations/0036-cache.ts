import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0036-cache';

/**
 * The semantic cache: answers of models, found again by a prompt that is the same or near enough.
 *
 * What an entry answers for is its `identity` (namespace, model, digests of system prompt and tools, attributes): a lookup compares prompts
 * within one identity alone. Nothing refers to an entry, so it is deleted as it is. Lookups are counted in several rows, so that they do
 * not wait for each other.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE cache_entries (
      id text COLLATE "C" PRIMARY KEY,
      environment_id uuid NOT NULL REFERENCES environments,
      identity bytea NOT NULL CHECK (octet_length(identity) = 32),
      prompt_digest bytea NOT NULL CHECK (octet_length(prompt_digest) = 32), -- of the normalised prompt
      namespace text COLLATE "C" NOT NULL CHECK (char_length(namespace) BETWEEN 1 AND 64),
      model text CHECK (char_length(model) BETWEEN 1 AND 200),
      attributes jsonb NOT NULL CHECK (jsonb_typeof(attributes) = 'object'),
      prompt text NOT NULL,
      response jsonb NOT NULL,
      tokens integer NOT NULL CHECK (tokens >= 0),
      bytes integer NOT NULL CHECK (bytes >= 0),
      embedding_model text NOT NULL,   -- vectors of another model are never compared
      embedding bytea NOT NULL,        -- float32, little-endian, of length 1
      signs bit varying NOT NULL,      -- of its elements: the nearest by these are compared exactly
      hits bigint NOT NULL DEFAULT 0 CHECK (hits >= 0),
      created_at timestamptz(3) NOT NULL DEFAULT now(),
      expires_at timestamptz(3) NOT NULL,
      last_hit_at timestamptz(3),
      stored_bytes integer NOT NULL GENERATED ALWAYS AS (512 + octet_length(prompt) + octet_length(response::text)
        + octet_length(attributes::text) + octet_length(embedding)) STORED,
      UNIQUE (environment_id, identity, prompt_digest)
    );
    CREATE INDEX cache_entries_newest_first ON cache_entries (environment_id, created_at DESC, id DESC);
    CREATE INDEX cache_entries_expired ON cache_entries (environment_id, expires_at);
    CREATE INDEX cache_entries_past ON cache_entries (expires_at);
    CALL make_tenant_table('cache_entries', 'SELECT, INSERT, DELETE');
    GRANT UPDATE (id, prompt, response, tokens, bytes, embedding_model, embedding, signs, hits, created_at, expires_at, last_hit_at)
      ON cache_entries TO service_app;

    CREATE TABLE cache_counters (
      environment_id uuid NOT NULL REFERENCES environments,
      shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 15),
      hits bigint NOT NULL CHECK (hits >= 0),
      misses bigint NOT NULL CHECK (misses >= 0),
      gated bigint NOT NULL CHECK (gated >= 0),
      tokens_saved bigint NOT NULL CHECK (tokens_saved >= 0),
      PRIMARY KEY (environment_id, shard)
    );
    CALL make_tenant_table('cache_counters', 'SELECT, INSERT');
    GRANT UPDATE (hits, misses, gated, tokens_saved) ON cache_counters TO service_app;
  `);
  await makeDirectoryFunctions(knex, DIRECTORY, ['delete_expired_cache_entries(integer)']);
}

const DIRECTORY = `
  CREATE POLICY directory ON cache_entries TO service_directory USING (true);
  GRANT SELECT (id, environment_id, expires_at), UPDATE (expires_at), DELETE ON cache_entries TO service_directory;

  -- A part of them, in every environment, the oldest first: nobody may ever store there again. Returns how many; 0: none is left.
  CREATE FUNCTION delete_expired_cache_entries(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      gone integer;
    BEGIN
      DELETE FROM cache_entries c WHERE c.id = ANY (ARRAY(
        SELECT e.id FROM cache_entries e WHERE e.expires_at <= now() ORDER BY e.expires_at LIMIT most FOR UPDATE SKIP LOCKED));
      GET DIAGNOSTICS gone = ROW_COUNT;
      RETURN gone;
    END $$;
`;
