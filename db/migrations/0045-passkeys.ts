import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0045-passkeys';

/**
 * Passkeys of people, the codes that stand in for a lost one, and the challenges that a session was given.
 *
 * A session says how and when its person was authenticated. While its user has a passkey and `second_factor_at` is null, the session is
 * half signed in: it reaches the routes that finish the sign-in, and the sign-out. Audit entries say how their actor was authenticated; the
 * hash of an entry without that is what it was before.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(TABLES);
  for (const table of ['passkeys', 'recovery_codes', 'passkey_challenges']) {
    await knex.raw(`
      ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
      ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
      CREATE POLICY tenant ON ${table} USING (user_id = current_user_id()) WITH CHECK (user_id = current_user_id());
      GRANT SELECT, INSERT, DELETE ON ${table} TO service_app;`);
  }
  await knex.raw(GRANTS);
  await knex.raw(AUDIT);
  await makeDirectoryFunctions(knex, DIRECTORY, ['find_sign_in_session(bytea, interval, uuid, uuid)']);
}

const TABLES = `
  ALTER TABLE sign_in_sessions
    ADD COLUMN password_at timestamptz(3) NOT NULL DEFAULT now(), -- when the password was given last
    ADD COLUMN second_factor_at timestamptz(3),
    ADD COLUMN second_factor text CHECK (second_factor IN ('passkey', 'recovery_code')),
    ADD CHECK ((second_factor IS NULL) = (second_factor_at IS NULL));

  CREATE TABLE passkeys (
    id text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    credential_id bytea NOT NULL UNIQUE CHECK (octet_length(credential_id) BETWEEN 1 AND 1023),
    public_key bytea NOT NULL CHECK (octet_length(public_key) BETWEEN 1 AND 4096), -- COSE
    sign_count bigint NOT NULL CHECK (sign_count >= 0),
    transports text[] NOT NULL,
    is_synced boolean NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
    last_used_at timestamptz(3)
  );
  CREATE INDEX passkeys_by_user ON passkeys (user_id);

  CREATE TABLE recovery_codes (
    code_hash bytea PRIMARY KEY CHECK (octet_length(code_hash) = 32),
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    used_at timestamptz(3)
  );
  CREATE INDEX recovery_codes_by_user ON recovery_codes (user_id);

  -- A session has one for a purpose at a time. An answer takes it, whether it is right or not.
  CREATE TABLE passkey_challenges (
    session_id text COLLATE "C" NOT NULL REFERENCES sign_in_sessions ON DELETE CASCADE,
    user_id text COLLATE "C" NOT NULL REFERENCES users ON DELETE CASCADE,
    purpose text NOT NULL CHECK (purpose IN ('enrol', 'authenticate')),
    challenge text NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    PRIMARY KEY (session_id, purpose)
  );
  CREATE INDEX passkey_challenges_by_user ON passkey_challenges (user_id);

  ALTER TABLE environments ADD COLUMN require_second_factor boolean NOT NULL DEFAULT false;
`;

const GRANTS = `
  GRANT UPDATE (password_at, second_factor, second_factor_at) ON sign_in_sessions TO service_app;
  GRANT UPDATE (name, sign_count, last_used_at) ON passkeys TO service_app;
  GRANT UPDATE (used_at) ON recovery_codes TO service_app;
  GRANT UPDATE (challenge, expires_at) ON passkey_challenges TO service_app;
  GRANT UPDATE (require_second_factor) ON environments TO service_app;
`;

const AUDIT = `
  ALTER TABLE audit_log ADD COLUMN authentication jsonb
    CHECK (authentication IS NULL OR (jsonb_typeof(authentication) = 'object' AND authentication -> 'method' IS NOT NULL));

  CREATE OR REPLACE FUNCTION audit_hash(e audit_log) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN 'sha256:' || encode(sha256(convert_to((jsonb_build_array(e.previous_hash, e.id, e.workspace_id, e.environment_id,
      e.sequence, e.actor_type, e.actor_id, e.action, e.target_type, e.target_id, e.details, e.request_id,
      to_char(e.recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      || CASE WHEN e.authentication IS NULL THEN '[]'::jsonb ELSE jsonb_build_array(e.authentication) END)::text, 'UTF8')), 'hex');
`;

const DIRECTORY = `
  CREATE POLICY directory ON passkeys FOR SELECT TO service_directory USING (true);
  GRANT SELECT (user_id) ON passkeys TO service_directory;
  GRANT SELECT (require_second_factor) ON environments TO service_directory;

  DROP FUNCTION find_sign_in_session(bytea, interval, uuid, uuid);
  -- The session of a token, with the user's role in the named workspace, or in that of the named environment.
  CREATE FUNCTION find_sign_in_session(hash bytea, idle interval, of_workspace uuid, of_environment uuid)
    RETURNS TABLE (id text, user_id text, email text, name text, csrf_token text, expires_at timestamptz, last_seen_at timestamptz,
                   token_issued_at timestamptz, is_current boolean, password_at timestamptz, second_factor text,
                   second_factor_at timestamptz, has_passkey boolean, workspace_id uuid, role text, environment_id uuid,
                   environment_name text, environment_kind text, environment_protected boolean, requires_second_factor boolean)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT s.id, s.user_id, u.email, u.name, s.csrf_token, s.expires_at, s.last_seen_at, s.token_issued_at,
        s.token_hash = hash, s.password_at, s.second_factor, s.second_factor_at,
        EXISTS (SELECT FROM passkeys p WHERE p.user_id = s.user_id),
        m.workspace_id, m.role, e.id, e.name, e.kind, e.protected, e.require_second_factor
      FROM sign_in_sessions s JOIN users u ON u.id = s.user_id
        LEFT JOIN environments e ON e.id = of_environment
        LEFT JOIN members m ON m.user_id = s.user_id AND m.workspace_id = COALESCE(of_workspace, e.workspace_id)
      WHERE (s.token_hash = hash OR (s.previous_token_hash = hash AND s.previous_valid_until > now()))
        AND s.expires_at > now() AND s.last_seen_at > now() - idle;
    END;
`;
