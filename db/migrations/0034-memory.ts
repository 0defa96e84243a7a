import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0034-memory';

/**
 * What agents remember: collections, memories on two axes of time, their vectors, and the jobs that store or delete many.
 *
 * A memory is never overwritten. A new version of its chain supersedes it, and the database itself dates both: a version is recorded
 * after the one before it, and each earlier one ends where a later one begins to hold. The last recorded of the versions that are
 * recorded by a moment and begin to hold by it is the one that counts. Two columns of each version say when a later one took its place, so
 * that a search as of a moment compares four times of one row:
 *
 * - \`replaced_from\` on both axes: the first moment at which a later version was recorded and began to hold;
 * - \`holds_until\` on the valid axis alone: the earliest moment from which a later version holds, whenever it was recorded.
 *
 * A chain goes as a whole. Its first version is its lock: who adds a version, derives a memory from one, or deletes the chain, locks it.
 *
 * Vectors stand in a table of their own, so that what a search goes through is narrow. \`signs\` are those of a vector's components:
 * plain PostgreSQL compares them fast, and only the nearest are compared by their whole vectors.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(COLLECTIONS);
  await knex.raw(MEMORIES);
  await knex.raw(VERSIONS);
  await knex.raw(JOBS);
  await makeDirectoryFunctions(knex, DIRECTORY, ['find_expired_memories(text, integer)']);
}

const COLLECTIONS = `
  CREATE TABLE memory_collections (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    description text CHECK (char_length(description) <= 1000),
    embedding_model text NOT NULL CHECK (char_length(embedding_model) BETWEEN 1 AND 200),
    embedding_dimensions integer NOT NULL CHECK (embedding_dimensions BETWEEN 1 AND 4096),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    deleted_at timestamptz(3)        -- set: nobody sees it, and a job deletes what it held
  );
  CREATE UNIQUE INDEX memory_collections_by_name ON memory_collections (environment_id, name) WHERE deleted_at IS NULL;
  CREATE INDEX memory_collections_newest_first ON memory_collections (environment_id, created_at DESC, id DESC);
  CALL make_tenant_table('memory_collections', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (name, description, updated_at, deleted_at) ON memory_collections TO service_app;
`;

const MEMORIES = `
  -- The terms of a memory. Who stores it tells its words (domain/memory/search-terms.ts): each as [dictionary, word without accents, place,
  -- weight, word as it is written or null]. The last one becomes a term with an equals sign. A word that its dictionary takes for one that tells nothing, as "the", is left out.
  CREATE FUNCTION memory_terms(words jsonb, others text) RETURNS tsvector LANGUAGE sql STABLE
    RETURN (SELECT CAST(concat_ws(' ', others, string_agg(concat_ws(' ',
        format('''%s'':%s%s', lexeme, word ->> 2, word ->> 3), '''=' || (word ->> 4) || ''':' || (word ->> 2) || 'A'), ' ')) AS tsvector)
      FROM jsonb_array_elements(words) AS w (word), LATERAL unnest(ts_lexize(CAST(word ->> 0 AS regdictionary), word ->> 1)) AS l (lexeme));
  REVOKE ALL ON FUNCTION memory_terms(jsonb, text) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION memory_terms(jsonb, text) TO service_app;

  CREATE TABLE memories (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    collection_id text COLLATE "C" NOT NULL REFERENCES memory_collections,
    chain_id text COLLATE "C" NOT NULL,  -- the id of the first version
    version integer NOT NULL CHECK (version BETWEEN 1 AND 1000),
    kind text NOT NULL CHECK (kind IN ('fact', 'episode')),
    content text NOT NULL CHECK (char_length(content) BETWEEN 1 AND 8192),
    user_id text CHECK (char_length(user_id) BETWEEN 1 AND 200),
    agent_id text CHECK (char_length(agent_id) BETWEEN 1 AND 60),
    session_id text COLLATE "C" CHECK (char_length(session_id) BETWEEN 1 AND 100),
    source_type text CHECK (char_length(source_type) BETWEEN 1 AND 60),
    source_id text COLLATE "C" CHECK (char_length(source_id) BETWEEN 1 AND 200),
    metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    valid_from timestamptz(3) NOT NULL,
    valid_to timestamptz(3),
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(), -- when it was recorded
    superseded_by text COLLATE "C",
    superseded_at timestamptz(3),
    replaced_from timestamptz(3),
    holds_until timestamptz(3),
    expires_at timestamptz(3),       -- of the whole chain
    signs bit varying(4096),         -- null: it has no vector
    terms tsvector NOT NULL DEFAULT '', -- of its content, by memory_terms
    UNIQUE (chain_id, version),
    CHECK ((version = 1) = (chain_id = id)),
    CONSTRAINT memories_end_after_they_begin CHECK (valid_to > valid_from), -- an end may pass between the look at it and the row
    CHECK ((source_type IS NULL) = (source_id IS NULL)),
    CHECK (num_nulls(superseded_by, superseded_at, replaced_from, holds_until) IN (0, 4))
  );
  CREATE INDEX memories_newest_first ON memories (environment_id, created_at DESC, id DESC);
  CREATE INDEX memories_of_collection ON memories (collection_id, created_at DESC, id DESC);
  CREATE INDEX memories_of_user ON memories (environment_id, user_id, created_at DESC, id DESC) WHERE user_id IS NOT NULL;
  CREATE INDEX memories_of_session ON memories (environment_id, session_id) WHERE session_id IS NOT NULL;
  CREATE INDEX memories_of_source ON memories (environment_id, source_id) WHERE source_id IS NOT NULL;
  CREATE INDEX memories_by_expiry ON memories (expires_at, id) WHERE expires_at IS NOT NULL;
  CALL make_tenant_table('memories', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (superseded_by, superseded_at, replaced_from, holds_until, expires_at) ON memories TO service_app;

  CREATE TABLE memory_vectors (
    memory_id text COLLATE "C" PRIMARY KEY REFERENCES memories ON DELETE CASCADE,
    environment_id uuid NOT NULL REFERENCES environments,
    collection_id text COLLATE "C" NOT NULL,
    embedding real[] NOT NULL CHECK (cardinality(embedding) BETWEEN 1 AND 4096),
    dimensions integer NOT NULL GENERATED ALWAYS AS (cardinality(embedding)) STORED
  );
  CREATE INDEX memory_vectors_of_environment ON memory_vectors (environment_id, collection_id);
  CALL make_tenant_table('memory_vectors', 'SELECT, INSERT');
`;

const VERSIONS = `
  -- Dates a new version after the one before it, and ends what it takes the place of.
  CREATE FUNCTION record_memory_version() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    before record;
  BEGIN
    NEW.created_at := date_trunc('milliseconds', clock_timestamp());
    NEW.valid_from := coalesce(NEW.valid_from, NEW.created_at);
    IF (NEW.superseded_by, NEW.superseded_at, NEW.replaced_from, NEW.holds_until) IS DISTINCT FROM (NULL, NULL, NULL, NULL) THEN
      RAISE EXCEPTION 'memory % begins as the newest of its chain', NEW.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.version = 1 THEN RETURN NEW; END IF;
    SELECT m.environment_id, m.collection_id, m.created_at, m.superseded_by INTO before
    FROM memories m WHERE m.chain_id = NEW.chain_id AND m.version = NEW.version - 1;
    IF NOT FOUND OR before.superseded_by IS NOT NULL OR (before.environment_id, before.collection_id)
       IS DISTINCT FROM (NEW.environment_id, NEW.collection_id) THEN
      RAISE EXCEPTION 'memory % does not follow the newest of its chain', NEW.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.valid_from = NEW.created_at THEN NEW.valid_from := greatest(NEW.valid_from, before.created_at + interval '1 millisecond'); END IF;
    NEW.created_at := greatest(NEW.created_at, before.created_at + interval '1 millisecond');
    UPDATE memories m SET
      superseded_by = CASE WHEN m.version = NEW.version - 1 THEN NEW.id ELSE m.superseded_by END,
      superseded_at = CASE WHEN m.version = NEW.version - 1 THEN NEW.created_at ELSE m.superseded_at END,
      replaced_from = least(m.replaced_from, greatest(NEW.created_at, NEW.valid_from)),
      holds_until = least(m.holds_until, NEW.valid_from)
    WHERE m.chain_id = NEW.chain_id AND (m.version = NEW.version - 1
      OR m.replaced_from > greatest(NEW.created_at, NEW.valid_from) OR m.holds_until > NEW.valid_from);
    RETURN NEW;
  END $$;
  CREATE TRIGGER record_version BEFORE INSERT ON memories FOR EACH ROW EXECUTE FUNCTION record_memory_version();

  -- What was recorded stays; its ends only come nearer.
  CREATE FUNCTION check_memory_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (to_jsonb(NEW) - ARRAY['superseded_by', 'superseded_at', 'replaced_from', 'holds_until', 'expires_at'])
       IS DISTINCT FROM (to_jsonb(OLD) - ARRAY['superseded_by', 'superseded_at', 'replaced_from', 'holds_until', 'expires_at']) THEN
      RAISE EXCEPTION 'memory % says what it said', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF (OLD.superseded_by, OLD.superseded_at) IS DISTINCT FROM (NEW.superseded_by, NEW.superseded_at) AND OLD.superseded_by IS NOT NULL
       OR NEW.replaced_from IS DISTINCT FROM least(NEW.replaced_from, OLD.replaced_from)
       OR NEW.holds_until IS DISTINCT FROM least(NEW.holds_until, OLD.holds_until) THEN
      RAISE EXCEPTION 'memory % is superseded once, and its end only comes nearer', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_change BEFORE UPDATE ON memories FOR EACH ROW EXECUTE FUNCTION check_memory_change();
`;

const JOBS = `
  CREATE TABLE memory_jobs (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    collection_id text COLLATE "C" REFERENCES memory_collections ON DELETE CASCADE, -- null: a forgetting that names several, or none
    kind text NOT NULL CHECK (kind IN ('ingest', 'forget', 'delete')),
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'succeeded', 'failed')),
    filter jsonb,                    -- of a forgetting
    template jsonb,                  -- what every memory of an ingest has
    input jsonb,                     -- what is still to be split: { text }, { messages } or { sessionId }
    total integer CHECK (total >= 0), -- null: not counted
    done integer NOT NULL DEFAULT 0 CHECK (done >= 0),
    error jsonb,                     -- { code, message }: why it failed, or waits
    looked_at timestamptz(3) NOT NULL DEFAULT now(), -- by its workflow
    created_at timestamptz(3) NOT NULL DEFAULT now(), -- a forgetting takes what was recorded until then
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    ended_at timestamptz(3),
    CHECK ((status IN ('succeeded', 'failed')) = (ended_at IS NOT NULL)),
    CHECK ((kind = 'ingest') = (template IS NOT NULL)),
    CHECK ((kind = 'forget') = (filter IS NOT NULL)),
    CHECK (kind = 'forget' OR collection_id IS NOT NULL),
    CHECK (input IS NULL OR (kind = 'ingest' AND ended_at IS NULL))
  );
  CREATE INDEX memory_jobs_newest_first ON memory_jobs (environment_id, created_at DESC, id DESC);
  CREATE INDEX memory_jobs_of_collection ON memory_jobs (collection_id);
  CREATE INDEX memory_jobs_open ON memory_jobs (looked_at) WHERE ended_at IS NULL;
  CALL make_tenant_table('memory_jobs', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (status, total, done, error, input, looked_at, updated_at, ended_at) ON memory_jobs TO service_app;

  -- What an ingest has not stored yet. Whoever deletes a chunk has stored it: each becomes one memory.
  CREATE TABLE memory_job_chunks (
    job_id text COLLATE "C" NOT NULL REFERENCES memory_jobs ON DELETE CASCADE,
    position integer NOT NULL CHECK (position >= 0),
    environment_id uuid NOT NULL REFERENCES environments,
    content text NOT NULL CHECK (char_length(content) BETWEEN 1 AND 8192),
    metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    PRIMARY KEY (job_id, position)
  );
  CREATE INDEX memory_job_chunks_of_environment ON memory_job_chunks (environment_id);
  CALL make_tenant_table('memory_job_chunks', 'SELECT, INSERT, DELETE');

  CREATE FUNCTION check_memory_job_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.ended_at IS NOT NULL AND (NEW.status, NEW.done, NEW.total) IS DISTINCT FROM (OLD.status, OLD.done, OLD.total) THEN
      RAISE EXCEPTION 'memory job % has ended', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.done < OLD.done OR NEW.done > NEW.total OR (OLD.status <> 'queued' AND NEW.status = 'queued') THEN
      RAISE EXCEPTION 'memory job % only moves forward', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_move BEFORE UPDATE ON memory_jobs FOR EACH ROW EXECUTE FUNCTION check_memory_job_move();
`;

const DIRECTORY = `
  CREATE POLICY directory ON memories FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, environment_id, expires_at) ON memories TO service_directory;

  -- Memories whose time is over. Nobody sees them any more; their deletion takes their chains, and what was derived.
  CREATE FUNCTION find_expired_memories(behind_id text, most integer)
    RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT m.id, m.environment_id, e.workspace_id FROM memories m JOIN environments e ON e.id = m.environment_id
      WHERE m.expires_at <= now() AND m.id > behind_id ORDER BY m.id LIMIT most;
    END;
`;
