import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';
import { CONTENT_MARKS, DELETION, RETENTION_CLASSES } from './message-retention.ts';

export const name = '0018-messages';

/**
 * Messages, their attempts, the deduplication window, and the keys that sign deliveries.
 *
 * A message's row is the fence between cancelling and sending. Both lock it; a cancellation needs a message of which no attempt is under way,
 * and an attempt needs one that has not ended. The database enforces the moves: pending | scheduled -> processing | cancelled,
 * processing -> delivered | failed | cancelled. The last is between two attempts: retries may last for days. Content that a caller must not
 * read again (credentials in headers, a redacted body) is only in the sealed columns.
 *
 * A new message may take an expired deduplication window between the sweep's look and its deletion. The deletion therefore checks
 * the end of the window again; otherwise a duplicate of that message would be delivered.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(SIGNING_KEYS);
  await knex.raw(RETENTION_CLASSES);
  await knex.raw(MESSAGES);
  await knex.raw(CONTENTS);
  await knex.raw(MESSAGE_MOVES);
  await knex.raw(ATTEMPTS);
  for (const table of ['messages', 'message_contents', 'message_attempts']) await knex.raw(checkedTenant(table));
  await knex.raw(CONTENT_MARKS);
  await knex.raw(DEDUPLICATION);
  await makeDirectoryFunctions(knex, DIRECTORY, [
    'find_expired_message_deduplications(text, integer)',
    'delete_expired_message_deduplications(text[])',
  ]);
  await makeDirectoryFunctions(knex, DELETION, ['delete_old_messages(integer)']);
}

const SIGNING_KEYS = `
  CREATE TABLE signing_keys (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    prefix text NOT NULL,            -- what a listing may show of the secret
    master_key_version integer NOT NULL CHECK (master_key_version >= 1),
    wrapped_data_key bytea NOT NULL,
    sealed_value bytea NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    retires_at timestamptz(3)        -- null: the newest one; else it signs beside that one until then
  );
  CREATE UNIQUE INDEX signing_keys_newest ON signing_keys (workspace_id) WHERE retires_at IS NULL;
  CREATE INDEX signing_keys_by_workspace ON signing_keys (workspace_id, created_at DESC);
  ALTER TABLE signing_keys ENABLE ROW LEVEL SECURITY;
  ALTER TABLE signing_keys FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON signing_keys USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT, INSERT, DELETE ON signing_keys TO service_app;
  GRANT UPDATE (retires_at, master_key_version, wrapped_data_key) ON signing_keys TO service_app;
`;

const MESSAGES = `
  CREATE TABLE messages (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    retention text NOT NULL CHECK (retention IN ('week', 'month', 'quarter')), -- the class of the plan when it was accepted
    kind text NOT NULL DEFAULT 'message' CHECK (kind IN ('message', 'callback', 'event', 'alert')),
    url text NOT NULL CHECK (char_length(url) <= 2048),
    method text NOT NULL CHECK (method IN ('GET', 'POST', 'PUT', 'PATCH', 'DELETE')),
    redact jsonb,
    label text CHECK (char_length(label) BETWEEN 1 AND 200),
    scheduled_for timestamptz(3),    -- as asked for; null: at once
    max_retries integer NOT NULL CHECK (max_retries BETWEEN 0 AND 20),
    retry_delays_ms integer[],       -- before each retry; null: the default back-off
    timeout_seconds integer NOT NULL CHECK (timeout_seconds BETWEEN 1 AND 300),
    callback_url text,
    failure_callback_url text,
    callback_of text COLLATE "C",
    schedule_id text COLLATE "C",    -- the schedule whose firing published it
    url_group_id text COLLATE "C",   -- the URL group that it was published to, and the endpoint that this one is for
    url_group_endpoint_id uuid,
    flow_control_key_id text COLLATE "C",
    flow_control_key text,           -- the key's name when the message was accepted
    retry_of text COLLATE "C",       -- the dead letter that this message retries
    published_by jsonb NOT NULL,     -- { type, id }
    status text NOT NULL CHECK (status IN ('pending', 'scheduled', 'processing', 'delivered', 'failed', 'cancelled')),
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at timestamptz(3) NOT NULL,
    response_status integer CHECK (response_status BETWEEN 100 AND 599),
    error_message text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    delivered_at timestamptz(3),
    failed_at timestamptz(3),
    -- The delivery of an event names both. No foreign key: old messages and old events go at their own times.
    event_id text COLLATE "C",
    subscription_id text COLLATE "C",
    CHECK ((url_group_id IS NULL) = (url_group_endpoint_id IS NULL)),
    CHECK ((flow_control_key_id IS NULL) = (flow_control_key IS NULL)),
    CHECK ((status = 'delivered') = (delivered_at IS NOT NULL)),
    CHECK ((status = 'failed') = (failed_at IS NOT NULL)),
    CONSTRAINT messages_of_events CHECK ((kind = 'event') = (event_id IS NOT NULL) AND (kind = 'event') = (subscription_id IS NOT NULL))
  );
  CREATE INDEX messages_newest_first ON messages (environment_id, created_at DESC, id DESC);
  CREATE INDEX messages_by_status ON messages (environment_id, status, created_at DESC, id DESC);
  -- No hash index: rows of one URL share a bucket, whose pages each insert would walk. A URL is ASCII, and so short enough.
  CREATE INDEX messages_by_url ON messages (environment_id, url, created_at DESC, id DESC);
  CREATE INDEX messages_by_label ON messages (environment_id, label, created_at DESC, id DESC) WHERE label IS NOT NULL;
  CREATE INDEX messages_by_schedule ON messages (schedule_id, created_at DESC, id DESC) WHERE schedule_id IS NOT NULL;
  CREATE INDEX messages_by_source ON messages (callback_of) WHERE callback_of IS NOT NULL;
  -- An ended message does not change any more: it was updated last when it ended.
  CREATE INDEX messages_by_end ON messages (retention, updated_at, id) WHERE status IN ('delivered', 'failed', 'cancelled');
  CALL make_tenant_table('messages', 'SELECT, INSERT');
  GRANT UPDATE (status, attempts, next_attempt_at, response_status, error_message, updated_at, delivered_at, failed_at)
    ON messages TO service_app;
`;

/**
 * The tenant of a row of messages is checked and not searched by: it is found by its key. A query that goes by the environment says so itself.
 * As part of an index condition the policy would make every index of the environment look as good as the key, while the table seems empty.
 */
const checkedTenant = (table: string): string => `
  ALTER POLICY tenant ON ${table} USING ((environment_id = current_environment_id()) IS TRUE)
    WITH CHECK ((environment_id = current_environment_id()) IS TRUE);
`;

const CONTENTS = `
  -- What a message carries. It goes before the message's record, and is not there any more then.
  CREATE TABLE message_contents (
    message_id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    headers jsonb,                   -- as they may be shown: the values of credentials replaced
    body text,                       -- the very text that is sent; null where there is none, or it is sealed
    body_kind text NOT NULL CHECK (body_kind IN ('none', 'text', 'json')),
    body_sealed boolean NOT NULL DEFAULT false,
    master_key_version integer CHECK (master_key_version >= 1),
    wrapped_data_key bytea,
    sealed_value bytea,              -- JSON { headers, body }: what headers and body leave out
    CHECK (num_nonnulls(master_key_version, wrapped_data_key, sealed_value) IN (0, 3)),
    CHECK (body_kind = 'none' OR (body IS NULL) = body_sealed)
  );
  CREATE INDEX message_contents_by_master_key ON message_contents (environment_id, master_key_version)
    WHERE master_key_version IS NOT NULL;
  CALL make_tenant_table('message_contents', 'SELECT, INSERT');
  GRANT UPDATE (master_key_version, wrapped_data_key) ON message_contents TO service_app;

  CREATE FUNCTION keep_message_content() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF current_user = 'service_directory' THEN RETURN OLD; END IF;
      RAISE EXCEPTION 'the content of message % is not deleted: it goes when it has had its time', OLD.message_id USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.message_id, NEW.environment_id, NEW.headers, NEW.body, NEW.body_kind, NEW.body_sealed, NEW.sealed_value)
       IS DISTINCT FROM (OLD.message_id, OLD.environment_id, OLD.headers, OLD.body, OLD.body_kind, OLD.body_sealed, OLD.sealed_value) THEN
      RAISE EXCEPTION 'what message % was asked to carry is immutable', OLD.message_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER keep BEFORE UPDATE OR DELETE ON message_contents FOR EACH ROW EXECUTE FUNCTION keep_message_content();
`;

const MESSAGE_MOVES = `
  CREATE FUNCTION check_message_move() RETURNS trigger
    LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP = 'DELETE' THEN
        IF current_user = 'service_directory' AND OLD.status IN ('delivered', 'failed', 'cancelled') AND OLD.updated_at < now() - make_interval(
            days => (SELECT k.record_days FROM message_retention_classes() k WHERE k.class = OLD.retention)) THEN
          RETURN OLD;
        END IF;
        RAISE EXCEPTION 'message % is not deleted: it goes when it has had its time', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      IF TG_OP = 'INSERT' THEN
        IF NEW.status NOT IN ('pending', 'scheduled') THEN
          RAISE EXCEPTION 'message % cannot begin as %', NEW.id, NEW.status USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
      END IF;
      IF (NEW.id, NEW.retention, NEW.kind, NEW.url, NEW.method, NEW.scheduled_for,
          NEW.max_retries, NEW.callback_url, NEW.failure_callback_url, NEW.callback_of, NEW.schedule_id, NEW.url_group_id,
          NEW.url_group_endpoint_id, NEW.flow_control_key_id, NEW.flow_control_key, NEW.retry_of, NEW.published_by, NEW.created_at)
         IS DISTINCT FROM (OLD.id, OLD.retention, OLD.kind, OLD.url, OLD.method, OLD.scheduled_for,
          OLD.max_retries, OLD.callback_url, OLD.failure_callback_url, OLD.callback_of, OLD.schedule_id, OLD.url_group_id,
          OLD.url_group_endpoint_id, OLD.flow_control_key_id, OLD.flow_control_key, OLD.retry_of, OLD.published_by, OLD.created_at) THEN
        RAISE EXCEPTION 'what message % was asked to carry is immutable', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      IF NEW.attempts < OLD.attempts THEN
        RAISE EXCEPTION 'the attempts of message % only grow', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      IF OLD.status IN ('delivered', 'failed', 'cancelled') AND NEW.updated_at <> OLD.updated_at THEN
        RAISE EXCEPTION 'message % has ended', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      IF NEW.status <> OLD.status AND NOT (CASE OLD.status
          WHEN 'scheduled' THEN NEW.status IN ('pending', 'processing', 'cancelled')
          WHEN 'pending' THEN NEW.status IN ('processing', 'cancelled')
          WHEN 'processing' THEN NEW.status IN ('delivered', 'failed', 'cancelled')
          ELSE false
        END) THEN
        RAISE EXCEPTION 'message % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $$;
  CREATE TRIGGER check_move BEFORE UPDATE OR DELETE ON messages FOR EACH ROW EXECUTE FUNCTION check_message_move();
  -- For every row of a batch it would take an eighth of the INSERT's CPU time.
  CREATE TRIGGER check_begin BEFORE INSERT ON messages FOR EACH ROW
    WHEN (NEW.status NOT IN ('pending', 'scheduled')) EXECUTE FUNCTION check_message_move();
`;

const ATTEMPTS = `
  CREATE TABLE message_attempts (
    message_id text COLLATE "C" NOT NULL,
    number integer NOT NULL CHECK (number >= 1),
    environment_id uuid NOT NULL REFERENCES environments,
    status text NOT NULL DEFAULT 'started' CHECK (status IN ('started', 'completed', 'abandoned')),
    target text,                     -- origin and path of the message's URL
    worker text,                     -- the identity of the worker that made it
    address text,                    -- the address that was dialled; null: none was
    latency_ms integer CHECK (latency_ms >= 0), -- of the call alone
    response_status integer CHECK (response_status BETWEEN 100 AND 599),
    response_headers jsonb,
    response_body bytea CHECK (octet_length(response_body) <= 8192),
    failure text CHECK (failure IN ('timeout', 'connection', 'blocked')), -- why no usable answer came
    error text,
    started_at timestamptz(3) NOT NULL DEFAULT now(),
    finished_at timestamptz(3),
    subscription_id text COLLATE "C", -- set for the delivery of an event
    PRIMARY KEY (message_id, number),
    CHECK ((status = 'started') = (finished_at IS NULL))
  );
  CREATE UNIQUE INDEX message_attempts_one_at_a_time ON message_attempts (message_id) WHERE status = 'started';
  CALL make_tenant_table('message_attempts', 'SELECT, INSERT');
  GRANT UPDATE (status, address, latency_ms, response_status, response_headers, response_body, failure, error, finished_at)
    ON message_attempts TO service_app;

  CREATE FUNCTION check_message_attempt_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF current_user = 'service_directory' THEN RETURN OLD; END IF;
      RAISE EXCEPTION 'attempts of message % are not deleted: they go when they have had their time', OLD.message_id USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.status <> 'started' THEN
      RAISE EXCEPTION 'attempt % of message % is closed', OLD.number, OLD.message_id USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.message_id, NEW.number, NEW.worker, NEW.started_at)
       IS DISTINCT FROM (OLD.message_id, OLD.number, OLD.worker, OLD.started_at) THEN
      RAISE EXCEPTION 'the identity of attempt % of message % is immutable', OLD.number, OLD.message_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_move BEFORE UPDATE OR DELETE ON message_attempts FOR EACH ROW EXECUTE FUNCTION check_message_attempt_move();
`;

const DEDUPLICATION = `
  CREATE TABLE message_deduplications (
    environment_id uuid NOT NULL REFERENCES environments,
    digest bytea NOT NULL CHECK (octet_length(digest) = 32), -- of the caller's id, or of what the message carries
    message_id text COLLATE "C" NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (environment_id, digest)
  );
  CREATE INDEX message_deduplications_expiry ON message_deduplications (expires_at);
  CALL make_tenant_table('message_deduplications', 'SELECT, INSERT, UPDATE, DELETE');
`;

const DIRECTORY = `
  CREATE POLICY directory ON message_deduplications TO service_directory USING (true);
  GRANT SELECT (environment_id, status, created_at, updated_at) ON messages TO service_directory;
  GRANT SELECT (environment_id, digest, expires_at), DELETE ON message_deduplications TO service_directory;

  CREATE FUNCTION find_expired_message_deduplications(after_id text, most integer) RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT d.id FROM (SELECT (environment_id::text || '/' || encode(digest, 'hex')) COLLATE "C" AS id
        FROM message_deduplications WHERE expires_at < now()) d
      WHERE d.id > after_id ORDER BY d.id LIMIT most;
    END;
  CREATE FUNCTION delete_expired_message_deduplications(ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM message_deduplications d USING unnest(ids) old (id)
      WHERE d.environment_id = left(old.id, 36)::uuid AND d.digest = decode(substr(old.id, 38), 'hex') AND d.expires_at < now();
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
`;
