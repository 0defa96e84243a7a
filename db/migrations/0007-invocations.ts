import type { Knex } from 'knex';

export const name = '0007-invocations';

/**
 * Invocations and their attempts. The attempt row is the fence of a dispatch: it is committed before a byte is sent, and it is
 * claimed once. It only moves forward: unclaimed -> claimed -> completed | abandoned, or unclaimed -> abandoned, which proves
 * that nothing was sent.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(INVOCATIONS);
  await knex.raw(INVOCATION_MOVES);
  await knex.raw(ATTEMPTS);
}

const INVOCATIONS = `
  CREATE TABLE invocations (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    action_id text COLLATE "C" NOT NULL REFERENCES actions,
    version_id text COLLATE "C" NOT NULL REFERENCES action_versions,
    operation_key text NOT NULL CHECK (char_length(operation_key) BETWEEN 1 AND 255),
    request_digest text NOT NULL, -- of the caller's request: tells the same operation key with another request
    input jsonb NOT NULL,
    requested_by jsonb NOT NULL,  -- { type, id, name }
    request_id text CHECK (length(request_id) BETWEEN 1 AND 128), -- of the admitting request: leads to its lines of the log
    retry_of text COLLATE "C" REFERENCES invocations,
    run_id text,
    agent_id text,
    effect_id text COLLATE "C",   -- of a governed invocation, once it was evaluated
    preview_id text COLLATE "C",  -- made by a caller: set when it is admitted; by the service: when it is parked
    approval_id text COLLATE "C",
    compensates text COLLATE "C", -- an effect
    -- Effects, previews and approvals refer to invocations: 0008, 0009 and 0011 add the foreign keys of these four.
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('pending_approval', 'queued', 'dispatching', 'succeeded',
      'failed', 'unknown', 'refused', 'denied', 'expired', 'cancelled')),
    outcome_source text CHECK (outcome_source IN ('system', 'provider_response', 'provider_lookup', 'manual_resolution')),
    grade text NOT NULL GENERATED ALWAYS AS (
      CASE status
        WHEN 'succeeded' THEN CASE WHEN outcome_source = 'provider_lookup' THEN 'confirmed' ELSE 'acknowledged' END
        WHEN 'failed' THEN 'failed'
        WHEN 'unknown' THEN 'unknown'
        WHEN 'denied' THEN 'denied'
        WHEN 'refused' THEN 'refused'
        WHEN 'expired' THEN 'refused'
        WHEN 'cancelled' THEN 'refused'
        ELSE 'pending'
      END) STORED,
    error text,
    -- Why it was not carried out, failed or is unknown, for machines: a code and details beside the sentence in error.
    refusal_code text CHECK (refusal_code ~ '^[a-z_]{1,64}$'),
    refusal_details jsonb,
    result jsonb,                 -- { status, headers, body } of the response that settled it, credentials removed
    resolution jsonb,
    decision jsonb,               -- of the policies: { effect, policyId, version, ruleId }; null when they were not evaluated
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    evaluated_at timestamptz(3),
    unknown_at timestamptz(3),    -- when it first became unknown; stays
    settled_at timestamptz(3),
    dependencies_awaited_at timestamptz(3), -- since it waits for effects that it depends on
    holds_files boolean NOT NULL DEFAULT false, -- most carry no file, and pay nothing for those that do
    UNIQUE (environment_id, operation_key),
    CHECK (status <> 'succeeded' OR outcome_source IS NOT NULL),
    -- A refusal is there exactly under the statuses that it explains, so that no reader has to guess from a sentence.
    CONSTRAINT invocations_refusal_check CHECK (
      (refusal_code IS NOT NULL) = (status IN ('refused', 'denied', 'expired', 'cancelled', 'failed', 'unknown'))
      AND (refusal_details IS NOT NULL) = (refusal_code IS NOT NULL))
  );
  CREATE INDEX invocations_newest_first ON invocations (environment_id, created_at DESC, id DESC);
  CREATE INDEX invocations_by_action ON invocations (action_id, created_at DESC, id DESC);
  -- Most invocations name neither an agent nor a run.
  CREATE INDEX invocations_by_agent ON invocations (environment_id, agent_id, created_at DESC, id DESC) WHERE agent_id IS NOT NULL;
  CREATE INDEX invocations_by_run ON invocations (environment_id, run_id, created_at DESC, id DESC) WHERE run_id IS NOT NULL;
  -- Most invocations have neither a preview nor an approval.
  CREATE UNIQUE INDEX invocations_preview ON invocations (preview_id) WHERE preview_id IS NOT NULL;
  CREATE UNIQUE INDEX invocations_approval ON invocations (approval_id) WHERE approval_id IS NOT NULL;
  CREATE INDEX invocations_in_flight ON invocations (environment_id) WHERE status IN ('queued', 'dispatching'); -- an overview counts them
  CREATE INDEX invocations_retries ON invocations (retry_of) WHERE retry_of IS NOT NULL; -- a withdrawn admission is looked for here
  CALL make_tenant_table('invocations', 'SELECT, INSERT, UPDATE, DELETE');
`;

const INVOCATION_MOVES = `
  CREATE FUNCTION check_invocation_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      -- Only an admission whose workflow never began may be taken back (the API answers 503 then).
      IF OLD.status <> 'queued' OR OLD.evaluated_at IS NOT NULL THEN
        RAISE EXCEPTION 'invocation % has begun and stays', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      RETURN OLD;
    END IF;
    IF TG_OP = 'INSERT' THEN
      IF NEW.status <> 'queued' THEN
        RAISE EXCEPTION 'invocation % cannot begin as %', NEW.id, NEW.status USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END IF;
    IF (NEW.id, NEW.action_id, NEW.version_id, NEW.operation_key, NEW.request_digest, NEW.input, NEW.requested_by, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.action_id, OLD.version_id, OLD.operation_key, OLD.request_digest, OLD.input, OLD.requested_by, OLD.created_at) THEN
      RAISE EXCEPTION 'what invocation % was asked to do is immutable', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status <> OLD.status AND NOT (CASE OLD.status
        WHEN 'queued' THEN NEW.status IN ('pending_approval', 'dispatching', 'refused', 'cancelled')
        WHEN 'pending_approval' THEN NEW.status IN ('queued', 'dispatching', 'refused', 'denied', 'expired', 'cancelled')
        WHEN 'dispatching' THEN NEW.status IN ('succeeded', 'failed', 'unknown', 'refused')
        WHEN 'unknown' THEN NEW.status IN ('succeeded', 'failed', 'dispatching') -- the last: a read found the provider still at it
        WHEN 'succeeded' THEN NEW.status = 'failed' -- a late reversal by the provider
        ELSE false
      END) THEN
      RAISE EXCEPTION 'invocation % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status = 'unknown' THEN NEW.unknown_at := COALESCE(OLD.unknown_at, now()); END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_move BEFORE INSERT OR UPDATE OR DELETE ON invocations FOR EACH ROW EXECUTE FUNCTION check_invocation_move();
`;

const ATTEMPTS = `
  CREATE TABLE attempts (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    invocation_id text COLLATE "C" NOT NULL REFERENCES invocations,
    number integer NOT NULL CHECK (number >= 1),
    kind text NOT NULL CHECK (kind IN ('dispatch', 'replay', 'reconcile')),
    status text NOT NULL DEFAULT 'started' CHECK (status IN ('started', 'completed', 'abandoned')),
    claimed_at timestamptz(3),
    observed_outcome text CHECK (observed_outcome IN ('not_dispatched', 'pending', 'succeeded', 'failed', 'unknown')),
    refusal jsonb,                -- { code, message } where the dispatch refused before anything was sent
    error text,
    response jsonb,               -- { status, headers, body }, credentials removed
    -- The versions of the secrets at the time of the fence. With the secrets of another account, the provider would not know the
    -- idempotency key, and a replay would be a second effect.
    secret_versions jsonb CHECK (jsonb_typeof(secret_versions) = 'object'),
    started_at timestamptz(3) NOT NULL DEFAULT now(),
    finished_at timestamptz(3),
    UNIQUE (invocation_id, number),
    CHECK ((status = 'started') = (finished_at IS NULL)),
    CHECK (status <> 'completed' OR (claimed_at IS NOT NULL AND observed_outcome IS NOT NULL)),
    -- A claimed attempt may have been sent; abandoning it cannot deny that.
    CONSTRAINT attempts_claimed_may_be_sent CHECK (NOT (status = 'abandoned' AND claimed_at IS NOT NULL AND observed_outcome = 'not_dispatched')),
    -- Only the end of an attempt sets its result, so that its last entry in the receipt contains all of it.
    CONSTRAINT attempts_end_at_once CHECK (status <> 'started'
      OR (observed_outcome IS NULL AND refusal IS NULL AND error IS NULL AND response IS NULL))
  );
  CREATE UNIQUE INDEX attempts_one_dispatch ON attempts (invocation_id) WHERE kind = 'dispatch';
  CALL make_tenant_table('attempts', 'SELECT, INSERT, UPDATE');

  CREATE FUNCTION check_attempt_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'attempts are never deleted' USING ERRCODE = 'check_violation'; END IF;
    IF TG_OP = 'INSERT' THEN
      IF NEW.status <> 'started' THEN
        RAISE EXCEPTION 'attempt % cannot begin as %', NEW.id, NEW.status USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END IF;
    IF OLD.status <> 'started' THEN
      RAISE EXCEPTION 'attempt % is closed', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.claimed_at IS NOT NULL AND NEW.claimed_at IS DISTINCT FROM OLD.claimed_at THEN
      RAISE EXCEPTION 'attempt % was claimed before', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.id, NEW.invocation_id, NEW.number, NEW.kind, NEW.started_at)
       IS DISTINCT FROM (OLD.id, OLD.invocation_id, OLD.number, OLD.kind, OLD.started_at) THEN
      RAISE EXCEPTION 'the identity of attempt % is immutable', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_move BEFORE INSERT OR UPDATE OR DELETE ON attempts FOR EACH ROW EXECUTE FUNCTION check_attempt_move();
  CREATE TRIGGER keep_secret_versions BEFORE UPDATE ON attempts FOR EACH ROW
    WHEN (NEW.secret_versions IS DISTINCT FROM OLD.secret_versions) EXECUTE FUNCTION refuse_change();
`;
