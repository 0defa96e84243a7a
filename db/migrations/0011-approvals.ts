import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0011-approvals';

/**
 * Approvals and the decisions on them. Only an appended decision moves an approval: one denial ends it, and the decision that
 * fills the quorum approves it. The application cannot approve or deny in any other way, and an ended approval does not change.
 * An invocation that has an approval is dispatched only by consuming it (docs/adr/0009).
 *
 * One person, one voice. An API key records the member who made it, and both count as one principal: in a quorum, and where the
 * requester may not approve. A decision counts while it stands: its key is not revoked, and its member (the user, or the maker of
 * the key) has been in the workspace without a break since. Only decisions that stand approve an approval, or let it be consumed.
 *
 * Lock order: invocation, approval, effect. Rows of members are locked before rows of keys wherever both are locked.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(APPROVALS);
  await knex.raw(DECISIONS);
  await knex.raw(VOICES);
  await knex.raw(APPROVAL_MOVES);
  await knex.raw(DECIDING);
  await knex.raw(INVOCATIONS_AND_EFFECTS);
  await makeDirectoryFunctions(knex, DIRECTORY, ['count_pending_approvals_of_user()']);
}

const APPROVALS = `
  CREATE TABLE approvals (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    kind text NOT NULL CHECK (kind IN ('invocation', 'free_standing')),
    invocation_id text COLLATE "C" UNIQUE REFERENCES invocations,
    effect_id text COLLATE "C" UNIQUE REFERENCES effects, -- null for a plain invocation
    preview_id text COLLATE "C" REFERENCES previews,
    action_id text COLLATE "C" REFERENCES actions,
    title text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 200),
    summary text NOT NULL CHECK (char_length(summary) BETWEEN 1 AND 4000),
    payload jsonb,                 -- of a free-standing one: what its caller asks agreement to
    binding_digest text NOT NULL CHECK (binding_digest ~ '^sha256:[0-9a-f]{64}$'),
    source text NOT NULL CHECK (source IN ('policy', 'action', 'environment', 'caller')),
    policy_id text COLLATE "C",
    policy_version integer,
    rule_id text,
    reason text NOT NULL,
    quorum integer NOT NULL CHECK (quorum BETWEEN 1 AND 100),
    approvers jsonb NOT NULL CHECK (jsonb_typeof(approvers) = 'array'),
    prevent_self boolean NOT NULL,
    requested_by jsonb NOT NULL,   -- { type, id }
    status text NOT NULL DEFAULT 'pending'
      CHECK (status IN ('pending', 'approved', 'denied', 'expired', 'cancelled', 'invalidated', 'consumed')),
    reminders_sent integer NOT NULL DEFAULT 0 CHECK (reminders_sent >= 0),
    last_reminded_at timestamptz(3),
    awaited_status text,           -- the status that its workflow has seen last; null: it has not begun
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    decided_at timestamptz(3),
    consumed_at timestamptz(3),
    CHECK (expires_at > created_at),
    CHECK ((kind = 'invocation') = (invocation_id IS NOT NULL) AND (kind = 'invocation') = (preview_id IS NOT NULL)
      AND (kind = 'invocation') = (action_id IS NOT NULL) AND (kind = 'free_standing') = (payload IS NOT NULL)
      AND (kind = 'free_standing') = (source = 'caller')),
    CHECK ((source = 'policy') = (policy_id IS NOT NULL AND policy_version IS NOT NULL AND rule_id IS NOT NULL)),
    CHECK ((status = 'pending') = (decided_at IS NULL)),
    CHECK ((status = 'consumed') = (consumed_at IS NOT NULL)),
    CHECK ((reminders_sent = 0) = (last_reminded_at IS NULL))
  );
  CREATE INDEX approvals_newest_first ON approvals (environment_id, created_at DESC, id DESC);
  CREATE INDEX approvals_by_status ON approvals (environment_id, status, created_at DESC, id DESC);
  CREATE INDEX approvals_by_action ON approvals (action_id, created_at DESC, id DESC);
  CREATE INDEX approvals_by_preview ON approvals (preview_id) WHERE preview_id IS NOT NULL; -- for the foreign key
  CREATE INDEX approvals_pending_free_standing ON approvals (environment_id) WHERE kind = 'free_standing' AND status = 'pending';
  CREATE INDEX approvals_ended_free_standing ON approvals (decided_at) WHERE kind = 'free_standing' AND status <> 'pending';
  CALL make_tenant_table('approvals', 'SELECT, INSERT');
  GRANT UPDATE (status, reminders_sent, last_reminded_at, awaited_status, decided_at, consumed_at) ON approvals TO service_app;
`;

const DECISIONS = `
  CREATE TABLE approval_decisions (
    approval_id text COLLATE "C" NOT NULL REFERENCES approvals,
    actor_type text NOT NULL CHECK (actor_type IN ('api_key', 'user')),
    actor_id text COLLATE "C" NOT NULL,
    environment_id uuid NOT NULL REFERENCES environments,
    decision text NOT NULL CHECK (decision IN ('approve', 'deny')),
    note text CHECK (char_length(note) BETWEEN 1 AND 2000),
    binding_digest text NOT NULL,  -- what was agreed to, as the decider sent it; of a denial: what was denied
    authentication jsonb NOT NULL CHECK (jsonb_typeof(authentication) = 'object'), -- how the actor was known then: key or session, role
    decided_at timestamptz(3) NOT NULL DEFAULT now(),
    -- The grant of the app that decided for the user; empty: the principal decided without one.
    connected_app_id text COLLATE "C" NOT NULL GENERATED ALWAYS AS (COALESCE(authentication #>> '{app,connectedAppId}', '')) STORED,
    -- One principal counts once, and decides anew after an app that decided for them was disconnected.
    PRIMARY KEY (approval_id, actor_type, actor_id, connected_app_id),
    CHECK (decision <> 'deny' OR note IS NOT NULL)
  );
  CALL make_tenant_table('approval_decisions', 'SELECT, INSERT');
  CREATE TRIGGER append_only BEFORE UPDATE ON approval_decisions FOR EACH ROW EXECUTE FUNCTION refuse_change(); -- deletion: 0012-retention
`;

const VOICES = `
  -- The person behind a credential: the user, or the maker of the key. A key of the operator stands for itself.
  CREATE FUNCTION voice_of(credential_type text, credential_id text) RETURNS text LANGUAGE sql STABLE
    RETURN CASE credential_type WHEN 'api_key'
      THEN COALESCE((SELECT k.created_by FROM api_keys k WHERE k.id = credential_id), credential_id) ELSE credential_id END;
`;

const APPROVAL_MOVES = `
  CREATE FUNCTION check_approval_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
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
    -- Only decisions decide, and an approve decision only while it stands.
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
  CREATE TRIGGER check_move BEFORE INSERT OR UPDATE ON approvals FOR EACH ROW EXECUTE FUNCTION check_approval_move(); -- deletion: 0012-retention
`;

const DECIDING = `
  CREATE FUNCTION check_approval_decision() RETURNS trigger LANGUAGE plpgsql AS $$
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
  CREATE TRIGGER check_decision BEFORE INSERT ON approval_decisions FOR EACH ROW EXECUTE FUNCTION check_approval_decision();

  CREATE FUNCTION conclude_approval() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE approvals a SET status = CASE NEW.decision WHEN 'deny' THEN 'denied' ELSE 'approved' END, decided_at = NEW.decided_at
    WHERE a.id = NEW.approval_id AND (NEW.decision = 'deny' OR a.quorum <= standing_approvals(a.id, a.binding_digest));
    RETURN NULL;
  END $$;
  CREATE TRIGGER conclude AFTER INSERT ON approval_decisions FOR EACH ROW EXECUTE FUNCTION conclude_approval();
`;

const INVOCATIONS_AND_EFFECTS = `
  -- Added here: an invocation and its approval refer to each other.
  ALTER TABLE invocations ADD FOREIGN KEY (approval_id) REFERENCES approvals DEFERRABLE INITIALLY DEFERRED;

  CREATE FUNCTION check_approval_of_invocation() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.approval_id IS NOT NULL AND NEW.approval_id IS DISTINCT FROM OLD.approval_id THEN
      RAISE EXCEPTION 'the approval of invocation % is for good', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.approval_id IS NULL AND NEW.status = 'pending_approval' THEN
      RAISE EXCEPTION 'invocation % waits for no approval', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    -- Beside the code that consumes it: nothing is marked for sending under an approval that was not consumed for it.
    IF NEW.approval_id IS NOT NULL AND NEW.status = 'dispatching' AND OLD.status IN ('queued', 'pending_approval')
       AND NOT EXISTS (SELECT FROM approvals a WHERE a.id = NEW.approval_id AND a.invocation_id = NEW.id AND a.status = 'consumed') THEN
      RAISE EXCEPTION 'invocation % was not approved', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status <> OLD.status AND NEW.status IN ('denied', 'expired')
       AND NOT EXISTS (SELECT FROM approvals a WHERE a.id = NEW.approval_id AND a.status = NEW.status) THEN
      RAISE EXCEPTION 'the approval of invocation % is not %', OLD.id, NEW.status USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_approval BEFORE UPDATE ON invocations FOR EACH ROW
    WHEN (NEW.approval_id IS NOT NULL OR OLD.approval_id IS NOT NULL OR NEW.status IN ('pending_approval', 'denied', 'expired'))
    EXECUTE FUNCTION check_approval_of_invocation();

  -- Only an approval moves an effect from the stage awaiting_approval to ready.
  CREATE FUNCTION check_approval_of_effect() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT EXISTS (SELECT FROM approvals a WHERE a.id = NEW.approval_id AND a.effect_id = NEW.id AND a.status = 'approved') THEN
      RAISE EXCEPTION 'effect % was not approved', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_approval BEFORE UPDATE ON effects FOR EACH ROW
    WHEN (OLD.approval_id IS NOT NULL AND OLD.stage = 'awaiting_approval' AND NEW.stage = 'ready')
    EXECUTE FUNCTION check_approval_of_effect();
`;

const DIRECTORY = `
  CREATE POLICY directory ON approvals FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, environment_id, status, awaited_status, expires_at, decided_at) ON approvals TO service_directory;

  -- The environments of the transaction's own user, as a member now, in which approvals are pending: what an inbox looks into.
  CREATE FUNCTION count_pending_approvals_of_user()
    RETURNS TABLE (workspace_name text, environment_id uuid, environment_name text, kind text, pending integer)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT w.name, e.id, e.name, e.kind, p.pending
      FROM members m JOIN workspaces w ON w.id = m.workspace_id JOIN environments e ON e.workspace_id = m.workspace_id
        CROSS JOIN LATERAL (SELECT count(*)::int AS pending FROM approvals a
          WHERE a.environment_id = e.id AND a.status = 'pending') p
      WHERE m.user_id = current_user_id() AND p.pending > 0 ORDER BY w.name, e.name, e.id;
    END;
`;
