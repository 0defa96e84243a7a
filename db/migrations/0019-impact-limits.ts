import type { Knex } from 'knex';

export const name = '0019-impact-limits';

/**
 * Impact limits and the reservations against them. The database enforces the rules of the two phases, whatever the code does:
 *
 * - Counters move only with reservations, by a trigger. A direct change of a counter is refused, to the owner too.
 * - A reservation that would bring reserved + settled above the cap of its limit is refused. The cap is read under a lock that a
 *   change of the cap waits for, so the rule holds at every commit. A cap may be lowered below what is used.
 * - A reservation is made once for an effect and a limit, in a period that never changes. It is settled or released once. A
 *   settled one can be given back once, when the provider reversed the effect; a release is final.
 * - At every commit, each reservation is in the state that its effect requires (`reservation_place`): held while the outcome is
 *   unknown, settled by success, released by proof that nothing happened. Code that forgets it cannot commit.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(LIMITS);
  await knex.raw(PERIODS);
  await knex.raw(RESERVATIONS);
  await knex.raw(COUNTERS);
  await knex.raw(AGREEMENT);
}

const LIMITS = `
  CREATE TABLE impact_limits (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    dimension text NOT NULL CHECK (dimension ~ '^[a-z][a-z0-9_]{0,31}$'),
    currency text CHECK (currency ~ '^[a-z]{3}$'),
    cap bigint NOT NULL CHECK (cap BETWEEN 0 AND 9007199254740991), -- what JSON numbers hold exactly
    period text NOT NULL CHECK (period IN ('per_effect', 'hour', 'day', 'week', 'month', 'lifetime')),
    timezone text NOT NULL,
    scope jsonb NOT NULL CHECK (jsonb_typeof(scope) = 'object'),
    thresholds smallint[] NOT NULL CHECK (cardinality(thresholds) <= 10 AND 1 <= ALL (thresholds) AND 100 >= ALL (thresholds)),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    archived_at timestamptz(3),
    CHECK ((dimension = 'money') = (currency IS NOT NULL))
  );
  CREATE UNIQUE INDEX impact_limits_live_name ON impact_limits (environment_id, name) WHERE archived_at IS NULL;
  CREATE INDEX impact_limits_newest_first ON impact_limits (environment_id, created_at DESC, id DESC);
  CALL make_tenant_table('impact_limits', 'SELECT, INSERT');
  GRANT UPDATE (name, cap, thresholds, updated_at, archived_at) ON impact_limits TO service_app;

  CREATE FUNCTION check_impact_limit_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'impact limits are archived, never deleted' USING ERRCODE = 'check_violation'; END IF;
    IF (NEW.id, NEW.environment_id, NEW.dimension, NEW.currency, NEW.period, NEW.timezone, NEW.scope, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.environment_id, OLD.dimension, OLD.currency, OLD.period, OLD.timezone, OLD.scope, OLD.created_at) THEN
      RAISE EXCEPTION 'what impact limit % counts is immutable', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.archived_at IS NOT NULL THEN
      RAISE EXCEPTION 'impact limit % is archived', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_change BEFORE UPDATE OR DELETE ON impact_limits FOR EACH ROW EXECUTE FUNCTION check_impact_limit_change();
`;

const PERIODS = `
  CREATE TABLE impact_limit_periods (
    limit_id text COLLATE "C" NOT NULL REFERENCES impact_limits,
    period text COLLATE "C" NOT NULL CHECK (char_length(period) BETWEEN 1 AND 64),
    environment_id uuid NOT NULL REFERENCES environments,
    reserved bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    settled bigint NOT NULL DEFAULT 0 CHECK (settled >= 0),
    threshold_reached smallint NOT NULL DEFAULT 0, -- the highest that is on record as crossed
    PRIMARY KEY (limit_id, period)
  ) WITH (fillfactor = 50); -- room for the next versions of a hot row beside it, so that its index is left alone
  CALL make_tenant_table('impact_limit_periods', 'SELECT, INSERT');
  GRANT UPDATE (reserved, settled, threshold_reached) ON impact_limit_periods TO service_app;

  -- Depth 0 is a statement of its own; the reservations' trigger is deeper.
  CREATE FUNCTION refuse_counter_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'UPDATE' AND NEW IS NOT DISTINCT FROM OLD THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'the counters of an impact limit move only with its reservations' USING ERRCODE = 'check_violation';
  END $$;
  CREATE TRIGGER only_by_reservations BEFORE UPDATE OR DELETE ON impact_limit_periods FOR EACH ROW
    WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_counter_change();
  CREATE TRIGGER begins_at_zero AFTER INSERT ON impact_limit_periods FOR EACH ROW
    WHEN (NEW.reserved <> 0 OR NEW.settled <> 0 OR NEW.threshold_reached <> 0) EXECUTE FUNCTION refuse_counter_change();

  CREATE TABLE impact_limit_crossings (
    limit_id text COLLATE "C" NOT NULL,
    period text COLLATE "C" NOT NULL,
    threshold smallint CHECK (threshold BETWEEN 1 AND 100), -- null: a reservation was refused
    environment_id uuid NOT NULL REFERENCES environments,
    used bigint NOT NULL, -- reserved and settled, then
    requested bigint CHECK ((requested IS NULL) = (threshold IS NOT NULL)), -- by what was refused
    cap bigint NOT NULL,
    crossed_at timestamptz(3) NOT NULL DEFAULT now(),
    FOREIGN KEY (limit_id, period) REFERENCES impact_limit_periods,
    UNIQUE NULLS NOT DISTINCT (limit_id, period, threshold)
  );
  -- A limit for each effect has a crossing for each effect that it refused.
  CREATE INDEX impact_limit_crossings_newest_first ON impact_limit_crossings (limit_id, crossed_at DESC);
  CALL make_tenant_table('impact_limit_crossings', 'SELECT, INSERT');
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON impact_limit_crossings FOR EACH ROW EXECUTE FUNCTION refuse_change();
`;

const RESERVATIONS = `
  CREATE TABLE impact_reservations (
    id text COLLATE "C" PRIMARY KEY,
    environment_id uuid NOT NULL REFERENCES environments,
    effect_id text COLLATE "C" NOT NULL REFERENCES effects,
    limit_id text COLLATE "C" NOT NULL,
    period text COLLATE "C" NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    state text NOT NULL DEFAULT 'reserved' CHECK (state IN ('reserved', 'settled', 'released')),
    exposure text DEFAULT 'dispatching' CHECK (exposure IN ('dispatching', 'pending', 'unknown', 'partial')),
    settled bigint NOT NULL DEFAULT 0 CHECK (settled >= 0),
    released bigint NOT NULL DEFAULT 0 CHECK (released >= 0),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    finished_at timestamptz(3),
    reversed_at timestamptz(3), -- when the provider took back what was settled
    UNIQUE (effect_id, limit_id),
    FOREIGN KEY (limit_id, period) REFERENCES impact_limit_periods,
    CONSTRAINT impact_reservations_add_up CHECK (CASE state
      WHEN 'reserved' THEN settled = 0 AND released = 0 AND finished_at IS NULL AND exposure IN ('dispatching', 'pending', 'unknown')
      WHEN 'settled' THEN settled + released = amount AND finished_at IS NOT NULL AND COALESCE(exposure, 'partial') = 'partial'
      ELSE settled = 0 AND released = amount AND finished_at IS NOT NULL AND exposure IS NULL END),
    CHECK (state <> 'reserved' OR exposure IS NOT NULL),
    CHECK (reversed_at IS NULL OR state = 'released')
  );
  CREATE INDEX impact_reservations_exposed ON impact_reservations (limit_id) WHERE exposure IN ('unknown', 'pending');
  CALL make_tenant_table('impact_reservations', 'SELECT, INSERT');
  GRANT UPDATE (state, exposure, settled, released, finished_at, reversed_at) ON impact_reservations TO service_app;
`;

/**
 * The lock order of everything that touches counters: the effect, then the periods by the id of their limit, then the limit of
 * each. A change of a limit locks only that row. No cycle is therefore possible.
 */
const COUNTERS = `
  CREATE FUNCTION check_reservation_insert() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    used bigint;
    on_record smallint;
    of_limit record;
    reached smallint;
  BEGIN
    IF NEW.state <> 'reserved' THEN
      RAISE EXCEPTION 'reservation % cannot begin as %', NEW.id, NEW.state USING ERRCODE = 'check_violation';
    END IF;
    UPDATE impact_limit_periods SET reserved = reserved + NEW.amount
    WHERE limit_id = NEW.limit_id AND period = NEW.period AND environment_id = NEW.environment_id RETURNING reserved + settled, threshold_reached INTO used, on_record;
    IF NOT FOUND THEN
      IF row_security_active('impact_reservations') AND NEW.environment_id IS DISTINCT FROM current_environment_id() THEN
        RETURN NEW; -- of another tenant: row-level security refuses it
      END IF;
      RAISE EXCEPTION 'impact limit % has no period % here', NEW.limit_id, NEW.period USING ERRCODE = 'check_violation';
    END IF;
    -- Locked after the period, so that one transaction at a time holds it for a busy limit; a change of the cap waits for it.
    SELECT cap, thresholds INTO STRICT of_limit FROM impact_limits WHERE id = NEW.limit_id FOR SHARE;
    IF used > of_limit.cap THEN
      RAISE EXCEPTION 'impact limit % would be exceeded', NEW.limit_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'impact_limits_cap';
    END IF;
    IF of_limit.thresholds = '{}' THEN RETURN NEW; END IF;
    FOREACH reached IN ARRAY of_limit.thresholds LOOP -- ascending
      CONTINUE WHEN reached <= on_record;
      EXIT WHEN used * 100 < reached * of_limit.cap;
      INSERT INTO impact_limit_crossings (limit_id, period, threshold, environment_id, used, cap)
        VALUES (NEW.limit_id, NEW.period, reached, NEW.environment_id, used, of_limit.cap) ON CONFLICT DO NOTHING;
      UPDATE impact_limit_periods SET threshold_reached = reached WHERE limit_id = NEW.limit_id AND period = NEW.period;
    END LOOP;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_insert BEFORE INSERT ON impact_reservations FOR EACH ROW EXECUTE FUNCTION check_reservation_insert();

  CREATE FUNCTION check_reservation_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'reservations are never deleted' USING ERRCODE = 'check_violation'; END IF;
    IF (NEW.id, NEW.environment_id, NEW.effect_id, NEW.limit_id, NEW.period, NEW.amount, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.environment_id, OLD.effect_id, OLD.limit_id, OLD.period, OLD.amount, OLD.created_at) THEN
      RAISE EXCEPTION 'what reservation % holds is immutable', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.state = OLD.state THEN
      IF (NEW.settled, NEW.released, NEW.finished_at, NEW.reversed_at)
         IS DISTINCT FROM (OLD.settled, OLD.released, OLD.finished_at, OLD.reversed_at) OR OLD.state = 'released' THEN
        RAISE EXCEPTION 'reservation % was % before, and that is final', OLD.id, OLD.state USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END IF;
    IF NOT (OLD.state = 'reserved' OR (OLD.state = 'settled' AND NEW.state = 'released' AND NEW.reversed_at IS NOT NULL)) THEN
      RAISE EXCEPTION 'reservation % cannot move from % to %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'check_violation';
    END IF;
    UPDATE impact_limit_periods
    SET reserved = reserved - CASE OLD.state WHEN 'reserved' THEN OLD.amount ELSE 0 END, settled = settled + NEW.settled - OLD.settled
    WHERE limit_id = OLD.limit_id AND period = OLD.period;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_move BEFORE UPDATE OR DELETE ON impact_reservations FOR EACH ROW
    EXECUTE FUNCTION check_reservation_move();
`;

const AGREEMENT = `
  -- The state that an effect requires of its reservations, with the exposure where there is one. Null: it may have none.
  CREATE FUNCTION reservation_place(stage text, outcome text, partial_effect text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE
      WHEN stage = 'rejected' THEN 'released'
      WHEN stage = 'dispatching' THEN 'reserved/dispatching'
      WHEN outcome IN ('pending', 'unknown') THEN 'reserved/' || outcome
      WHEN outcome = 'succeeded' THEN 'settled'
      WHEN outcome = 'failed' AND partial_effect = 'none' THEN 'released'
      WHEN outcome = 'failed' THEN 'settled/partial'
    END;

  -- Compares with the effect at the commit: both the reservation and the effect may have moved since the insert.
  CREATE FUNCTION agree_with_effect() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    place text;
    stands text;
  BEGIN
    SELECT reservation_place(e.stage, e.outcome, e.partial_effect), concat_ws('/', r.state, r.exposure) INTO place, stands
    FROM impact_reservations r JOIN effects e ON e.id = r.effect_id WHERE r.id = NEW.id;
    IF stands IS DISTINCT FROM place THEN
      RAISE EXCEPTION 'reservation % of effect % is % and not %', NEW.id, NEW.effect_id, stands, COALESCE(place, 'absent')
        USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER agree_with_effect AFTER INSERT OR UPDATE ON impact_reservations
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION agree_with_effect();

  -- A reservation that the settlement forgot was not touched, so a change of the effect checks all of its reservations. A
  -- reservation that was made or moved in this transaction checks itself: an effect that was not dispatched before has no others.
  CREATE FUNCTION agree_with_reservations() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    forgotten record;
    place text := reservation_place(NEW.stage, NEW.outcome, NEW.partial_effect);
  BEGIN
    SELECT id, concat_ws('/', state, exposure) AS stands INTO forgotten FROM impact_reservations
    WHERE effect_id = NEW.id AND concat_ws('/', state, exposure) IS DISTINCT FROM place LIMIT 1;
    -- A later change of the same effect in this transaction is checked by itself.
    IF FOUND AND place IS NOT DISTINCT FROM
         (SELECT reservation_place(stage, outcome, partial_effect) FROM effects WHERE id = NEW.id) THEN
      RAISE EXCEPTION 'reservation % of effect % is % and not %', forgotten.id, NEW.id, forgotten.stands, COALESCE(place, 'absent')
        USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER agree_with_reservations AFTER UPDATE OF stage, outcome, partial_effect ON effects
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (OLD.stage NOT IN ('awaiting_approval', 'ready')
          AND (OLD.stage, OLD.outcome, OLD.partial_effect) IS DISTINCT FROM (NEW.stage, NEW.outcome, NEW.partial_effect))
    EXECUTE FUNCTION agree_with_reservations();
`;
