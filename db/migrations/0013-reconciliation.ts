import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0013-reconciliation';

/**
 * Reconciliation: resolutions by people (append-only, one for each invocation), operator replays, answers that came after their
 * attempt was abandoned, what an effect depends on and what it compensates, and unsettled answers. The rules: docs/reconciliation.md.
 *
 * Two matches stay unknown. After a read found more than one record at the provider, only a person settles an unknown outcome,
 * and nothing is sent again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(RESOLUTIONS);
  await knex.raw(KEPT_RESOLUTION);
  await knex.raw(AMBIGUOUS_EFFECTS);
  await knex.raw(REPLAYS);
  await knex.raw(LATE_ANSWERS);
  await knex.raw(DEPENDENCIES);
  await makeDirectoryFunctions(knex, UNSETTLED_ANSWERS, ['find_unsettled_answers(text, integer)']);
}

const RESOLUTIONS = `
  CREATE TABLE resolutions (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    invocation_id text COLLATE "C" NOT NULL UNIQUE REFERENCES invocations,
    effect_id text COLLATE "C" UNIQUE REFERENCES effects, -- null: a plain invocation has none
    outcome text NOT NULL CHECK (outcome IN ('succeeded', 'failed')),
    previous_outcome text NOT NULL CHECK (previous_outcome IN ('unknown', 'pending')),
    partial_effect text NOT NULL CHECK (partial_effect IN ('none', 'possible', 'confirmed')),
    settled_impact jsonb CHECK (jsonb_typeof(settled_impact) = 'array'), -- null: as declared, or nothing of it
    summary text NOT NULL CHECK (char_length(summary) BETWEEN 3 AND 2000),
    provider_ids jsonb NOT NULL CHECK (jsonb_typeof(provider_ids) = 'object'),
    url text,
    resolved_by jsonb NOT NULL, -- { type, id }
    resolved_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CALL make_tenant_table('resolutions', 'SELECT, INSERT');
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON resolutions FOR EACH ROW EXECUTE FUNCTION refuse_change();

  CREATE FUNCTION check_resolution() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    resolved invocations;
    governing effects;
  BEGIN
    SELECT * INTO resolved FROM invocations WHERE id = NEW.invocation_id FOR UPDATE;
    IF NOT FOUND THEN RETURN NEW; END IF; -- of another tenant: row-level security refuses it
    IF resolved.effect_id IS DISTINCT FROM NEW.effect_id THEN
      RAISE EXCEPTION 'a resolution of invocation % names its effect, and no other', resolved.id USING ERRCODE = 'check_violation';
    END IF;
    IF resolved.requested_by ->> 'type' = NEW.resolved_by ->> 'type' AND resolved.requested_by ->> 'id' = NEW.resolved_by ->> 'id' THEN
      RAISE EXCEPTION 'who requested invocation % cannot resolve it', resolved.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.effect_id IS NULL THEN
      IF resolved.status <> 'unknown' THEN
        RAISE EXCEPTION 'invocation % is %, not unknown', resolved.id, resolved.status USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END IF;
    SELECT * INTO STRICT governing FROM effects WHERE id = NEW.effect_id;
    IF governing.stage <> 'reconciling' OR governing.outcome <> NEW.previous_outcome
       OR (governing.outcome = 'pending' AND NOT governing.reconcile_exhausted) THEN
      RAISE EXCEPTION 'effect % is % and %, which nobody has to resolve', governing.id, governing.stage, governing.outcome
        USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_resolution BEFORE INSERT ON resolutions FOR EACH ROW EXECUTE FUNCTION check_resolution();
`;

const KEPT_RESOLUTION = `
  -- Readers see invocations.resolution; it is written together with the resolution's row.
  CREATE FUNCTION keep_resolution() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.compensates IS DISTINCT FROM OLD.compensates THEN
      RAISE EXCEPTION 'what invocation % was asked to compensate is immutable', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.resolution IS NOT NULL AND NEW.resolution IS DISTINCT FROM OLD.resolution THEN
      RAISE EXCEPTION 'the resolution of invocation % is final', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.resolution IS NOT NULL OR NEW.outcome_source = 'manual_resolution')
       AND NOT EXISTS (SELECT FROM resolutions r WHERE r.invocation_id = NEW.id AND r.outcome = NEW.status) THEN
      RAISE EXCEPTION 'invocation % was not resolved so', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER keep_resolution BEFORE UPDATE ON invocations FOR EACH ROW
    WHEN (NEW.compensates IS DISTINCT FROM OLD.compensates OR OLD.resolution IS NOT NULL OR NEW.resolution IS NOT NULL
          OR NEW.outcome_source = 'manual_resolution')
    EXECUTE FUNCTION keep_resolution();
`;

const AMBIGUOUS_EFFECTS = `
  CREATE FUNCTION is_ambiguous(of_effect text) RETURNS boolean LANGUAGE sql STABLE
    RETURN EXISTS (SELECT FROM evidence v
      WHERE v.effect_id = of_effect AND v.source = 'provider_lookup' AND v.details ->> 'kind' = 'ambiguous');

  CREATE FUNCTION keep_ambiguous_unknown() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF is_ambiguous(OLD.id) THEN
      RAISE EXCEPTION 'more than one record of effect % was found: only a person settles it', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER keep_ambiguous_unknown BEFORE UPDATE ON effects FOR EACH ROW
    WHEN (OLD.outcome = 'unknown' AND NEW.outcome <> 'unknown' AND NEW.outcome_source IS DISTINCT FROM 'manual_resolution')
    EXECUTE FUNCTION keep_ambiguous_unknown();
`;

const REPLAYS = `
  -- A replay is fenced like a dispatch: one row, committed before a byte is sent, claimed once, with one of them open at a time.
  CREATE UNIQUE INDEX attempts_one_open_replay ON attempts (invocation_id) WHERE kind = 'replay' AND status = 'started';

  -- Checked when a replay is requested and when it is claimed: the effect is unknown, the adapter's window is open, and no read found more than
  -- one record, which one may have done between the two. The window is counted from before the first request left, so that it ends here before
  -- it ends at the provider.
  CREATE FUNCTION check_replay() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE replayed effects;
  BEGIN
    SELECT * INTO replayed FROM effects WHERE invocation_id = NEW.invocation_id;
    IF NOT FOUND OR replayed.stage <> 'reconciling' OR replayed.outcome <> 'unknown' THEN
      RAISE EXCEPTION 'only an effect whose outcome is unknown is replayed' USING ERRCODE = 'check_violation';
    END IF;
    IF NOT COALESCE((replayed.capabilities ->> 'replay')::boolean, false)
       OR (replayed.capabilities ->> 'idempotencyWindowSeconds') IS NULL
       OR clock_timestamp() >= replayed.first_dispatched_at
            + make_interval(secs => (replayed.capabilities ->> 'idempotencyWindowSeconds')::double precision) THEN
      RAISE EXCEPTION 'effect % is outside of the window in which its provider knows its idempotency key', replayed.id
        USING ERRCODE = 'check_violation';
    END IF;
    IF is_ambiguous(replayed.id) THEN
      RAISE EXCEPTION 'more than one record of effect % was found: it is not sent again', replayed.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_replay_asked BEFORE INSERT ON attempts FOR EACH ROW
    WHEN (NEW.kind = 'replay') EXECUTE FUNCTION check_replay();
  CREATE TRIGGER check_replay_claimed BEFORE UPDATE ON attempts FOR EACH ROW
    WHEN (NEW.kind = 'replay' AND OLD.claimed_at IS NULL AND NEW.claimed_at IS NOT NULL) EXECUTE FUNCTION check_replay();
`;

const LATE_ANSWERS = `
  -- What a worker that was cut off, not dead, saw after its attempt was abandoned. The attempt stays closed.
  CREATE TABLE late_answers (
    attempt_id text COLLATE "C" PRIMARY KEY REFERENCES attempts,
    environment_id uuid NOT NULL REFERENCES environments,
    observed_outcome text NOT NULL CHECK (observed_outcome IN ('not_dispatched', 'pending', 'succeeded', 'failed', 'unknown')),
    error text,
    response jsonb,
    recorded_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CALL make_tenant_table('late_answers', 'SELECT, INSERT');
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON late_answers FOR EACH ROW EXECUTE FUNCTION refuse_change();
`;

const DEPENDENCIES = `
  -- What an admitted invocation waits for. The rows belong to the invocation, because the evaluation makes the effect. A
  -- withdrawn admission deletes its rows; the application cannot.
  CREATE TABLE effect_dependencies (
    invocation_id text COLLATE "C" NOT NULL REFERENCES invocations ON DELETE CASCADE,
    depends_on text COLLATE "C" NOT NULL REFERENCES effects,
    environment_id uuid NOT NULL REFERENCES environments,
    position integer NOT NULL CHECK (position BETWEEN 1 AND 20),
    PRIMARY KEY (invocation_id, depends_on),
    UNIQUE (invocation_id, position)
  );
  CREATE INDEX effect_dependencies_by_depends_on ON effect_dependencies (depends_on);
  CALL make_tenant_table('effect_dependencies', 'SELECT, INSERT');
  CREATE TRIGGER immutable BEFORE UPDATE ON effect_dependencies FOR EACH ROW EXECUTE FUNCTION refuse_change();
`;

const UNSETTLED_ANSWERS = `
  CREATE INDEX invocations_unknown ON invocations (id) WHERE status = 'unknown';

  CREATE POLICY directory ON invocations FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, environment_id, status) ON invocations TO service_directory;
  CREATE POLICY directory ON attempts FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, invocation_id, kind, observed_outcome) ON attempts TO service_directory;
  CREATE POLICY directory ON late_answers FOR SELECT TO service_directory USING (true);
  GRANT SELECT (attempt_id, observed_outcome) ON late_answers TO service_directory;

  -- Unknown outcomes with an answer on record. A replay that was never sent says nothing about the first request.
  CREATE FUNCTION find_unsettled_answers(after_id text, most integer)
    RETURNS TABLE (id text, environment_id uuid, workspace_id uuid)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      SELECT i.id, i.environment_id, e.workspace_id FROM invocations i JOIN environments e ON e.id = i.environment_id
      WHERE i.status = 'unknown' AND i.id > after_id AND EXISTS (
        SELECT FROM attempts a LEFT JOIN late_answers l ON l.attempt_id = a.id
        WHERE a.invocation_id = i.id AND (a.kind, COALESCE(l.observed_outcome, a.observed_outcome)) IN (('dispatch', 'succeeded'),
          ('dispatch', 'failed'), ('dispatch', 'pending'), ('dispatch', 'not_dispatched'), ('replay', 'succeeded'), ('replay', 'failed'),
          ('replay', 'pending')))
      ORDER BY i.id LIMIT most;
    END;
`;
