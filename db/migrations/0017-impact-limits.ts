import type { Knex } from 'knex';

export const name = '0017-impact-limits';

/**
 * Impact limits and what is reserved against them. The rules of the two phases are held here, whatever the code does:
 *
 * - Counters move only with reservations, by their trigger: a direct change of a counter is refused, also to the owner.
 * - A reservation that would bring reserved + settled above the cap of its limit is refused. The cap is read under a lock that
 *   a change of the cap waits for, so the rule holds at every commit. A cap may be lowered below what is used.
 * - A reservation is made once for an effect and a limit, in a period that stays. It is settled or released once; what was
 *   settled can be given back once, when the provider reversed the effect; what is released is final.
 * - At every commit, each reservation stands where its effect says (`reservation_place`): held as long as the outcome is not
 *   known, settled by success, released by the proof that nothing happened. Code that forgets it cannot commit.
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
  CALL make_tenant_table('impact_limits', 'SELECT, INSERT, UPDATE');

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
  CALL make_tenant_table('impact_limit_periods', 'SELECT, INSERT, UPDATE');

  -- Depth 0 is a statement of its own; the trigger of the reservations is deeper.
  CREATE FUNCTION refuse_counter_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the counters of an impact limit move only with its reservations' USING ERRCODE = 'check_violation';
  END $$;
  CREATE TRIGGER only_by_reservations BEFORE UPDATE OR DELETE ON impact_limit_periods FOR EACH ROW
    WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_counter_change();
  CREATE TRIGGER begins_at_zero BEFORE INSERT ON impact_limit_periods FOR EACH ROW
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
  CALL make_tenant_table('impact_reservations', 'SELECT, INSERT, UPDATE');
`;

/**
 * The lock order of everything that touches counters: the effect, then the periods by the id of their limit, then the limit
 * of each. Who changes a limit locks that one row. So nothing waits in a circle.
 */
const COUNTERS = `
  CREATE FUNCTION reserve_from_counter(made impact_reservations) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    counted impact_limit_periods;
    of_limit impact_limits;
    reached smallint;
  BEGIN
    UPDATE impact_limit_periods SET reserved = reserved + made.amount
    WHERE limit_id = made.limit_id AND period = made.period RETURNING * INTO counted;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'impact limit % has no period % here', made.limit_id, made.period USING ERRCODE = 'check_violation';
    END IF;
    -- Locked after the period, so that one transaction at a time holds it for a hot limit; a change of the cap waits for it.
    SELECT * INTO STRICT of_limit FROM impact_limits WHERE id = made.limit_id FOR SHARE;
    IF counted.reserved + counted.settled > of_limit.cap THEN
      RAISE EXCEPTION 'impact limit % would be exceeded', made.limit_id
        USING ERRCODE = 'check_violation', CONSTRAINT = 'impact_limits_cap';
    END IF;
    SELECT max(t) INTO reached FROM unnest(of_limit.thresholds) t
    WHERE t > counted.threshold_reached AND (counted.reserved + counted.settled) * 100 >= t * of_limit.cap;
    IF reached IS NULL THEN RETURN; END IF;
    INSERT INTO impact_limit_crossings (limit_id, period, threshold, environment_id, used, cap)
      SELECT made.limit_id, made.period, t, made.environment_id, counted.reserved + counted.settled, of_limit.cap
      FROM unnest(of_limit.thresholds) t WHERE t > counted.threshold_reached AND t <= reached ON CONFLICT DO NOTHING;
    UPDATE impact_limit_periods SET threshold_reached = reached WHERE limit_id = made.limit_id AND period = made.period;
  END $$;

  CREATE FUNCTION check_reservation_move() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'reservations are never deleted' USING ERRCODE = 'check_violation'; END IF;
    IF TG_OP = 'INSERT' THEN
      IF NEW.state <> 'reserved' THEN
        RAISE EXCEPTION 'reservation % cannot begin as %', NEW.id, NEW.state USING ERRCODE = 'check_violation';
      END IF;
      PERFORM reserve_from_counter(NEW);
      RETURN NEW;
    END IF;
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
  CREATE TRIGGER check_move BEFORE INSERT OR UPDATE OR DELETE ON impact_reservations FOR EACH ROW
    EXECUTE FUNCTION check_reservation_move();
`;

const AGREEMENT = `
  -- Where the reservations of an effect stand: state, and exposure where there is one. Null: it may have none.
  CREATE FUNCTION reservation_place(stage text, outcome text, partial_effect text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE
      WHEN stage = 'rejected' THEN 'released'
      WHEN stage = 'dispatching' THEN 'reserved/dispatching'
      WHEN outcome IN ('pending', 'unknown') THEN 'reserved/' || outcome
      WHEN outcome = 'succeeded' THEN 'settled'
      WHEN outcome = 'failed' AND partial_effect = 'none' THEN 'released'
      WHEN outcome = 'failed' THEN 'settled/partial'
    END;

  CREATE FUNCTION check_reservations_agree(of_effect text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE astray text;
  BEGIN
    SELECT r.id || ' of effect ' || of_effect || ' is ' || concat_ws('/', r.state, r.exposure) || ' and not '
        || COALESCE(reservation_place(e.stage, e.outcome, e.partial_effect), 'absent')
      INTO astray FROM impact_reservations r JOIN effects e ON e.id = r.effect_id
      WHERE r.effect_id = of_effect
        AND concat_ws('/', r.state, r.exposure) IS DISTINCT FROM reservation_place(e.stage, e.outcome, e.partial_effect)
      LIMIT 1;
    IF FOUND THEN RAISE EXCEPTION 'reservation %', astray USING ERRCODE = 'check_violation'; END IF;
  END $$;

  CREATE FUNCTION agree_with_effect() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM check_reservations_agree(NEW.effect_id);
    RETURN NULL;
  END $$;
  CREATE FUNCTION agree_with_reservations() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM check_reservations_agree(NEW.id);
    RETURN NULL;
  END $$;
  CREATE CONSTRAINT TRIGGER agree_with_effect AFTER INSERT OR UPDATE ON impact_reservations
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION agree_with_effect();
  CREATE CONSTRAINT TRIGGER agree_with_reservations AFTER UPDATE OF stage, outcome, partial_effect ON effects
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN ((OLD.stage, OLD.outcome, OLD.partial_effect) IS DISTINCT FROM (NEW.stage, NEW.outcome, NEW.partial_effect))
    EXECUTE FUNCTION agree_with_reservations();
`;
