import type { Knex } from 'knex';

export const name = '0030-approval-moves';

/**
 * `check_approval_move` no longer speaks of deletion: its trigger (migration 0011) never runs for one. Which approvals may go, and
 * when, is for `keep_approval` alone (migration 0012).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(APPROVAL_MOVES);
}

const APPROVAL_MOVES = `
  CREATE OR REPLACE FUNCTION check_approval_move() RETURNS trigger LANGUAGE plpgsql AS $$
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
`;
