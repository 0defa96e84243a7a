import type { Knex } from 'knex';

export const name = '0008-effects';

/**
 * Effects and their evidence. The database derives grade and verification, and refuses every move that the life of an effect does
 * not have (docs/invocations.md, "The life of an effect"; ADR 0003 for dispatching -> rejected). The receipt is in 0014-receipts.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(EFFECTS);
  await knex.raw(EFFECT_MOVES);
  await knex.raw(EVIDENCE);
}

const EFFECTS = `
  CREATE TABLE effects (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    invocation_id text COLLATE "C" NOT NULL UNIQUE REFERENCES invocations,
    operation_key text NOT NULL,
    action_name text NOT NULL,
    version_id text COLLATE "C" NOT NULL REFERENCES action_versions,
    adapter_type text NOT NULL,
    adapter_version text NOT NULL,
    capabilities jsonb NOT NULL,
    target jsonb NOT NULL,
    request jsonb NOT NULL,        -- the exact normalized request, secrets as {{secret:NAME}}
    request_digest text NOT NULL,
    impact jsonb NOT NULL,
    binding_digest text,
    preview_id text COLLATE "C", -- previews refer to effects: 0009-previews adds the foreign key
    approval_id text,
    compensates text COLLATE "C" REFERENCES effects,
    stage text NOT NULL CHECK (stage IN ('awaiting_approval', 'ready', 'dispatching', 'reconciling', 'settled', 'rejected')),
    outcome text NOT NULL DEFAULT 'not_dispatched'
      CHECK (outcome IN ('not_dispatched', 'pending', 'succeeded', 'failed', 'unknown')),
    outcome_source text CHECK (outcome_source IN ('system', 'provider_response', 'provider_lookup', 'manual_resolution')),
    partial_effect text NOT NULL DEFAULT 'none' CHECK (partial_effect IN ('none', 'possible', 'confirmed')),
    rejection_reason text,
    provider_reference text,
    reconcile_attempts integer NOT NULL DEFAULT 0 CHECK (reconcile_attempts >= 0),
    reconcile_next_at timestamptz(3),
    reconcile_exhausted boolean NOT NULL DEFAULT false,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    first_dispatched_at timestamptz(3),
    outcome_at timestamptz(3),
    unknown_at timestamptz(3),     -- when its outcome first became unknown, and when it was known after that; both stay
    known_at timestamptz(3),
    grade text NOT NULL GENERATED ALWAYS AS (
      CASE
        WHEN stage = 'rejected' AND rejection_reason = 'approval_denied' THEN 'denied'
        WHEN stage = 'rejected' THEN 'refused'
        WHEN outcome = 'succeeded' AND outcome_source = 'provider_lookup' THEN 'confirmed'
        WHEN outcome = 'succeeded' THEN 'acknowledged'
        WHEN outcome = 'failed' THEN 'failed'
        WHEN outcome = 'unknown' THEN 'unknown'
        ELSE 'pending'
      END) STORED,
    verification text NOT NULL GENERATED ALWAYS AS (
      CASE
        WHEN outcome = 'not_dispatched' THEN 'not_dispatched'
        WHEN outcome_source = 'manual_resolution' THEN 'manual'
        WHEN outcome = 'failed' AND outcome_source = 'system' THEN 'not_dispatched'
        WHEN outcome_source = 'provider_lookup' THEN 'provider'
        WHEN outcome = 'failed' AND outcome_source = 'provider_response' THEN 'provider'
        ELSE 'unverified'
      END) STORED,
    CHECK ((stage = 'rejected') = (rejection_reason IS NOT NULL)),
    CHECK (stage NOT IN ('awaiting_approval', 'ready', 'rejected') OR outcome = 'not_dispatched'),
    CHECK (stage <> 'dispatching' OR outcome = 'pending'),
    CHECK (stage <> 'reconciling' OR outcome IN ('unknown', 'pending')),
    CHECK (stage <> 'settled' OR outcome IN ('succeeded', 'failed')),
    CHECK (outcome NOT IN ('succeeded', 'failed') OR (outcome_source IS NOT NULL AND outcome_at IS NOT NULL)),
    CONSTRAINT effects_of_a_preview_are_bound CHECK (preview_id IS NULL OR binding_digest IS NOT NULL)
  );
  CREATE INDEX effects_newest_first ON effects (environment_id, created_at DESC, id DESC);
  CREATE INDEX effects_by_grade ON effects (environment_id, grade, created_at DESC, id DESC);
  CALL make_tenant_table('effects', 'SELECT, INSERT, UPDATE');
  -- Added here: an invocation and its effect refer to each other.
  ALTER TABLE invocations
    ADD FOREIGN KEY (effect_id) REFERENCES effects,
    ADD FOREIGN KEY (compensates) REFERENCES effects;
`;

const EFFECT_MOVES = `
  CREATE FUNCTION check_effect_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'effects are never deleted' USING ERRCODE = 'check_violation'; END IF;
    IF TG_OP = 'INSERT' THEN
      -- \`dispatching\`: one that waits for nothing is marked, and its dispatch claimed, as it is made.
      IF NEW.stage NOT IN ('awaiting_approval', 'ready', 'rejected', 'dispatching') THEN
        RAISE EXCEPTION 'effect % cannot begin in stage %', NEW.id, NEW.stage USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END IF;
    IF (NEW.id, NEW.invocation_id, NEW.operation_key, NEW.action_name, NEW.version_id, NEW.adapter_type, NEW.adapter_version,
        NEW.capabilities, NEW.target, NEW.request, NEW.request_digest, NEW.impact, NEW.compensates, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.invocation_id, OLD.operation_key, OLD.action_name, OLD.version_id, OLD.adapter_type, OLD.adapter_version,
        OLD.capabilities, OLD.target, OLD.request, OLD.request_digest, OLD.impact, OLD.compensates, OLD.created_at) THEN
      RAISE EXCEPTION 'what effect % was asked to do is immutable', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.rejection_reason IS NOT NULL AND NEW.rejection_reason IS DISTINCT FROM OLD.rejection_reason THEN
      RAISE EXCEPTION 'why effect % was rejected is final', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.stage <> OLD.stage AND NOT (CASE OLD.stage
        WHEN 'awaiting_approval' THEN NEW.stage IN ('ready', 'rejected')
        WHEN 'ready' THEN NEW.stage IN ('dispatching', 'rejected')
        WHEN 'dispatching' THEN NEW.stage IN ('settled', 'reconciling', 'rejected')
        WHEN 'reconciling' THEN NEW.stage = 'settled'
        ELSE false
      END) THEN
      RAISE EXCEPTION 'effect % cannot move from stage % to %', OLD.id, OLD.stage, NEW.stage USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.outcome <> OLD.outcome AND NOT (CASE OLD.outcome
        WHEN 'not_dispatched' THEN NEW.outcome = 'pending'
        WHEN 'pending' THEN NEW.outcome IN ('succeeded', 'failed', 'unknown') OR (NEW.outcome = 'not_dispatched' AND NEW.stage = 'rejected')
        WHEN 'unknown' THEN NEW.outcome IN ('succeeded', 'failed', 'pending')
        WHEN 'succeeded' THEN NEW.outcome = 'failed' AND COALESCE((OLD.capabilities ->> 'reversible')::boolean, false)
        ELSE false
      END) THEN
      RAISE EXCEPTION 'effect % cannot move from outcome % to %', OLD.id, OLD.outcome, NEW.outcome USING ERRCODE = 'check_violation';
    END IF;
    -- The provider's own record may confirm a settled outcome. Its source never changes otherwise.
    IF OLD.stage = 'settled' AND NEW.outcome = OLD.outcome AND NEW.outcome_source <> OLD.outcome_source
       AND NOT (OLD.outcome_source = 'provider_response' AND NEW.outcome_source = 'provider_lookup') THEN
      RAISE EXCEPTION 'effect % cannot move from source % to %', OLD.id, OLD.outcome_source, NEW.outcome_source USING ERRCODE = 'check_violation';
    END IF;
    -- A marked dispatch may be rejected only where it provably sent nothing (docs/adr/0003).
    IF OLD.stage = 'dispatching' AND NEW.stage = 'rejected' AND EXISTS (
         SELECT FROM attempts a WHERE a.invocation_id = OLD.invocation_id
           AND a.claimed_at IS NOT NULL AND a.observed_outcome IS DISTINCT FROM 'not_dispatched') THEN
      RAISE EXCEPTION 'effect % may have been sent and cannot be rejected', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    NEW.unknown_at := CASE NEW.outcome WHEN 'unknown' THEN COALESCE(OLD.unknown_at, now()) ELSE OLD.unknown_at END;
    NEW.known_at := CASE WHEN NEW.unknown_at IS NOT NULL AND NEW.outcome IN ('succeeded', 'failed') THEN COALESCE(OLD.known_at, now()) ELSE OLD.known_at END;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_move BEFORE INSERT OR UPDATE OR DELETE ON effects FOR EACH ROW EXECUTE FUNCTION check_effect_move();

  -- The binding of an effect is set once.
  CREATE FUNCTION keep_binding() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'what effect % is bound to is immutable', OLD.id USING ERRCODE = 'check_violation';
  END $$;
  CREATE TRIGGER keep_binding BEFORE UPDATE ON effects FOR EACH ROW
    WHEN ((OLD.preview_id IS NOT NULL AND NEW.preview_id IS DISTINCT FROM OLD.preview_id)
       OR (OLD.binding_digest IS NOT NULL AND NEW.binding_digest IS DISTINCT FROM OLD.binding_digest)
       OR (OLD.approval_id IS NOT NULL AND NEW.approval_id IS DISTINCT FROM OLD.approval_id))
    EXECUTE FUNCTION keep_binding();
`;

const EVIDENCE = `
  CREATE TABLE evidence (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    effect_id text COLLATE "C" NOT NULL REFERENCES effects,
    source text NOT NULL CHECK (source IN ('preview', 'provider_response', 'provider_lookup', 'system', 'operator_note', 'manual_resolution')),
    observed_at timestamptz(3) NOT NULL,
    implied_outcome text CHECK (implied_outcome IN ('not_dispatched', 'pending', 'succeeded', 'failed', 'unknown')),
    provider_ids jsonb NOT NULL DEFAULT '{}',
    summary text NOT NULL,
    details jsonb NOT NULL DEFAULT '{}',
    actor_type text NOT NULL,
    actor_id text,
    recorded_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX evidence_by_effect ON evidence (effect_id);
  CALL make_tenant_table('evidence', 'SELECT, INSERT');
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON evidence FOR EACH ROW EXECUTE FUNCTION refuse_change();

  -- Nothing is recorded before it was observed. A worker's or the API's clock gives observed_at, the database's recorded_at, and
  -- two clocks never agree: what claims to be observed after it is recorded was observed just now. recorded_at is the moment of
  -- the row. The transaction may have begun long before the observation. The chain hashes the row after this (0014-receipts).
  CREATE FUNCTION record_time() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.recorded_at := clock_timestamp();
    NEW.observed_at := LEAST(NEW.observed_at, NEW.recorded_at);
    RETURN NEW;
  END $$;
  CREATE TRIGGER record_time BEFORE INSERT ON evidence FOR EACH ROW EXECUTE FUNCTION record_time();
`;
