import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0075-apps-that-ended';

/**
 * The end of a connected app counts as the revocation of a key does:
 *
 * - A decision that an app made for its user stands while the grant of the app has not ended. The thief of a token could approve, and the
 *   approval counted on after the theft was noticed. The user may then decide again: the grant is a part of the decision's primary key.
 * - A used refresh token is kept until the end of its grant, so that presenting it again ends the grant however late that is.
 * - Grants of memberships that ended give nothing, and do not count among the apps of a user.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(DECISIONS);
  await knex.raw(STANDING);
  await knex.raw(DECIDING);
  await makeDirectoryFunctions(knex, DIRECTORY, [
    'consume_oauth_artifact(bytea, text)',
    'hold_oauth_grants_of_user(text)',
  ]);
}

const DECISIONS = `
  -- The grant of the app that decided for the user; empty: the principal decided without one.
  ALTER TABLE approval_decisions ADD COLUMN connected_app_id text COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (COALESCE(authentication #>> '{app,connectedAppId}', '')) STORED;
  ALTER TABLE approval_decisions DROP CONSTRAINT approval_decisions_pkey;
  ALTER TABLE approval_decisions ADD PRIMARY KEY (approval_id, actor_type, actor_id, connected_app_id);
`;

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
  CREATE OR REPLACE FUNCTION standing_approvals(of_approval text, digest text) RETURNS bigint LANGUAGE sql STABLE
    RETURN (SELECT count(DISTINCT voice_of(d.actor_type, d.actor_id)) FROM approval_decisions d
      WHERE d.approval_id = of_approval AND d.decision = 'approve' AND d.binding_digest = digest
        AND credential_stands(d.environment_id, d.actor_type, d.actor_id, d.authentication #>> '{app,connectedAppId}', d.decided_at));
  DROP FUNCTION credential_stands(uuid, text, text, timestamptz);
`;

const DECIDING = `
  CREATE OR REPLACE FUNCTION check_approval_decision() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    asked approvals;
    through text := NEW.authentication #>> '{app,connectedAppId}'; -- NEW.connected_app_id is generated after this trigger
  BEGIN
    SELECT * INTO asked FROM approvals WHERE id = NEW.approval_id FOR UPDATE; -- one decision at a time
    IF NOT FOUND THEN
      IF row_security_active('approval_decisions') AND NEW.environment_id IS DISTINCT FROM current_environment_id() THEN
        RETURN NEW; -- of another tenant: row-level security refuses it
      END IF;
      RAISE EXCEPTION 'there is no approval % here', NEW.approval_id USING ERRCODE = 'check_violation';
    END IF;
    IF asked.status <> 'pending' THEN
      RAISE EXCEPTION 'approval % is % and takes no decision', asked.id, asked.status USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.binding_digest <> asked.binding_digest THEN
      RAISE EXCEPTION 'a decision on approval % names another digest', asked.id USING ERRCODE = 'check_violation';
    END IF;
    IF NOT credential_stands(NEW.environment_id, NEW.actor_type, NEW.actor_id, through, NEW.decided_at) THEN
      RAISE EXCEPTION 'a decision on approval % comes from a credential that ended', asked.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.decision = 'approve' AND asked.prevent_self
       AND voice_of(NEW.actor_type, NEW.actor_id) = voice_of(asked.requested_by ->> 'type', asked.requested_by ->> 'id') THEN
      RAISE EXCEPTION 'who requested approval % cannot agree to it', asked.id USING ERRCODE = 'check_violation';
    END IF;
    -- The primary key refuses a second decision by the same credential; this refuses one by another credential of the same
    -- person.
    IF EXISTS (SELECT FROM approval_decisions d WHERE d.approval_id = asked.id
        AND (d.actor_type, d.actor_id, d.connected_app_id) <> (NEW.actor_type, NEW.actor_id, COALESCE(through, ''))
        AND voice_of(d.actor_type, d.actor_id) = voice_of(NEW.actor_type, NEW.actor_id)
        AND credential_stands(d.environment_id, d.actor_type, d.actor_id, d.authentication #>> '{app,connectedAppId}', d.decided_at)) THEN
      RAISE EXCEPTION 'one person decides once on approval %', asked.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
`;

const DIRECTORY = `
  -- Once: of two that present the same code or refresh token at the same time, one gets false. A used refresh token is kept until the end of
  -- its grant, because whoever presents it again has a copy.
  CREATE OR REPLACE FUNCTION consume_oauth_artifact(of_hash bytea, of_kind text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      UPDATE oauth_artifacts a SET consumed_at = clock_timestamp(), expires_at = CASE a.kind
          WHEN 'RefreshToken' THEN GREATEST(a.expires_at, (SELECT g.expires_at FROM oauth_grants g WHERE g.id = a.grant_id))
          ELSE a.expires_at END
        WHERE a.hash = of_hash AND a.kind = of_kind AND a.consumed_at IS NULL;
      RETURN FOUND;
    END $$;

  -- How many apps the user has connected, in every workspace that they have not left since. Until the end of the transaction no other counts
  -- them: it would not see this one's.
  CREATE OR REPLACE FUNCTION hold_oauth_grants_of_user(of_user text) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('oauth-grants-of/' || of_user, 0));
      RETURN (SELECT count(*)::int FROM oauth_grants g
        JOIN members m ON m.workspace_id = g.workspace_id AND m.user_id = g.user_id AND m.created_at <= g.created_at
        WHERE g.user_id = of_user AND g.ended_at IS NULL AND g.expires_at > now());
    END $$;
`;
