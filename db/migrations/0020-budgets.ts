import type { Knex } from 'knex';
import { BUDGET_THRESHOLD_PERCENT } from '../../domain/budgets.ts';

export const name = '0020-budgets';

/**
 * Budgets: what an API key may use of this service in a UTC month, in microcents, and what it has used.
 *
 * - `api_key_usage` counts every key, so that a budget created in mid-month knows the whole month. The count of a key without a
 *   budget is spread over shards, so that its admissions do not queue for one row. With a budget, the count is in shard 0 under
 *   the budget's lock, which makes the cap exact.
 * - `budget_reservations`: one for each invocation of a key with a budget. Triggers move it with the invocation: an end that used
 *   something makes it `settled`, an end that provably used nothing (refused, denied, expired, cancelled, withdrawn, or a
 *   person's word that it failed) makes it `released`, and an unknown outcome leaves it `reserved`. It can end in no other way.
 * - `check_budget` refuses, for every writer, a rise of a key's usage above a cap, and a fall other than by a released
 *   reservation.
 *
 * Lock order of everything that counts: the counters of impact limits (0019), the key's advisory lock, its budget, the rows of its
 * usage, the workspace's month. Admissions share the advisory lock. Creating a budget takes it exclusively, so that no usage is in
 * flight that the budget does not know.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(BUDGETS);
  await knex.raw(USAGE);
  await knex.raw(RESERVATIONS);
  await knex.raw(UNKNOWN_USAGE);
  await knex.raw(ADMIT);
  await knex.raw(FOLLOW_INVOCATIONS);
}

const BUDGETS = `
  CREATE TABLE budgets (
    api_key_id text COLLATE "C" PRIMARY KEY REFERENCES api_keys,
    environment_id uuid NOT NULL REFERENCES environments,
    total bigint CHECK (total >= 0),
    messages bigint CHECK (messages >= 0),
    events bigint CHECK (events >= 0),
    cache_lookups bigint CHECK (cache_lookups >= 0),
    memory_operations bigint CHECK (memory_operations >= 0),
    invocations bigint CHECK (invocations >= 0),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now(),
    CHECK (num_nonnulls(total, messages, events, cache_lookups, memory_operations, invocations) > 0)
  );
  CREATE INDEX budgets_newest_first ON budgets (environment_id, created_at DESC, api_key_id DESC);
  CALL make_tenant_table('budgets', 'SELECT, INSERT, UPDATE, DELETE');

  CREATE FUNCTION budget_lock_of(of_key text) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended(of_key, 1650811751); -- 'bedg'
  CREATE FUNCTION wait_for_admissions() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(budget_lock_of(NEW.api_key_id));
    RETURN NEW;
  END $$;
  CREATE TRIGGER wait_for_admissions BEFORE INSERT ON budgets FOR EACH ROW EXECUTE FUNCTION wait_for_admissions();
`;

const USAGE = `
  CREATE TABLE api_key_usage (
    environment_id uuid NOT NULL REFERENCES environments,
    api_key_id text COLLATE "C" NOT NULL REFERENCES api_keys,
    month date NOT NULL CHECK (month = date_trunc('month', month)::date),
    kind text NOT NULL CHECK (kind IN ('messages', 'events', 'cache_lookups', 'memory_operations', 'invocations')),
    shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 15),
    used bigint NOT NULL DEFAULT 0 CHECK (used >= 0),
    reserved bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
    PRIMARY KEY (api_key_id, month, kind, shard)
  );
  CALL make_tenant_table('api_key_usage', 'SELECT, INSERT');
  GRANT UPDATE (used, reserved) ON api_key_usage TO service_app;

  CREATE FUNCTION budget_cap(b budgets, kind text) RETURNS bigint LANGUAGE sql IMMUTABLE
    RETURN CASE kind WHEN 'messages' THEN b.messages WHEN 'events' THEN b.events WHEN 'cache_lookups' THEN b.cache_lookups
      WHEN 'memory_operations' THEN b.memory_operations WHEN 'invocations' THEN b.invocations WHEN 'total' THEN b.total END;

  -- When the use of a key came near a cap, and when a cap refused something: once in a month for each cap and its height.
  CREATE TABLE budget_crossings (
    environment_id uuid NOT NULL REFERENCES environments,
    api_key_id text COLLATE "C" NOT NULL REFERENCES api_keys,
    month date NOT NULL,
    cap_name text NOT NULL CHECK (cap_name IN ('total', 'messages', 'events', 'cache_lookups', 'memory_operations', 'invocations')),
    threshold smallint CHECK (threshold BETWEEN 1 AND 100), -- null: an admission was refused
    taken bigint NOT NULL,           -- used and reserved, then
    cap bigint NOT NULL,
    crossed_at timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (api_key_id, month, cap_name, threshold, cap)
  );
  CALL make_tenant_table('budget_crossings', 'SELECT, INSERT');
  CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON budget_crossings FOR EACH ROW EXECUTE FUNCTION refuse_change();

  CREATE FUNCTION check_budget() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    budget budgets;
    rise bigint := NEW.used + NEW.reserved;
    of_kind bigint;
    of_all bigint;
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'recorded usage is never erased' USING ERRCODE = 'check_violation'; END IF;
    IF TG_OP = 'UPDATE' THEN
      IF (NEW.environment_id, NEW.api_key_id, NEW.month, NEW.kind, NEW.shard)
         IS DISTINCT FROM (OLD.environment_id, OLD.api_key_id, OLD.month, OLD.kind, OLD.shard) THEN
        RAISE EXCEPTION 'whose use a row counts is immutable' USING ERRCODE = 'check_violation';
      END IF;
      rise := rise - OLD.used - OLD.reserved;
    END IF;
    IF rise <= 0 THEN RETURN NEW; END IF;
    PERFORM pg_advisory_xact_lock_shared(budget_lock_of(NEW.api_key_id));
    SELECT * INTO budget FROM budgets WHERE api_key_id = NEW.api_key_id FOR UPDATE;
    IF NOT FOUND THEN RETURN NEW; END IF;
    SELECT COALESCE(sum(used + reserved) FILTER (WHERE kind = NEW.kind), 0), COALESCE(sum(used + reserved), 0)
      INTO of_kind, of_all FROM api_key_usage WHERE api_key_id = NEW.api_key_id AND month = NEW.month;
    IF of_kind + rise > budget_cap(budget, NEW.kind) OR of_all + rise > budget.total THEN
      RAISE EXCEPTION 'the use of key % would rise above its budget', NEW.api_key_id USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO budget_crossings (environment_id, api_key_id, month, cap_name, threshold, taken, cap)
    SELECT NEW.environment_id, NEW.api_key_id, NEW.month, c.name, ${BUDGET_THRESHOLD_PERCENT}, c.taken, c.cap
    FROM (VALUES (NEW.kind, of_kind + rise, budget_cap(budget, NEW.kind)), ('total', of_all + rise, budget.total)) AS c (name, taken, cap)
    WHERE c.cap > 0 AND c.taken * 100.0 >= c.cap * ${BUDGET_THRESHOLD_PERCENT}.0 ON CONFLICT DO NOTHING;
    RETURN NEW;
  END $$;
  CREATE TRIGGER check_budget BEFORE INSERT OR UPDATE OR DELETE ON api_key_usage FOR EACH ROW EXECUTE FUNCTION check_budget();

  -- Depth 0 is a statement of its own; the reservations' trigger is deeper.
  CREATE FUNCTION refuse_usage_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'recorded usage is never erased, and what is reserved moves only with its reservation'
      USING ERRCODE = 'check_violation';
  END $$;
  CREATE TRIGGER begins_unreserved AFTER INSERT ON api_key_usage FOR EACH ROW
    WHEN (pg_trigger_depth() = 0 AND NEW.reserved <> 0) EXECUTE FUNCTION refuse_usage_change();
  CREATE TRIGGER only_rises AFTER UPDATE ON api_key_usage FOR EACH ROW
    WHEN (pg_trigger_depth() = 0 AND (NEW.used < OLD.used OR NEW.reserved <> OLD.reserved)) EXECUTE FUNCTION refuse_usage_change();
`;

const RESERVATIONS = `
  CREATE TABLE budget_reservations (
    invocation_id text COLLATE "C" PRIMARY KEY, -- no foreign key: it outlives an admission that was withdrawn
    environment_id uuid NOT NULL REFERENCES environments,
    api_key_id text COLLATE "C" NOT NULL REFERENCES api_keys,
    month date NOT NULL,
    amount bigint NOT NULL CHECK (amount >= 0),
    state text NOT NULL DEFAULT 'reserved' CHECK (state IN ('reserved', 'settled', 'released')),
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    finished_at timestamptz(3),
    CHECK ((state = 'reserved') = (finished_at IS NULL))
  );
  CALL make_tenant_table('budget_reservations', 'SELECT, INSERT');
  GRANT UPDATE (state, api_key_id, month, amount, created_at, finished_at) ON budget_reservations TO service_app;

  -- The state of a reservation after an end of its invocation. Null: the invocation has not ended, or its use is unknown.
  CREATE FUNCTION budget_reservation_end(status text, outcome_source text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN CASE
      WHEN status IN ('refused', 'denied', 'expired', 'cancelled') THEN 'released'
      WHEN status = 'failed' AND outcome_source = 'manual_resolution' THEN 'released'
      WHEN status IN ('succeeded', 'failed') THEN 'settled'
    END;

  -- The counters move with the reservation, once in each direction. Only the admission of an invocation that was withdrawn before
  -- reserves again: a preview keeps the id of its invocation, and the next try takes it.
  CREATE FUNCTION count_budget_reservation() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE due text;
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'budget reservations are never deleted' USING ERRCODE = 'check_violation'; END IF;
    IF TG_OP = 'UPDATE' THEN
      IF NEW IS NOT DISTINCT FROM OLD THEN RETURN NEW; END IF;
      SELECT budget_reservation_end(i.status, i.outcome_source) INTO due FROM invocations i WHERE i.id = OLD.invocation_id;
      IF NOT FOUND THEN due := 'released'; END IF; -- of an admission that was withdrawn
      IF (NEW.invocation_id, NEW.environment_id) IS DISTINCT FROM (OLD.invocation_id, OLD.environment_id)
         OR NOT (CASE OLD.state WHEN 'reserved' THEN NEW.state <> 'reserved'
             AND (NEW.api_key_id, NEW.month, NEW.amount, NEW.created_at) IS NOT DISTINCT FROM (OLD.api_key_id, OLD.month, OLD.amount, OLD.created_at)
           WHEN 'released' THEN NEW.state = 'reserved' AND due IS NULL ELSE false END) THEN
        RAISE EXCEPTION 'the budget reservation of % is final', OLD.invocation_id USING ERRCODE = 'check_violation';
      END IF;
    END IF;
    IF TG_OP = 'INSERT' OR NEW.state = 'reserved' THEN
      IF NEW.state <> 'reserved' THEN
        RAISE EXCEPTION 'a budget reservation begins as reserved' USING ERRCODE = 'check_violation';
      END IF;
      INSERT INTO api_key_usage AS u (environment_id, api_key_id, month, kind, shard, reserved)
      VALUES (NEW.environment_id, NEW.api_key_id, NEW.month, 'invocations', 0, NEW.amount)
      ON CONFLICT (api_key_id, month, kind, shard) DO UPDATE SET reserved = u.reserved + EXCLUDED.reserved;
      RETURN NEW;
    END IF;
    IF NEW.state IS DISTINCT FROM due THEN
      RAISE EXCEPTION 'the budget reservation of % is not to be %, but %', OLD.invocation_id, NEW.state, COALESCE(due, 'reserved')
        USING ERRCODE = 'check_violation';
    END IF;
    UPDATE api_key_usage SET reserved = reserved - NEW.amount,
      used = used + CASE NEW.state WHEN 'settled' THEN NEW.amount ELSE 0 END
    WHERE api_key_id = NEW.api_key_id AND month = NEW.month AND kind = 'invocations' AND shard = 0;
    RETURN NEW;
  END $$;
  CREATE TRIGGER count_reservation BEFORE INSERT OR UPDATE OR DELETE ON budget_reservations
    FOR EACH ROW EXECUTE FUNCTION count_budget_reservation();
`;

/**
 * The months in which the usage of a key is unknown, for instance after the counts were lost. An operator marks them. A budget
 * for such a key waits until the earlier usage was stated.
 */
const UNKNOWN_USAGE = `
  CREATE TABLE api_key_unknown_usage (
    environment_id uuid NOT NULL REFERENCES environments,
    api_key_id text COLLATE "C" NOT NULL REFERENCES api_keys,
    month date NOT NULL,
    PRIMARY KEY (api_key_id, month)
  );
  CALL make_tenant_table('api_key_unknown_usage', 'SELECT, DELETE');
`;

/** Admits in one statement: locks the budget, checks every cap and counts, or says why not and writes nothing. */
const ADMIT = `
  CREATE FUNCTION admit_to_budget(of_key text, of_kind text, amount bigint, for_invocation text)
    RETURNS TABLE (verdict text, cap_name text, cap bigint, taken bigint) LANGUAGE plpgsql AS $$
  #variable_conflict use_variable
  DECLARE
    this_month date := date_trunc('month', now() AT TIME ZONE 'UTC')::date;
    budget budgets;
    of_this_kind bigint;
    of_all bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(budget_lock_of(of_key));
    SELECT * INTO budget FROM budgets b WHERE b.api_key_id = of_key FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO api_key_usage AS u (environment_id, api_key_id, month, kind, shard, used)
      VALUES (current_environment_id(), of_key, this_month, of_kind, floor(random() * 16), amount)
      ON CONFLICT ON CONSTRAINT api_key_usage_pkey DO UPDATE SET used = u.used + EXCLUDED.used;
      RETURN QUERY SELECT 'admitted', CAST(NULL AS text), CAST(NULL AS bigint), CAST(NULL AS bigint);
      RETURN;
    END IF;
    IF EXISTS (SELECT FROM api_key_unknown_usage n WHERE n.api_key_id = of_key AND n.month = this_month) THEN
      RETURN QUERY SELECT 'paused', CAST(NULL AS text), CAST(NULL AS bigint), CAST(NULL AS bigint);
      RETURN;
    END IF;
    SELECT COALESCE(sum(u.used + u.reserved) FILTER (WHERE u.kind = of_kind), 0), COALESCE(sum(u.used + u.reserved), 0)
      INTO of_this_kind, of_all FROM api_key_usage u WHERE u.api_key_id = of_key AND u.month = this_month;
    IF of_this_kind + amount > budget_cap(budget, of_kind) THEN
      RETURN QUERY SELECT 'exceeded', of_kind, budget_cap(budget, of_kind), of_this_kind;
      RETURN;
    END IF;
    IF of_all + amount > budget.total THEN
      RETURN QUERY SELECT 'exceeded', 'total', budget.total, of_all;
      RETURN;
    END IF;
    IF for_invocation IS NOT NULL THEN
      -- No ON CONFLICT: the trigger before an insert has counted when the conflict is found.
      UPDATE budget_reservations r SET state = 'reserved', api_key_id = of_key, month = this_month, amount = admit_to_budget.amount,
        created_at = now(), finished_at = NULL
      WHERE r.invocation_id = for_invocation AND r.state = 'released';
      IF NOT FOUND THEN
        INSERT INTO budget_reservations (invocation_id, environment_id, api_key_id, month, amount)
        VALUES (for_invocation, current_environment_id(), of_key, this_month, amount);
      END IF;
    ELSE
      INSERT INTO api_key_usage AS u (environment_id, api_key_id, month, kind, shard, used)
      VALUES (current_environment_id(), of_key, this_month, of_kind, 0, amount)
      ON CONFLICT ON CONSTRAINT api_key_usage_pkey DO UPDATE SET used = u.used + EXCLUDED.used;
    END IF;
    RETURN QUERY SELECT 'admitted', CAST(NULL AS text), CAST(NULL AS bigint), CAST(NULL AS bigint);
  END $$;
`;

const FOLLOW_INVOCATIONS = `
  CREATE FUNCTION settle_budget_reservation() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE ended text;
  BEGIN
    IF TG_OP = 'DELETE' THEN -- an admission that was withdrawn: nothing ran
      UPDATE budget_reservations SET state = 'released', finished_at = now() WHERE invocation_id = OLD.id AND state = 'reserved';
      RETURN OLD;
    END IF;
    ended := budget_reservation_end(NEW.status, NEW.outcome_source);
    UPDATE budget_reservations SET state = ended, finished_at = now()
    WHERE invocation_id = NEW.id AND state = 'reserved' AND ended IS NOT NULL;
    RETURN NEW;
  END $$;
  -- At the commit, so that every transaction locks the counters of impact limits before that of the key: a settlement writes its
  -- invocation first and a refusal last.
  CREATE CONSTRAINT TRIGGER settle_budget AFTER UPDATE OF status ON invocations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (NEW.status IN ('succeeded', 'failed', 'refused', 'denied', 'expired', 'cancelled') AND NEW.status IS DISTINCT FROM OLD.status)
    EXECUTE FUNCTION settle_budget_reservation();
  CREATE TRIGGER release_budget AFTER DELETE ON invocations FOR EACH ROW EXECUTE FUNCTION settle_budget_reservation();
`;
