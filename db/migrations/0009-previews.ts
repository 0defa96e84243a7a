import type { Knex } from 'knex';

export const name = '0009-previews';

/**
 * Previews: exactly what will be sent, under which conditions, until when. A preview is immutable. It reserves the ids of the
 * invocation and the effect that will execute it, because a request may contain them. It is used while an invocation names it; a
 * withdrawn admission frees it.
 *
 * A transaction that uses or supersedes a preview takes its lock first, so that one of two finds what the other did.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(PREVIEWS);
  await knex.raw(DRAFTS);
  await knex.raw(OBSERVATIONS);
  await knex.raw(USE);
  await knex.raw(SUCCESSION);
}

const PREVIEWS = `
  CREATE TABLE previews (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    action_id text COLLATE "C" NOT NULL REFERENCES actions,
    version_id text COLLATE "C" NOT NULL REFERENCES action_versions,
    adapter_type text NOT NULL,
    adapter_version text NOT NULL,
    invocation_id text COLLATE "C" NOT NULL UNIQUE, -- reserved: no such row stands until it is used
    effect_id text COLLATE "C" UNIQUE,              -- the same; null: a plain action has no effect
    operation_key text CHECK (char_length(operation_key) BETWEEN 1 AND 255), -- null: the preview names none
    input jsonb NOT NULL,
    run_id text,
    agent_id text,
    retry_of text COLLATE "C" REFERENCES invocations,
    depends_on jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(depends_on) = 'array'),
    compensates text COLLATE "C" REFERENCES effects,
    capabilities jsonb NOT NULL,
    target jsonb NOT NULL,
    request jsonb NOT NULL,        -- the exact normalized request, secrets as {{secret:NAME}}
    request_digest text NOT NULL CHECK (request_digest ~ '^sha256:[0-9a-f]{64}$'),
    impact jsonb NOT NULL CHECK (jsonb_typeof(impact) = 'array'),
    blocks jsonb NOT NULL CHECK (jsonb_typeof(blocks) = 'array'),
    preconditions jsonb NOT NULL CHECK (jsonb_typeof(preconditions) = 'object'),
    allowances jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(allowances) = 'array'),
    binding_digest text NOT NULL CHECK (binding_digest ~ '^sha256:[0-9a-f]{64}$'),
    evidence_observed_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    supersedes text COLLATE "C" UNIQUE REFERENCES previews, -- one successor
    made_by text NOT NULL CHECK (made_by IN ('caller', 'service')),
    created_by jsonb NOT NULL,     -- { type, id }
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (id, invocation_id, environment_id),
    UNIQUE (id, effect_id, invocation_id)
  );
  CREATE INDEX previews_retries ON previews (retry_of) WHERE retry_of IS NOT NULL;
  CREATE INDEX previews_newest_first ON previews (environment_id, created_at DESC, id DESC);
  -- The first one that a caller asked for: a step of the onboarding.
  CREATE INDEX previews_of_callers ON previews (environment_id, created_at) WHERE made_by = 'caller';
  CALL make_tenant_table('previews', 'SELECT, INSERT');
  CREATE TRIGGER append_only BEFORE UPDATE ON previews FOR EACH ROW EXECUTE FUNCTION refuse_change(); -- deletion: 0012-retention

  CREATE FUNCTION preview_lock_of(preview text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended(preview, 1886549601); -- 'prva'
`;

const DRAFTS = `
  -- A draft: a preview whose provider is being read. The API creates it, a worker reads (only workers open credentials), and the
  -- API then makes the preview. The row is deleted after that; an abandoned one goes with the next draft of its environment.
  CREATE TABLE preview_drafts (
    id text COLLATE "C" PRIMARY KEY, -- of the preview to be
    environment_id uuid NOT NULL REFERENCES environments,
    version_id text COLLATE "C" NOT NULL REFERENCES action_versions,
    invocation_id text COLLATE "C" NOT NULL,
    effect_id text COLLATE "C" NOT NULL,
    operation_key text NOT NULL,
    input jsonb NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    observed_at timestamptz(3),      -- null until it was read
    preconditions jsonb,
    blocks jsonb,
    refusal jsonb,                   -- { code, message }: what was read forbids it
    summary text,
    CHECK ((observed_at IS NULL) = (preconditions IS NULL) AND (observed_at IS NULL) = (blocks IS NULL)
      AND (observed_at IS NULL) = (summary IS NULL) AND (refusal IS NULL OR observed_at IS NOT NULL))
  );
  CREATE INDEX preview_drafts_oldest_first ON preview_drafts (environment_id, created_at);
  CALL make_tenant_table('preview_drafts', 'SELECT, INSERT, DELETE');
  GRANT UPDATE (observed_at, preconditions, blocks, refusal, summary) ON preview_drafts TO service_app;
`;

const OBSERVATIONS = `
  -- An adapter's observation of the provider for an invocation: before a person is asked, and again right before the reservation.
  CREATE TABLE observations (
    invocation_id text COLLATE "C" NOT NULL REFERENCES invocations,
    sequence integer NOT NULL CHECK (sequence >= 1),
    environment_id uuid NOT NULL REFERENCES environments,
    observed_at timestamptz(3) NOT NULL,
    preconditions jsonb NOT NULL CHECK (jsonb_typeof(preconditions) = 'object'),
    blocks jsonb NOT NULL CHECK (jsonb_typeof(blocks) = 'array'),
    refusal jsonb,                   -- { code, message }: what was read forbids the dispatch, or nothing could be read
    summary text NOT NULL,
    recorded_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (invocation_id, sequence)
  );
  CALL make_tenant_table('observations', 'SELECT, INSERT');
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON observations FOR EACH ROW EXECUTE FUNCTION refuse_change();
  CREATE TRIGGER record_time BEFORE INSERT ON observations FOR EACH ROW EXECUTE FUNCTION record_time(); -- 0008-effects
`;

const USE = `
  -- Added here: previews refer to invocations and effects, and these to their preview.
  ALTER TABLE invocations ADD CONSTRAINT invocations_execute_their_preview FOREIGN KEY (preview_id, id, environment_id)
    REFERENCES previews (id, invocation_id, environment_id);
  ALTER TABLE effects ADD CONSTRAINT effects_execute_their_preview FOREIGN KEY (preview_id, id, invocation_id)
    REFERENCES previews (id, effect_id, invocation_id);

  CREATE FUNCTION check_preview_use() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE bound previews;
  BEGIN
    IF TG_OP = 'UPDATE' AND OLD.preview_id IS NOT NULL THEN
      RAISE EXCEPTION 'invocation % is bound to preview % for good', OLD.id, OLD.preview_id USING ERRCODE = 'check_violation';
    END IF;
    PERFORM pg_advisory_xact_lock(preview_lock_of(NEW.preview_id));
    SELECT * INTO bound FROM previews WHERE id = NEW.preview_id;
    IF NOT FOUND THEN RETURN NEW; END IF; -- the foreign key refuses it
    IF bound.made_by <> (CASE TG_OP WHEN 'INSERT' THEN 'caller' ELSE 'service' END) THEN
      RAISE EXCEPTION 'a preview made by the % is not bound by an % of the invocation', bound.made_by, TG_OP USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.action_id, NEW.version_id, NEW.input, NEW.run_id, NEW.agent_id, NEW.retry_of, NEW.compensates)
       IS DISTINCT FROM (bound.action_id, bound.version_id, bound.input, bound.run_id, bound.agent_id, bound.retry_of, bound.compensates)
       OR NEW.operation_key <> bound.operation_key THEN
      RAISE EXCEPTION 'invocation % is not what preview % shows', NEW.id, bound.id USING ERRCODE = 'check_violation';
    END IF;
    IF EXISTS (SELECT FROM previews WHERE supersedes = bound.id) THEN
      RAISE EXCEPTION 'preview % is superseded', bound.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_preview_named BEFORE INSERT ON invocations FOR EACH ROW
    WHEN (NEW.preview_id IS NOT NULL) EXECUTE FUNCTION check_preview_use();
  CREATE TRIGGER check_preview_made BEFORE UPDATE ON invocations FOR EACH ROW
    WHEN (NEW.preview_id IS DISTINCT FROM OLD.preview_id) EXECUTE FUNCTION check_preview_use();
`;

const SUCCESSION = `
  CREATE FUNCTION check_preview_succession() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE former previews;
  BEGIN
    PERFORM pg_advisory_xact_lock(preview_lock_of(NEW.supersedes));
    SELECT * INTO former FROM previews WHERE id = NEW.supersedes;
    IF NOT FOUND THEN RETURN NEW; END IF; -- the foreign key refuses it
    IF (former.environment_id, former.action_id, former.input, former.operation_key, former.run_id, former.agent_id, former.retry_of,
        former.depends_on, former.compensates, former.made_by)
       IS DISTINCT FROM (NEW.environment_id, NEW.action_id, NEW.input, NEW.operation_key, NEW.run_id, NEW.agent_id, NEW.retry_of,
        NEW.depends_on, NEW.compensates, NEW.made_by)
       OR former.made_by <> 'caller' THEN
      RAISE EXCEPTION 'preview % does not show what preview % showed', NEW.id, former.id USING ERRCODE = 'check_violation';
    END IF;
    IF EXISTS (SELECT FROM invocations WHERE preview_id = former.id) THEN
      RAISE EXCEPTION 'preview % is used', former.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_succession BEFORE INSERT ON previews FOR EACH ROW
    WHEN (NEW.supersedes IS NOT NULL) EXECUTE FUNCTION check_preview_succession();
`;
