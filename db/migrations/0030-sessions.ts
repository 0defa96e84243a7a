import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0030-sessions';

/**
 * Sessions, and the messages of their conversations.
 *
 * `last_sequence` is the number of the newest message that there ever was. An append moves it by as many numbers as it takes and writes the
 * messages in the same statement, under the lock of the session's row: so the numbers have no gap, and concurrent appends one order.
 * The database refuses to move it back: a number is never used twice, not after the newest message was removed and not after all were.
 *
 * A session that is past its end is found by no statement any more. The sweep deletes it with its messages, in steps.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(SESSIONS);
  await knex.raw(MESSAGES);
  await makeDirectoryFunctions(knex, DIRECTORY, [
    'find_expired_sessions(text, integer)',
    'delete_expired_sessions(text[], integer)',
  ]);
}

const SESSIONS = `
  CREATE TABLE sessions (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    name text CHECK (char_length(name) BETWEEN 1 AND 200),
    user_id text CHECK (char_length(user_id) BETWEEN 1 AND 200),
    agent_id text CHECK (char_length(agent_id) BETWEEN 1 AND 60),
    metadata jsonb CHECK (jsonb_typeof(metadata) = 'object'),
    message_count integer NOT NULL DEFAULT 0 CHECK (message_count BETWEEN 0 AND 100000),
    token_count bigint NOT NULL DEFAULT 0 CHECK (token_count >= 0),
    last_sequence bigint NOT NULL DEFAULT 0 CHECK (last_sequence >= message_count),
    expires_at timestamptz(3),       -- null: it is kept until it is deleted
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    stored_bytes integer NOT NULL GENERATED ALWAYS AS (512 + coalesce(octet_length(metadata::text), 0)) STORED
  ) WITH (fillfactor = 70);          -- each append updates the row: HOT updates need room
  CREATE INDEX sessions_newest_first ON sessions (environment_id, created_at DESC, id DESC);
  CREATE INDEX sessions_by_user ON sessions (environment_id, user_id, created_at DESC, id DESC) WHERE user_id IS NOT NULL;
  CREATE INDEX sessions_by_agent ON sessions (environment_id, agent_id, created_at DESC, id DESC) WHERE agent_id IS NOT NULL;
  CREATE INDEX sessions_expiry ON sessions (expires_at) WHERE expires_at IS NOT NULL;
  CALL make_tenant_table('sessions', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (name, user_id, agent_id, metadata, message_count, token_count, last_sequence, expires_at, updated_at)
    ON sessions TO service_app;

  CREATE FUNCTION check_session_sequence() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.last_sequence < OLD.last_sequence THEN
      RAISE EXCEPTION 'session % would use the number % twice', OLD.id, OLD.last_sequence USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_sequence BEFORE UPDATE OF last_sequence ON sessions FOR EACH ROW EXECUTE FUNCTION check_session_sequence();
`;

const MESSAGES = `
  CREATE TABLE session_messages (
    session_id text COLLATE "C" NOT NULL REFERENCES sessions,
    sequence bigint NOT NULL CHECK (sequence >= 1),
    environment_id uuid NOT NULL REFERENCES environments,
    id text COLLATE "C" NOT NULL,
    role text NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
    content jsonb NOT NULL CHECK (jsonb_typeof(content) IN ('string', 'array')),
    name text CHECK (char_length(name) BETWEEN 1 AND 64),
    tool_call_id text CHECK (char_length(tool_call_id) BETWEEN 1 AND 200),
    tool_calls jsonb CHECK (jsonb_typeof(tool_calls) = 'array'),
    metadata jsonb CHECK (jsonb_typeof(metadata) = 'object'),
    tokens integer NOT NULL CHECK (tokens >= 0),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    -- A context is bounded in bytes before any text is read. Its bound in tokens is none: a token may be 128 spaces.
    bytes integer NOT NULL GENERATED ALWAYS AS (octet_length(content::text) + coalesce(octet_length(tool_calls::text), 0)) STORED,
    stored_bytes integer NOT NULL GENERATED ALWAYS AS (512 + octet_length(content::text) + coalesce(octet_length(tool_calls::text), 0)
      + coalesce(octet_length(metadata::text), 0)) STORED,
    PRIMARY KEY (session_id, sequence),
    CHECK ((role = 'tool') = (tool_call_id IS NOT NULL)),
    CHECK (tool_calls IS NULL OR role = 'assistant')
  );
  CREATE INDEX session_messages_of_system ON session_messages (session_id, sequence) WHERE role = 'system';
  CALL make_tenant_table('session_messages', 'SELECT, INSERT, DELETE');
`;

const DIRECTORY = `
  CREATE POLICY directory ON sessions TO service_directory USING (true);
  CREATE POLICY directory ON session_messages TO service_directory USING (true);
  GRANT SELECT (id, environment_id, expires_at), UPDATE (expires_at), DELETE ON sessions TO service_directory;
  GRANT SELECT (session_id, sequence), DELETE ON session_messages TO service_directory;

  CREATE FUNCTION find_expired_sessions(after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT s.id FROM sessions s WHERE s.expires_at < now() AND s.id > after_id ORDER BY s.id LIMIT most;
    END;

  -- Deletes a part of their messages, and those that have none left. Returns the number of rows; 0: none is left. It locks the sessions first, and
  -- deletes of these alone: one whose expiry is extended at its last moment lives on with its messages. One that a change has locked is left.
  CREATE FUNCTION delete_expired_sessions(ids text[], most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
      expired text[];
      messages integer;
      gone integer;
    BEGIN
      expired := ARRAY(SELECT s.id FROM sessions s WHERE s.id = ANY (ids) AND s.expires_at < now() FOR UPDATE SKIP LOCKED);
      DELETE FROM session_messages m USING (
        SELECT o.session_id, o.sequence FROM session_messages o WHERE o.session_id = ANY (expired) LIMIT most) old
      WHERE m.session_id = old.session_id AND m.sequence = old.sequence;
      GET DIAGNOSTICS messages = ROW_COUNT;
      DELETE FROM sessions s WHERE s.id = ANY (expired) AND NOT EXISTS (SELECT FROM session_messages m WHERE m.session_id = s.id);
      GET DIAGNOSTICS gone = ROW_COUNT;
      -- A change that began before the end, and comes between two parts, would still find it.
      UPDATE sessions s SET expires_at = 'epoch' WHERE s.id = ANY (expired) AND s.expires_at <> 'epoch';
      RETURN messages + gone;
    END $$;
`;
