import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';
import { PLATFORM_EVENTS } from './platform-events.ts';

export const name = '0027-events';

/**
 * Topics, their subscriptions, the events that were published to them, and the outbox of platform events.
 *
 * - A trigger of the row that changes leaves a platform event in the outbox, `raised_events` (platform-events.ts). So it commits with
 *   the change, and no writer can forget it. Every worker process relays the outbox, in a transaction that deletes the row.
 * - An event is fanned out page by page. Its cursor moves in the transaction that accepts the messages of the page, so that each
 *   subscription gets one message, whatever dies.
 * - Topics and subscriptions are marked as deleted first: deliveries that are under way still need the subscription's secret. The sweep
 *   deletes the rows when nothing is under way any more.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(TOPICS);
  await knex.raw(SUBSCRIPTIONS);
  await knex.raw(EVENTS);
  await knex.raw(OUTBOX);
  await knex.raw(PLATFORM_EVENTS);
  await makeDirectoryFunctions(knex, DIRECTORY, [
    'find_raised_events(uuid, integer)',
    'raise_workspace_event(text, jsonb)',
    'delete_old_events(integer)',
    'delete_deleted_topics(integer)',
  ]);
}

const TOPICS = `
  CREATE TABLE topics (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    name text NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$'),
    description text CHECK (char_length(description) <= 500),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    deleted_at timestamptz(3),
    CHECK (name <> 'service' OR deleted_at IS NULL)
  );
  CREATE UNIQUE INDEX topics_live_name ON topics (environment_id, name) WHERE deleted_at IS NULL;
  CREATE INDEX topics_newest_first ON topics (environment_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
  CREATE INDEX topics_deleted ON topics (deleted_at) WHERE deleted_at IS NOT NULL;
  CALL make_tenant_table('topics', 'SELECT, INSERT');
  GRANT UPDATE (name, description, updated_at, deleted_at) ON topics TO service_app;
`;

const SUBSCRIPTIONS = `
  CREATE TABLE event_subscriptions (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    topic_id text COLLATE "C" NOT NULL REFERENCES topics,
    of_service boolean NOT NULL,     -- its topic is the reserved one
    url text NOT NULL CHECK (char_length(url) <= 2048),
    event_types text[] NOT NULL CHECK (cardinality(event_types) BETWEEN 1 AND 50),
    headers jsonb,                   -- as they may be shown: the values of credentials replaced
    enabled boolean NOT NULL DEFAULT true,
    master_key_version integer CHECK (master_key_version >= 1),
    wrapped_data_key bytea,
    sealed_value bytea,              -- JSON { headers }: the values that headers leaves out
    -- Failing without a success in between: since when, and the latest (domain/events/failure-clock.ts).
    failing_since timestamptz(3),
    last_failure_at timestamptz(3),
    clock_runs boolean NOT NULL DEFAULT false,
    disabled_at timestamptz(3),      -- by the service, because it kept failing
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    deleted_at timestamptz(3),
    enabled_at timestamptz(3),       -- an event goes to those that were enabled when it was published; null: it was never enabled anew
    CHECK (num_nonnulls(master_key_version, wrapped_data_key, sealed_value) IN (0, 3)),
    CHECK ((failing_since IS NULL) = (last_failure_at IS NULL) AND (failing_since IS NOT NULL OR NOT clock_runs)),
    CHECK (disabled_at IS NULL OR NOT enabled)
  );
  CREATE INDEX event_subscriptions_of_topic ON event_subscriptions (topic_id, id);
  CREATE INDEX event_subscriptions_newest_first ON event_subscriptions (topic_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
  CREATE INDEX event_subscriptions_of_service ON event_subscriptions (environment_id) WHERE of_service AND enabled AND deleted_at IS NULL;
  CREATE INDEX event_subscriptions_deleted ON event_subscriptions (deleted_at) WHERE deleted_at IS NOT NULL;
  CREATE INDEX event_subscriptions_by_master_key ON event_subscriptions (environment_id, master_key_version) WHERE master_key_version IS NOT NULL;
  CALL make_tenant_table('event_subscriptions', 'SELECT, INSERT');
  GRANT UPDATE (url, event_types, headers, enabled, master_key_version, wrapped_data_key, sealed_value, failing_since, last_failure_at,
    clock_runs, disabled_at, updated_at, deleted_at, enabled_at) ON event_subscriptions TO service_app;

  -- A subscription's own secrets: the newest signs, an older one beside it until it retires.
  CREATE TABLE event_subscription_secrets (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    subscription_id text COLLATE "C" NOT NULL REFERENCES event_subscriptions ON DELETE CASCADE,
    master_key_version integer NOT NULL CHECK (master_key_version >= 1),
    wrapped_data_key bytea NOT NULL,
    sealed_value bytea NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    retires_at timestamptz(3),
    -- Until when the keys of the workspace sign beside it, which signed before the subscription had a secret.
    workspace_keys_until timestamptz(3)
  );
  CREATE UNIQUE INDEX event_subscription_secrets_newest ON event_subscription_secrets (subscription_id) WHERE retires_at IS NULL;
  CREATE INDEX event_subscription_secrets_of ON event_subscription_secrets (subscription_id);
  CREATE INDEX event_subscription_secrets_by_master_key ON event_subscription_secrets (environment_id, master_key_version);
  CALL make_tenant_table('event_subscription_secrets', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (retires_at, master_key_version, wrapped_data_key) ON event_subscription_secrets TO service_app;
`;

const EVENTS = `
  CREATE TABLE events (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    topic_id text COLLATE "C" NOT NULL REFERENCES topics,
    public_id text COLLATE "C" NOT NULL CHECK (char_length(public_id) BETWEEN 1 AND 128), -- its publisher's id for it, or the same as id
    type text NOT NULL CHECK (type ~ '^[a-zA-Z0-9_.-]{1,128}$'),
    data json NOT NULL,              -- the text that its publisher sent
    occurred_at timestamptz(3) NOT NULL,
    published_by jsonb NOT NULL,     -- { type, id }
    retention text NOT NULL CHECK (retention IN ('week', 'month', 'quarter')),
    status text NOT NULL DEFAULT 'fanning_out' CHECK (status IN ('fanning_out', 'fanned_out', 'failed')),
    deliveries integer NOT NULL DEFAULT 0 CHECK (deliveries >= 0), -- messages that were accepted for it
    error jsonb,                     -- { code, message }: why some were not
    after_id text COLLATE "C" NOT NULL DEFAULT '', -- the cursor: the last subscription of the last page
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    fanned_out_at timestamptz(3),
    -- Subscriptions whose message could not be made, because their sealed headers do not open. The event ends as failed and says why.
    unmade integer NOT NULL DEFAULT 0 CHECK (unmade >= 0),
    CHECK ((status = 'fanning_out') = (fanned_out_at IS NULL)),
    CHECK ((status = 'failed') = (error IS NOT NULL))
  );
  CREATE UNIQUE INDEX events_public_id ON events (environment_id, public_id);
  CREATE INDEX events_newest_first ON events (environment_id, created_at DESC, id DESC);
  CREATE INDEX events_of_topic ON events (topic_id, created_at DESC, id DESC);
  CREATE INDEX events_of_type ON events (environment_id, type, created_at DESC, id DESC);
  CREATE INDEX events_by_age ON events (retention, created_at);
  CALL make_tenant_table('events', 'SELECT, INSERT');
  GRANT UPDATE (status, deliveries, error, after_id, fanned_out_at, unmade) ON events TO service_app;

  CREATE FUNCTION check_event_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.fanned_out_at IS NOT NULL AND (NEW.status, NEW.deliveries, NEW.after_id, NEW.fanned_out_at)
       IS DISTINCT FROM (OLD.status, OLD.deliveries, OLD.after_id, OLD.fanned_out_at) THEN
      RAISE EXCEPTION 'event % is fanned out', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.after_id < OLD.after_id OR NEW.deliveries < OLD.deliveries THEN
      RAISE EXCEPTION 'the fan-out of event % only moves forward', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_move BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION check_event_move();

  CREATE INDEX messages_of_event ON messages (event_id, id) WHERE event_id IS NOT NULL;
  CREATE INDEX messages_of_subscription ON messages (subscription_id, created_at DESC, id DESC) WHERE subscription_id IS NOT NULL;
  CREATE INDEX messages_unended_of_subscription ON messages (subscription_id)
    WHERE subscription_id IS NOT NULL AND status IN ('pending', 'scheduled', 'processing');
`;

const OUTBOX = `
  CREATE TABLE raised_events (
    id uuid PRIMARY KEY DEFAULT uuidv7(),  -- in the order of the changes, as far as clocks tell
    environment_id uuid NOT NULL REFERENCES environments,
    type text NOT NULL,
    row_id text COLLATE "C",         -- what the event is of, where a trigger requires the event at the commit
    snapshot jsonb NOT NULL,         -- of the row, with what the event must show as it was then: domain/events/payloads.ts
    occurred_at timestamptz(3) NOT NULL DEFAULT now(),
    look_again_at timestamptz(3) NOT NULL DEFAULT now() -- later than now: it could not be relayed
  );
  CREATE INDEX raised_events_of ON raised_events (environment_id, id);
  CREATE INDEX raised_events_of_row ON raised_events (row_id) WHERE row_id IS NOT NULL;
  CALL make_tenant_table('raised_events', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (look_again_at) ON raised_events TO service_app;
`;

const DIRECTORY = `
  CREATE POLICY directory ON raised_events FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, environment_id, look_again_at) ON raised_events TO service_directory;
  CREATE POLICY directory_raises ON raised_events FOR INSERT TO service_directory WITH CHECK (true);
  GRANT INSERT (environment_id, type, snapshot) ON raised_events TO service_directory;
  CREATE POLICY directory ON events TO service_directory USING (true);
  GRANT SELECT (id, environment_id, topic_id, retention, created_at, fanned_out_at), DELETE ON events TO service_directory;
  CREATE POLICY directory ON topics TO service_directory USING (true);
  GRANT SELECT (id, environment_id, deleted_at), DELETE ON topics TO service_directory;
  CREATE POLICY directory ON event_subscriptions TO service_directory USING (true);
  GRANT SELECT (id, topic_id, deleted_at), UPDATE (deleted_at), DELETE ON event_subscriptions TO service_directory;
  CREATE POLICY directory ON event_subscription_secrets TO service_directory USING (true);
  GRANT SELECT (id, subscription_id), DELETE ON event_subscription_secrets TO service_directory;
  GRANT SELECT (subscription_id) ON messages TO service_directory;

  -- The environments with events in the outbox, each of them whatever the others have. It walks from environment to environment by the index, so
  -- that it costs the number of environments and not that of events.
  CREATE FUNCTION find_raised_events(after_id uuid, most integer) RETURNS TABLE (environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      WITH RECURSIVE walk (id) AS (
        (SELECT r.environment_id FROM raised_events r WHERE r.environment_id > after_id ORDER BY r.environment_id LIMIT 1)
        UNION ALL
        SELECT (SELECT r.environment_id FROM raised_events r WHERE r.environment_id > w.id ORDER BY r.environment_id LIMIT 1)
        FROM walk w WHERE w.id IS NOT NULL)
      SELECT e.id, e.workspace_id FROM walk w JOIN environments e ON e.id = w.id
      WHERE EXISTS (SELECT FROM raised_events r WHERE r.environment_id = w.id AND r.look_again_at <= now())
      ORDER BY e.id LIMIT most;
    END;

  -- Tells each environment of the transaction's workspace. One of them, of production where there is one, tells the channels.
  CREATE FUNCTION raise_workspace_event(of_type text, facts jsonb) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      INSERT INTO raised_events (environment_id, type, snapshot)
      SELECT e.id, of_type, facts || jsonb_build_object('to_channels',
        e.id = first_value(e.id) OVER (ORDER BY e.kind = 'production' DESC, e.id))
      FROM environments e WHERE e.workspace_id = current_workspace_id();
    END;

  -- Deletes a part of the events that have been kept as long as the records of their messages, except where a fan-out is under way.
  -- 0: none is left.
  CREATE FUNCTION delete_old_events(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE
    kept record;
    deleted integer;
    total integer := 0;
  BEGIN
    FOR kept IN SELECT k.class, k.record_days FROM message_retention_classes() k LOOP
      DELETE FROM events WHERE id IN (SELECT v.id FROM events v WHERE v.retention = kept.class
        AND v.created_at < now() - make_interval(days => kept.record_days) AND v.fanned_out_at IS NOT NULL LIMIT most);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      total := total + deleted;
    END LOOP;
    RETURN total;
  END $$;

  -- Deletes a part of what belongs to deleted topics and subscriptions, in the order of the references. The request that deletes a topic
  -- marks the topic alone, however many subscriptions it has; they are marked here. A subscription goes once none of
  -- its messages is under way: until then they are signed with its secret. A page of a fan-out that read it just before its deletion
  -- commits within the minute. 0: nothing is left that can go.
  CREATE FUNCTION delete_deleted_topics(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  DECLARE
    deleted integer;
    total integer := 0;
  BEGIN
    DELETE FROM events WHERE id IN (SELECT v.id FROM events v JOIN topics t ON t.id = v.topic_id WHERE t.deleted_at IS NOT NULL LIMIT most);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    total := total + deleted;
    UPDATE event_subscriptions SET deleted_at = now() WHERE id IN (SELECT s.id FROM event_subscriptions s
      JOIN topics t ON t.id = s.topic_id WHERE t.deleted_at IS NOT NULL AND s.deleted_at IS NULL LIMIT most);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    total := total + deleted;
    DELETE FROM event_subscriptions WHERE id IN (SELECT s.id FROM event_subscriptions s WHERE s.deleted_at < now() - interval '1 minute'
      AND NOT EXISTS (SELECT FROM messages m WHERE m.subscription_id = s.id AND m.status IN ('pending', 'scheduled', 'processing')) LIMIT most);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    total := total + deleted;
    DELETE FROM topics WHERE id IN (SELECT t.id FROM topics t WHERE t.deleted_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM events v WHERE v.topic_id = t.id)
      AND NOT EXISTS (SELECT FROM event_subscriptions s WHERE s.topic_id = t.id) LIMIT most);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    RETURN total + deleted;
  END $$;
`;
