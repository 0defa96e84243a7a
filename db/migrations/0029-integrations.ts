import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0029-integrations';

/**
 * Chat destinations of approvals (Slack, Discord), who is who in them, and what was posted and clicked.
 *
 * - A credential is sealed in its row. Whoever holds the key that signs clicks can click as anybody in that chat: a trigger ends every
 *   link of an integration whose credential or public key is replaced.
 * - A link belongs to one integration, so that connecting another application makes nobody known to it.
 * - A click is a row, made in the transaction of its decision: the same request, sent again, finds it and decides nothing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(INTEGRATIONS);
  await knex.raw(CHAT_USERS);
  await knex.raw(POSTS_AND_CLICKS);
  await makeDirectoryFunctions(knex, DIRECTORY, ['find_integration(text)']);
  await makeDirectoryFunctions(knex, SWEEP, ['delete_old_chat_clicks(integer)', 'delete_expired_link_codes(integer)']);
}

const INTEGRATIONS = `
  CREATE TABLE integrations (
    id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'), -- a UUID, part of the seal as text
    environment_id uuid NOT NULL REFERENCES environments,
    provider text NOT NULL CHECK (provider IN ('slack', 'discord')),
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    is_active boolean NOT NULL DEFAULT true,
    account_id text COLLATE "C" NOT NULL CHECK (char_length(account_id) BETWEEN 1 AND 100), -- the Slack workspace, the Discord webhook
    account_name text NOT NULL CHECK (char_length(account_name) <= 200),
    channel_id text COLLATE "C" CHECK (char_length(channel_id) BETWEEN 1 AND 100), -- null: none was chosen yet
    channel_name text CHECK (char_length(channel_name) <= 200),
    application_id text COLLATE "C" CHECK (char_length(application_id) <= 100),
    public_key text COLLATE "C" CHECK (public_key ~ '^[0-9a-f]{64}$'),
    takes_clicks boolean NOT NULL,   -- it has what verifies them: a signing secret, a public key
    master_key_version integer NOT NULL CHECK (master_key_version >= 1),
    wrapped_data_key bytea NOT NULL,
    sealed_value bytea NOT NULL,     -- JSON: Slack { botToken, signingSecret }, Discord { webhookToken }
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (environment_id, provider, account_id),
    CHECK (provider = 'discord' OR (application_id IS NULL AND public_key IS NULL)),
    CHECK (provider = 'slack' OR takes_clicks = (public_key IS NOT NULL)),
    CHECK (public_key IS NULL OR application_id IS NOT NULL)
  );
  CREATE INDEX integrations_newest_first ON integrations (environment_id, created_at DESC, id DESC);
  CREATE INDEX integrations_by_master_key ON integrations (environment_id, master_key_version);
  CALL make_tenant_table('integrations', 'SELECT, INSERT');
  GRANT UPDATE (name, is_active, account_name, channel_id, channel_name, application_id, public_key, takes_clicks, master_key_version,
    wrapped_data_key, sealed_value, updated_at) ON integrations TO service_app;
`;

const CHAT_USERS = `
  -- The member that a chat user is, as that member has said in a session of their own.
  CREATE TABLE chat_links (
    integration_id text COLLATE "C" NOT NULL REFERENCES integrations,
    chat_user_id text COLLATE "C" NOT NULL CHECK (char_length(chat_user_id) BETWEEN 1 AND 100),
    environment_id uuid NOT NULL REFERENCES environments,
    chat_user_name text NOT NULL CHECK (char_length(chat_user_name) <= 200),
    user_id text COLLATE "C" NOT NULL REFERENCES users,
    linked_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (integration_id, chat_user_id)
  );
  CREATE INDEX chat_links_of_environment ON chat_links (environment_id);
  CREATE INDEX chat_links_of_user ON chat_links (user_id);
  CALL make_tenant_table('chat_links', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (chat_user_name) ON chat_links TO service_app; -- which locking a row takes

  -- What a chat user was shown to link themselves with, as a hash. One holds for each chat user: the latest.
  CREATE TABLE chat_link_codes (
    integration_id text COLLATE "C" NOT NULL REFERENCES integrations,
    chat_user_id text COLLATE "C" NOT NULL CHECK (char_length(chat_user_id) BETWEEN 1 AND 100),
    environment_id uuid NOT NULL REFERENCES environments,
    chat_user_name text NOT NULL CHECK (char_length(chat_user_name) <= 200),
    code_hash bytea NOT NULL CHECK (octet_length(code_hash) = 32),
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (integration_id, chat_user_id)
  );
  CREATE INDEX chat_link_codes_by_expiry ON chat_link_codes (expires_at);
  CREATE UNIQUE INDEX chat_link_codes_by_hash ON chat_link_codes (environment_id, code_hash);
  CALL make_tenant_table('chat_link_codes', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (chat_user_name, code_hash, expires_at) ON chat_link_codes TO service_app;

  -- The codes go first. A redemption that is under way holds its code, so the first DELETE waits for it; the second one, which is a statement with
  -- a snapshot of its own, sees the link that it made. The other way round a link made under the old credential would count under the new one.
  CREATE FUNCTION end_chat_links() RETURNS trigger
    LANGUAGE plpgsql AS $$
    BEGIN
      DELETE FROM chat_link_codes WHERE integration_id = NEW.id;
      DELETE FROM chat_links WHERE integration_id = NEW.id;
      RETURN NULL;
    END $$;
  CREATE TRIGGER end_links AFTER UPDATE OF sealed_value, public_key ON integrations FOR EACH ROW
    WHEN (NEW.sealed_value IS DISTINCT FROM OLD.sealed_value OR NEW.public_key IS DISTINCT FROM OLD.public_key)
    EXECUTE FUNCTION end_chat_links();
`;

const POSTS_AND_CLICKS = `
  CREATE TABLE chat_posts (
    approval_id text COLLATE "C" NOT NULL REFERENCES approvals ON DELETE CASCADE,
    integration_id text COLLATE "C" NOT NULL REFERENCES integrations,
    environment_id uuid NOT NULL REFERENCES environments,
    status text NOT NULL CHECK (status IN ('posted', 'refused')),
    error text CHECK (char_length(error) <= 500),
    at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (approval_id, integration_id),
    CHECK ((status = 'refused') = (error IS NOT NULL))
  );
  CREATE INDEX chat_posts_of_environment ON chat_posts (environment_id);
  CALL make_tenant_table('chat_posts', 'SELECT, INSERT');

  -- A request of a chat is taken within minutes of its time; its row is kept for longer.
  CREATE TABLE chat_clicks (
    integration_id text COLLATE "C" NOT NULL REFERENCES integrations,
    request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
    environment_id uuid NOT NULL REFERENCES environments,
    answer jsonb NOT NULL,           -- what its sender was told; no link code
    at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (integration_id, request_hash)
  );
  CREATE INDEX chat_clicks_by_time ON chat_clicks (at);
  CREATE INDEX chat_clicks_of_environment ON chat_clicks (environment_id);
  CALL make_tenant_table('chat_clicks', 'SELECT, INSERT, DELETE');
`;

const DIRECTORY = `
  CREATE POLICY directory ON integrations FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, environment_id) ON integrations TO service_directory;

  -- The environment that a request of a chat is for. Its path names the integration; nobody is signed in.
  CREATE FUNCTION find_integration(of_id text) RETURNS TABLE (environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT i.environment_id, e.workspace_id FROM integrations i JOIN environments e ON e.id = i.environment_id WHERE i.id = of_id;
    END;
`;

/**
 * The sweep deletes clicks and link codes that count no more, in order of time and a bounded number at once. Rows that are locked are left to the
 * next sweep: a redemption or a new credential has them, and deletes in an order of its own. The functions are of PL/pgSQL because it plans for
 * the given `most`: a plan for any number of rows could read the whole table each time.
 */
const SWEEP = `
  CREATE POLICY directory ON chat_clicks TO service_directory USING (true);
  GRANT SELECT (integration_id, request_hash, at), UPDATE (at), DELETE ON chat_clicks TO service_directory; -- UPDATE: locking a row takes it
  CREATE POLICY directory ON chat_link_codes TO service_directory USING (true);
  GRANT SELECT (integration_id, chat_user_id, expires_at), UPDATE (expires_at), DELETE ON chat_link_codes TO service_directory;

  -- Deletes a part of the clicks of all environments that are an hour old. A request is taken for five minutes. 0: none is left.
  CREATE FUNCTION delete_old_chat_clicks(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      WITH old AS MATERIALIZED (
        SELECT c.integration_id, c.request_hash FROM chat_clicks c WHERE c.at < now() - interval '1 hour'
        ORDER BY c.at LIMIT most FOR UPDATE SKIP LOCKED)
      DELETE FROM chat_clicks c USING old o WHERE c.integration_id = o.integration_id AND c.request_hash = o.request_hash;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;

  -- Deletes a part of the link codes of all environments that are past their time, and with them the names of who never linked themselves.
  -- 0: none is left.
  CREATE FUNCTION delete_expired_link_codes(most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      WITH old AS MATERIALIZED (
        SELECT k.integration_id, k.chat_user_id FROM chat_link_codes k WHERE k.expires_at < now()
        ORDER BY k.expires_at LIMIT most FOR UPDATE SKIP LOCKED)
      DELETE FROM chat_link_codes k USING old o WHERE k.integration_id = o.integration_id AND k.chat_user_id = o.chat_user_id;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
`;
