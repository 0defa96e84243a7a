import type { Knex } from 'knex';

export const name = '0029-governance';

/**
 * Who may agree, and what governs a name.
 *
 * One person, one voice. An API key records the member who made it, and both count as one principal: in a quorum, and where
 * the requester may not approve. A decision counts as long as it stands: its key is not revoked, and its member (the user, or
 * the maker of the key) has been in the workspace without a break since. An approval is approved, and consumed, by decisions
 * that stand alone.
 *
 * Approval guards the name. The name of an action that is archived, or renamed, while it is governed or requires approval is
 * kept; another action bears it only after it was released, which the application does for holders of `actions:govern` alone.
 *
 * Rows of members are locked before rows of keys, by everything that locks both.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(MAKERS);
  await knex.raw(VOICES);
  await knex.raw(DECISIONS);
  await knex.raw(APPROVAL_MOVES);
  await knex.raw(GOVERNED_NAMES);
}

/** No GRANT UPDATE: who made a key never changes. */
const MAKERS = `
  ALTER TABLE api_keys ADD COLUMN created_by text COLLATE "C" REFERENCES users; -- null: the operator, at the command line
`;

const VOICES = `
  -- Whom a credential speaks for: the user, or the maker of the key; a key of the operator speaks for itself.
  CREATE FUNCTION voice_of(credential_type text, credential_id text) RETURNS text LANGUAGE sql STABLE
    RETURN CASE credential_type WHEN 'api_key'
      THEN COALESCE((SELECT k.created_by FROM api_keys k WHERE k.id = credential_id), credential_id) ELSE credential_id END;

  -- Whether what a credential said at a moment still counts. The expiry of a key takes nothing back: it was known beforehand.
  CREATE FUNCTION credential_stands(of_environment uuid, credential_type text, credential_id text, since timestamptz)
    RETURNS boolean LANGUAGE sql STABLE
    RETURN (credential_type <> 'api_key' OR EXISTS (
        SELECT FROM api_keys k WHERE k.id = credential_id AND k.revoked_at IS NULL))
      AND (voice_of(credential_type, credential_id) = credential_id AND credential_type = 'api_key' OR EXISTS (
        SELECT FROM members m JOIN environments e ON e.workspace_id = m.workspace_id
        WHERE e.id = of_environment AND m.user_id = voice_of(credential_type, credential_id) AND m.created_at <= since));

  -- The agreements to an approval that stand, each person once.
  CREATE FUNCTION standing_approvals(of_approval text, digest text) RETURNS bigint LANGUAGE sql STABLE
    RETURN (SELECT count(DISTINCT voice_of(d.actor_type, d.actor_id)) FROM approval_decisions d
      WHERE d.approval_id = of_approval AND d.decision = 'approve' AND d.binding_digest = digest
        AND credential_stands(d.environment_id, d.actor_type, d.actor_id, d.decided_at));
`;

const DECISIONS = `
  CREATE OR REPLACE FUNCTION check_approval_decision() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE asked approvals;
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
    IF NOT credential_stands(NEW.environment_id, NEW.actor_type, NEW.actor_id, NEW.decided_at) THEN
      RAISE EXCEPTION 'a decision on approval % comes from a credential that ended', asked.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.decision = 'approve' AND asked.prevent_self
       AND voice_of(NEW.actor_type, NEW.actor_id) = voice_of(asked.requested_by ->> 'type', asked.requested_by ->> 'id') THEN
      RAISE EXCEPTION 'who requested approval % cannot agree to it', asked.id USING ERRCODE = 'check_violation';
    END IF;
    -- With the same credential the primary key refuses it; with another one of the same person, this does.
    IF EXISTS (SELECT FROM approval_decisions d WHERE d.approval_id = asked.id
        AND (d.actor_type, d.actor_id) <> (NEW.actor_type, NEW.actor_id)
        AND voice_of(d.actor_type, d.actor_id) = voice_of(NEW.actor_type, NEW.actor_id)
        AND credential_stands(d.environment_id, d.actor_type, d.actor_id, d.decided_at)) THEN
      RAISE EXCEPTION 'one person decides once on approval %', asked.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;

  CREATE OR REPLACE FUNCTION conclude_approval() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE approvals a SET status = CASE NEW.decision WHEN 'deny' THEN 'denied' ELSE 'approved' END, decided_at = NEW.decided_at
    WHERE a.id = NEW.approval_id AND (NEW.decision = 'deny' OR a.quorum <= standing_approvals(a.id, a.binding_digest));
    RETURN NULL;
  END $$;
`;

const APPROVAL_MOVES = `
  CREATE OR REPLACE FUNCTION check_approval_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'approvals are never deleted' USING ERRCODE = 'check_violation'; END IF;
    IF TG_OP = 'INSERT' THEN
      IF NEW.status <> 'pending' OR NEW.reminders_sent <> 0 OR NEW.awaited_status IS NOT NULL THEN
        RAISE EXCEPTION 'approval % begins pending', NEW.id USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END IF;
    IF (NEW.id, NEW.environment_id, NEW.kind, NEW.invocation_id, NEW.effect_id, NEW.preview_id, NEW.action_id, NEW.title, NEW.summary,
        NEW.payload, NEW.binding_digest, NEW.source, NEW.policy_id, NEW.policy_version, NEW.rule_id, NEW.reason, NEW.quorum,
        NEW.approvers, NEW.prevent_self, NEW.requested_by, NEW.created_at, NEW.expires_at)
       IS DISTINCT FROM (OLD.id, OLD.environment_id, OLD.kind, OLD.invocation_id, OLD.effect_id, OLD.preview_id, OLD.action_id, OLD.title,
        OLD.summary, OLD.payload, OLD.binding_digest, OLD.source, OLD.policy_id, OLD.policy_version, OLD.rule_id, OLD.reason, OLD.quorum,
        OLD.approvers, OLD.prevent_self, OLD.requested_by, OLD.created_at, OLD.expires_at) THEN
      RAISE EXCEPTION 'what approval % asks is immutable', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.decided_at IS NOT NULL AND NEW.decided_at IS DISTINCT FROM OLD.decided_at THEN
      RAISE EXCEPTION 'when approval % was decided is final', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.reminders_sent IS DISTINCT FROM OLD.reminders_sent
       AND (OLD.status <> 'pending' OR NEW.reminders_sent <> OLD.reminders_sent + 1) THEN
      RAISE EXCEPTION 'approval % is reminded of one at a time, while it is pending', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status = OLD.status THEN RETURN NEW; END IF;
    IF NOT (CASE OLD.status
        WHEN 'pending' THEN NEW.status IN ('approved', 'denied', 'expired', 'cancelled', 'invalidated')
        WHEN 'approved' THEN NEW.status = 'invalidated' OR (NEW.status = 'consumed' AND OLD.kind = 'invocation')
        ELSE false
      END) THEN
      RAISE EXCEPTION 'approval % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
    END IF;
    -- Only decisions decide, and an agreement only while it stands.
    IF NEW.status = 'denied' AND NOT EXISTS (
         SELECT FROM approval_decisions d WHERE d.approval_id = OLD.id AND d.decision = 'deny') THEN
      RAISE EXCEPTION 'nobody denied approval %', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status IN ('approved', 'consumed') AND (
         EXISTS (SELECT FROM approval_decisions d WHERE d.approval_id = OLD.id AND d.decision = 'deny')
         OR standing_approvals(OLD.id, OLD.binding_digest) < OLD.quorum) THEN
      RAISE EXCEPTION 'approval % lacks its quorum', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
`;

const GOVERNED_NAMES = `
  CREATE TABLE governed_names (
    environment_id uuid NOT NULL REFERENCES environments,
    name text COLLATE "C" NOT NULL,
    action_id text COLLATE "C" NOT NULL REFERENCES actions, -- who left it behind last
    left_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (environment_id, name)
  );
  CALL make_tenant_table('governed_names', 'SELECT, INSERT, DELETE');

  CREATE FUNCTION keep_governed_name() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    -- By the version before this change: what is loosened and renamed at once was governed under its old name.
    INSERT INTO governed_names (environment_id, name, action_id)
    SELECT OLD.environment_id, OLD.name, OLD.id FROM action_versions v
    WHERE v.id = OLD.current_version_id
      AND (COALESCE((v.definition ->> 'governed')::boolean, false)
        OR COALESCE((v.definition -> 'approval' ->> 'required')::boolean, false))
    ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
  CREATE TRIGGER keep_governed_name AFTER UPDATE ON actions FOR EACH ROW
    WHEN (OLD.archived_at IS NULL AND (NEW.archived_at IS NOT NULL OR NEW.name <> OLD.name))
    EXECUTE FUNCTION keep_governed_name();

  -- At the commit: by then whoever may has released the name.
  CREATE FUNCTION refuse_governed_name() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM actions a JOIN governed_names g ON g.environment_id = a.environment_id AND g.name = a.name
               WHERE a.id = NEW.id AND a.archived_at IS NULL) THEN
      RAISE EXCEPTION 'the name of action % was governed and is not released', NEW.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER refuse_governed_name AFTER INSERT OR UPDATE OF name ON actions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_governed_name();
`;
