import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0002-people';

/**
 * Users, members of workspaces, invitations, sign-in sessions and the throttle of failed sign-ins.
 *
 * Users and their sign-in sessions belong to no workspace. Row-level security binds their rows by the transaction-local
 * `app.user_id`, and a workspace sees the users who are its members. Functions of `service_directory` find what must be found
 * before the user is known (by e-mail, by token).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(PEOPLE);
  await knex.raw(SIGN_IN);
  await makeDirectoryFunctions(knex, DIRECTORY, [
    'find_user_by_email(text)',
    'list_workspaces_of_user(text)',
    'find_sign_in_session(bytea, interval, uuid, uuid)',
    'end_sign_in_sessions(text)',
    'find_invitation(bytea)',
  ]);
  await makeDirectoryFunctions(knex, THROTTLE, [
    'begin_sign_in_attempt(bytea, integer, interval, interval, interval)',
    'has_signed_in_from(bytea, interval)',
    'settle_sign_in(bytea, bytea, bytea, interval)',
    'find_expired_sign_in_throttles(interval, interval, text, integer)',
    'delete_expired_sign_in_throttles(interval, interval, text[])',
  ]);
}

const PEOPLE = `
  CREATE FUNCTION current_user_id() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
    RETURN NULLIF(current_setting('app.user_id', true), '');

  CREATE TABLE users (
    id text COLLATE "C" PRIMARY KEY,
    email text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    password_hash text NOT NULL, -- with its parameters and salt: $scrypt$ln=17,r=8,p=1$<salt>$<hash>
    password_changed_at timestamptz(3) NOT NULL DEFAULT now(),
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE UNIQUE INDEX users_by_email ON users (lower(email));

  CREATE TABLE members (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    user_id text COLLATE "C" NOT NULL REFERENCES users,
    role text NOT NULL CHECK (role IN ('member', 'admin', 'owner')),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, user_id)
  );
  CREATE INDEX members_by_user ON members (user_id);
  ALTER TABLE members ENABLE ROW LEVEL SECURITY;
  ALTER TABLE members FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON members USING (workspace_id = current_workspace_id()) WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT, INSERT, DELETE ON members TO service_app;
  GRANT UPDATE (role) ON members TO service_app;

  -- The other owners are locked, so that two owners cannot remove each other at the same time.
  CREATE FUNCTION keep_an_owner() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.role = 'owner' AND (TG_OP = 'DELETE' OR NEW.role <> 'owner') THEN
      PERFORM FROM members WHERE workspace_id = OLD.workspace_id AND user_id <> OLD.user_id AND role = 'owner' FOR UPDATE;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'a workspace keeps at least one owner' USING ERRCODE = 'check_violation', CONSTRAINT = 'members_keep_an_owner';
      END IF;
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END $$;
  CREATE TRIGGER keep_an_owner BEFORE UPDATE OR DELETE ON members FOR EACH ROW EXECUTE FUNCTION keep_an_owner();

  ALTER TABLE users ENABLE ROW LEVEL SECURITY;
  ALTER TABLE users FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON users
    USING (id = current_user_id() OR EXISTS (
      SELECT FROM members m WHERE m.user_id = users.id AND m.workspace_id = current_workspace_id()))
    WITH CHECK (id = current_user_id());
  GRANT SELECT (id, email, name, created_at), INSERT ON users TO service_app;
  GRANT UPDATE (name, password_hash, password_changed_at) ON users TO service_app;

  CREATE TABLE invitations (
    id text COLLATE "C" PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces,
    email text NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
    role text NOT NULL CHECK (role IN ('member', 'admin', 'owner')),
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    invited_by text COLLATE "C" NOT NULL REFERENCES users,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    accepted_at timestamptz(3),
    revoked_at timestamptz(3)
  );
  CREATE UNIQUE INDEX invitations_open ON invitations (workspace_id, lower(email)) WHERE accepted_at IS NULL AND revoked_at IS NULL;
  ALTER TABLE invitations ENABLE ROW LEVEL SECURITY;
  ALTER TABLE invitations FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON invitations USING (workspace_id = current_workspace_id()) WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT, INSERT ON invitations TO service_app;
  GRANT UPDATE (accepted_at, revoked_at) ON invitations TO service_app;
`;

const SIGN_IN = `
  CREATE TABLE sign_in_sessions (
    id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL REFERENCES users,
    token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
    token_issued_at timestamptz(3) NOT NULL DEFAULT now(),
    previous_token_hash bytea UNIQUE, -- of the token before the last rotation, for requests that were under way
    previous_valid_until timestamptz(3),
    csrf_token text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL
  );
  CREATE INDEX sign_in_sessions_by_user ON sign_in_sessions (user_id);
  ALTER TABLE sign_in_sessions ENABLE ROW LEVEL SECURITY;
  ALTER TABLE sign_in_sessions FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON sign_in_sessions USING (user_id = current_user_id()) WITH CHECK (user_id = current_user_id());
  GRANT SELECT, INSERT, DELETE ON sign_in_sessions TO service_app;
  GRANT UPDATE (token_hash, token_issued_at, previous_token_hash, previous_valid_until, last_seen_at) ON sign_in_sessions TO service_app;

  -- Failed sign-ins, keyed by a hash of the account, the address, or both. Only the functions below read it.
  CREATE TABLE sign_in_throttles (
    key bytea PRIMARY KEY CHECK (octet_length(key) = 32),
    failures integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
    last_failed_at timestamptz(3) NOT NULL DEFAULT now(),
    blocked_until timestamptz(3),
    succeeded_at timestamptz(3) -- of an account and an address together: the account is at home there
  );
  CREATE INDEX sign_in_throttles_by_age ON sign_in_throttles (last_failed_at);
  ALTER TABLE sign_in_throttles ENABLE ROW LEVEL SECURITY;
  ALTER TABLE sign_in_throttles FORCE ROW LEVEL SECURITY;
`;

const DIRECTORY = `
  CREATE POLICY directory ON users FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory ON members FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory ON invitations FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory ON sign_in_sessions TO service_directory USING (true);
  GRANT SELECT (id, email, name, password_hash) ON users TO service_directory;
  GRANT SELECT (workspace_id, user_id, role) ON members TO service_directory;
  GRANT SELECT (id, workspace_id, email, role, token_hash, expires_at, accepted_at, revoked_at) ON invitations TO service_directory;
  GRANT SELECT, DELETE ON sign_in_sessions TO service_directory;

  CREATE FUNCTION find_user_by_email(address text) RETURNS TABLE (id text, email text, name text, password_hash text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC SELECT u.id, u.email, u.name, u.password_hash FROM users u WHERE lower(u.email) = lower(address); END;

  CREATE FUNCTION list_workspaces_of_user(of_user text) RETURNS TABLE (id uuid, name text, role text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT w.id, w.name, m.role FROM members m JOIN workspaces w ON w.id = m.workspace_id
      WHERE m.user_id = of_user ORDER BY w.name, w.id;
    END;

  -- The session of a token, with the user's role in the named workspace, or in that of the named environment.
  CREATE FUNCTION find_sign_in_session(hash bytea, idle interval, of_workspace uuid, of_environment uuid)
    RETURNS TABLE (id text, user_id text, email text, name text, csrf_token text, expires_at timestamptz, last_seen_at timestamptz,
                   token_issued_at timestamptz, is_current boolean, workspace_id uuid, role text, environment_id uuid,
                   environment_name text, environment_kind text, environment_protected boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT s.id, s.user_id, u.email, u.name, s.csrf_token, s.expires_at, s.last_seen_at, s.token_issued_at,
        s.token_hash = hash, m.workspace_id, m.role, e.id, e.name, e.kind, e.protected
      FROM sign_in_sessions s JOIN users u ON u.id = s.user_id
        LEFT JOIN environments e ON e.id = of_environment
        LEFT JOIN members m ON m.user_id = s.user_id AND m.workspace_id = COALESCE(of_workspace, e.workspace_id)
      WHERE (s.token_hash = hash OR (s.previous_token_hash = hash AND s.previous_valid_until > now()))
        AND s.expires_at > now() AND s.last_seen_at > now() - idle;
    END;

  CREATE FUNCTION end_sign_in_sessions(of_user text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE ended integer;
    BEGIN
      DELETE FROM sign_in_sessions WHERE user_id = of_user;
      GET DIAGNOSTICS ended = ROW_COUNT;
      RETURN ended;
    END $$;

  CREATE FUNCTION find_invitation(hash bytea) RETURNS TABLE (id text, workspace_id uuid, email text, role text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT i.id, i.workspace_id, i.email, i.role FROM invitations i
      WHERE i.token_hash = hash AND i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > now();
    END;
`;

/** Expired rows are found page by page and deleted by id. The deletion checks the time again (0016-idempotency). */
const THROTTLE = `
  CREATE POLICY directory ON sign_in_throttles TO service_directory USING (true);
  GRANT SELECT, INSERT, UPDATE, DELETE ON sign_in_throttles TO service_directory;

  -- Counts an attempt before its password is checked, so that concurrent attempts cannot pass together. Returns the end of the
  -- bucket's pause; null where the attempt may proceed. An attempt during a pause is not counted.
  CREATE FUNCTION begin_sign_in_attempt(bucket bytea, free_failures integer, first_pause interval, longest_pause interval, forgotten_after interval)
    RETURNS timestamptz LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE held sign_in_throttles;
    BEGIN
      -- One statement finds or makes the row and locks it: between two, a sign-in that succeeds elsewhere may delete it.
      INSERT INTO sign_in_throttles (key) VALUES (bucket)
        ON CONFLICT (key) DO UPDATE SET failures = sign_in_throttles.failures RETURNING * INTO held;
      IF held.blocked_until > clock_timestamp() THEN RETURN held.blocked_until; END IF;
      IF held.last_failed_at < clock_timestamp() - forgotten_after THEN held.failures := 0; END IF;
      held.failures := held.failures + 1;
      UPDATE sign_in_throttles SET failures = held.failures, last_failed_at = clock_timestamp(),
        blocked_until = CASE WHEN held.failures >= free_failures
          THEN clock_timestamp() + LEAST(longest_pause, first_pause * power(2, LEAST(held.failures - free_failures, 20))) END
      WHERE key = bucket;
      RETURN NULL;
    END $$;

  CREATE FUNCTION has_signed_in_from(bucket bytea, within interval) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC SELECT EXISTS (SELECT FROM sign_in_throttles t WHERE t.key = bucket AND t.succeeded_at > now() - within); END;

  -- Called after a successful sign-in: resets the account's buckets, and takes this attempt off the address's. It forgets 100 old ones by an array:
  -- PostgreSQL may run a subquery of IN again for each row, each time without those that are deleted already, and would delete more.
  CREATE FUNCTION settle_sign_in(of_account bytea, of_address bytea, of_both bytea, forgotten_after interval) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      UPDATE sign_in_throttles SET failures = GREATEST(failures - 1, 0), blocked_until = NULL WHERE key = of_address;
      DELETE FROM sign_in_throttles WHERE key = of_account;
      INSERT INTO sign_in_throttles (key, succeeded_at) VALUES (of_both, now())
        ON CONFLICT (key) DO UPDATE SET failures = 0, blocked_until = NULL, succeeded_at = now(), last_failed_at = now();
      DELETE FROM sign_in_throttles WHERE key = ANY (ARRAY(
        SELECT key FROM sign_in_throttles WHERE last_failed_at < now() - forgotten_after ORDER BY last_failed_at LIMIT 100
        FOR UPDATE SKIP LOCKED));
    END $$;

  CREATE FUNCTION find_expired_sign_in_throttles(forgotten_after interval, home interval, after_id text, most integer)
    RETURNS TABLE (id text)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT t.id FROM (SELECT encode(key, 'hex') COLLATE "C" AS id FROM sign_in_throttles
        WHERE last_failed_at < now() - forgotten_after AND (succeeded_at IS NULL OR succeeded_at < now() - home)) t
      WHERE t.id > after_id ORDER BY t.id LIMIT most;
    END;
  CREATE FUNCTION delete_expired_sign_in_throttles(forgotten_after interval, home interval, ids text[]) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM sign_in_throttles t USING unnest(ids) old (id)
      WHERE t.key = decode(old.id, 'hex') AND t.last_failed_at < now() - forgotten_after
        AND (t.succeeded_at IS NULL OR t.succeeded_at < now() - home);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $$;
`;
