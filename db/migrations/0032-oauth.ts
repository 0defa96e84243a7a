import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';
import { CLIENT_FUNCTIONS, SWEEP_FUNCTIONS } from './oauth-functions.ts';

export const name = '0032-oauth';

/**
 * OAuth: the apps that registered themselves, what users let apps do (grants), the codes and tokens of it, and the keys that sign.
 *
 * - A grant is of one user, in one environment, for one app and one resource. What it says never changes; it ends once. A call reads it with
 *   the membership behind it, and a change holds both until its commit, as it does a key (0004-held-credentials).
 * - Codes, tokens and authorization requests are found by what their holder presents, of which only the hash is stored. They belong to no
 *   tenant before that, so that only functions of `service_directory` reach them. The same holds for registered apps, which belong to nobody.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(GRANTS);
  await knex.raw(STANDING);
  await knex.raw(ARTIFACTS);
  await makeDirectoryFunctions(knex, GRANT_FUNCTIONS, [
    'hold_oauth_grant(text, text, uuid, text)',
    'find_oauth_grant(text)',
    'find_oauth_access_token(bytea)',
    'list_environments_of_user(text)',
    'hold_oauth_grants_of_user(text)',
  ]);
  await makeDirectoryFunctions(knex, ARTIFACT_FUNCTIONS, [
    'put_oauth_artifact(bytea, text, text, jsonb, timestamptz)',
    'find_oauth_artifact(bytea, text)',
    'consume_oauth_artifact(bytea, text)',
    'delete_oauth_artifact(bytea, text)',
  ]);
  await makeDirectoryFunctions(knex, CLIENT_FUNCTIONS, [
    'register_oauth_client(text, jsonb, bytea, integer, integer)',
    'find_oauth_client(text)',
  ]);
  await makeDirectoryFunctions(knex, SWEEP_FUNCTIONS, [
    'find_expired_oauth_artifacts(interval, text, integer)',
    'delete_expired_oauth_artifacts(interval, text[])',
    'find_unused_oauth_clients(interval, interval, text, integer)',
    'delete_unused_oauth_clients(interval, interval, text[])',
    'find_ended_oauth_grants(interval, text, integer)',
    'delete_ended_oauth_grants(interval, text[])',
  ]);
  await makeDirectoryFunctions(knex, KEY_FUNCTIONS, [
    'list_oauth_signing_keys()',
    'add_oauth_signing_key(text, integer, bytea, bytea, text[])',
    'rewrap_oauth_signing_key(text, integer, integer, bytea)',
  ]);
}

const GRANTS = `
  CREATE TABLE oauth_grants (
    id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL REFERENCES users,
    workspace_id uuid NOT NULL,
    environment_id uuid NOT NULL,
    client_id text NOT NULL CHECK (char_length(client_id) BETWEEN 1 AND 2048),
    client_name text NOT NULL CHECK (char_length(client_name) BETWEEN 1 AND 200), -- as the consent page showed it
    resource text NOT NULL CHECK (resource IN ('mcp', 'api')),
    scopes text[] NOT NULL,
    openid boolean NOT NULL, -- the app also gets an ID token
    request_hash bytea NOT NULL UNIQUE CHECK (octet_length(request_hash) = 32), -- of the authorization request: it is consented to once
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    last_used_at timestamptz(3),
    ended_at timestamptz(3),
    ended_by text CHECK (ended_by IN ('user', 'app', 'reuse')),
    CHECK ((ended_at IS NULL) = (ended_by IS NULL)),
    FOREIGN KEY (environment_id, workspace_id) REFERENCES environments (id, workspace_id)
  );
  CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id, created_at DESC, id DESC);
  CREATE INDEX oauth_grants_by_environment ON oauth_grants (environment_id);
  CREATE INDEX oauth_grants_by_client ON oauth_grants (client_id);
  ALTER TABLE oauth_grants ENABLE ROW LEVEL SECURITY;
  ALTER TABLE oauth_grants FORCE ROW LEVEL SECURITY;
  -- A user sees and ends their own in every workspace. A grant for an environment of others gives nothing: each call asks for the membership.
  CREATE POLICY tenant ON oauth_grants
    USING (environment_id = current_environment_id() OR user_id = current_user_id())
    WITH CHECK (environment_id = current_environment_id() OR user_id = current_user_id());
  GRANT SELECT, INSERT ON oauth_grants TO service_app;
  GRANT UPDATE (ended_at, ended_by, last_used_at) ON oauth_grants TO service_app;

  CREATE FUNCTION end_oauth_grant_use() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.ended_at IS NOT NULL THEN
      RAISE EXCEPTION 'an OAuth grant that ended stays ended' USING ERRCODE = 'check_violation';
    END IF;
    PERFORM pg_advisory_xact_lock(credential_lock_of(OLD.id));
    RETURN NEW;
  END $$;
  CREATE TRIGGER end_use BEFORE UPDATE OF ended_at ON oauth_grants FOR EACH ROW
    WHEN (NEW.ended_at IS DISTINCT FROM OLD.ended_at) EXECUTE FUNCTION end_oauth_grant_use();
`;

/** Agreements of 0011-approvals: here, because they end with the grant of the app that agreed. */
const STANDING = `
  -- Whether a decision that a credential made at a given time still counts. The expiry of a key or of a grant changes nothing: it was known
  -- then. A grant that is gone ended long ago.
  CREATE FUNCTION credential_stands(of_environment uuid, credential_type text, credential_id text, connected_app text, since timestamptz)
    RETURNS boolean LANGUAGE sql STABLE
    RETURN (credential_type <> 'api_key' OR EXISTS (
        SELECT FROM api_keys k WHERE k.id = credential_id AND k.revoked_at IS NULL))
      AND (connected_app IS NULL OR EXISTS (
        SELECT FROM oauth_grants g WHERE g.id = connected_app AND g.ended_at IS NULL))
      AND (voice_of(credential_type, credential_id) = credential_id AND credential_type = 'api_key' OR EXISTS (
        SELECT FROM members m JOIN environments e ON e.workspace_id = m.workspace_id
        WHERE e.id = of_environment AND m.user_id = voice_of(credential_type, credential_id) AND m.created_at <= since));

  -- The approve decisions that stand, one for each person.
  CREATE FUNCTION standing_approvals(of_approval text, digest text) RETURNS bigint LANGUAGE sql STABLE
    RETURN (SELECT count(DISTINCT voice_of(d.actor_type, d.actor_id)) FROM approval_decisions d
      WHERE d.approval_id = of_approval AND d.decision = 'approve' AND d.binding_digest = digest
        AND credential_stands(d.environment_id, d.actor_type, d.actor_id, d.authentication #>> '{app,connectedAppId}', d.decided_at));
`;

const ARTIFACTS = `
  -- What an authorization request, a code or a token says, without the value that its holder presents.
  CREATE TABLE oauth_artifacts (
    hash bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
    kind text NOT NULL CHECK (kind IN ('Interaction', 'AuthorizationCode', 'AccessToken', 'RefreshToken')),
    grant_id text COLLATE "C" REFERENCES oauth_grants ON DELETE CASCADE,
    payload jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    consumed_at timestamptz(3),
    CHECK ((kind = 'Interaction') OR grant_id IS NOT NULL)
  );
  CREATE INDEX oauth_artifacts_by_grant ON oauth_artifacts (grant_id);
  CREATE INDEX oauth_artifacts_by_expiry ON oauth_artifacts (expires_at);
  ALTER TABLE oauth_artifacts ENABLE ROW LEVEL SECURITY;
  ALTER TABLE oauth_artifacts FORCE ROW LEVEL SECURITY;

  -- Apps that registered themselves. They have no secret.
  CREATE TABLE oauth_clients (
    id text COLLATE "C" PRIMARY KEY,
    metadata jsonb NOT NULL,
    address_hash bytea NOT NULL CHECK (octet_length(address_hash) = 32), -- where from, for the throttle
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_used_at timestamptz(3)
  );
  CREATE INDEX oauth_clients_by_address ON oauth_clients (address_hash, created_at);
  ALTER TABLE oauth_clients ENABLE ROW LEVEL SECURITY;
  ALTER TABLE oauth_clients FORCE ROW LEVEL SECURITY;

  -- The private keys that sign ID tokens, sealed.
  CREATE TABLE oauth_signing_keys (
    id text COLLATE "C" PRIMARY KEY, -- the kid
    master_key_version integer NOT NULL,
    wrapped_data_key bytea NOT NULL,
    sealed_value bytea NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  ALTER TABLE oauth_signing_keys ENABLE ROW LEVEL SECURITY;
  ALTER TABLE oauth_signing_keys FORCE ROW LEVEL SECURITY;
`;

/** Somebody who left the workspace and came back is a new member: what they consented to before is gone. */
const GRANT_FUNCTIONS = `
  CREATE POLICY directory ON oauth_grants TO service_directory USING (true);
  GRANT SELECT, DELETE ON oauth_grants TO service_directory;
  GRANT SELECT (created_at) ON members TO service_directory;
  CREATE POLICY directory ON oauth_artifacts TO service_directory USING (true);
  GRANT SELECT, INSERT, UPDATE, DELETE ON oauth_artifacts TO service_directory;

  CREATE FUNCTION hold_oauth_grant(of_grant text, of_user text, of_workspace uuid, with_role text) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(credential_lock_of(of_grant));
      PERFORM pg_advisory_xact_lock_shared(credential_lock_of(of_workspace || '/' || of_user));
      PERFORM FROM oauth_grants g JOIN members m ON m.workspace_id = g.workspace_id AND m.user_id = g.user_id
        WHERE g.id = of_grant AND g.user_id = of_user AND g.workspace_id = of_workspace AND g.ended_at IS NULL
          AND g.expires_at > clock_timestamp() AND m.role = with_role AND m.created_at <= g.created_at;
      IF NOT FOUND THEN RAISE EXCEPTION 'the OAuth grant or its membership ended or changed' USING ERRCODE = 'SC001'; END IF;
    END $$;

  CREATE FUNCTION find_oauth_grant(of_grant text)
    RETURNS TABLE (id text, user_id text, workspace_id uuid, environment_id uuid, client_id text, resource text, scopes text[],
                   openid boolean, created_at timestamptz, expires_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT g.id, g.user_id, g.workspace_id, g.environment_id, g.client_id, g.resource, g.scopes, g.openid, g.created_at, g.expires_at
      FROM oauth_grants g JOIN members m ON m.workspace_id = g.workspace_id AND m.user_id = g.user_id AND m.created_at <= g.created_at
      WHERE g.id = of_grant AND g.ended_at IS NULL;
    END;

  -- How many apps the user has connected, in every workspace that they have not left since. Until the end of the transaction no other counts
  -- them: it would not see this one's.
  CREATE FUNCTION hold_oauth_grants_of_user(of_user text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('oauth-grants-of/' || of_user, 0));
      RETURN (SELECT count(*)::int FROM oauth_grants g
        JOIN members m ON m.workspace_id = g.workspace_id AND m.user_id = g.user_id AND m.created_at <= g.created_at
        WHERE g.user_id = of_user AND g.ended_at IS NULL AND g.expires_at > now());
    END $$;

  -- Where a user may let an app work.
  CREATE FUNCTION list_environments_of_user(of_user text)
    RETURNS TABLE (workspace_id uuid, workspace_name text, id uuid, name text, kind text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT w.id, w.name, e.id, e.name, e.kind
      FROM members m JOIN workspaces w ON w.id = m.workspace_id JOIN environments e ON e.workspace_id = w.id
      WHERE m.user_id = of_user ORDER BY w.name, w.id, e.name, e.id;
    END;

  -- What a token may do now: the grant and the membership behind it as they are at this moment.
  CREATE FUNCTION find_oauth_access_token(of_hash bytea)
    RETURNS TABLE (grant_id text, user_id text, client_id text, role text, workspace_id uuid, environment_id uuid, environment_name text,
                   environment_kind text, environment_protected boolean, resource text, scope text, expires_at timestamptz,
                   last_used_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT g.id, g.user_id, g.client_id, m.role, g.workspace_id, e.id, e.name, e.kind, e.protected,
        a.payload ->> 'aud', a.payload ->> 'scope', a.expires_at, g.last_used_at
      FROM oauth_artifacts a JOIN oauth_grants g ON g.id = a.grant_id
        JOIN members m ON m.workspace_id = g.workspace_id AND m.user_id = g.user_id AND m.created_at <= g.created_at
        JOIN environments e ON e.id = g.environment_id
      WHERE a.hash = of_hash AND a.kind = 'AccessToken' AND a.expires_at > now() AND g.ended_at IS NULL AND g.expires_at > now();
    END;
`;

const ARTIFACT_FUNCTIONS = `
  CREATE FUNCTION put_oauth_artifact(of_hash bytea, of_kind text, of_grant text, with_payload jsonb, until timestamptz) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      INSERT INTO oauth_artifacts AS a (hash, kind, grant_id, payload, expires_at) VALUES (of_hash, of_kind, of_grant, with_payload, until)
        ON CONFLICT (hash) DO UPDATE SET payload = EXCLUDED.payload, expires_at = EXCLUDED.expires_at WHERE a.kind = EXCLUDED.kind;
    END;

  CREATE FUNCTION find_oauth_artifact(of_hash bytea, of_kind text) RETURNS TABLE (payload jsonb, consumed_at timestamptz)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC SELECT a.payload, a.consumed_at FROM oauth_artifacts a WHERE a.hash = of_hash AND a.kind = of_kind; END;

  -- Once: of two that present the same code or refresh token at the same time, one gets false. A used refresh token is kept until the end of
  -- its grant, because whoever presents it again has a copy.
  CREATE FUNCTION consume_oauth_artifact(of_hash bytea, of_kind text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      UPDATE oauth_artifacts a SET consumed_at = clock_timestamp(), expires_at = CASE a.kind
          WHEN 'RefreshToken' THEN GREATEST(a.expires_at, (SELECT g.expires_at FROM oauth_grants g WHERE g.id = a.grant_id))
          ELSE a.expires_at END
        WHERE a.hash = of_hash AND a.kind = of_kind AND a.consumed_at IS NULL;
      RETURN FOUND;
    END $$;

  CREATE FUNCTION delete_oauth_artifact(of_hash bytea, of_kind text) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC DELETE FROM oauth_artifacts a WHERE a.hash = of_hash AND a.kind = of_kind; END;
`;

/** The keys belong to the installation, not to a tenant. */
const KEY_FUNCTIONS = `
  CREATE POLICY directory ON oauth_signing_keys TO service_directory USING (true);
  GRANT SELECT, INSERT, UPDATE ON oauth_signing_keys TO service_directory;

  CREATE FUNCTION list_oauth_signing_keys()
    RETURNS TABLE (id text, master_key_version integer, wrapped_data_key bytea, sealed_value bytea)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT k.id, k.master_key_version, k.wrapped_data_key, k.sealed_value FROM oauth_signing_keys k ORDER BY k.created_at DESC, k.id DESC;
    END;

  -- Adds a key where there is none but those that the caller cannot open: of several processes that begin at once, one adds it.
  CREATE FUNCTION add_oauth_signing_key(of_id text, with_version integer, with_wrapped bytea, with_sealed bytea, unopened text[]) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('oauth signing keys'));
      IF EXISTS (SELECT FROM oauth_signing_keys k WHERE k.id <> ALL (unopened)) THEN RETURN false; END IF;
      INSERT INTO oauth_signing_keys (id, master_key_version, wrapped_data_key, sealed_value) VALUES (of_id, with_version, with_wrapped, with_sealed);
      RETURN true;
    END $$;

  CREATE FUNCTION rewrap_oauth_signing_key(of_id text, from_version integer, to_version integer, with_wrapped bytea) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      UPDATE oauth_signing_keys k SET master_key_version = to_version, wrapped_data_key = with_wrapped
        WHERE k.id = of_id AND k.master_key_version = from_version;
      RETURN FOUND;
    END $$;
`;
