-- The schema as the migrations leave it. Generated: change db/migrations, then run `npm run db:schema`.

CREATE ROLE service_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB;
CREATE ROLE service_directory NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB;
GRANT USAGE ON SCHEMA public TO service_app;
GRANT USAGE ON SCHEMA public TO service_directory;

CREATE TYPE attempt_result AS (id text, number integer, status text, response_status integer, response_headers jsonb, response_body bytea, failure text, error text, address text, latency_ms integer, outcome text, delay_ms bigint, is_again boolean, reason text);

CREATE OR REPLACE FUNCTION public.active_firings_per_hour()
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT COALESCE(sum(s.firings_per_hour), (0)::bigint) AS "coalesce"
    FROM (environments e
      JOIN schedules s ON ((s.environment_id = e.id)))
   WHERE ((e.workspace_id = current_workspace_id()) AND (s.deleted_at IS NULL) AND (NOT s.paused));
END
;
ALTER FUNCTION active_firings_per_hour() OWNER TO service_directory;
REVOKE ALL ON FUNCTION active_firings_per_hour() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION active_firings_per_hour() TO service_app;

CREATE OR REPLACE FUNCTION public.add_oauth_signing_key(of_id text, with_version integer, with_wrapped bytea, with_sealed bytea, unopened text[])
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('oauth signing keys'));
      IF EXISTS (SELECT FROM oauth_signing_keys k WHERE k.id <> ALL (unopened)) THEN RETURN false; END IF;
      INSERT INTO oauth_signing_keys (id, master_key_version, wrapped_data_key, sealed_value) VALUES (of_id, with_version, with_wrapped, with_sealed);
      RETURN true;
    END $function$
;
ALTER FUNCTION add_oauth_signing_key(text,integer,bytea,bytea,text[]) OWNER TO service_directory;
REVOKE ALL ON FUNCTION add_oauth_signing_key(text,integer,bytea,bytea,text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION add_oauth_signing_key(text,integer,bytea,bytea,text[]) TO service_app;

CREATE OR REPLACE FUNCTION public.admit_to_budget(of_key text, of_kind text, amount bigint, for_invocation text)
 RETURNS TABLE(verdict text, cap_name text, cap bigint, taken bigint)
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.advance_approval_policy()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE
    head approval_policies;
    new_name text := NEW.document ->> 'name';
    new_priority integer := COALESCE(CAST(NEW.document ->> 'priority' AS integer), 0);
  BEGIN
    SELECT * INTO STRICT head FROM approval_policies WHERE id = NEW.policy_id FOR UPDATE;
    IF NEW.version = 1 AND head.current_version = 1 THEN
      IF (head.name, head.priority) IS DISTINCT FROM (new_name, new_priority) THEN
        RAISE EXCEPTION 'approval policy % has another name or priority than its document', NEW.policy_id USING ERRCODE = 'check_violation';
      END IF;
    ELSIF NEW.version <> head.current_version + 1 THEN
      RAISE EXCEPTION 'version % of approval policy % does not follow version %', NEW.version, NEW.policy_id, head.current_version
        USING ERRCODE = 'check_violation';
    ELSE
      UPDATE approval_policies SET current_version = NEW.version, name = new_name, priority = new_priority, updated_at = now()
      WHERE id = NEW.policy_id;
    END IF;
    RETURN NULL;
  END $function$
;
REVOKE ALL ON FUNCTION advance_approval_policy() FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.agree_with_effect()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.agree_with_reservations()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.analytics_beyond_cap(environments uuid[], kinds text[], days date[], d1s text[], d2s text[], d3s text[])
 RETURNS TABLE(environment_id uuid, kind text, day date, d1 text, d2 text, d3 text)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH given AS (
          SELECT g.environment_id,
             g.kind,
             g.day,
             g.d1,
             g.d2,
             g.d3
            FROM UNNEST(analytics_beyond_cap.environments, analytics_beyond_cap.kinds, analytics_beyond_cap.days, analytics_beyond_cap.d1s, analytics_beyond_cap.d2s, analytics_beyond_cap.d3s) g(environment_id, kind, day, d1, d2, d3)
         ), fresh AS (
          SELECT g.environment_id,
             g.kind,
             g.day,
             g.d1,
             g.d2,
             g.d3,
             row_number() OVER (PARTITION BY g.environment_id, g.kind, g.day ORDER BY g.d1, g.d2, g.d3) AS place
            FROM given g
           WHERE (NOT (EXISTS ( SELECT
                    FROM analytics_days y
                   WHERE ((y.environment_id = g.environment_id) AND (y.kind = g.kind) AND (NOT y.is_total) AND (y.day = g.day) AND (y.d1 = g.d1) AND (y.d2 = g.d2) AND (y.d3 = g.d3)))))
         ), groups AS (
          SELECT f_1.environment_id,
             f_1.kind,
             f_1.day,
             ( SELECT count(*) AS count
                    FROM analytics_days y
                   WHERE ((y.environment_id = f_1.environment_id) AND (y.kind = f_1.kind) AND (NOT y.is_total) AND (y.day = f_1.day))) AS held
            FROM fresh f_1
           GROUP BY f_1.environment_id, f_1.kind, f_1.day
         )
  SELECT f.environment_id,
     f.kind,
     f.day,
     f.d1,
     f.d2,
     f.d3
    FROM (fresh f
      JOIN groups s ON (((s.environment_id = f.environment_id) AND (s.kind = f.kind) AND (s.day = f.day))))
   WHERE ((s.held + f.place) > 1000);
END
;

CREATE OR REPLACE FUNCTION public.analytics_bucket(ms bigint)
 RETURNS smallint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (CASE WHEN (ms <= 1) THEN (0)::double precision ELSE ceil((ln((ms)::double precision) / ln((1.105)::double precision))) END)::smallint
;

CREATE OR REPLACE FUNCTION public.analytics_capped(kind text, dimension integer, value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((dimension = 2) AND (kind = ANY (ARRAY['invocations.created'::text, 'invocations.ended'::text, 'policy.decisions'::text, 'effects.graded'::text, 'unknowns.opened'::text, 'unknowns.resolved'::text, 'approvals.requested'::text, 'approvals.decided'::text, 'targets.ended'::text, 'schedules.delivery'::text, 'delivery.attempts'::text, 'schedules.fired'::text, 'runs.started'::text, 'runs.ended'::text, 'runs.tokens'::text, 'errors'::text]))) THEN '(other)'::text WHEN ((dimension = 3) AND (kind = ANY (ARRAY['invocations.created'::text, 'invocations.ended'::text, 'policy.decisions'::text, 'messages.accepted'::text, 'messages.ended'::text, 'targets.ended'::text, 'delivery.attempts'::text, 'runs.started'::text, 'runs.ended'::text, 'runs.tokens'::text, 'errors'::text]))) THEN '(other)'::text ELSE value END
;

CREATE OR REPLACE FUNCTION public.analytics_histogram_sum(buckets smallint[], counts bigint[], more_buckets smallint[], more_counts bigint[], OUT sum_buckets smallint[], OUT sum_counts bigint[])
 RETURNS record
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT array_agg(s.bucket ORDER BY s.bucket) AS array_agg,
     array_agg(s.n ORDER BY s.bucket) AS array_agg
    FROM ( SELECT h.bucket,
             (sum(h.n))::bigint AS n
            FROM ( SELECT unnest(analytics_histogram_sum.buckets) AS bucket,
                     unnest(analytics_histogram_sum.counts) AS n
                 UNION ALL
                  SELECT unnest(analytics_histogram_sum.more_buckets) AS unnest,
                     unnest(analytics_histogram_sum.more_counts) AS unnest) h
           GROUP BY h.bucket
          HAVING (sum(h.n) <> (0)::numeric)) s;
END
;

CREATE OR REPLACE FUNCTION public.analytics_histogram_text(buckets smallint[], counts bigint[])
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
    BEGIN
      RETURN array_to_string(buckets, ',') || ';' || array_to_string(counts, ',');
    END $function$
;

CREATE OR REPLACE FUNCTION public.analytics_quarter(at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN date_bin('00:15:00'::interval, at, '2000-01-01 00:00:00+00'::timestamp with time zone)
;

CREATE OR REPLACE FUNCTION public.analytics_tables()
 RETURNS TABLE(name text, column_name text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 VALUES ('analytics_rollups'::text,'quarter'::text), ('analytics_days'::text,'day'::text);
END
;

CREATE OR REPLACE FUNCTION public.analytics_total(kind text, dimension integer, value text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((dimension = 2) AND (kind = ANY (ARRAY['invocations.created'::text, 'invocations.ended'::text, 'policy.decisions'::text, 'effects.graded'::text, 'unknowns.opened'::text, 'unknowns.resolved'::text, 'approvals.requested'::text, 'approvals.decided'::text, 'targets.ended'::text, 'schedules.delivery'::text, 'delivery.attempts'::text, 'schedules.fired'::text, 'runs.started'::text, 'runs.ended'::text, 'runs.tokens'::text, 'errors'::text]))) THEN ''::text WHEN ((dimension = 3) AND (kind = ANY (ARRAY['invocations.created'::text, 'invocations.ended'::text, 'policy.decisions'::text, 'messages.accepted'::text, 'messages.ended'::text, 'targets.ended'::text, 'delivery.attempts'::text, 'runs.started'::text, 'runs.ended'::text, 'runs.tokens'::text, 'errors'::text]))) THEN ''::text ELSE value END
;

CREATE OR REPLACE PROCEDURE public.append_receipt_entry(IN effect text, IN environment uuid, IN entry_kind text, IN record text, IN content jsonb)
 LANGUAGE plpgsql
AS $procedure$
  DECLARE
    last receipt_chains;
    entry receipt_entries;
  BEGIN
    SELECT * INTO last FROM receipt_chains WHERE effect_id = effect FOR UPDATE; -- one writer of a chain at a time
    IF NOT FOUND THEN
      INSERT INTO receipt_chains (effect_id, environment_id, sequence) VALUES (effect, environment, 0) ON CONFLICT DO NOTHING;
      SELECT * INTO STRICT last FROM receipt_chains WHERE effect_id = effect FOR UPDATE;
    END IF;
    entry := ROW(effect, last.sequence + 1, environment, entry_kind, record, last.hash, '');
    entry.hash := receipt_hash(entry, content);
    INSERT INTO receipt_entries VALUES (entry.*);
    UPDATE receipt_chains SET sequence = entry.sequence, hash = entry.hash WHERE effect_id = effect;
  END $procedure$
;
REVOKE ALL ON PROCEDURE append_receipt_entry(text,uuid,text,text,jsonb) FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.archive_invocations(ids text[], digests text[], in_archive text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
  DECLARE
    effect_ids text[];
    approval_ids text[];
    attempt_ids text[];
    differing text;
  BEGIN
    PERFORM FROM invocations i WHERE i.id = ANY (ids) ORDER BY i.id FOR UPDATE;
    approval_ids := ARRAY(SELECT a.id FROM approvals a WHERE a.invocation_id = ANY (ids) ORDER BY a.id FOR UPDATE);
    effect_ids := ARRAY(SELECT e.id FROM effects e WHERE e.invocation_id = ANY (ids) ORDER BY e.id FOR UPDATE);
    attempt_ids := ARRAY(SELECT a.id FROM attempts a WHERE a.invocation_id = ANY (ids));
    SELECT d.id INTO differing FROM unnest(ids, digests) d (id, digest)
    WHERE d.digest IS DISTINCT FROM (SELECT receipt_digest(archive_record(i)) FROM invocations i
      WHERE i.id = d.id AND i.environment_id = current_environment_id()) LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION 'invocation % is not what the archive says', differing USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO operation_keys (environment_id, invocation_id, archive)
      SELECT current_environment_id(), i.id, in_archive FROM unnest(ids) i (id);
    -- One statement: its rows refer to each other in circles, and foreign keys are looked at behind it.
    WITH a AS (DELETE FROM late_answers WHERE attempt_id = ANY (attempt_ids)),
      b AS (DELETE FROM attempts WHERE id = ANY (attempt_ids)),
      c AS (DELETE FROM evidence WHERE effect_id = ANY (effect_ids)),
      d AS (DELETE FROM receipt_entries WHERE effect_id = ANY (effect_ids)),
      e AS (DELETE FROM receipt_chains WHERE effect_id = ANY (effect_ids)),
      f AS (DELETE FROM impact_reservations WHERE effect_id = ANY (effect_ids)),
      g AS (DELETE FROM budget_reservations WHERE invocation_id = ANY (ids)),
      h AS (DELETE FROM observations WHERE invocation_id = ANY (ids)),
      j AS (DELETE FROM resolutions WHERE invocation_id = ANY (ids)),
      k AS (DELETE FROM late_executions WHERE invocation_id = ANY (ids)),
      l AS (DELETE FROM effect_dependencies WHERE invocation_id = ANY (ids)),
      m AS (DELETE FROM chat_posts WHERE approval_id = ANY (approval_ids)),
      n AS (DELETE FROM approval_decisions WHERE approval_id = ANY (approval_ids)),
      o AS (DELETE FROM approvals WHERE id = ANY (approval_ids)),
      p AS (DELETE FROM effects WHERE id = ANY (effect_ids)),
      q AS (DELETE FROM previews WHERE invocation_id = ANY (ids))
    DELETE FROM invocations WHERE id = ANY (ids);
  END $function$
;
REVOKE ALL ON FUNCTION archive_invocations(text[],text[],text) FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.archive_record(i invocations)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET "TimeZone" TO 'UTC'
AS $function$
    SELECT jsonb_build_object('invocations', jsonb_build_array(to_jsonb(i)),
      'effects', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.id) FROM effects r WHERE r.invocation_id = i.id), '[]'),
      'attempts', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.number) FROM attempts r WHERE r.invocation_id = i.id), '[]'),
      'late_answers', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.attempt_id) FROM late_answers r WHERE r.attempt_id IN (SELECT a.id FROM attempts a WHERE a.invocation_id = i.id)), '[]'),
      'evidence', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.id) FROM evidence r WHERE r.effect_id = e.id), '[]'),
      'receipt_chains', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.effect_id) FROM receipt_chains r WHERE r.effect_id = e.id), '[]'),
      'receipt_entries', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.sequence) FROM receipt_entries r WHERE r.effect_id = e.id), '[]'),
      'resolutions', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.id) FROM resolutions r WHERE r.invocation_id = i.id), '[]'),
      'observations', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.sequence) FROM observations r WHERE r.invocation_id = i.id), '[]'),
      'previews', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.id) FROM previews r WHERE r.invocation_id = i.id), '[]'),
      'approvals', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.id) FROM approvals r WHERE r.invocation_id = i.id), '[]'),
      'approval_decisions', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.actor_type, r.actor_id, r.connected_app_id) FROM approval_decisions r WHERE r.approval_id IN (SELECT a.id FROM approvals a WHERE a.invocation_id = i.id)), '[]'),
      'chat_posts', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.approval_id, r.integration_id) FROM chat_posts r WHERE r.approval_id IN (SELECT a.id FROM approvals a WHERE a.invocation_id = i.id)), '[]'),
      'impact_reservations', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.id) FROM impact_reservations r WHERE r.effect_id = e.id), '[]'),
      'budget_reservations', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.invocation_id) FROM budget_reservations r WHERE r.invocation_id = i.id), '[]'),
      'effect_dependencies', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.position) FROM effect_dependencies r WHERE r.invocation_id = i.id), '[]'),
      'late_executions', COALESCE((SELECT jsonb_agg(to_jsonb(r) ORDER BY r.kind) FROM late_executions r WHERE r.invocation_id = i.id), '[]'))
    FROM (SELECT) one LEFT JOIN effects e ON e.invocation_id = i.id
  $function$
;

CREATE OR REPLACE FUNCTION public.attach_partition(parent regclass, name text, suffix text, key_column text, lower text, upper text)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  DECLARE
    leaf text := name || '_' || suffix;
    is_taken boolean;
  BEGIN
    IF to_regclass(format('partitions.%I', leaf)) IS NOT NULL THEN RETURN false; END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM partitions.%1$I WHERE %2$I >= %3$L AND %2$I < %4$L)', name || '_default', key_column, lower, upper)
      INTO is_taken;
    IF is_taken THEN RETURN false; END IF;
    EXECUTE format('CREATE TABLE partitions.%I (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING STORAGE)', leaf, parent);
    EXECUTE format('ALTER TABLE %s ATTACH PARTITION partitions.%I FOR VALUES FROM (%L) TO (%L)', parent, leaf, lower, upper);
    RETURN true;
  END $function$
;
REVOKE ALL ON FUNCTION attach_partition(regclass,text,text,text,text,text) FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.audit_hash(e audit_log)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN ('sha256:'::text || encode(sha256(convert_to(((jsonb_build_array((e).previous_hash, (e).id, (e).workspace_id, (e).environment_id, (e).sequence, (e).actor_type, (e).actor_id, (e).action, (e).target_type, (e).target_id, (e).details, (e).request_id, to_char(((e).recorded_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text)) || CASE WHEN ((e).authentication IS NULL) THEN '[]'::jsonb ELSE jsonb_build_array((e).authentication) END))::text, 'UTF8'::name)), 'hex'::text))
;

CREATE OR REPLACE PROCEDURE public.begin_receipt(IN effect text, IN a attempts)
 LANGUAGE plpgsql
AS $procedure$
  DECLARE
    started receipt_entries := ROW(effect, 1, a.environment_id, 'attempt_started', a.id, NULL, '');
    claimed receipt_entries;
  BEGIN
    started.hash := receipt_hash(started, receipt_content(a, 'attempt_started'));
    claimed := ROW(effect, 2, a.environment_id, 'attempt_claimed', a.id, started.hash, '');
    claimed.hash := receipt_hash(claimed, receipt_content(a, 'attempt_claimed'));
    INSERT INTO receipt_chains (effect_id, environment_id, sequence, hash) VALUES (effect, a.environment_id, 2, claimed.hash);
    INSERT INTO receipt_entries VALUES (started.*), (claimed.*);
  END $procedure$
;
REVOKE ALL ON PROCEDURE begin_receipt(text,attempts) FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.begin_sign_in_attempt(bucket bytea, free_failures integer, first_pause interval, longest_pause interval, forgotten_after interval)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE held sign_in_throttles;
    BEGIN
      -- One statement finds or makes the row and locks it: between two, a sign-in that succeeds elsewhere may delete it.
      INSERT INTO sign_in_throttles (key) VALUES (bucket)
        ON CONFLICT (key) DO UPDATE SET failures = sign_in_throttles.failures RETURNING * INTO held;
      IF held.blocked_until > clock_timestamp() THEN RETURN held.blocked_until; END IF;
      IF held.last_failed_at < clock_timestamp() - forgotten_after THEN held.failures := 0; END IF;
      held.failures := held.failures + 1;
      UPDATE sign_in_throttles SET failures = held.failures, last_failed_at = clock_timestamp(),
        blocked_until = CASE WHEN held.failures >= free_failures
          THEN clock_timestamp() + LEAST(longest_pause, first_pause * power(2, LEAST(held.failures - free_failures, 20))) END
      WHERE key = bucket;
      RETURN NULL;
    END $function$
;
ALTER FUNCTION begin_sign_in_attempt(bytea,integer,interval,interval,interval) OWNER TO service_directory;
REVOKE ALL ON FUNCTION begin_sign_in_attempt(bytea,integer,interval,interval,interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION begin_sign_in_attempt(bytea,integer,interval,interval,interval) TO service_app;

CREATE OR REPLACE FUNCTION public.budget_cap(b budgets, kind text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
RETURN CASE kind WHEN 'messages'::text THEN (b).messages WHEN 'events'::text THEN (b).events WHEN 'cache_lookups'::text THEN (b).cache_lookups WHEN 'memory_operations'::text THEN (b).memory_operations WHEN 'invocations'::text THEN (b).invocations WHEN 'total'::text THEN (b).total ELSE NULL::bigint END
;

CREATE OR REPLACE FUNCTION public.budget_lock_of(of_key text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(of_key, (1650811751)::bigint)
;

CREATE OR REPLACE FUNCTION public.budget_reservation_end(status text, outcome_source text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (status = ANY (ARRAY['refused'::text, 'denied'::text, 'expired'::text, 'cancelled'::text])) THEN 'released'::text WHEN ((status = 'failed'::text) AND (outcome_source = 'manual_resolution'::text)) THEN 'released'::text WHEN (status = ANY (ARRAY['succeeded'::text, 'failed'::text])) THEN 'settled'::text ELSE NULL::text END
;

CREATE OR REPLACE FUNCTION public.chain_attempt()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE
    effect text;
    entry_kind text;
    was_claimed boolean := TG_OP = 'UPDATE' AND OLD.claimed_at IS NOT NULL;
  BEGIN
    SELECT id INTO effect FROM effects WHERE invocation_id = NEW.invocation_id;
    IF NOT FOUND THEN RETURN NULL; END IF;
    IF TG_OP = 'INSERT' AND NEW.claimed_at IS NOT NULL AND NOT EXISTS (SELECT FROM receipt_chains c WHERE c.effect_id = effect) THEN
      CALL begin_receipt(effect, NEW);
      RETURN NULL;
    END IF;
    FOREACH entry_kind IN ARRAY array_remove(ARRAY[
        CASE WHEN TG_OP = 'INSERT' THEN 'attempt_started' END,
        CASE WHEN NEW.claimed_at IS NOT NULL AND NOT was_claimed THEN 'attempt_claimed' END,
        CASE WHEN NEW.status <> 'started' THEN 'attempt_ended' END], NULL) LOOP
      CALL append_receipt_entry(effect, NEW.environment_id, entry_kind, NEW.id, receipt_content(NEW, entry_kind));
    END LOOP;
    RETURN NULL;
  END $function$
;
REVOKE ALL ON FUNCTION chain_attempt() FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.chain_audit()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE last audit_chains;
  BEGIN
    INSERT INTO audit_chains (workspace_id, sequence) VALUES (NEW.workspace_id, 0) ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT last FROM audit_chains WHERE workspace_id = NEW.workspace_id FOR UPDATE; -- one writer of a chain at a time
    NEW.sequence := last.sequence + 1;
    NEW.previous_hash := last.hash;
    NEW.recorded_at := clock_timestamp(); -- after the lock, so that the times run with the sequence
    NEW.hash := audit_hash(NEW);
    UPDATE audit_chains SET sequence = NEW.sequence, hash = NEW.hash WHERE workspace_id = NEW.workspace_id;
    RETURN NEW;
  END $function$
;
REVOKE ALL ON FUNCTION chain_audit() FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.chain_evidence()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  BEGIN
    CALL append_receipt_entry(NEW.effect_id, NEW.environment_id, 'evidence', NEW.id, receipt_content(NEW));
    RETURN NULL;
  END $function$
;
REVOKE ALL ON FUNCTION chain_evidence() FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.chain_late_answer()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE effect text;
  BEGIN
    SELECT e.id INTO effect FROM effects e JOIN attempts a ON a.invocation_id = e.invocation_id WHERE a.id = NEW.attempt_id;
    IF NOT FOUND THEN RETURN NULL; END IF;
    CALL append_receipt_entry(effect, NEW.environment_id, 'late_answer', NEW.attempt_id, receipt_content(NEW));
    RETURN NULL;
  END $function$
;
REVOKE ALL ON FUNCTION chain_late_answer() FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.chain_resolution()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  BEGIN
    CALL append_receipt_entry(NEW.effect_id, NEW.environment_id, 'resolution', NEW.id, receipt_content(NEW));
    RETURN NULL;
  END $function$
;
REVOKE ALL ON FUNCTION chain_resolution() FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.charge_rate_limit(of_workspace uuid, more integer)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 UPDATE rate_windows SET minute_used = (rate_windows.minute_used +
         CASE
             WHEN (rate_windows.minute_started_at <= (clock_timestamp() - '00:01:00'::interval)) THEN 0
             ELSE charge_rate_limit.more
         END), hour_used = (rate_windows.hour_used +
         CASE
             WHEN (rate_windows.hour_started_at <= (clock_timestamp() - '01:00:00'::interval)) THEN 0
             ELSE charge_rate_limit.more
         END)
   WHERE (rate_windows.workspace_id = charge_rate_limit.of_workspace);
END
;
ALTER FUNCTION charge_rate_limit(uuid,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION charge_rate_limit(uuid,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION charge_rate_limit(uuid,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.check_approval_decision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_approval_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_approval_of_effect()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF NOT EXISTS (SELECT FROM approvals a WHERE a.id = NEW.approval_id AND a.effect_id = NEW.id AND a.status = 'approved') THEN
      RAISE EXCEPTION 'effect % was not approved', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_approval_of_invocation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_archival()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  DECLARE
    invocation invocations;
    refusal text;
  BEGIN
    SELECT * INTO invocation FROM invocations i WHERE i.id = NEW.invocation_id AND i.environment_id = NEW.environment_id FOR UPDATE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'invocation % is not there to be archived', NEW.invocation_id USING ERRCODE = 'check_violation';
    END IF;
    -- Days of UTC: those of another time zone may be longer by an hour.
    refusal := refusal_to_archive(invocation, now() - interval '9600 hours');
    IF refusal IS NOT NULL THEN
      RAISE EXCEPTION 'invocation % is not archived: %', NEW.invocation_id, refusal USING ERRCODE = 'check_violation';
    END IF;
    SELECT invocation.operation_key, e.id, invocation.request_digest, invocation.status, COALESCE(e.grade, invocation.grade), invocation.settled_at, now()
      INTO NEW.operation_key, NEW.effect_id, NEW.request_digest, NEW.status, NEW.grade, NEW.settled_at, NEW.archived_at
      FROM (SELECT) one LEFT JOIN effects e ON e.invocation_id = invocation.id;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_attempt_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_budget()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
    SELECT NEW.environment_id, NEW.api_key_id, NEW.month, c.name, 80, c.taken, c.cap
    FROM (VALUES (NEW.kind, of_kind + rise, budget_cap(budget, NEW.kind)), ('total', of_all + rise, budget.total)) AS c (name, taken, cap)
    WHERE c.cap > 0 AND c.taken * 100.0 >= c.cap * 80.0 ON CONFLICT DO NOTHING;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_dead_letter_job_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF OLD.ended_at IS NOT NULL AND (NEW.status, NEW.done, NEW.failed, NEW.after_id)
       IS DISTINCT FROM (OLD.status, OLD.done, OLD.failed, OLD.after_id) THEN
      RAISE EXCEPTION 'dead-letter job % has ended', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.after_id < OLD.after_id OR NEW.done < OLD.done OR NEW.failed < OLD.failed THEN
      RAISE EXCEPTION 'the cursor and the counters of dead-letter job % only move forward', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_effect_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'effects are never deleted' USING ERRCODE = 'check_violation'; END IF;
    IF TG_OP = 'INSERT' THEN
      -- `dispatching`: one that waits for nothing is marked, and its dispatch claimed, as it is made.
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_effect_of_invocation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF NOT EXISTS (SELECT FROM effects e WHERE e.id = NEW.effect_id AND e.invocation_id = NEW.id) THEN
      RAISE EXCEPTION '% is no effect of invocation %', NEW.effect_id, NEW.id USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_event_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF OLD.fanned_out_at IS NOT NULL AND (NEW.status, NEW.deliveries, NEW.after_id, NEW.fanned_out_at)
       IS DISTINCT FROM (OLD.status, OLD.deliveries, OLD.after_id, OLD.fanned_out_at) THEN
      RAISE EXCEPTION 'event % is fanned out', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.after_id < OLD.after_id OR NEW.deliveries < OLD.deliveries THEN
      RAISE EXCEPTION 'the fan-out of event % only moves forward', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_file_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF OLD.status = 'ready' THEN
        RAISE EXCEPTION 'file % is ready: its bytes go first', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      RETURN OLD;
    END IF;
    IF (NEW.id, NEW.environment_id, NEW.upload, NEW.filename, NEW.content_type, NEW.created_by, NEW.created_at, NEW.expires_at)
       IS DISTINCT FROM (OLD.id, OLD.environment_id, OLD.upload, OLD.filename, OLD.content_type, OLD.created_by, OLD.created_at, OLD.expires_at)
       OR (OLD.status <> 'pending' AND (NEW.size, NEW.sha256, NEW.purpose, NEW.metadata, NEW.confirmed_at)
         IS DISTINCT FROM (OLD.size, OLD.sha256, OLD.purpose, OLD.metadata, OLD.confirmed_at)) THEN
      RAISE EXCEPTION 'file % is what it is', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status <> OLD.status
       AND NOT (OLD.status || ' ' || NEW.status) = ANY (ARRAY['pending ready', 'pending deleted', 'ready deleted']) THEN
      RAISE EXCEPTION 'file % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_impact_limit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_invocation_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_invoice_line()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    -- The lock lets no line slip in while its invoice is opened.
    PERFORM FROM invoices i WHERE i.id = NEW.invoice_id AND i.status = 'draft' FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'invoice % takes no more lines', NEW.invoice_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_invoice_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      IF NEW.status <> 'draft' THEN RAISE EXCEPTION 'an invoice begins as a draft' USING ERRCODE = 'check_violation'; END IF;
      RETURN NEW;
    END IF;
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'invoice % is never deleted', OLD.id USING ERRCODE = 'check_violation'; END IF;
    IF (NEW.id, NEW.workspace_id, NEW.month, NEW.currency, NEW.subtotal, NEW.tax, NEW.total, NEW.digest, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.workspace_id, OLD.month, OLD.currency, OLD.subtotal, OLD.tax, OLD.total, OLD.digest, OLD.created_at)
       OR OLD.status <> 'draft' AND (NEW.number, NEW.issued_at, NEW.due_at) IS DISTINCT FROM (OLD.number, OLD.issued_at, OLD.due_at) THEN
      RAISE EXCEPTION 'invoice % was issued and does not change', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status <> OLD.status AND NOT (CASE OLD.status
        WHEN 'draft' THEN NEW.status = 'open'
        WHEN 'open' THEN NEW.status IN ('paid', 'void', 'uncollectible')
        WHEN 'uncollectible' THEN NEW.status IN ('paid', 'void')
        ELSE false
      END) THEN
      RAISE EXCEPTION 'invoice % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
    END IF;
    -- Looked at once, here: a draft gets no more lines afterwards.
    IF OLD.status = 'draft' AND NEW.status = 'open'
       AND NEW.subtotal <> (SELECT COALESCE(sum(l.amount), 0) FROM invoice_lines l WHERE l.invoice_id = NEW.id) THEN
      RAISE EXCEPTION 'invoice % is not the sum of its lines', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_memory_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF (to_jsonb(NEW) - ARRAY['superseded_by', 'superseded_at', 'replaced_from', 'holds_until', 'expires_at'])
       IS DISTINCT FROM (to_jsonb(OLD) - ARRAY['superseded_by', 'superseded_at', 'replaced_from', 'holds_until', 'expires_at']) THEN
      RAISE EXCEPTION 'memory % says what it said', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF (OLD.superseded_by, OLD.superseded_at) IS DISTINCT FROM (NEW.superseded_by, NEW.superseded_at) AND OLD.superseded_by IS NOT NULL
       OR NEW.replaced_from IS DISTINCT FROM least(NEW.replaced_from, OLD.replaced_from)
       OR NEW.holds_until IS DISTINCT FROM least(NEW.holds_until, OLD.holds_until) THEN
      RAISE EXCEPTION 'memory % is superseded once, and its end only comes nearer', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_memory_job_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF OLD.ended_at IS NOT NULL AND (NEW.status, NEW.done, NEW.total) IS DISTINCT FROM (OLD.status, OLD.done, OLD.total) THEN
      RAISE EXCEPTION 'memory job % has ended', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.done < OLD.done OR NEW.done > NEW.total OR (OLD.status <> 'queued' AND NEW.status = 'queued') THEN
      RAISE EXCEPTION 'memory job % only moves forward', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_message_attempt_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF current_user = 'service_directory' THEN RETURN OLD; END IF;
      RAISE EXCEPTION 'attempts of message % are not deleted: they go when they have had their time', OLD.message_id USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.status <> 'started' THEN
      RAISE EXCEPTION 'attempt % of message % is closed', OLD.number, OLD.message_id USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.message_id, NEW.number, NEW.worker, NEW.started_at)
       IS DISTINCT FROM (OLD.message_id, OLD.number, OLD.worker, OLD.started_at) THEN
      RAISE EXCEPTION 'the identity of attempt % of message % is immutable', OLD.number, OLD.message_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_message_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      IF TG_OP = 'DELETE' THEN
        IF current_user = 'service_directory' AND OLD.status IN ('delivered', 'failed', 'cancelled') AND OLD.updated_at < now() - make_interval(
            days => (SELECT k.record_days FROM message_retention_classes() k WHERE k.class = OLD.retention)) THEN
          RETURN OLD;
        END IF;
        RAISE EXCEPTION 'message % is not deleted: it goes when it has had its time', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      IF TG_OP = 'INSERT' THEN
        IF NEW.status NOT IN ('pending', 'scheduled') THEN
          RAISE EXCEPTION 'message % cannot begin as %', NEW.id, NEW.status USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
      END IF;
      IF (NEW.id, NEW.retention, NEW.kind, NEW.url, NEW.method, NEW.scheduled_for,
          NEW.max_retries, NEW.callback_url, NEW.failure_callback_url, NEW.callback_of, NEW.schedule_id, NEW.url_group_id,
          NEW.url_group_endpoint_id, NEW.flow_control_key_id, NEW.flow_control_key, NEW.retry_of, NEW.published_by, NEW.created_at)
         IS DISTINCT FROM (OLD.id, OLD.retention, OLD.kind, OLD.url, OLD.method, OLD.scheduled_for,
          OLD.max_retries, OLD.callback_url, OLD.failure_callback_url, OLD.callback_of, OLD.schedule_id, OLD.url_group_id,
          OLD.url_group_endpoint_id, OLD.flow_control_key_id, OLD.flow_control_key, OLD.retry_of, OLD.published_by, OLD.created_at) THEN
        RAISE EXCEPTION 'what message % was asked to carry is immutable', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      IF NEW.attempts < OLD.attempts THEN
        RAISE EXCEPTION 'the attempts of message % only grow', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      IF OLD.status IN ('delivered', 'failed', 'cancelled') AND NEW.updated_at <> OLD.updated_at THEN
        RAISE EXCEPTION 'message % has ended', OLD.id USING ERRCODE = 'check_violation';
      END IF;
      IF NEW.status <> OLD.status AND NOT (CASE OLD.status
          WHEN 'scheduled' THEN NEW.status IN ('pending', 'processing', 'cancelled')
          WHEN 'pending' THEN NEW.status IN ('processing', 'cancelled')
          WHEN 'processing' THEN NEW.status IN ('delivered', 'failed', 'cancelled')
          ELSE false
        END) THEN
        RAISE EXCEPTION 'message % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END $function$
;

CREATE OR REPLACE FUNCTION public.check_notification_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF (NEW.id, NEW.environment_id, NEW.type, NEW.title, NEW.body, NEW.subject_type, NEW.subject_id, NEW.coalesce_key, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.environment_id, OLD.type, OLD.title, OLD.body, OLD.subject_type, OLD.subject_id, OLD.coalesce_key, OLD.created_at)
       OR NEW.count < OLD.count THEN
      RAISE EXCEPTION 'notification % says what it said', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_notification_email_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF (NEW.id, NEW.environment_id, NEW.notification_id, NEW.recipient, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.environment_id, OLD.notification_id, OLD.recipient, OLD.created_at) THEN
      RAISE EXCEPTION 'e-mail % is for whom it was', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    -- A late answer settles what was unknown. Nothing queues it again.
    IF NEW.status <> OLD.status AND NOT (OLD.status || ' ' || NEW.status) = ANY (ARRAY['queued sending', 'queued failed', 'sending queued', 'sending sent',
       'sending failed', 'sending unknown', 'unknown sent', 'unknown failed']) THEN
      RAISE EXCEPTION 'e-mail % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.attempts <> OLD.attempts + (NEW.status = 'sending' AND OLD.status <> 'sending')::int THEN
      RAISE EXCEPTION 'an attempt of e-mail % counts when it is claimed', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_preview_succession()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_preview_use()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_replay()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_reservation_insert()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_reservation_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_resolution()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_run_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF OLD.status = 'running' THEN RETURN NEW; END IF;
    IF (NEW.status, NEW.name, NEW.output, NEW.error, NEW.tokens, NEW.input_tokens, NEW.output_tokens, NEW.cost, NEW.started_at, NEW.ended_at, NEW.closed_at)
       IS DISTINCT FROM (OLD.status, OLD.name, OLD.output, OLD.error, OLD.tokens, OLD.input_tokens, OLD.output_tokens, OLD.cost, OLD.started_at, OLD.ended_at, OLD.closed_at) THEN
      RAISE EXCEPTION 'run % has ended: only its tags and its metadata change', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_session_sequence()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF NEW.last_sequence < OLD.last_sequence THEN
      RAISE EXCEPTION 'session % would use the number % twice', OLD.id, OLD.last_sequence USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_usage()
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
  DECLARE
    today text := (now() AT TIME ZONE 'UTC')::date;
  BEGIN
    UPDATE installation SET sweep_stopped_at = sweep_stopped_at || jsonb_build_object('usage-invariants', today)
      WHERE sweep_stopped_at ->> 'usage-invariants' IS DISTINCT FROM today;
    IF NOT FOUND THEN RETURN NULL; END IF;
    RETURN COALESCE((SELECT jsonb_agg(to_jsonb(d)) FROM find_usage_drift(today::date - 1) d), '[]');
  END $function$
;

CREATE OR REPLACE FUNCTION public.claim_analytics_verification()
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      UPDATE installation SET analytics_verified_on = (now() AT TIME ZONE 'UTC')::date
        WHERE analytics_verified_on < (now() AT TIME ZONE 'UTC')::date;
      RETURN FOUND;
    END $function$
;
ALTER FUNCTION claim_analytics_verification() OWNER TO service_directory;
REVOKE ALL ON FUNCTION claim_analytics_verification() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_analytics_verification() TO service_app;

CREATE OR REPLACE FUNCTION public.claim_messages(most integer, share integer, in_flight_max integer, of_claim text, worker text, lease interval, after_lane text)
 RETURNS TABLE(number integer, lost integer, message messages, content message_contents, last_lane text, is_left boolean, is_more boolean, next_in_ms double precision)
 LANGUAGE plpgsql
 ROWS 20
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
AS $function$
  #variable_conflict use_column
  DECLARE
    of_environment constant uuid := current_environment_id();
    at timestamptz;
    free integer;
    is_halted boolean;
    ids text[] := '{}';
    taken text[];
    lane record;
    took record;
    for_keys integer;
    head timestamptz;
    next_at timestamptz;
    behind text := after_lane;
    left_over boolean := false;
    more boolean := false;
    -- What Temporal has not handed over by then is claimed without it.
    late constant interval := interval '30 seconds';
    -- Messages of one keyed lane in one claim.
    turn constant integer := 20;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('lane/delivery/' || current_workspace_id(), 0));
    SELECT h.halted_at IS NOT NULL INTO is_halted FROM read_halt() h;
    at := clock_timestamp();
    free := LEAST(most, share - deliveries_in_flight());
    IF free > 0 THEN
      IF NOT is_halted AND EXISTS (SELECT FROM lane_queue q WHERE q.environment_id = of_environment AND q.lane_id > '' AND q.state <> 'taken') THEN
        for_keys := CASE WHEN EXISTS (SELECT FROM lane_queue q WHERE q.environment_id = of_environment AND q.lane_id IS NULL
            AND q.state <> 'taken' AND q.due_at <= at AND (q.state = 'ready' OR q.due_at <= at - late))
          THEN (free + (random() < 0.5)::integer) / 2 ELSE free END;
        FOR lane IN
          SELECT w.* FROM waiting_lanes(after_lane, NULL) w UNION ALL SELECT w.* FROM waiting_lanes('', after_lane) w
        LOOP
          IF cardinality(ids) >= for_keys THEN
            left_over := true;
            EXIT;
          END IF;
          IF lane.opens_at > at THEN
            next_at := LEAST(next_at, lane.opens_at);
            CONTINUE;
          END IF;
          SELECT * INTO STRICT took
            FROM take_from_lane(lane.id, LEAST(turn, for_keys - cardinality(ids)), in_flight_max, of_claim, at + lease);
          ids := ids || took.taken;
          behind := lane.id;
          left_over := left_over OR took.is_left;
          more := more OR took.is_more;
          next_at := LEAST(next_at, took.next_at);
        END LOOP;
      END IF;
      taken := CASE WHEN is_halted THEN ARRAY(
          SELECT q.message_id FROM lane_queue q
          WHERE q.environment_id = of_environment AND q.ignores_halt AND q.state <> 'taken' AND q.due_at <= at
            AND (q.state = 'ready' OR q.due_at <= at - late)
          ORDER BY q.due_at, q.message_id LIMIT free FOR UPDATE SKIP LOCKED)
        ELSE ARRAY(
          SELECT q.message_id FROM lane_queue q
          WHERE q.environment_id = of_environment AND q.lane_id IS NULL AND q.state <> 'taken' AND q.due_at <= at
            AND (q.state = 'ready' OR q.due_at <= at - late)
          ORDER BY q.lane_id, q.due_at, q.message_id LIMIT free - cardinality(ids) FOR UPDATE SKIP LOCKED) END;
      UPDATE lane_queue q SET state = 'taken', claim = of_claim, lease_until = at + lease WHERE q.message_id = ANY (taken);
      ids := ids || taken;
    ELSE
      left_over := true; -- others of the workspace are in flight
    END IF;
    IF NOT is_halted THEN head := lane_head(NULL, at - late); END IF;
    IF head <= at THEN left_over := true; ELSE next_at := LEAST(next_at, head); END IF;
    IF cardinality(ids) > 0 THEN
      RETURN QUERY WITH begun AS (
          UPDATE messages m SET status = 'processing', attempts = m.attempts + 1, updated_at = now()
          WHERE m.id = ANY (ids) RETURNING m.*),
        added AS (
          INSERT INTO message_attempts (message_id, number, environment_id, target, worker, subscription_id)
          SELECT b.id, b.attempts, of_environment, url_target(b.url), worker, b.subscription_id FROM begun b)
        SELECT b.attempts,
          CASE WHEN b.attempts > 1 THEN (SELECT count(*)::integer FROM message_attempts l WHERE l.message_id = b.id AND l.status = 'abandoned') ELSE 0 END,
          ROW(b.*)::messages, c, NULL::text, NULL::boolean, NULL::boolean, NULL::double precision
        FROM begun b LEFT JOIN message_contents c ON c.message_id = b.id;
    END IF;
    RETURN QUERY SELECT NULL::integer, NULL::integer, NULL::messages, NULL::message_contents, behind, left_over, more, ceil(extract(epoch FROM next_at - at) * 1000)::double precision;
  END $function$
;

CREATE OR REPLACE FUNCTION public.claim_workflow_starts(again_in interval, most integer)
 RETURNS TABLE(id text, kind text, detail text, environment_id uuid, workspace_id uuid)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 WITH unclaimed AS (
          SELECT s.id
            FROM workflow_starts s
           WHERE ((NOT s.claimed) AND (s.due_at <= now()))
           ORDER BY s.due_at
          LIMIT claim_workflow_starts.most
          FOR UPDATE OF s SKIP LOCKED
         ), claimed AS (
          SELECT s.id
            FROM workflow_starts s
           WHERE (s.claimed AND (s.due_at <= now()))
           ORDER BY s.due_at
          LIMIT claim_workflow_starts.most
          FOR UPDATE OF s SKIP LOCKED
         ), moved AS (
          UPDATE workflow_starts s SET due_at = (now() + claim_workflow_starts.again_in), claimed = true
           WHERE (s.id = ANY (ARRAY( SELECT u.id
                    FROM unclaimed u
                 UNION ALL
                  SELECT c.id
                    FROM claimed c)))
           RETURNING s.id,
             s.kind,
             s.detail,
             s.environment_id
         )
  SELECT m.id,
     m.kind,
     m.detail,
     m.environment_id,
     e.workspace_id
    FROM (moved m
      JOIN environments e ON ((e.id = m.environment_id)))
   ORDER BY m.id;
END
;
ALTER FUNCTION claim_workflow_starts(interval,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION claim_workflow_starts(interval,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_workflow_starts(interval,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.conclude_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    UPDATE approvals a SET status = CASE NEW.decision WHEN 'deny' THEN 'denied' ELSE 'approved' END, decided_at = NEW.decided_at
    WHERE a.id = NEW.approval_id AND (NEW.decision = 'deny' OR a.quorum <= standing_approvals(a.id, a.binding_digest));
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.consume_oauth_artifact(of_hash bytea, of_kind text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      UPDATE oauth_artifacts a SET consumed_at = clock_timestamp(), expires_at = CASE a.kind
          WHEN 'RefreshToken' THEN GREATEST(a.expires_at, (SELECT g.expires_at FROM oauth_grants g WHERE g.id = a.grant_id))
          ELSE a.expires_at END
        WHERE a.hash = of_hash AND a.kind = of_kind AND a.consumed_at IS NULL;
      RETURN FOUND;
    END $function$
;
ALTER FUNCTION consume_oauth_artifact(bytea,text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION consume_oauth_artifact(bytea,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION consume_oauth_artifact(bytea,text) TO service_app;

CREATE OR REPLACE FUNCTION public.consume_rate_limit(of_workspace uuid, per_minute integer, per_hour integer)
 RETURNS TABLE(admitted boolean, minute_used integer, minute_resets_at timestamp with time zone, hour_used integer, hour_resets_at timestamp with time zone, counted_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    #variable_conflict use_column
    DECLARE
      at timestamptz := clock_timestamp();
      counted rate_windows;
    BEGIN
      INSERT INTO rate_windows AS w VALUES (of_workspace, at, 1, at, 1)
      ON CONFLICT (workspace_id) DO UPDATE SET
        minute_started_at = CASE WHEN w.minute_started_at <= at - interval '1 minute' THEN at ELSE w.minute_started_at END,
        minute_used = CASE WHEN w.minute_started_at <= at - interval '1 minute' THEN 1 ELSE w.minute_used + 1 END,
        hour_started_at = CASE WHEN w.hour_started_at <= at - interval '1 hour' THEN at ELSE w.hour_started_at END,
        hour_used = CASE WHEN w.hour_started_at <= at - interval '1 hour' THEN 1 ELSE w.hour_used + 1 END
      WHERE (w.minute_started_at <= at - interval '1 minute' OR w.minute_used < per_minute)
        AND (per_hour IS NULL OR w.hour_started_at <= at - interval '1 hour' OR w.hour_used < per_hour)
      RETURNING w.* INTO counted;
      admitted := FOUND;
      IF NOT admitted THEN SELECT w.* INTO STRICT counted FROM rate_windows w WHERE w.workspace_id = of_workspace; END IF;
      RETURN QUERY SELECT admitted, counted.minute_used, counted.minute_started_at + interval '1 minute',
        counted.hour_used, counted.hour_started_at + interval '1 hour', at;
    END $function$
;
ALTER FUNCTION consume_rate_limit(uuid,integer,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION consume_rate_limit(uuid,integer,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION consume_rate_limit(uuid,integer,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.consume_session_rate_limit(of_user text, per_minute integer)
 RETURNS TABLE(admitted boolean, minute_used integer, minute_resets_at timestamp with time zone, counted_at timestamp with time zone)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      at timestamptz := clock_timestamp();
      counted session_rate_windows;
    BEGIN
      INSERT INTO session_rate_windows AS w VALUES (of_user, at, 1)
      ON CONFLICT (user_id) DO UPDATE SET
        started_at = CASE WHEN w.started_at <= at - interval '1 minute' THEN at ELSE w.started_at END,
        used = CASE WHEN w.started_at <= at - interval '1 minute' THEN 1 ELSE w.used + 1 END
      WHERE w.started_at <= at - interval '1 minute' OR w.used < per_minute
      RETURNING w.* INTO counted;
      admitted := FOUND;
      IF NOT admitted THEN SELECT w.* INTO STRICT counted FROM session_rate_windows w WHERE w.user_id = of_user; END IF;
      RETURN QUERY SELECT admitted, counted.used, counted.started_at + interval '1 minute', at;
    END $function$
;
ALTER FUNCTION consume_session_rate_limit(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION consume_session_rate_limit(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION consume_session_rate_limit(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.count_budget_reservation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_executions(of_month date, until timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT (COALESCE(sum(of_environment.succeeded), (0)::numeric))::bigint AS "coalesce"
    FROM (environments e
      CROSS JOIN LATERAL ( SELECT count(*) AS succeeded
            FROM invocations i
           WHERE ((i.environment_id = e.id) AND (i.created_at >= ((count_executions.of_month)::timestamp without time zone AT TIME ZONE 'UTC'::text)) AND (i.created_at < LEAST(count_executions.until, ((count_executions.of_month + '1 mon'::interval) AT TIME ZONE 'UTC'::text))) AND (i.settled_at < count_executions.until) AND ((i.status = 'succeeded'::text) OR ((i.status = 'failed'::text) AND (EXISTS ( SELECT
                    FROM late_executions l
                   WHERE ((l.invocation_id = i.id) AND (l.kind = 'reversed'::text) AND (l.at >= count_executions.until)))))))) of_environment)
   WHERE (e.workspace_id = current_workspace_id());
END
;
ALTER FUNCTION count_executions(date,timestamp with time zone) OWNER TO service_directory;
REVOKE ALL ON FUNCTION count_executions(date,timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_executions(date,timestamp with time zone) TO service_app;

CREATE OR REPLACE FUNCTION public.count_facts_of_approvals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_approval(r.status, r.policy_id, r.source, r.created_at, r.decided_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    ELSIF TG_OP = 'UPDATE' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_approval(r.status, r.policy_id, r.source, r.created_at, r.decided_at) f UNION ALL SELECT -1 AS sign, r.environment_id, f.* FROM removed r, LATERAL facts_of_approval(r.status, r.policy_id, r.source, r.created_at, r.decided_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_facts_of_chat_posts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_chat_post(r.approval_id, r.status, r.error, r.at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_facts_of_effects()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_effect(r.action_name, r.grade, r.verification, r.outcome_source, r.created_at, r.updated_at, r.outcome_at, r.unknown_at,
        r.known_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    ELSIF TG_OP = 'UPDATE' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_effect(r.action_name, r.grade, r.verification, r.outcome_source, r.created_at, r.updated_at, r.outcome_at, r.unknown_at,
        r.known_at) f UNION ALL SELECT -1 AS sign, r.environment_id, f.* FROM removed r, LATERAL facts_of_effect(r.action_name, r.grade, r.verification, r.outcome_source, r.created_at, r.updated_at, r.outcome_at, r.unknown_at,
        r.known_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_facts_of_invocations()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_invocation(r.id, r.status, r.refusal_code, r.error, r.decision, r.action_id, r.agent_id, r.approval_id, r.created_at,
        r.evaluated_at, r.unknown_at, r.settled_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    ELSIF TG_OP = 'UPDATE' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_invocation(r.id, r.status, r.refusal_code, r.error, r.decision, r.action_id, r.agent_id, r.approval_id, r.created_at,
        r.evaluated_at, r.unknown_at, r.settled_at) f UNION ALL SELECT -1 AS sign, r.environment_id, f.* FROM removed r, LATERAL facts_of_invocation(r.id, r.status, r.refusal_code, r.error, r.decision, r.action_id, r.agent_id, r.approval_id, r.created_at,
        r.evaluated_at, r.unknown_at, r.settled_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT -1 AS sign, r.environment_id, f.* FROM (SELECT * FROM removed o WHERE NOT is_archived(o.id)) r, LATERAL facts_of_invocation(r.id, r.status, r.refusal_code, r.error, r.decision, r.action_id, r.agent_id, r.approval_id, r.created_at,
        r.evaluated_at, r.unknown_at, r.settled_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_facts_of_message_attempts()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_message_attempt(r.message_id, r.number, r.status, r.target, r.failure, r.subscription_id, r.response_status, r.latency_ms,
        r.error, r.finished_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    ELSIF TG_OP = 'UPDATE' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_message_attempt(r.message_id, r.number, r.status, r.target, r.failure, r.subscription_id, r.response_status, r.latency_ms,
        r.error, r.finished_at) f UNION ALL SELECT -1 AS sign, r.environment_id, f.* FROM removed r, LATERAL facts_of_message_attempt(r.message_id, r.number, r.status, r.target, r.failure, r.subscription_id, r.response_status, r.latency_ms,
        r.error, r.finished_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_facts_of_messages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_message(r.status, r.kind, r.label, r.url, r.subscription_id, r.schedule_id, r.attempts, r.created_at, r.scheduled_for,
        r.updated_at, r.delivered_at, r.failed_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    ELSIF TG_OP = 'UPDATE' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_message(r.status, r.kind, r.label, r.url, r.subscription_id, r.schedule_id, r.attempts, r.created_at, r.scheduled_for,
        r.updated_at, r.delivered_at, r.failed_at) f UNION ALL SELECT -1 AS sign, r.environment_id, f.* FROM removed r, LATERAL facts_of_message(r.status, r.kind, r.label, r.url, r.subscription_id, r.schedule_id, r.attempts, r.created_at, r.scheduled_for,
        r.updated_at, r.delivered_at, r.failed_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_facts_of_runs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_run(r.id, r.status, r.agent_id, r.agent_version, r.error, r.tokens, r.input_tokens, r.output_tokens, r.cost, r.started_at,
        r.ended_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    ELSIF TG_OP = 'UPDATE' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_run(r.id, r.status, r.agent_id, r.agent_version, r.error, r.tokens, r.input_tokens, r.output_tokens, r.cost, r.started_at,
        r.ended_at) f UNION ALL SELECT -1 AS sign, r.environment_id, f.* FROM removed r, LATERAL facts_of_run(r.id, r.status, r.agent_id, r.agent_version, r.error, r.tokens, r.input_tokens, r.output_tokens, r.cost, r.started_at,
        r.ended_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_facts_of_schedule_runs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_schedule_run(r.schedule_id, r.trigger, r.outcome, r.error_code, r.error_message, r.nominal_at, r.fired_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    ELSIF TG_OP = 'UPDATE' THEN
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (SELECT 1 AS sign, r.environment_id, f.* FROM added r, LATERAL facts_of_schedule_run(r.schedule_id, r.trigger, r.outcome, r.error_code, r.error_message, r.nominal_at, r.fired_at) f UNION ALL SELECT -1 AS sign, r.environment_id, f.* FROM removed r, LATERAL facts_of_schedule_run(r.schedule_id, r.trigger, r.outcome, r.error_code, r.error_message, r.nominal_at, r.fired_at) f) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_pending_approvals_of_user()
 RETURNS TABLE(workspace_name text, environment_id uuid, environment_name text, kind text, pending integer)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT w.name,
     e.id,
     e.name,
     e.kind,
     p.pending
    FROM (((members m
      JOIN workspaces w ON ((w.id = m.workspace_id)))
      JOIN environments e ON ((e.workspace_id = m.workspace_id)))
      CROSS JOIN LATERAL ( SELECT (count(*))::integer AS pending
            FROM approvals a
           WHERE ((a.environment_id = e.id) AND (a.status = 'pending'::text))) p)
   WHERE ((m.user_id = current_user_id()) AND (p.pending > 0))
   ORDER BY w.name, e.name, e.id;
END
;
ALTER FUNCTION count_pending_approvals_of_user() OWNER TO service_directory;
REVOKE ALL ON FUNCTION count_pending_approvals_of_user() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_pending_approvals_of_user() TO service_app;

CREATE OR REPLACE FUNCTION public.count_recovered_work(most integer)
 RETURNS TABLE(unknown integer, held integer, waiting integer)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT ( SELECT (count(*))::integer AS count
            FROM ( SELECT
                    FROM invocations i
                   WHERE ((i.status = 'unknown'::text) AND (i.refusal_code = 'database_recovered'::text))
                  LIMIT count_recovered_work.most) u) AS count,
     ( SELECT (count(*))::integer AS count
            FROM ( SELECT
                    FROM invocations i
                   WHERE ((i.status = ANY (ARRAY['queued'::text, 'dispatching'::text])) AND (i.timeline <> current_timeline()) AND (NOT (EXISTS ( SELECT
                            FROM attempts a
                           WHERE ((a.invocation_id = i.id) AND (a.kind = 'dispatch'::text) AND (a.claimed_at IS NOT NULL))))))
                  LIMIT count_recovered_work.most) h) AS count,
     ( SELECT (count(*))::integer AS count
            FROM ( SELECT
                    FROM (approvals p
                      JOIN invocations i ON ((i.id = p.invocation_id)))
                   WHERE ((p.status = 'pending'::text) AND (i.timeline <> current_timeline()))
                  LIMIT count_recovered_work.most) w) AS count;
END
;
ALTER FUNCTION count_recovered_work(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION count_recovered_work(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_recovered_work(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.count_storage()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  DECLARE
    environment uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.environment_id ELSE NEW.environment_id END;
    change bigint := CASE WHEN TG_OP = 'DELETE' THEN 0 ELSE storage_of(NEW.status, NEW.size, NEW.is_sent_to_store) END
      - CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE storage_of(OLD.status, OLD.size, OLD.is_sent_to_store) END;
  BEGIN
    IF change <> 0 THEN
      INSERT INTO storage_used AS s (workspace_id, bytes)
        SELECT e.workspace_id, greatest(change, 0) FROM environments e WHERE e.id = environment
        ON CONFLICT (workspace_id) DO UPDATE SET bytes = s.bytes + change;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_stored_cache_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, key, sum(c.bytes) FROM (SELECT environment_id, 'cache' AS key, sum(stored_bytes) AS bytes FROM added GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, key, sum(c.bytes) FROM (SELECT environment_id, 'cache' AS key, -sum(stored_bytes) AS bytes FROM removed GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    ELSE
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, key, sum(c.bytes) FROM (SELECT environment_id, 'cache' AS key, sum(stored_bytes) AS bytes FROM added GROUP BY 1, 2 UNION ALL SELECT environment_id, 'cache' AS key, -sum(stored_bytes) AS bytes FROM removed GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_stored_runs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, stored_week(key), sum(c.bytes) FROM (SELECT environment_id, id AS key, sum(stored_bytes) AS bytes FROM added GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, stored_week(key), sum(c.bytes) FROM (SELECT environment_id, id AS key, -sum(stored_bytes) AS bytes FROM removed GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    ELSE
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, stored_week(key), sum(c.bytes) FROM (SELECT environment_id, id AS key, sum(stored_bytes) AS bytes FROM added GROUP BY 1, 2 UNION ALL SELECT environment_id, id AS key, -sum(stored_bytes) AS bytes FROM removed GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_stored_session_messages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, key, sum(c.bytes) FROM (SELECT environment_id, 'sessions' AS key, sum(stored_bytes) AS bytes FROM added GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, key, sum(c.bytes) FROM (SELECT environment_id, 'sessions' AS key, -sum(stored_bytes) AS bytes FROM removed GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    ELSE
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, key, sum(c.bytes) FROM (SELECT environment_id, 'sessions' AS key, sum(stored_bytes) AS bytes FROM added GROUP BY 1, 2 UNION ALL SELECT environment_id, 'sessions' AS key, -sum(stored_bytes) AS bytes FROM removed GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_stored_sessions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, key, sum(c.bytes) FROM (SELECT environment_id, 'sessions' AS key, sum(stored_bytes) AS bytes FROM added GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, key, sum(c.bytes) FROM (SELECT environment_id, 'sessions' AS key, -sum(stored_bytes) AS bytes FROM removed GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    ELSE
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, key, sum(c.bytes) FROM (SELECT environment_id, 'sessions' AS key, sum(stored_bytes) AS bytes FROM added GROUP BY 1, 2 UNION ALL SELECT environment_id, 'sessions' AS key, -sum(stored_bytes) AS bytes FROM removed GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.count_stored_spans()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'INSERT' THEN
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, stored_week(key), sum(c.bytes) FROM (SELECT environment_id, run_id AS key, sum(stored_bytes) AS bytes FROM added GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    ELSIF TG_OP = 'DELETE' THEN
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, stored_week(key), sum(c.bytes) FROM (SELECT environment_id, run_id AS key, -sum(stored_bytes) AS bytes FROM removed GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    ELSE
      INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT e.workspace_id, stored_week(key), sum(c.bytes) FROM (SELECT environment_id, run_id AS key, sum(stored_bytes) AS bytes FROM added GROUP BY 1, 2 UNION ALL SELECT environment_id, run_id AS key, -sum(stored_bytes) AS bytes FROM removed GROUP BY 1, 2) c JOIN environments e ON e.id = c.environment_id
        GROUP BY 1, 2 HAVING sum(c.bytes) <> 0;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.credential_lock_of(credential text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(credential, (1668441444)::bigint)
;

CREATE OR REPLACE FUNCTION public.credential_stands(of_environment uuid, credential_type text, credential_id text, connected_app text, since timestamp with time zone)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (((credential_type <> 'api_key'::text) OR (EXISTS (SELECT FROM api_keys k WHERE ((k.id = credential_stands.credential_id) AND (k.revoked_at IS NULL))))) AND ((connected_app IS NULL) OR (EXISTS (SELECT FROM oauth_grants g WHERE ((g.id = credential_stands.connected_app) AND (g.ended_at IS NULL))))) AND (((voice_of(credential_type, credential_id) = credential_id) AND (credential_type = 'api_key'::text)) OR (EXISTS (SELECT FROM (members m JOIN environments e ON ((e.workspace_id = m.workspace_id))) WHERE ((e.id = credential_stands.of_environment) AND (m.user_id = voice_of(credential_stands.credential_type, credential_stands.credential_id)) AND (m.created_at <= credential_stands.since))))))
;

CREATE OR REPLACE FUNCTION public.cron_firings_per_hour(cron text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE STRICT
RETURN (SELECT CASE WHEN (cardinality(f.f) = 6) THEN (cron_values(f.f[1]) * cron_values(f.f[2])) ELSE cron_values(f.f[1]) END AS cron_values FROM string_to_array(btrim(regexp_replace(cron_firings_per_hour.cron, '[^0-9A-Za-z*,/-]+'::text, ' '::text, 'g'::text)), ' '::text) f(f))
;

CREATE OR REPLACE FUNCTION public.cron_values(field text)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE STRICT
RETURN (SELECT (count(DISTINCT v.v))::integer AS count FROM regexp_split_to_table(cron_values.field, ','::text) part(part), LATERAL (SELECT regexp_match(part.part, '^(\*|[0-9]+)(-([0-9]+)){0,1}(/([0-9]+)){0,1}$'::text) AS m) matched, LATERAL generate_series(CASE matched.m[1] WHEN '*'::text THEN 0 ELSE (matched.m[1])::integer END, CASE matched.m[1] WHEN '*'::text THEN 59 ELSE (COALESCE(matched.m[3], matched.m[1]))::integer END, GREATEST(COALESCE((matched.m[5])::integer, 1), 1)) v(v))
;

CREATE OR REPLACE FUNCTION public.current_environment_id()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.environment_id'::text, true), ''::text))::uuid
;

CREATE OR REPLACE FUNCTION public.current_timeline()
 RETURNS integer
 LANGUAGE sql
RETURN ((('x'::text || "left"(pg_walfile_name(pg_current_wal_lsn()), 8)))::bit(32))::integer
;

CREATE OR REPLACE FUNCTION public.current_user_id()
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN NULLIF(current_setting('app.user_id'::text, true), ''::text)
;

CREATE OR REPLACE FUNCTION public.current_workspace_id()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.workspace_id'::text, true), ''::text))::uuid
;

CREATE OR REPLACE FUNCTION public.delete_deleted_topics(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE
    deleted integer;
    total integer := 0;
  BEGIN
    DELETE FROM events WHERE id IN (SELECT v.id FROM events v JOIN topics t ON t.id = v.topic_id WHERE t.deleted_at IS NOT NULL LIMIT most);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    total := total + deleted;
    UPDATE event_subscriptions SET deleted_at = now() WHERE id IN (SELECT s.id FROM event_subscriptions s
      JOIN topics t ON t.id = s.topic_id WHERE t.deleted_at IS NOT NULL AND s.deleted_at IS NULL LIMIT most);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    total := total + deleted;
    DELETE FROM event_subscriptions WHERE id IN (SELECT s.id FROM event_subscriptions s WHERE s.deleted_at < now() - interval '1 minute'
      AND NOT EXISTS (SELECT FROM messages m WHERE m.subscription_id = s.id AND m.status IN ('pending', 'scheduled', 'processing')) LIMIT most);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    total := total + deleted;
    DELETE FROM topics WHERE id IN (SELECT t.id FROM topics t WHERE t.deleted_at IS NOT NULL
      AND NOT EXISTS (SELECT FROM events v WHERE v.topic_id = t.id)
      AND NOT EXISTS (SELECT FROM event_subscriptions s WHERE s.topic_id = t.id) LIMIT most);
    GET DIAGNOSTICS deleted = ROW_COUNT;
    RETURN total + deleted;
  END $function$
;
ALTER FUNCTION delete_deleted_topics(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_deleted_topics(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_deleted_topics(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_ended_oauth_grants(kept interval, ids text[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM oauth_grants g USING unnest(ids) old (id)
      WHERE g.id = old.id AND LEAST(COALESCE(g.ended_at, g.expires_at), g.expires_at) < now() - kept;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $function$
;
ALTER FUNCTION delete_ended_oauth_grants(interval,text[]) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_ended_oauth_grants(interval,text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_ended_oauth_grants(interval,text[]) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_expired_cache_entries(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      gone integer;
    BEGIN
      DELETE FROM cache_entries c WHERE c.id = ANY (ARRAY(
        SELECT e.id FROM cache_entries e WHERE e.expires_at <= now() ORDER BY e.expires_at LIMIT most FOR UPDATE SKIP LOCKED));
      GET DIAGNOSTICS gone = ROW_COUNT;
      RETURN gone;
    END $function$
;
ALTER FUNCTION delete_expired_cache_entries(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_expired_cache_entries(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_cache_entries(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_expired_idempotency_claims(ids text[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM idempotency_claims c USING unnest(ids) old (id)
      WHERE c.environment_id = left(old.id, 36)::uuid AND c.key = substr(old.id, 38) AND c.expires_at < now();
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $function$
;
ALTER FUNCTION delete_expired_idempotency_claims(text[]) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_expired_idempotency_claims(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_idempotency_claims(text[]) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_expired_link_codes(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE deleted integer;
    BEGIN
      WITH old AS MATERIALIZED (
        SELECT k.integration_id, k.chat_user_id FROM chat_link_codes k WHERE k.expires_at < now()
        ORDER BY k.expires_at LIMIT most FOR UPDATE SKIP LOCKED)
      DELETE FROM chat_link_codes k USING old o WHERE k.integration_id = o.integration_id AND k.chat_user_id = o.chat_user_id;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $function$
;
ALTER FUNCTION delete_expired_link_codes(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_expired_link_codes(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_link_codes(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_expired_message_deduplications(ids text[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM message_deduplications d USING unnest(ids) old (id)
      WHERE d.environment_id = left(old.id, 36)::uuid AND d.digest = decode(substr(old.id, 38), 'hex') AND d.expires_at < now();
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $function$
;
ALTER FUNCTION delete_expired_message_deduplications(text[]) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_expired_message_deduplications(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_message_deduplications(text[]) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_expired_oauth_artifacts(kept interval, ids text[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM oauth_artifacts a USING unnest(ids) old (id) WHERE a.hash = decode(old.id, 'hex') AND a.expires_at < now() - kept;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $function$
;
ALTER FUNCTION delete_expired_oauth_artifacts(interval,text[]) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_expired_oauth_artifacts(interval,text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_oauth_artifacts(interval,text[]) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_expired_places(ids text[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM lane_places p
      WHERE p.expires_at < now() - interval '1 hour' AND (p.environment_id::text || '/' || p.kind || '/' || p.holder) = ANY (ids);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $function$
;
ALTER FUNCTION delete_expired_places(text[]) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_expired_places(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_places(text[]) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_expired_sessions(ids text[], most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      expired text[];
      messages integer;
      gone integer;
    BEGIN
      expired := ARRAY(SELECT s.id FROM sessions s WHERE s.id = ANY (ids) AND s.expires_at < now() FOR UPDATE SKIP LOCKED);
      DELETE FROM session_messages m USING (
        SELECT o.session_id, o.sequence FROM session_messages o WHERE o.session_id = ANY (expired) LIMIT most) old
      WHERE m.session_id = old.session_id AND m.sequence = old.sequence;
      GET DIAGNOSTICS messages = ROW_COUNT;
      DELETE FROM sessions s WHERE s.id = ANY (expired) AND NOT EXISTS (SELECT FROM session_messages m WHERE m.session_id = s.id);
      GET DIAGNOSTICS gone = ROW_COUNT;
      -- A change that began before the end, and comes between two parts, would still find it.
      UPDATE sessions s SET expires_at = 'epoch' WHERE s.id = ANY (expired) AND s.expires_at <> 'epoch';
      RETURN messages + gone;
    END $function$
;
ALTER FUNCTION delete_expired_sessions(text[],integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_expired_sessions(text[],integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_sessions(text[],integer) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_expired_sign_in_throttles(forgotten_after interval, home interval, ids text[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM sign_in_throttles t USING unnest(ids) old (id)
      WHERE t.key = decode(old.id, 'hex') AND t.last_failed_at < now() - forgotten_after
        AND (t.succeeded_at IS NULL OR t.succeeded_at < now() - home);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $function$
;
ALTER FUNCTION delete_expired_sign_in_throttles(interval,interval,text[]) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_expired_sign_in_throttles(interval,interval,text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_sign_in_throttles(interval,interval,text[]) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_oauth_artifact(of_hash bytea, of_kind text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 DELETE FROM oauth_artifacts a
   WHERE ((a.hash = delete_oauth_artifact.of_hash) AND (a.kind = delete_oauth_artifact.of_kind));
END
;
ALTER FUNCTION delete_oauth_artifact(bytea,text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_oauth_artifact(bytea,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_oauth_artifact(bytea,text) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_old_approvals(ids text[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM approval_decisions d WHERE d.approval_id = ANY (ids);
      DELETE FROM approvals a WHERE a.id = ANY (ids);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $function$
;
ALTER FUNCTION delete_old_approvals(text[]) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_old_approvals(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_approvals(text[]) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_old_chat_clicks(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE deleted integer;
    BEGIN
      WITH old AS MATERIALIZED (
        SELECT c.integration_id, c.request_hash FROM chat_clicks c WHERE c.at < now() - interval '1 hour'
        ORDER BY c.at LIMIT most FOR UPDATE SKIP LOCKED)
      DELETE FROM chat_clicks c USING old o WHERE c.integration_id = o.integration_id AND c.request_hash = o.request_hash;
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $function$
;
ALTER FUNCTION delete_old_chat_clicks(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_old_chat_clicks(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_chat_clicks(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_old_dead_letters(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE
    kept record;
    deleted integer;
    total integer := 0;
  BEGIN
    FOR kept IN SELECT k.class AS retention, now() - make_interval(days => k.record_days) AS since FROM message_retention_classes() k LOOP
      DELETE FROM dead_letters d WHERE d.message_id = ANY (ARRAY(
        SELECT o.message_id FROM dead_letters o WHERE o.retention = kept.retention AND o.failed_at < kept.since
        ORDER BY o.failed_at LIMIT most));
      GET DIAGNOSTICS deleted = ROW_COUNT;
      total := total + deleted;
    END LOOP;
    RETURN total;
  END $function$
;
ALTER FUNCTION delete_old_dead_letters(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_old_dead_letters(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_dead_letters(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_old_events(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE
    kept record;
    deleted integer;
    total integer := 0;
  BEGIN
    FOR kept IN SELECT k.class, k.record_days FROM message_retention_classes() k LOOP
      DELETE FROM events WHERE id IN (SELECT v.id FROM events v WHERE v.retention = kept.class
        AND v.created_at < now() - make_interval(days => kept.record_days) AND v.fanned_out_at IS NOT NULL LIMIT most);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      total := total + deleted;
    END LOOP;
    RETURN total;
  END $function$
;
ALTER FUNCTION delete_old_events(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_old_events(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_events(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_old_messages(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_sort TO 'off'
AS $function$ -- in the order of an index, whatever is known of the table
  DECLARE
    mark record;
    kept record;
    ids text[];
    last_ended_at timestamptz;
    total integer := 0;
  BEGIN
    FOR mark IN SELECT m.retention, m.ended_at, m.message_id FROM message_content_marks m ORDER BY m.retention FOR UPDATE SKIP LOCKED LOOP
      SELECT k.content_days, k.record_days INTO kept FROM message_retention_classes() k WHERE k.class = mark.retention;

      SELECT array_agg(o.id ORDER BY o.updated_at, o.id), max(o.updated_at) INTO ids, last_ended_at FROM (
        SELECT m.id, m.updated_at FROM messages m
        WHERE m.retention = mark.retention AND m.status IN ('delivered', 'failed', 'cancelled')
          AND (m.updated_at, m.id) > (mark.ended_at, mark.message_id) AND m.updated_at < now() - make_interval(days => kept.content_days)
        ORDER BY m.updated_at, m.id LIMIT most) o;
      IF ids IS NOT NULL THEN
        DELETE FROM message_attempts a WHERE a.message_id = ANY (ids);
        DELETE FROM message_contents c WHERE c.message_id = ANY (ids);
        UPDATE message_content_marks m SET ended_at = last_ended_at, message_id = ids[cardinality(ids)] WHERE m.retention = mark.retention;
        total := total + cardinality(ids);
      END IF;

      ids := ARRAY(
        SELECT m.id FROM messages m
        WHERE m.retention = mark.retention AND m.status IN ('delivered', 'failed', 'cancelled')
          AND m.updated_at < now() - make_interval(days => kept.record_days)
        ORDER BY m.updated_at, m.id LIMIT most);
      IF cardinality(ids) > 0 THEN
        DELETE FROM message_attempts a WHERE a.message_id = ANY (ids);
        DELETE FROM message_contents c WHERE c.message_id = ANY (ids);
        DELETE FROM messages m WHERE m.id = ANY (ids);
        total := total + cardinality(ids);
      END IF;
    END LOOP;
    RETURN total;
  END $function$
;
ALTER FUNCTION delete_old_messages(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_old_messages(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_messages(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_old_notifications(older_than interval, ids text[])
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 WITH gone AS (
          DELETE FROM notifications n
           WHERE ((n.id = ANY (delete_old_notifications.ids)) AND (n.updated_at < (now() - delete_old_notifications.older_than)))
           RETURNING n.id
         )
  SELECT (count(*))::integer AS count
    FROM gone;
END
;
ALTER FUNCTION delete_old_notifications(interval,text[]) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_old_notifications(interval,text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_notifications(interval,text[]) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_old_previews(ids text[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      one text;
      deleted integer := 0;
    BEGIN
      FOREACH one IN ARRAY ids LOOP
        IF pg_try_advisory_xact_lock(preview_lock_of(one)) THEN
          DELETE FROM previews p WHERE p.id = one AND p.expires_at < now() - interval '30 days'
            AND NOT EXISTS (SELECT FROM previews s WHERE s.supersedes = one)
            AND NOT EXISTS (SELECT FROM invocations i WHERE i.preview_id = one);
          IF FOUND THEN deleted := deleted + 1; END IF;
        END IF;
      END LOOP;
      RETURN deleted;
    END $function$
;
ALTER FUNCTION delete_old_previews(text[]) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_old_previews(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_previews(text[]) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_runs_outside_of_ranges(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      deleted integer;
      total integer := 0;
    BEGIN
      DELETE FROM spans s USING (SELECT o.run_id, o.id FROM spans o WHERE o.run_id < run_id_floor(runs_kept_since() - interval '7 days') LIMIT most) old
        WHERE s.run_id = old.run_id AND s.id = old.id;
      GET DIAGNOSTICS total = ROW_COUNT;
      DELETE FROM runs r WHERE r.id IN (SELECT o.id FROM runs o WHERE o.id < run_id_floor(runs_kept_since() - interval '7 days') LIMIT most);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN total + deleted;
    END $function$
;
ALTER FUNCTION delete_runs_outside_of_ranges(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_runs_outside_of_ranges(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_runs_outside_of_ranges(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_unused_oauth_clients(unconnected interval, unused interval, ids text[])
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE deleted integer;
    BEGIN
      DELETE FROM oauth_clients c USING unnest(ids) old (id)
      WHERE c.id = old.id AND c.created_at < now() - unconnected
        AND NOT EXISTS (SELECT FROM oauth_grants g WHERE g.client_id = c.id AND g.ended_at IS NULL AND g.expires_at > now())
        AND (NOT EXISTS (SELECT FROM oauth_grants g WHERE g.client_id = c.id) OR COALESCE(c.last_used_at, c.created_at) < now() - unused);
      GET DIAGNOSTICS deleted = ROW_COUNT;
      RETURN deleted;
    END $function$
;
ALTER FUNCTION delete_unused_oauth_clients(interval,interval,text[]) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_unused_oauth_clients(interval,interval,text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_unused_oauth_clients(interval,interval,text[]) TO service_app;

CREATE OR REPLACE FUNCTION public.deliveries_in_flight()
 RETURNS bigint
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
RETURN (SELECT count(*) AS count FROM lane_queue q WHERE ((q.workspace_id = current_workspace_id()) AND (q.state = 'taken'::text)))
;
ALTER FUNCTION deliveries_in_flight() OWNER TO service_directory;
REVOKE ALL ON FUNCTION deliveries_in_flight() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deliveries_in_flight() TO service_app;

CREATE OR REPLACE FUNCTION public.discount_untold_grant(of_kind text, for_holder text)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 UPDATE lane_places p SET unclaimed_grants = GREATEST(0, (p.unclaimed_grants - 1))
   WHERE ((p.environment_id = current_environment_id()) AND (p.kind = discount_untold_grant.of_kind) AND (p.holder = discount_untold_grant.for_holder));
END
;
ALTER FUNCTION discount_untold_grant(text,text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION discount_untold_grant(text,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION discount_untold_grant(text,text) TO service_app;

CREATE OR REPLACE FUNCTION public.drop_old_analytics_partition()
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '500ms'
AS $function$
  DECLARE leaf text;
  BEGIN
    FOR leaf IN SELECT c.relname FROM analytics_tables() t JOIN pg_inherits i ON i.inhparent = to_regclass(t.name) JOIN pg_class c ON c.oid = i.inhrelid
      WHERE c.relname ~ '_[0-9]{6}$' AND to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month' <= (now() AT TIME ZONE 'UTC') - interval '400 days'
      ORDER BY c.relname LOOP
      BEGIN
        EXECUTE format('DROP TABLE partitions.%I', leaf);
        RETURN leaf;
      EXCEPTION WHEN lock_not_available OR deadlock_detected THEN NULL;
      END;
    END LOOP;
    RETURN NULL;
  END $function$
;
REVOKE ALL ON FUNCTION drop_old_analytics_partition() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_old_analytics_partition() TO service_app;

CREATE OR REPLACE FUNCTION public.drop_old_run_partition()
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '500ms'
AS $function$
  DECLARE leaf text;
  BEGIN
    FOR leaf IN SELECT o.leaf FROM (
        SELECT c.relname::text AS leaf, (regexp_match(pg_get_expr(c.relpartbound, c.oid), 'TO \(''(\w+)''\)$'))[1] AS upper_id
        FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'runs'::regclass) o
      WHERE o.upper_id COLLATE "C" <= run_id_floor(runs_kept_since()) ORDER BY o.leaf LOOP
      BEGIN
        EXECUTE format('DROP TABLE partitions.%I, partitions.%I, partitions.%I', replace(leaf, 'runs_', 'spans_'),
          replace(leaf, 'runs_', 'run_tags_'), leaf);
        RETURN leaf;
      EXCEPTION WHEN lock_not_available OR deadlock_detected THEN NULL;
      END;
    END LOOP;
    RETURN NULL;
  END $function$
;
REVOKE ALL ON FUNCTION drop_old_run_partition() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION drop_old_run_partition() TO service_app;

CREATE OR REPLACE FUNCTION public.end_api_key_use()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM pg_advisory_xact_lock(credential_lock_of(OLD.id));
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.end_chat_links()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
    BEGIN
      DELETE FROM chat_link_codes WHERE integration_id = NEW.id;
      DELETE FROM chat_links WHERE integration_id = NEW.id;
      RETURN NULL;
    END $function$
;

CREATE OR REPLACE FUNCTION public.end_membership_use()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM pg_advisory_xact_lock(credential_lock_of(OLD.workspace_id || '/' || OLD.user_id));
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END $function$
;

CREATE OR REPLACE FUNCTION public.end_oauth_grant_use()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF OLD.ended_at IS NOT NULL THEN
      RAISE EXCEPTION 'an OAuth grant that ended stays ended' USING ERRCODE = 'check_violation';
    END IF;
    PERFORM pg_advisory_xact_lock(credential_lock_of(OLD.id));
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.end_of_invocation(i invocations)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN GREATEST((i).settled_at, (i).updated_at, (SELECT GREATEST(e.updated_at, e.outcome_at, e.known_at) AS "greatest" FROM effects e WHERE (e.invocation_id = (end_of_invocation.i).id)), (SELECT max(v.recorded_at) AS max FROM (effects e JOIN evidence v ON ((v.effect_id = e.id))) WHERE (e.invocation_id = (end_of_invocation.i).id)), (SELECT max(GREATEST(a.finished_at, l.recorded_at)) AS max FROM (attempts a LEFT JOIN late_answers l ON ((l.attempt_id = a.id))) WHERE (a.invocation_id = (end_of_invocation.i).id)), (SELECT a.decided_at FROM approvals a WHERE (a.invocation_id = (end_of_invocation.i).id)), (SELECT max(l.at) AS max FROM late_executions l WHERE (l.invocation_id = (end_of_invocation.i).id)))
;

CREATE OR REPLACE FUNCTION public.end_session_use()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM pg_advisory_xact_lock(credential_lock_of(OLD.id));
    PERFORM pg_notify('session_ended', OLD.id); -- ends what the session watches
    RETURN OLD;
  END $function$
;

CREATE OR REPLACE FUNCTION public.end_sign_in_sessions(of_user text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE ended integer;
    BEGIN
      DELETE FROM sign_in_sessions WHERE user_id = of_user;
      GET DIAGNOSTICS ended = ROW_COUNT;
      RETURN ended;
    END $function$
;
ALTER FUNCTION end_sign_in_sessions(text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION end_sign_in_sessions(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION end_sign_in_sessions(text) TO service_app;

CREATE OR REPLACE FUNCTION public.error_shape(error text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN "left"(regexp_replace("left"(error, 2000), '[0-9A-Za-z_-]*[0-9][0-9A-Za-z_-]*'::text, '#'::text, 'g'::text), 300)
;

CREATE OR REPLACE FUNCTION public.facts_of_approval(status text, policy_id text, source text, created_at timestamp with time zone, decided_at timestamp with time zone)
 RETURNS TABLE(kind text, at timestamp with time zone, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT f.kind,
     f.at,
         CASE facts_of_approval.status
             WHEN 'consumed'::text THEN 'approved'::text
             ELSE facts_of_approval.status
         END AS status,
     COALESCE(facts_of_approval.policy_id, ''::text) AS "coalesce",
     facts_of_approval.source AS source,
     (0)::bigint AS int8,
     (0)::bigint AS int8,
     f.ms,
     NULL::text AS text
    FROM ( VALUES ('approvals.requested'::text,facts_of_approval.created_at,NULL::bigint), ('approvals.decided'::text,facts_of_approval.decided_at,
                 CASE
                     WHEN (facts_of_approval.status = ANY (ARRAY['approved'::text, 'consumed'::text, 'denied'::text])) THEN ms_between(facts_of_approval.created_at, facts_of_approval.decided_at)
                     ELSE NULL::bigint
                 END)) f(kind, at, ms)
   WHERE (f.at IS NOT NULL);
END
;

CREATE OR REPLACE FUNCTION public.facts_of_chat_post(approval_id text, status text, error text, posted_at timestamp with time zone)
 RETURNS TABLE(kind text, at timestamp with time zone, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT 'errors'::text,
     posted_at AS posted_at,
     'integration'::text,
     'refused'::text,
     COALESCE(error_shape(error), ''::text) AS "coalesce",
     (0)::bigint AS int8,
     (0)::bigint AS int8,
     NULL::bigint AS int8,
     approval_id AS approval_id
   WHERE (status = 'refused'::text);
END
;

CREATE OR REPLACE FUNCTION public.facts_of_effect(action_name text, grade text, verification text, outcome_source text, created_at timestamp with time zone, updated_at timestamp with time zone, outcome_at timestamp with time zone, unknown_at timestamp with time zone, known_at timestamp with time zone)
 RETURNS TABLE(kind text, at timestamp with time zone, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT f.kind,
     f.at,
     f.d1,
     facts_of_effect.action_name AS action_name,
     f.d3,
     (0)::bigint AS int8,
     (0)::bigint AS int8,
     f.ms,
     NULL::text AS text
    FROM ( VALUES ('effects.graded'::text,
                 CASE
                     WHEN (facts_of_effect.grade = ANY (ARRAY['denied'::text, 'refused'::text])) THEN facts_of_effect.updated_at
                     WHEN (facts_of_effect.grade <> 'pending'::text) THEN facts_of_effect.outcome_at
                     ELSE NULL::timestamp with time zone
                 END,facts_of_effect.grade,facts_of_effect.verification,NULL::bigint), ('unknowns.opened'::text,facts_of_effect.unknown_at,''::text,''::text,NULL::bigint), ('unknowns.resolved'::text,facts_of_effect.known_at,
                 CASE facts_of_effect.outcome_source
                     WHEN 'manual_resolution'::text THEN 'manual'::text
                     ELSE 'lookup'::text
                 END,''::text,ms_between(facts_of_effect.unknown_at, facts_of_effect.known_at))) f(kind, at, d1, d3, ms)
   WHERE (f.at IS NOT NULL);
END
;

CREATE OR REPLACE FUNCTION public.facts_of_invocation(id text, status text, code text, error text, decision jsonb, action_id text, agent_id text, approval_id text, created_at timestamp with time zone, evaluated_at timestamp with time zone, unknown_at timestamp with time zone, settled_at timestamp with time zone)
 RETURNS TABLE(kind text, at timestamp with time zone, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT f.kind,
     f.at,
     f.d1,
     f.d2,
     f.d3,
     f.s1,
     (0)::bigint AS int8,
     NULL::bigint AS int8,
     f.sample
    FROM ( SELECT
                 CASE
                     WHEN (facts_of_invocation.status = ANY (ARRAY['pending_approval'::text, 'queued'::text, 'dispatching'::text])) THEN 'pending'::text
                     ELSE (facts_of_invocation.status || COALESCE((':'::text || facts_of_invocation.code), ''::text))
                 END AS state,
                 CASE
                     WHEN (facts_of_invocation.status = 'unknown'::text) THEN facts_of_invocation.unknown_at
                     WHEN (facts_of_invocation.status <> ALL (ARRAY['pending_approval'::text, 'queued'::text, 'dispatching'::text])) THEN facts_of_invocation.settled_at
                     ELSE NULL::timestamp with time zone
                 END AS ended_at) i,
     LATERAL ( VALUES ('invocations.created'::text,facts_of_invocation.created_at,i.state,facts_of_invocation.action_id,COALESCE(facts_of_invocation.agent_id, ''::text),(((facts_of_invocation.approval_id IS NOT NULL))::integer)::bigint,NULL::text), ('invocations.ended'::text,i.ended_at,i.state,facts_of_invocation.action_id,COALESCE(facts_of_invocation.agent_id, ''::text),0,NULL::text), ('policy.decisions'::text,
                 CASE
                     WHEN (facts_of_invocation.decision IS NOT NULL) THEN facts_of_invocation.evaluated_at
                     ELSE NULL::timestamp with time zone
                 END,(facts_of_invocation.decision ->> 'effect'::text),COALESCE((facts_of_invocation.decision ->> 'policyId'::text), ''::text),COALESCE(((COALESCE((facts_of_invocation.decision ->> 'version'::text), ''::text) || '/'::text) || (facts_of_invocation.decision ->> 'ruleId'::text)), ''::text),0,NULL::text), ('errors'::text,
                 CASE
                     WHEN (facts_of_invocation.status = ANY (ARRAY['refused'::text, 'failed'::text, 'unknown'::text])) THEN i.ended_at
                     ELSE NULL::timestamp with time zone
                 END,
                 CASE facts_of_invocation.status
                     WHEN 'refused'::text THEN 'invocation'::text
                     ELSE 'dispatch'::text
                 END,COALESCE(facts_of_invocation.code, ''::text),COALESCE(error_shape(facts_of_invocation.error), ''::text),0,facts_of_invocation.id)) f(kind, at, d1, d2, d3, s1, sample)
   WHERE (f.at IS NOT NULL);
END
;

CREATE OR REPLACE FUNCTION public.facts_of_message(status text, of_kind text, label text, url text, subscription_id text, schedule_id text, attempts integer, created_at timestamp with time zone, scheduled_for timestamp with time zone, updated_at timestamp with time zone, delivered_at timestamp with time zone, failed_at timestamp with time zone)
 RETURNS TABLE(kind text, at timestamp with time zone, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT f.kind,
     f.at,
     m.state,
     f.d2,
     f.d3,
     f.s1,
     (0)::bigint AS int8,
     f.ms,
     NULL::text AS text
    FROM ( SELECT
                 CASE
                     WHEN (facts_of_message.status = ANY (ARRAY['pending'::text, 'scheduled'::text, 'processing'::text])) THEN 'pending'::text
                     ELSE facts_of_message.status
                 END AS state,
             COALESCE(facts_of_message.delivered_at, facts_of_message.failed_at,
                 CASE facts_of_message.status
                     WHEN 'cancelled'::text THEN facts_of_message.updated_at
                     ELSE NULL::timestamp with time zone
                 END) AS ended_at) m,
     LATERAL ( VALUES ('messages.accepted'::text,facts_of_message.created_at,facts_of_message.of_kind,COALESCE(facts_of_message.label, ''::text),(0)::bigint,NULL::bigint), ('messages.ended'::text,m.ended_at,facts_of_message.of_kind,COALESCE(facts_of_message.label, ''::text),0,NULL::bigint), ('targets.ended'::text,m.ended_at,
                 CASE
                     WHEN (m.ended_at IS NOT NULL) THEN url_target(facts_of_message.url)
                     ELSE NULL::text
                 END,COALESCE(facts_of_message.subscription_id, ''::text),facts_of_message.attempts,ms_between(GREATEST(facts_of_message.created_at, facts_of_message.scheduled_for), facts_of_message.delivered_at)), ('schedules.delivery'::text,
                 CASE
                     WHEN (facts_of_message.schedule_id IS NOT NULL) THEN m.ended_at
                     ELSE NULL::timestamp with time zone
                 END,facts_of_message.schedule_id,''::text,0,NULL::bigint)) f(kind, at, d2, d3, s1, ms)
   WHERE (f.at IS NOT NULL);
END
;

CREATE OR REPLACE FUNCTION public.facts_of_message_attempt(message_id text, number integer, status text, target text, failure text, subscription_id text, response_status integer, latency_ms integer, error text, finished_at timestamp with time zone)
 RETURNS TABLE(kind text, at timestamp with time zone, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT f.kind,
     f.at,
     f.d1,
     f.d2,
     f.d3,
     f.s1,
     f.s2,
     f.ms,
     f.sample
    FROM ( SELECT
                 CASE
                     WHEN (facts_of_message_attempt.status = 'abandoned'::text) THEN facts_of_message_attempt.status
                     ELSE COALESCE((facts_of_message_attempt.response_status)::text, facts_of_message_attempt.failure, 'connection'::text)
                 END AS outcome) a,
     LATERAL ( VALUES ('delivery.attempts'::text,facts_of_message_attempt.finished_at,a.outcome,COALESCE(facts_of_message_attempt.target, ''::text),COALESCE(facts_of_message_attempt.subscription_id, ''::text),(((facts_of_message_attempt.number = 1))::integer)::bigint,(COALESCE(facts_of_message_attempt.latency_ms, 0))::bigint,(facts_of_message_attempt.latency_ms)::bigint,NULL::text), ('errors'::text,
                 CASE
                     WHEN (NOT starts_with(a.outcome, '2'::text)) THEN facts_of_message_attempt.finished_at
                     ELSE NULL::timestamp with time zone
                 END,
                 CASE
                     WHEN (facts_of_message_attempt.subscription_id IS NULL) THEN 'delivery'::text
                     ELSE 'subscription'::text
                 END,a.outcome,COALESCE(error_shape(facts_of_message_attempt.error), ''::text),0,0,NULL::bigint,facts_of_message_attempt.message_id)) f(kind, at, d1, d2, d3, s1, s2, ms, sample)
   WHERE (f.at IS NOT NULL);
END
;

CREATE OR REPLACE FUNCTION public.facts_of_run(id text, status text, agent_id text, agent_version text, error jsonb, tokens bigint, input_tokens bigint, output_tokens bigint, cost double precision, started_at timestamp with time zone, ended_at timestamp with time zone)
 RETURNS TABLE(kind text, at timestamp with time zone, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT f.kind,
     f.at,
     f.d1,
     f.d2,
     f.d3,
     f.s1,
     f.s2,
     f.ms,
     f.sample
    FROM ( VALUES ('runs.started'::text,facts_of_run.started_at,facts_of_run.status,COALESCE(facts_of_run.agent_id, ''::text),COALESCE(facts_of_run.agent_version, ''::text),(0)::bigint,(0)::bigint,NULL::bigint,NULL::text), ('runs.ended'::text,facts_of_run.ended_at,facts_of_run.status,COALESCE(facts_of_run.agent_id, ''::text),COALESCE(facts_of_run.agent_version, ''::text),COALESCE(facts_of_run.tokens, (0)::bigint),(floor(((LEAST(COALESCE(facts_of_run.cost, (0)::double precision), ('1000000000'::numeric)::double precision) * ('1000000'::numeric)::double precision) + (0.5)::double precision)))::bigint,ms_between(facts_of_run.started_at, facts_of_run.ended_at),NULL::text), ('runs.tokens'::text,
                 CASE
                     WHEN (num_nonnulls(facts_of_run.input_tokens, facts_of_run.output_tokens) > 0) THEN facts_of_run.ended_at
                     ELSE NULL::timestamp with time zone
                 END,''::text,COALESCE(facts_of_run.agent_id, ''::text),COALESCE(facts_of_run.agent_version, ''::text),COALESCE(facts_of_run.input_tokens, (0)::bigint),COALESCE(facts_of_run.output_tokens, (0)::bigint),NULL::bigint,NULL::text), ('errors'::text,
                 CASE facts_of_run.status
                     WHEN 'failed'::text THEN facts_of_run.ended_at
                     ELSE NULL::timestamp with time zone
                 END,'run'::text,COALESCE("left"((facts_of_run.error ->> 'code'::text), 64), ''::text),COALESCE(error_shape((facts_of_run.error ->> 'message'::text)), ''::text),0,0,NULL::bigint,facts_of_run.id)) f(kind, at, d1, d2, d3, s1, s2, ms, sample)
   WHERE (f.at IS NOT NULL);
END
;

CREATE OR REPLACE FUNCTION public.facts_of_schedule_run(schedule_id text, trigger text, outcome text, error_code text, error_message text, nominal_at timestamp with time zone, fired_at timestamp with time zone)
 RETURNS TABLE(kind text, at timestamp with time zone, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 SELECT f.kind,
     facts_of_schedule_run.fired_at AS fired_at,
     f.d1,
     f.d2,
     f.d3,
     (0)::bigint AS int8,
     (0)::bigint AS int8,
     f.ms,
     f.sample
    FROM ( VALUES ('schedules.fired'::text,(facts_of_schedule_run.outcome <> ALL (ARRAY['queued'::text, 'waiting'::text])),facts_of_schedule_run.outcome,facts_of_schedule_run.schedule_id,facts_of_schedule_run.trigger,
                 CASE facts_of_schedule_run.outcome
                     WHEN 'published'::text THEN ms_between(facts_of_schedule_run.nominal_at, facts_of_schedule_run.fired_at)
                     ELSE NULL::bigint
                 END,NULL::text), ('errors'::text,(facts_of_schedule_run.outcome = 'failed'::text),'schedule'::text,COALESCE("left"(facts_of_schedule_run.error_code, 64), ''::text),COALESCE(error_shape(facts_of_schedule_run.error_message), ''::text),NULL::bigint,facts_of_schedule_run.schedule_id)) f(kind, counts, d1, d2, d3, ms, sample)
   WHERE f.counts;
END
;

CREATE OR REPLACE FUNCTION public.find_alert_targets(after_id text, most integer)
 RETURNS TABLE(workspace_id uuid, environment_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT t.workspace_id,
     told.id
    FROM (alert_targets t
      CROSS JOIN LATERAL ( SELECT e.id
            FROM environments e
           WHERE (e.workspace_id = t.workspace_id)
           ORDER BY (e.kind = 'production'::text) DESC, e.created_at, e.id
          LIMIT 1) told)
   WHERE ((t.amount IS NOT NULL) AND ((find_alert_targets.after_id = ''::text) OR (t.workspace_id > (find_alert_targets.after_id)::uuid)))
   ORDER BY t.workspace_id
  LIMIT find_alert_targets.most;
END
;
ALTER FUNCTION find_alert_targets(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_alert_targets(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_alert_targets(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_api_key(hash bytea)
 RETURNS TABLE(id text, workspace_id uuid, environment_id uuid, environment_name text, environment_kind text, environment_protected boolean, preset text, scopes text[], expires_at timestamp with time zone, last_used_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT k.id,
     k.workspace_id,
     k.environment_id,
     e.name,
     e.kind,
     e.protected,
     k.preset,
     k.scopes,
     k.expires_at,
     k.last_used_at
    FROM (api_keys k
      JOIN environments e ON ((e.id = k.environment_id)))
   WHERE ((k.key_hash = find_api_key.hash) AND (k.revoked_at IS NULL) AND ((k.expires_at IS NULL) OR (k.expires_at > now())));
END
;
ALTER FUNCTION find_api_key(bytea) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_api_key(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_api_key(bytea) TO service_app;

CREATE OR REPLACE FUNCTION public.find_due_files(after_id text, most integer)
 RETURNS TABLE(id text, environment_id uuid, workspace_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT f.id,
     f.environment_id,
     e.workspace_id
    FROM (files f
      JOIN environments e ON ((e.id = f.environment_id)))
   WHERE ((f.due_at < now()) AND (f.id > find_due_files.after_id))
   ORDER BY f.id
  LIMIT find_due_files.most;
END
;
ALTER FUNCTION find_due_files(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_due_files(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_due_files(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_due_lanes(after_id text, most integer)
 RETURNS TABLE(environment_id uuid, workspace_id uuid, is_lost boolean, is_late boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
 SET enable_sort TO 'off'
BEGIN ATOMIC
 WITH RECURSIVE ready(id) AS (
         ( SELECT q.environment_id
            FROM lane_queue q
           WHERE (q.state = 'ready'::text)
           ORDER BY q.environment_id
          LIMIT 1)
         UNION ALL
          SELECT ( SELECT q.environment_id
                    FROM lane_queue q
                   WHERE ((q.state = 'ready'::text) AND (q.environment_id > w.id))
                   ORDER BY q.environment_id
                  LIMIT 1) AS environment_id
            FROM ready w
           WHERE (w.id IS NOT NULL)
         ), timed(id) AS (
         ( SELECT q.environment_id
            FROM lane_queue q
           WHERE (q.state = ANY (ARRAY['timed'::text, 'paced'::text]))
           ORDER BY q.environment_id
          LIMIT 1)
         UNION ALL
          SELECT ( SELECT q.environment_id
                    FROM lane_queue q
                   WHERE ((q.state = ANY (ARRAY['timed'::text, 'paced'::text])) AND (q.environment_id > w.id))
                   ORDER BY q.environment_id
                  LIMIT 1) AS environment_id
            FROM timed w
           WHERE (w.id IS NOT NULL)
         ), taken(id) AS (
         ( SELECT q.environment_id
            FROM lane_queue q
           WHERE (q.state = 'taken'::text)
           ORDER BY q.environment_id
          LIMIT 1)
         UNION ALL
          SELECT ( SELECT q.environment_id
                    FROM lane_queue q
                   WHERE ((q.state = 'taken'::text) AND (q.environment_id > w.id))
                   ORDER BY q.environment_id
                  LIMIT 1) AS environment_id
            FROM taken w
           WHERE (w.id IS NOT NULL)
         ), found AS (
          SELECT w.id,
             false AS is_lost,
             false AS is_late
            FROM ready w
           WHERE (EXISTS ( SELECT
                    FROM lane_queue q
                   WHERE ((q.environment_id = w.id) AND (q.state = 'ready'::text) AND (q.due_at <= clock_timestamp()))))
         UNION ALL
          SELECT w.id,
             false,
             true
            FROM (timed w
              CROSS JOIN ( VALUES ('timed'::text), ('paced'::text)) s(state))
           WHERE (EXISTS ( SELECT
                    FROM lane_queue q
                   WHERE ((q.environment_id = w.id) AND (q.state = ANY (ARRAY['timed'::text, 'paced'::text])) AND (q.state = s.state) AND (q.due_at <= (clock_timestamp() - '00:00:30'::interval)))))
         UNION ALL
          SELECT w.id,
             true,
             false
            FROM taken w
           WHERE (EXISTS ( SELECT
                    FROM lane_queue q
                   WHERE ((q.environment_id = w.id) AND (q.state = 'taken'::text) AND (q.lease_until <= clock_timestamp()))))
         )
  SELECT e.id,
     e.workspace_id,
     bool_or(f.is_lost) AS bool_or,
     bool_or(f.is_late) AS bool_or
    FROM (found f
      JOIN environments e ON ((e.id = f.id)))
   WHERE (((e.halted_at IS NULL) OR f.is_lost OR (EXISTS ( SELECT
            FROM lane_queue q
           WHERE ((q.environment_id = e.id) AND q.ignores_halt AND (q.state <> 'taken'::text) AND (q.due_at <= clock_timestamp()))))) AND ((find_due_lanes.after_id = ''::text) OR (e.id > (NULLIF(find_due_lanes.after_id, ''::text))::uuid)))
   GROUP BY e.id, e.workspace_id
   ORDER BY e.id
  LIMIT find_due_lanes.most;
END
;
ALTER FUNCTION find_due_lanes(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_due_lanes(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_due_lanes(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_ended_oauth_grants(kept interval, after_id text, most integer)
 RETURNS TABLE(id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT g.id
    FROM oauth_grants g
   WHERE ((g.id > find_ended_oauth_grants.after_id) AND (LEAST(COALESCE(g.ended_at, g.expires_at), g.expires_at) < (now() - find_ended_oauth_grants.kept)))
   ORDER BY g.id
  LIMIT find_ended_oauth_grants.most;
END
;
ALTER FUNCTION find_ended_oauth_grants(interval,text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_ended_oauth_grants(interval,text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_ended_oauth_grants(interval,text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_expired_idempotency_claims(after_id text, most integer)
 RETURNS TABLE(id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT c.id
    FROM ( SELECT ((((idempotency_claims.environment_id)::text || '/'::text) || idempotency_claims.key) COLLATE "C") AS id
            FROM idempotency_claims
           WHERE (idempotency_claims.expires_at < now())) c
   WHERE (c.id > find_expired_idempotency_claims.after_id)
   ORDER BY c.id
  LIMIT find_expired_idempotency_claims.most;
END
;
ALTER FUNCTION find_expired_idempotency_claims(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_expired_idempotency_claims(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_expired_idempotency_claims(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_expired_memories(behind_id text, most integer)
 RETURNS TABLE(id text, environment_id uuid, workspace_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT m.id,
     m.environment_id,
     e.workspace_id
    FROM (memories m
      JOIN environments e ON ((e.id = m.environment_id)))
   WHERE ((m.expires_at <= now()) AND (m.id > find_expired_memories.behind_id))
   ORDER BY m.id
  LIMIT find_expired_memories.most;
END
;
ALTER FUNCTION find_expired_memories(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_expired_memories(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_expired_memories(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_expired_message_deduplications(after_id text, most integer)
 RETURNS TABLE(id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT d.id
    FROM ( SELECT ((((message_deduplications.environment_id)::text || '/'::text) || encode(message_deduplications.digest, 'hex'::text)) COLLATE "C") AS id
            FROM message_deduplications
           WHERE (message_deduplications.expires_at < now())) d
   WHERE (d.id > find_expired_message_deduplications.after_id)
   ORDER BY d.id
  LIMIT find_expired_message_deduplications.most;
END
;
ALTER FUNCTION find_expired_message_deduplications(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_expired_message_deduplications(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_expired_message_deduplications(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_expired_oauth_artifacts(kept interval, after_id text, most integer)
 RETURNS TABLE(id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT a.id
    FROM ( SELECT (encode(oauth_artifacts.hash, 'hex'::text) COLLATE "C") AS id
            FROM oauth_artifacts
           WHERE (oauth_artifacts.expires_at < (now() - find_expired_oauth_artifacts.kept))) a
   WHERE (a.id > find_expired_oauth_artifacts.after_id)
   ORDER BY a.id
  LIMIT find_expired_oauth_artifacts.most;
END
;
ALTER FUNCTION find_expired_oauth_artifacts(interval,text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_expired_oauth_artifacts(interval,text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_expired_oauth_artifacts(interval,text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_expired_places(after_id text, most integer)
 RETURNS TABLE(id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT p.id
    FROM ( SELECT ((((((lane_places.environment_id)::text || '/'::text) || lane_places.kind) || '/'::text) || lane_places.holder) COLLATE "C") AS id
            FROM lane_places
           WHERE (lane_places.expires_at < (now() - '01:00:00'::interval))) p
   WHERE (p.id > find_expired_places.after_id)
   ORDER BY p.id
  LIMIT find_expired_places.most;
END
;
ALTER FUNCTION find_expired_places(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_expired_places(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_expired_places(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_expired_sessions(after_id text, most integer)
 RETURNS TABLE(id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT s.id
    FROM sessions s
   WHERE ((s.expires_at < now()) AND (s.id > find_expired_sessions.after_id))
   ORDER BY s.id
  LIMIT find_expired_sessions.most;
END
;
ALTER FUNCTION find_expired_sessions(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_expired_sessions(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_expired_sessions(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_expired_sign_in_throttles(forgotten_after interval, home interval, after_id text, most integer)
 RETURNS TABLE(id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT t.id
    FROM ( SELECT (encode(sign_in_throttles.key, 'hex'::text) COLLATE "C") AS id
            FROM sign_in_throttles
           WHERE ((sign_in_throttles.last_failed_at < (now() - find_expired_sign_in_throttles.forgotten_after)) AND ((sign_in_throttles.succeeded_at IS NULL) OR (sign_in_throttles.succeeded_at < (now() - find_expired_sign_in_throttles.home))))) t
   WHERE (t.id > find_expired_sign_in_throttles.after_id)
   ORDER BY t.id
  LIMIT find_expired_sign_in_throttles.most;
END
;
ALTER FUNCTION find_expired_sign_in_throttles(interval,interval,text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_expired_sign_in_throttles(interval,interval,text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_expired_sign_in_throttles(interval,interval,text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_integration(of_id text)
 RETURNS TABLE(environment_id uuid, workspace_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT i.environment_id,
     e.workspace_id
    FROM (integrations i
      JOIN environments e ON ((e.id = i.environment_id)))
   WHERE (i.id = find_integration.of_id);
END
;
ALTER FUNCTION find_integration(text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_integration(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_integration(text) TO service_app;

CREATE OR REPLACE FUNCTION public.find_invitation(hash bytea)
 RETURNS TABLE(id text, workspace_id uuid, email text, role text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT i.id,
     i.workspace_id,
     i.email,
     i.role
    FROM invitations i
   WHERE ((i.token_hash = find_invitation.hash) AND (i.accepted_at IS NULL) AND (i.revoked_at IS NULL) AND (i.expires_at > now()));
END
;
ALTER FUNCTION find_invitation(bytea) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_invitation(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_invitation(bytea) TO service_app;

CREATE OR REPLACE FUNCTION public.find_nearest_memories(collections text[], query text, dimensions integer, most integer)
 RETURNS TABLE(memory_id text, score double precision)
 LANGUAGE plpgsql
 ROWS 200
 SET parallel_setup_cost TO '100'
 SET min_parallel_table_scan_size TO '1MB'
 SET min_parallel_index_scan_size TO '64kB'
AS $function$
    BEGIN
      -- Candidates of other tenants and collections do not count: the index goes on behind them.
      PERFORM set_config('hnsw.ef_search', most::text, true), set_config('hnsw.iterative_scan', 'relaxed_order', true);
      RETURN QUERY EXECUTE format(
        'SELECT near.memory_id, -(near.embedding <#> CAST(%4$L AS vector(%3$s)))
         FROM (SELECT v.memory_id, CAST(v.embedding AS vector(%3$s)) AS embedding FROM memory_vectors v
               WHERE v.environment_id = %1$L::uuid AND v.collection_id = ANY (%2$L::text[]) AND v.dimensions = %3$s
               ORDER BY CAST(v.embedding AS halfvec(%3$s)) <#> CAST(%4$L AS halfvec(%3$s)) LIMIT %5$s) near',
        current_environment_id(), collections, dimensions, query, most);
    END $function$
;
REVOKE ALL ON FUNCTION find_nearest_memories(text[],text,integer,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_nearest_memories(text[],text,integer,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_oauth_access_token(of_hash bytea)
 RETURNS TABLE(grant_id text, user_id text, client_id text, role text, workspace_id uuid, environment_id uuid, environment_name text, environment_kind text, environment_protected boolean, resource text, scope text, expires_at timestamp with time zone, last_used_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT g.id,
     g.user_id,
     g.client_id,
     m.role,
     g.workspace_id,
     e.id,
     e.name,
     e.kind,
     e.protected,
     (a.payload ->> 'aud'::text),
     (a.payload ->> 'scope'::text),
     a.expires_at,
     g.last_used_at
    FROM (((oauth_artifacts a
      JOIN oauth_grants g ON ((g.id = a.grant_id)))
      JOIN members m ON (((m.workspace_id = g.workspace_id) AND (m.user_id = g.user_id) AND (m.created_at <= g.created_at))))
      JOIN environments e ON ((e.id = g.environment_id)))
   WHERE ((a.hash = find_oauth_access_token.of_hash) AND (a.kind = 'AccessToken'::text) AND (a.expires_at > now()) AND (g.ended_at IS NULL) AND (g.expires_at > now()));
END
;
ALTER FUNCTION find_oauth_access_token(bytea) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_oauth_access_token(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_oauth_access_token(bytea) TO service_app;

CREATE OR REPLACE FUNCTION public.find_oauth_artifact(of_hash bytea, of_kind text)
 RETURNS TABLE(payload jsonb, consumed_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT a.payload,
     a.consumed_at
    FROM oauth_artifacts a
   WHERE ((a.hash = find_oauth_artifact.of_hash) AND (a.kind = find_oauth_artifact.of_kind));
END
;
ALTER FUNCTION find_oauth_artifact(bytea,text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_oauth_artifact(bytea,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_oauth_artifact(bytea,text) TO service_app;

CREATE OR REPLACE FUNCTION public.find_oauth_client(of_id text)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE found_metadata jsonb;
    BEGIN
      SELECT c.metadata INTO found_metadata FROM oauth_clients c WHERE c.id = of_id;
      IF found_metadata IS NOT NULL THEN
        UPDATE oauth_clients c SET last_used_at = now() WHERE c.id = of_id AND (c.last_used_at IS NULL OR c.last_used_at < now() - interval '1 day');
      END IF;
      RETURN found_metadata;
    END $function$
;
ALTER FUNCTION find_oauth_client(text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_oauth_client(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_oauth_client(text) TO service_app;

CREATE OR REPLACE FUNCTION public.find_oauth_grant(of_grant text)
 RETURNS TABLE(id text, user_id text, workspace_id uuid, environment_id uuid, client_id text, resource text, scopes text[], openid boolean, created_at timestamp with time zone, expires_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT g.id,
     g.user_id,
     g.workspace_id,
     g.environment_id,
     g.client_id,
     g.resource,
     g.scopes,
     g.openid,
     g.created_at,
     g.expires_at
    FROM (oauth_grants g
      JOIN members m ON (((m.workspace_id = g.workspace_id) AND (m.user_id = g.user_id) AND (m.created_at <= g.created_at))))
   WHERE ((g.id = find_oauth_grant.of_grant) AND (g.ended_at IS NULL));
END
;
ALTER FUNCTION find_oauth_grant(text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_oauth_grant(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_oauth_grant(text) TO service_app;

CREATE OR REPLACE FUNCTION public.find_old_approvals(after_id text, most integer)
 RETURNS TABLE(id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT a.id
    FROM approvals a
   WHERE ((a.id > find_old_approvals.after_id) AND (a.kind = 'free_standing'::text) AND (a.status <> 'pending'::text) AND (a.awaited_status = a.status) AND (a.decided_at < (now() - '90 days'::interval)) AND (a.expires_at < (now() - '90 days'::interval)))
   ORDER BY a.id
  LIMIT find_old_approvals.most;
END
;
ALTER FUNCTION find_old_approvals(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_old_approvals(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_old_approvals(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_old_notifications(older_than interval, after_id text, most integer)
 RETURNS TABLE(id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT n.id
    FROM notifications n
   WHERE ((n.id > find_old_notifications.after_id) AND (n.updated_at < (now() - find_old_notifications.older_than)))
   ORDER BY n.id
  LIMIT find_old_notifications.most;
END
;
ALTER FUNCTION find_old_notifications(interval,text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_old_notifications(interval,text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_old_notifications(interval,text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_old_previews(after_id text, most integer)
 RETURNS TABLE(id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT u.preview_id
    FROM unused_previews u
   WHERE ((u.preview_id > find_old_previews.after_id) AND (u.expires_at < (now() - '30 days'::interval)) AND (NOT (EXISTS ( SELECT
            FROM previews p
           WHERE (p.supersedes = u.preview_id)))) AND (NOT (EXISTS ( SELECT
            FROM invocations i
           WHERE (i.preview_id = u.preview_id)))) AND (NOT (EXISTS ( SELECT
            FROM approvals a
           WHERE (a.preview_id = u.preview_id)))))
   ORDER BY u.preview_id
  LIMIT find_old_previews.most;
END
;
ALTER FUNCTION find_old_previews(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_old_previews(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_old_previews(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_passkey_owner(wanted bytea)
 RETURNS text
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT passkeys.user_id
    FROM passkeys
   WHERE (passkeys.credential_id = find_passkey_owner.wanted);
END
;
ALTER FUNCTION find_passkey_owner(bytea) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_passkey_owner(bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_passkey_owner(bytea) TO service_app;

CREATE OR REPLACE FUNCTION public.find_raised_events(after_id uuid, most integer)
 RETURNS TABLE(environment_id uuid, workspace_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 WITH RECURSIVE walk(id) AS (
         ( SELECT r.environment_id
            FROM raised_events r
           WHERE (r.environment_id > find_raised_events.after_id)
           ORDER BY r.environment_id
          LIMIT 1)
         UNION ALL
          SELECT ( SELECT r.environment_id
                    FROM raised_events r
                   WHERE (r.environment_id > w_1.id)
                   ORDER BY r.environment_id
                  LIMIT 1) AS environment_id
            FROM walk w_1
           WHERE (w_1.id IS NOT NULL)
         )
  SELECT e.id,
     e.workspace_id
    FROM (walk w
      JOIN environments e ON ((e.id = w.id)))
   WHERE (EXISTS ( SELECT
            FROM raised_events r
           WHERE ((r.environment_id = w.id) AND (r.look_again_at <= now()))))
   ORDER BY e.id
  LIMIT find_raised_events.most;
END
;
ALTER FUNCTION find_raised_events(uuid,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_raised_events(uuid,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_raised_events(uuid,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_sign_in_session(hash bytea, idle interval, of_workspace uuid, of_environment uuid)
 RETURNS TABLE(id text, user_id text, email text, name text, csrf_token text, expires_at timestamp with time zone, last_seen_at timestamp with time zone, token_issued_at timestamp with time zone, is_current boolean, password_at timestamp with time zone, second_factor text, second_factor_at timestamp with time zone, has_passkey boolean, workspace_id uuid, role text, environment_id uuid, environment_name text, environment_kind text, environment_protected boolean, requires_second_factor boolean)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT s.id,
     s.user_id,
     u.email,
     u.name,
     s.csrf_token,
     s.expires_at,
     s.last_seen_at,
     s.token_issued_at,
     (s.token_hash = find_sign_in_session.hash),
     s.password_at,
     s.second_factor,
     s.second_factor_at,
     (EXISTS ( SELECT
            FROM passkeys p
           WHERE (p.user_id = s.user_id))) AS "exists",
     m.workspace_id,
     m.role,
     e.id,
     e.name,
     e.kind,
     e.protected,
     e.require_second_factor
    FROM (((sign_in_sessions s
      JOIN users u ON ((u.id = s.user_id)))
      LEFT JOIN environments e ON ((e.id = find_sign_in_session.of_environment)))
      LEFT JOIN members m ON (((m.user_id = s.user_id) AND (m.workspace_id = COALESCE(find_sign_in_session.of_workspace, e.workspace_id)))))
   WHERE (((s.token_hash = find_sign_in_session.hash) OR ((s.previous_token_hash = find_sign_in_session.hash) AND (s.previous_valid_until > now()))) AND (s.expires_at > now()) AND (s.last_seen_at > (now() - find_sign_in_session.idle)));
END
;
ALTER FUNCTION find_sign_in_session(bytea,interval,uuid,uuid) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_sign_in_session(bytea,interval,uuid,uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_sign_in_session(bytea,interval,uuid,uuid) TO service_app;

CREATE OR REPLACE FUNCTION public.find_unclosed_months(after_id text, most integer)
 RETURNS TABLE(workspace_id uuid, month date)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT w.id,
     m.month
    FROM (workspaces w
      CROSS JOIN LATERAL ( SELECT (COALESCE(( SELECT (max(b.month) + '1 mon'::interval)
                    FROM billing_months b
                   WHERE ((b.workspace_id = w.id) AND (b.closed_at IS NOT NULL))), date_trunc('month'::text, (w.created_at AT TIME ZONE 'UTC'::text))))::date AS month) m)
   WHERE (((find_unclosed_months.after_id = ''::text) OR (w.id > (find_unclosed_months.after_id)::uuid)) AND (((m.month + '1 mon 00:05:00'::interval) AT TIME ZONE 'UTC'::text) <= now()))
   ORDER BY w.id
  LIMIT find_unclosed_months.most;
END
;
ALTER FUNCTION find_unclosed_months(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_unclosed_months(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_unclosed_months(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_unsettled_answers(after_id text, most integer)
 RETURNS TABLE(id text, environment_id uuid, workspace_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT i.id,
     i.environment_id,
     e.workspace_id
    FROM (invocations i
      JOIN environments e ON ((e.id = i.environment_id)))
   WHERE ((i.status = 'unknown'::text) AND (i.id > find_unsettled_answers.after_id) AND (EXISTS ( SELECT
            FROM (attempts a
              LEFT JOIN late_answers l ON ((l.attempt_id = a.id)))
           WHERE ((a.invocation_id = i.id) AND ((((((((a.kind = 'dispatch'::text) AND (COALESCE(l.observed_outcome, a.observed_outcome) = 'succeeded'::text)) OR ((a.kind = 'dispatch'::text) AND (COALESCE(l.observed_outcome, a.observed_outcome) = 'failed'::text))) OR ((a.kind = 'dispatch'::text) AND (COALESCE(l.observed_outcome, a.observed_outcome) = 'pending'::text))) OR ((a.kind = 'dispatch'::text) AND (COALESCE(l.observed_outcome, a.observed_outcome) = 'not_dispatched'::text))) OR ((a.kind = 'replay'::text) AND (COALESCE(l.observed_outcome, a.observed_outcome) = 'succeeded'::text))) OR ((a.kind = 'replay'::text) AND (COALESCE(l.observed_outcome, a.observed_outcome) = 'failed'::text))) OR ((a.kind = 'replay'::text) AND (COALESCE(l.observed_outcome, a.observed_outcome) = 'pending'::text)))))))
   ORDER BY i.id
  LIMIT find_unsettled_answers.most;
END
;
ALTER FUNCTION find_unsettled_answers(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_unsettled_answers(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_unsettled_answers(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_unused_oauth_clients(unconnected interval, unused interval, after_id text, most integer)
 RETURNS TABLE(id text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT c.id
    FROM oauth_clients c
   WHERE ((c.id > find_unused_oauth_clients.after_id) AND (c.created_at < (now() - find_unused_oauth_clients.unconnected)) AND (NOT (EXISTS ( SELECT
            FROM oauth_grants g
           WHERE ((g.client_id = c.id) AND (g.ended_at IS NULL) AND (g.expires_at > now()))))) AND ((NOT (EXISTS ( SELECT
            FROM oauth_grants g
           WHERE (g.client_id = c.id)))) OR (COALESCE(c.last_used_at, c.created_at) < (now() - find_unused_oauth_clients.unused))))
   ORDER BY c.id
  LIMIT find_unused_oauth_clients.most;
END
;
ALTER FUNCTION find_unused_oauth_clients(interval,interval,text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_unused_oauth_clients(interval,interval,text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_unused_oauth_clients(interval,interval,text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_usage_crossings(limits jsonb, thresholds integer[], after_id text, most integer)
 RETURNS TABLE(id text, workspace_id uuid, environment_id uuid, month date, meter text, threshold integer, used bigint, allowed bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 WITH spent AS (
          SELECT u.workspace_id,
             u.month,
             u.allowance,
             (sum(u.used))::bigint AS used
            FROM monthly_usage u
           WHERE (u.month = (date_trunc('month'::text, (now() AT TIME ZONE 'UTC'::text)))::date)
           GROUP BY u.workspace_id, u.month, u.allowance
         ), reached AS (
          SELECT s.workspace_id,
             s.month,
             s.allowance,
             s.used,
             t.threshold,
             (((find_usage_crossings.limits -> w.plan) ->> s.allowance))::bigint AS allowed
            FROM ((spent s
              JOIN workspaces w ON ((w.id = s.workspace_id)))
              CROSS JOIN unnest(find_usage_crossings.thresholds) t(threshold))
         )
  SELECT (((((r.workspace_id || '/'::text) || r.allowance) || '/'::text) || r.threshold) COLLATE "C") AS id,
     r.workspace_id,
     told.id,
     r.month,
     r.allowance,
     r.threshold,
     r.used,
     r.allowed
    FROM (reached r
      CROSS JOIN LATERAL ( SELECT e.id
            FROM environments e
           WHERE (e.workspace_id = r.workspace_id)
           ORDER BY (e.kind = 'production'::text) DESC, e.created_at, e.id
          LIMIT 1) told)
   WHERE ((r.allowed > 0) AND (r.used >= 1) AND ((r.used * 100) >= (r.allowed * r.threshold)) AND ((((((r.workspace_id || '/'::text) || r.allowance) || '/'::text) || r.threshold) COLLATE "C") > find_usage_crossings.after_id) AND (NOT (EXISTS ( SELECT
            FROM usage_crossings x
           WHERE ((x.workspace_id = r.workspace_id) AND (x.month = r.month) AND (x.meter = r.allowance) AND (x.threshold = r.threshold))))))
   ORDER BY (((((r.workspace_id || '/'::text) || r.allowance) || '/'::text) || r.threshold) COLLATE "C")
  LIMIT find_usage_crossings.most;
END
;
ALTER FUNCTION find_usage_crossings(jsonb,integer[],text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_usage_crossings(jsonb,integer[],text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_usage_crossings(jsonb,integer[],text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_usage_drift(from_day date)
 RETURNS TABLE(rule text, workspace_id uuid, environment_id uuid, day date, allowance text, kept bigint, recounted bigint)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 WITH days AS (
          SELECT d.workspace_id,
             (date_trunc('month'::text, (d.day)::timestamp with time zone))::date AS month,
             d.allowance,
             (sum(d.used))::bigint AS used
            FROM daily_usage d
           WHERE (d.day >= (date_trunc('month'::text, (find_usage_drift.from_day)::timestamp with time zone))::date)
           GROUP BY d.workspace_id, ((date_trunc('month'::text, (d.day)::timestamp with time zone))::date), d.allowance
         ), months AS (
          SELECT m.workspace_id,
             m.month,
             m.allowance,
             (sum(m.used))::bigint AS used
            FROM monthly_usage m
           WHERE (m.month >= (date_trunc('month'::text, (find_usage_drift.from_day)::timestamp with time zone))::date)
           GROUP BY m.workspace_id, m.month, m.allowance
         ), counted AS (
          SELECT e.workspace_id,
             e.id AS environment_id,
             (s.day)::date AS day,
             (s.day AT TIME ZONE 'UTC'::text) AS begins,
             ((s.day + '1 day'::interval) AT TIME ZONE 'UTC'::text) AS ends
            FROM (environments e
              CROSS JOIN generate_series((find_usage_drift.from_day)::timestamp without time zone, (((now() AT TIME ZONE 'UTC'::text))::date)::timestamp without time zone, '1 day'::interval) s(day))
         ), executions AS (
          SELECT c.workspace_id,
             c.environment_id,
             c.day,
             c.begins,
             c.ends,
             ( SELECT count(*) AS count
                    FROM invocations i
                   WHERE ((i.environment_id = c.environment_id) AND (i.created_at >= c.begins) AND (i.created_at < c.ends) AND (NOT ((i.status = 'failed'::text) AND (i.outcome_source = 'manual_resolution'::text))))) AS recounted,
             ( SELECT (COALESCE(sum(d.used), (0)::numeric))::bigint AS "coalesce"
                    FROM daily_usage d
                   WHERE ((d.environment_id = c.environment_id) AND (d.day = c.day) AND (d.allowance = 'executions'::text))) AS kept
            FROM counted c
         ), messages_of AS (
          SELECT c.workspace_id,
             c.environment_id,
             c.day,
             c.begins,
             c.ends,
             ( SELECT count(*) AS count
                    FROM messages m
                   WHERE ((m.environment_id = c.environment_id) AND (m.created_at >= c.begins) AND (m.created_at < c.ends) AND (m.kind = ANY (ARRAY['message'::text, 'event'::text])))) AS recounted,
             ( SELECT count(*) AS count
                    FROM events v
                   WHERE ((v.environment_id = c.environment_id) AND (v.created_at >= c.begins) AND (v.created_at < c.ends))) AS events,
             ( SELECT (COALESCE(sum(d.used), (0)::numeric))::bigint AS "coalesce"
                    FROM daily_usage d
                   WHERE ((d.environment_id = c.environment_id) AND (d.day = c.day) AND (d.allowance = 'messages'::text))) AS kept
            FROM counted c
         )
  SELECT 'days_sum_to_month'::text,
     workspace_id,
     NULL::uuid AS uuid,
     month,
     allowance,
     COALESCE(months.used, (0)::bigint) AS "coalesce",
     COALESCE(days.used, (0)::bigint) AS "coalesce"
    FROM (days
      FULL JOIN months USING (workspace_id, month, allowance))
   WHERE (days.used IS DISTINCT FROM months.used)
 UNION ALL
  SELECT 'executions'::text,
     x.workspace_id,
     x.environment_id,
     x.day,
     'executions'::text,
     x.kept,
     x.recounted
    FROM executions x
   WHERE (x.kept <> x.recounted)
 UNION ALL
  SELECT 'messages'::text,
     g.workspace_id,
     g.environment_id,
     g.day,
     'messages'::text,
     g.kept,
     g.recounted
    FROM messages_of g
   WHERE ((g.kept < g.recounted) OR (g.kept > (g.recounted + g.events)));
END
;
ALTER FUNCTION find_usage_drift(date) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_usage_drift(date) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_usage_drift(date) TO service_app;

CREATE OR REPLACE FUNCTION public.find_user_by_email(address text)
 RETURNS TABLE(id text, email text, name text, password_hash text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT u.id,
     u.email,
     u.name,
     u.password_hash
    FROM users u
   WHERE (lower(u.email) = lower(find_user_by_email.address));
END
;
ALTER FUNCTION find_user_by_email(text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_user_by_email(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_user_by_email(text) TO service_app;

CREATE OR REPLACE FUNCTION public.find_waiting_invocations_of_cancelled_runs(after_id text, most integer)
 RETURNS TABLE(id text, environment_id uuid, workspace_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT i.id,
     i.environment_id,
     e.workspace_id
    FROM ((invocations i
      JOIN runs r ON ((r.id = i.run_id)))
      JOIN environments e ON ((e.id = i.environment_id)))
   WHERE ((i.run_id IS NOT NULL) AND ((i.status = 'pending_approval'::text) OR ((i.status = 'queued'::text) AND (i.dependencies_awaited_at IS NOT NULL))) AND (r.status = 'cancelled'::text) AND (i.id > find_waiting_invocations_of_cancelled_runs.after_id))
   ORDER BY i.id
  LIMIT find_waiting_invocations_of_cancelled_runs.most;
END
;
ALTER FUNCTION find_waiting_invocations_of_cancelled_runs(text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_waiting_invocations_of_cancelled_runs(text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_waiting_invocations_of_cancelled_runs(text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.first_paced_message()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
RETURN (SELECT q.due_at FROM lane_queue q WHERE ((q.environment_id = current_environment_id()) AND (q.state = 'paced'::text)) ORDER BY q.due_at LIMIT 1)
;

CREATE OR REPLACE FUNCTION public.fold_analytics_facts(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      looked_at timestamptz;
      folded integer;
      counted jsonb;
    BEGIN
      IF NOT pg_try_advisory_xact_lock(hashtext('analytics fold')) THEN RETURN 0; END IF;
      looked_at := clock_timestamp(); -- the next statement sees all that was committed by then
      WITH gone AS MATERIALIZED (
        DELETE FROM analytics_facts WHERE ctid = ANY (ARRAY(SELECT f.ctid FROM analytics_facts f LIMIT most)) RETURNING *),
      dated AS MATERIALIZED (SELECT g.*, (g.quarter AT TIME ZONE 'UTC')::date AS day FROM gone g),
      names AS (SELECT array_agg(t.environment_id) AS e, array_agg(t.kind) AS k, array_agg(t.day) AS y, array_agg(t.d1) AS d1, array_agg(t.d2) AS d2,
        array_agg(t.d3) AS d3 FROM (SELECT DISTINCT environment_id, kind, day, d1, d2, d3 FROM dated) t),
      beyond AS MATERIALIZED (SELECT b.* FROM names, analytics_beyond_cap(names.e, names.k, names.y, names.d1, names.d2, names.d3) b),
      facts AS MATERIALIZED (SELECT f.environment_id, f.kind, f.quarter, f.day, f.d1, f.bucket, f.n, f.s1, f.s2, f.first_at, f.last_at, f.samples,
          CASE WHEN b.kind IS NULL THEN f.d2 ELSE analytics_capped(f.kind, 2, f.d2) END AS d2,
          CASE WHEN b.kind IS NULL THEN f.d3 ELSE analytics_capped(f.kind, 3, f.d3) END AS d3
        FROM dated f LEFT JOIN beyond b ON b.environment_id = f.environment_id AND b.kind = f.kind AND b.day = f.day AND b.d1 = f.d1
          AND b.d2 = f.d2 AND b.d3 = f.d3),
      levels AS MATERIALIZED (SELECT false AS is_total, f.* FROM facts f
        UNION ALL SELECT true, f.environment_id, f.kind, f.quarter, f.day, f.d1, f.bucket, f.n, f.s1, f.s2, f.first_at, f.last_at, NULL,
          analytics_total(f.kind, 2, f.d2), analytics_total(f.kind, 3, f.d3) FROM facts f),
      rollups AS (
      INSERT INTO analytics_rollups AS r (environment_id, kind, is_total, quarter, d1, d2, d3, n, s1, s2, first_at, last_at, samples, buckets, counts)
      SELECT b.environment_id, b.kind, b.is_total, b.quarter, b.d1, b.d2, b.d3, sum(b.n), sum(b.s1), sum(b.s2), min(b.first_at), max(b.last_at),
        (string_to_array(string_agg(b.samples, ' '), ' '))[1:5],
        array_agg(b.bucket ORDER BY b.bucket) FILTER (WHERE b.bucket IS NOT NULL AND b.n <> 0), array_agg(b.n ORDER BY b.bucket) FILTER (WHERE b.bucket IS NOT NULL AND b.n <> 0)
      FROM (
        SELECT f.environment_id, f.kind, f.is_total, f.quarter, f.d1, f.d2, f.d3, f.bucket, sum(f.n) AS n, sum(f.s1) AS s1, sum(f.s2) AS s2,
          min(f.first_at) AS first_at, max(f.last_at) AS last_at, string_agg(array_to_string(f.samples, ' '), ' ') AS samples
        FROM levels f GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) b
      GROUP BY 1, 2, 3, 4, 5, 6, 7
      ON CONFLICT (environment_id, kind, is_total, quarter, d1, d2, d3) DO UPDATE SET n = r.n + EXCLUDED.n, s1 = r.s1 + EXCLUDED.s1, s2 = r.s2 + EXCLUDED.s2,
        (buckets, counts) = (SELECT * FROM analytics_histogram_sum(r.buckets, r.counts, EXCLUDED.buckets, EXCLUDED.counts)), first_at = least(r.first_at, EXCLUDED.first_at), last_at = greatest(r.last_at, EXCLUDED.last_at),
        samples = (EXCLUDED.samples || r.samples)[1:5] RETURNING 1),
      days AS (
      INSERT INTO analytics_days AS r (environment_id, kind, is_total, day, d1, d2, d3, n, s1, s2, first_at, last_at, samples, buckets, counts)
      SELECT b.environment_id, b.kind, b.is_total, b.day, b.d1, b.d2, b.d3, sum(b.n), sum(b.s1), sum(b.s2), min(b.first_at), max(b.last_at),
        (string_to_array(string_agg(b.samples, ' '), ' '))[1:5],
        array_agg(b.bucket ORDER BY b.bucket) FILTER (WHERE b.bucket IS NOT NULL AND b.n <> 0), array_agg(b.n ORDER BY b.bucket) FILTER (WHERE b.bucket IS NOT NULL AND b.n <> 0)
      FROM (
        SELECT f.environment_id, f.kind, f.is_total, f.day, f.d1, f.d2, f.d3, f.bucket, sum(f.n) AS n, sum(f.s1) AS s1, sum(f.s2) AS s2,
          min(f.first_at) AS first_at, max(f.last_at) AS last_at, string_agg(array_to_string(f.samples, ' '), ' ') AS samples
        FROM levels f GROUP BY 1, 2, 3, 4, 5, 6, 7, 8) b
      GROUP BY 1, 2, 3, 4, 5, 6, 7
      ON CONFLICT (environment_id, kind, is_total, day, d1, d2, d3) DO UPDATE SET n = r.n + EXCLUDED.n, s1 = r.s1 + EXCLUDED.s1, s2 = r.s2 + EXCLUDED.s2,
        (buckets, counts) = (SELECT * FROM analytics_histogram_sum(r.buckets, r.counts, EXCLUDED.buckets, EXCLUDED.counts)), first_at = least(r.first_at, EXCLUDED.first_at), last_at = greatest(r.last_at, EXCLUDED.last_at),
        samples = (EXCLUDED.samples || r.samples)[1:5] RETURNING 1)
      SELECT count(*), (
        SELECT jsonb_object_agg(c.name, c.n) FROM (
          SELECT CASE g.kind
              WHEN 'invocations.ended' THEN 'invocations_total/' || split_part(g.d1, ':', 1)
              WHEN 'effects.graded' THEN 'effects_total/' || g.d1
              WHEN 'unknowns.opened' THEN 'unknowns_opened_total/'
              WHEN 'unknowns.resolved' THEN 'unknowns_resolved_total/' || g.d1
              WHEN 'approvals.decided' THEN 'approvals_decided_total/' || g.d1
              WHEN 'messages.ended' THEN 'messages_total/' || g.d1
              ELSE 'delivery_attempts_total/' || CASE WHEN g.d1 ~ '^[1-5][0-9][0-9]$' THEN left(g.d1, 1) || 'xx' ELSE g.d1 END
            END AS name, sum(g.n) AS n
          FROM gone g
          WHERE g.n > 0 AND g.kind IN ('invocations.ended', 'effects.graded', 'unknowns.opened', 'unknowns.resolved', 'approvals.decided',
            'messages.ended', 'delivery.attempts')
          GROUP BY 1) c) INTO folded, counted FROM gone;
      IF folded < most OR counted IS NOT NULL THEN
        UPDATE installation SET
          analytics_complete_until = CASE WHEN folded < most THEN greatest(analytics_complete_until, looked_at) ELSE analytics_complete_until END,
          counted_facts = (SELECT COALESCE(jsonb_object_agg(s.key, s.n), '{}') FROM (
            SELECT e.key, sum(CAST(e.value AS bigint)) AS n
            FROM (SELECT * FROM jsonb_each_text(counted_facts) UNION ALL SELECT * FROM jsonb_each_text(counted)) e GROUP BY e.key) s);
      END IF;
      RETURN folded;
    END $function$
;
ALTER FUNCTION fold_analytics_facts(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION fold_analytics_facts(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fold_analytics_facts(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.fold_stored_state(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      folded integer;
    BEGIN
      -- Alone: what is folded while a week is forgotten would be kept.
      IF NOT pg_try_advisory_xact_lock(hashtext('stored state')) THEN RETURN 0; END IF;
      WITH many AS (SELECT s.workspace_id, s.part FROM stored_state s GROUP BY 1, 2 HAVING count(*) > 1 OR sum(s.bytes) = 0 LIMIT most),
      gone AS (DELETE FROM stored_state s USING many WHERE s.workspace_id = many.workspace_id AND s.part = many.part RETURNING s.*),
      kept AS (INSERT INTO stored_state (workspace_id, part, bytes)
        SELECT gone.workspace_id, gone.part, sum(gone.bytes) FROM gone GROUP BY 1, 2 HAVING sum(gone.bytes) <> 0 RETURNING id)
      SELECT (SELECT count(*) FROM gone) INTO folded;
      RETURN folded;
    END $function$
;
ALTER FUNCTION fold_stored_state(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION fold_stored_state(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION fold_stored_state(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.forget_failures()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    NEW.failing_since := NULL;
    NEW.last_failure_at := NULL;
    NEW.clock_runs := false;
    NEW.disabled_at := NULL;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.forget_stored_weeks()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      forgotten integer := 0;
      deleted integer;
      week text;
      begins timestamptz;
    BEGIN
      IF NOT pg_try_advisory_xact_lock(hashtext('stored state')) THEN RETURN 0; END IF;
      FOR week IN SELECT DISTINCT s.part FROM stored_state s WHERE starts_with(s.part, 'runs_') LOOP
        begins := to_timestamp(substr(week, 6) || ' 00:00:00+00', 'YYYYMMDD HH24:MI:SSTZH');
        CONTINUE WHEN begins + interval '168 hours' > runs_kept_since()
          OR EXISTS (SELECT FROM runs r WHERE r.id >= run_id_floor(begins) AND r.id < run_id_floor(begins + interval '168 hours'))
          OR EXISTS (SELECT FROM spans s WHERE s.run_id >= run_id_floor(begins) AND s.run_id < run_id_floor(begins + interval '168 hours'));
        DELETE FROM stored_state s WHERE s.part = week;
        GET DIAGNOSTICS deleted = ROW_COUNT;
        forgotten := forgotten + deleted;
      END LOOP;
      RETURN forgotten;
    END $function$
;
ALTER FUNCTION forget_stored_weeks() OWNER TO service_directory;
REVOKE ALL ON FUNCTION forget_stored_weeks() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_stored_weeks() TO service_app;

CREATE OR REPLACE FUNCTION public.grant_free_places(caps jsonb, grant_lease interval, unclaimed_max integer)
 RETURNS TABLE(of_kind text, to_workspace uuid, to_environment uuid, to_holder text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      queue record;
      free integer;
    BEGIN
      DELETE FROM lane_places p USING (
          SELECT u.environment_id, u.kind, u.holder FROM lane_places u
          WHERE u.granted_at IS NOT NULL AND u.expires_at <= clock_timestamp() AND u.unclaimed_grants >= unclaimed_max
          FOR UPDATE SKIP LOCKED) gone
        WHERE (p.environment_id, p.kind, p.holder) = (gone.environment_id, gone.kind, gone.holder);
      UPDATE lane_places p
        SET is_taken = false, granted_at = NULL, expires_at = 'infinity', unclaimed_grants = p.unclaimed_grants + 1
        FROM (SELECT u.environment_id, u.kind, u.holder FROM lane_places u
          WHERE u.granted_at IS NOT NULL AND u.expires_at <= clock_timestamp() FOR UPDATE SKIP LOCKED) back
        WHERE (p.environment_id, p.kind, p.holder) = (back.environment_id, back.kind, back.holder);
      FOR queue IN SELECT DISTINCT w.workspace_id, w.kind FROM lane_places w WHERE NOT w.is_taken LOOP
        -- Somebody is asking: the next run looks again.
        CONTINUE WHEN NOT pg_try_advisory_xact_lock(hashtextextended('place/' || queue.kind || '/' || queue.workspace_id, 0));
        -- Without a cap there are none to grant, and not any number of them, as LIMIT NULL would.
        SELECT COALESCE((caps ->> queue.kind)::integer, 0) - count(*) INTO free FROM lane_places p
          WHERE p.workspace_id = queue.workspace_id AND p.kind = queue.kind AND p.is_taken AND p.expires_at > clock_timestamp();
        CONTINUE WHEN free <= 0;
        RETURN QUERY WITH next AS MATERIALIZED (
            SELECT w.environment_id, w.holder FROM lane_places w
            WHERE w.workspace_id = queue.workspace_id AND w.kind = queue.kind AND NOT w.is_taken
            ORDER BY w.asked_at, w.holder LIMIT free FOR UPDATE SKIP LOCKED)
          UPDATE lane_places p
          SET is_taken = true, granted_at = clock_timestamp(), expires_at = clock_timestamp() + grant_lease
          FROM next n
          WHERE p.environment_id = n.environment_id AND p.kind = queue.kind AND p.holder = n.holder
          RETURNING p.kind, p.workspace_id, p.environment_id, p.holder;
      END LOOP;
    END $function$
;
ALTER FUNCTION grant_free_places(jsonb,interval,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION grant_free_places(jsonb,interval,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION grant_free_places(jsonb,interval,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.halt_lock_of(environment uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended((environment)::text, (1751215220)::bigint)
;

CREATE OR REPLACE FUNCTION public.hand_over_message(of_message text)
 RETURNS TABLE(status text, state text, due_in_ms double precision, is_ready boolean)
 LANGUAGE plpgsql
 ROWS 1
AS $function$
  #variable_conflict use_column
  DECLARE
    at timestamptz;
    due timestamptz;
  BEGIN
    is_ready := false;
    SELECT q.state, q.due_at INTO state, due FROM lane_queue q WHERE q.message_id = of_message FOR UPDATE;
    at := clock_timestamp();
    IF state IN ('timed', 'paced') AND due <= at THEN
      UPDATE lane_queue q SET state = 'ready', has_workflow = true WHERE q.message_id = of_message;
      UPDATE messages m SET status = 'pending', updated_at = now() WHERE m.id = of_message AND m.status = 'scheduled';
      state := 'ready';
      is_ready := true;
    ELSIF state = 'paced' THEN
      UPDATE lane_queue q SET state = 'timed', has_workflow = true WHERE q.message_id = of_message;
      state := 'timed';
    END IF;
    due_in_ms := GREATEST(0, ceil(extract(epoch FROM due - at) * 1000));
    SELECT m.status INTO status FROM messages m WHERE m.id = of_message;
    IF status IS NULL THEN RETURN; END IF;
    RETURN NEXT;
  END $function$
;

CREATE OR REPLACE FUNCTION public.hand_over_paced_messages(most integer)
 RETURNS TABLE(handed integer, next_in_ms double precision)
 LANGUAGE plpgsql
AS $function$
  DECLARE
    at timestamptz;
    head timestamptz;
  BEGIN
    PERFORM lock_lane_pacer();
    at := clock_timestamp();
    WITH due AS MATERIALIZED (
        SELECT q.message_id FROM lane_queue q
        WHERE q.environment_id = current_environment_id() AND q.state = 'paced' AND q.due_at <= at
        ORDER BY q.due_at, q.message_id LIMIT most FOR UPDATE SKIP LOCKED),
      made_ready AS (UPDATE lane_queue q SET state = 'ready' FROM due d WHERE q.message_id = d.message_id RETURNING q.message_id),
      pending AS (
        UPDATE messages m SET status = 'pending', updated_at = now() FROM made_ready r WHERE m.id = r.message_id AND m.status = 'scheduled')
      SELECT count(*) INTO handed FROM made_ready;
    head := first_paced_message();
    PERFORM note_pacer_look(head);
    next_in_ms := CASE WHEN head IS NOT NULL THEN GREATEST(0, ceil(extract(epoch FROM head - at) * 1000)) END;
    RETURN NEXT;
  END $function$
;

CREATE OR REPLACE FUNCTION public.has_signed_in_from(bucket bytea, within interval)
 RETURNS boolean
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM sign_in_throttles t
           WHERE ((t.key = has_signed_in_from.bucket) AND (t.succeeded_at > (now() - has_signed_in_from.within))))) AS "exists";
END
;
ALTER FUNCTION has_signed_in_from(bytea,interval) OWNER TO service_directory;
REVOKE ALL ON FUNCTION has_signed_in_from(bytea,interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION has_signed_in_from(bytea,interval) TO service_app;

CREATE OR REPLACE FUNCTION public.hold_api_key(of_key text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(credential_lock_of(of_key));
      PERFORM FROM api_keys k
        WHERE k.id = of_key AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > clock_timestamp());
      IF NOT FOUND THEN RAISE EXCEPTION 'the API key ended' USING ERRCODE = 'SC001'; END IF;
    END $function$
;
ALTER FUNCTION hold_api_key(text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION hold_api_key(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hold_api_key(text) TO service_app;

CREATE OR REPLACE FUNCTION public.hold_oauth_grant(of_grant text, of_user text, of_workspace uuid, with_role text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(credential_lock_of(of_grant));
      PERFORM pg_advisory_xact_lock_shared(credential_lock_of(of_workspace || '/' || of_user));
      PERFORM FROM oauth_grants g JOIN members m ON m.workspace_id = g.workspace_id AND m.user_id = g.user_id
        WHERE g.id = of_grant AND g.user_id = of_user AND g.workspace_id = of_workspace AND g.ended_at IS NULL
          AND g.expires_at > clock_timestamp() AND m.role = with_role AND m.created_at <= g.created_at;
      IF NOT FOUND THEN RAISE EXCEPTION 'the OAuth grant or its membership ended or changed' USING ERRCODE = 'SC001'; END IF;
    END $function$
;
ALTER FUNCTION hold_oauth_grant(text,text,uuid,text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION hold_oauth_grant(text,text,uuid,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hold_oauth_grant(text,text,uuid,text) TO service_app;

CREATE OR REPLACE FUNCTION public.hold_oauth_grants_of_user(of_user text)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtextextended('oauth-grants-of/' || of_user, 0));
      RETURN (SELECT count(*)::int FROM oauth_grants g
        JOIN members m ON m.workspace_id = g.workspace_id AND m.user_id = g.user_id AND m.created_at <= g.created_at
        WHERE g.user_id = of_user AND g.ended_at IS NULL AND g.expires_at > now());
    END $function$
;
ALTER FUNCTION hold_oauth_grants_of_user(text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION hold_oauth_grants_of_user(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hold_oauth_grants_of_user(text) TO service_app;

CREATE OR REPLACE FUNCTION public.hold_session(of_session text, of_user text, of_workspace uuid, with_role text)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(credential_lock_of(of_session));
      PERFORM FROM sign_in_sessions s
        WHERE s.id = of_session AND s.user_id = of_user AND s.expires_at > clock_timestamp();
      IF NOT FOUND THEN RAISE EXCEPTION 'the session ended' USING ERRCODE = 'SC001'; END IF;
      IF of_workspace IS NULL THEN RETURN; END IF;
      PERFORM pg_advisory_xact_lock_shared(credential_lock_of(of_workspace || '/' || of_user));
      PERFORM FROM members m WHERE m.workspace_id = of_workspace AND m.user_id = of_user AND m.role = with_role;
      IF NOT FOUND THEN RAISE EXCEPTION 'the membership ended or changed' USING ERRCODE = 'SC001'; END IF;
    END $function$
;
ALTER FUNCTION hold_session(text,text,uuid,text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION hold_session(text,text,uuid,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION hold_session(text,text,uuid,text) TO service_app;

CREATE OR REPLACE FUNCTION public.is_ambiguous(of_effect text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM evidence v WHERE ((v.effect_id = is_ambiguous.of_effect) AND (v.source = 'provider_lookup'::text) AND ((v.details ->> 'kind'::text) = 'ambiguous'::text))))
;

CREATE OR REPLACE FUNCTION public.is_archived(invocation text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM operation_keys k WHERE (k.invocation_id = is_archived.invocation)))
;

CREATE OR REPLACE FUNCTION public.is_archived_approval(approval text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM (approvals a JOIN operation_keys k ON ((k.invocation_id = a.invocation_id))) WHERE (a.id = is_archived_approval.approval)))
;

CREATE OR REPLACE FUNCTION public.is_archived_attempt(attempt text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM (attempts a JOIN operation_keys k ON ((k.invocation_id = a.invocation_id))) WHERE (a.id = is_archived_attempt.attempt)))
;

CREATE OR REPLACE FUNCTION public.is_archived_effect(effect text)
 RETURNS boolean
 LANGUAGE sql
 STABLE
RETURN (EXISTS (SELECT FROM operation_keys k WHERE (k.effect_id = is_archived_effect.effect)))
;

CREATE OR REPLACE FUNCTION public.is_recovered(of_timeline integer)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF of_timeline = current_timeline() THEN RETURN false; END IF;
    IF current_timeline() IS DISTINCT FROM (SELECT e.timeline FROM database_epochs e ORDER BY e.id DESC LIMIT 1) THEN
      RAISE EXCEPTION 'the database is on a new timeline, which no process has looked at yet' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    RETURN true;
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_ambiguous_unknown()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF is_ambiguous(OLD.id) THEN
      RAISE EXCEPTION 'more than one record of effect % was found: only a person settles it', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_an_owner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF OLD.role = 'owner' AND (TG_OP = 'DELETE' OR NEW.role <> 'owner') THEN
      PERFORM FROM members WHERE workspace_id = OLD.workspace_id AND user_id <> OLD.user_id AND role = 'owner' FOR UPDATE;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'a workspace keeps at least one owner' USING ERRCODE = 'check_violation', CONSTRAINT = 'members_keep_an_owner';
      END IF;
    END IF;
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_applied_plan()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    RAISE EXCEPTION 'plan % was applied and no longer changes', OLD.id USING ERRCODE = 'check_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_approval()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF OLD.kind = 'free_standing' AND OLD.decided_at < now() - interval '90 days' AND OLD.expires_at < now() - interval '90 days' THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'approval % is never deleted: a free-standing one goes 90 days after its end', OLD.id USING ERRCODE = 'check_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_approval_decision()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF EXISTS (SELECT FROM approvals a WHERE a.id = OLD.approval_id AND a.kind = 'free_standing'
        AND a.decided_at < now() - interval '90 days' AND a.expires_at < now() - interval '90 days') THEN
      RETURN OLD;
    END IF;
    RAISE EXCEPTION 'decisions are append-only: they go with approval %', OLD.approval_id USING ERRCODE = 'check_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_archived_policy()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    RAISE EXCEPTION 'approval policy % is archived and no longer changes', OLD.id USING ERRCODE = 'check_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_binding()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    RAISE EXCEPTION 'what effect % is bound to is immutable', OLD.id USING ERRCODE = 'check_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_governed_name()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    -- OLD's version decides: an action that is ungoverned and renamed in one change was governed under its old name.
    INSERT INTO governed_names (environment_id, name, action_id)
    SELECT OLD.environment_id, OLD.name, OLD.id FROM action_versions v
    WHERE v.id = OLD.current_version_id
      AND (COALESCE((v.definition ->> 'governed')::boolean, false)
        OR COALESCE((v.definition -> 'approval' ->> 'required')::boolean, false))
    ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_held_file()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF EXISTS (SELECT FROM file_holds WHERE file_id = NEW.id) THEN
      RAISE EXCEPTION 'file % is attached to an invocation that has not ended', NEW.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_message_content()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN
      IF current_user = 'service_directory' THEN RETURN OLD; END IF;
      RAISE EXCEPTION 'the content of message % is not deleted: it goes when it has had its time', OLD.message_id USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.message_id, NEW.environment_id, NEW.headers, NEW.body, NEW.body_kind, NEW.body_sealed, NEW.sealed_value)
       IS DISTINCT FROM (OLD.message_id, OLD.environment_id, OLD.headers, OLD.body, OLD.body_kind, OLD.body_sealed, OLD.sealed_value) THEN
      RAISE EXCEPTION 'what message % was asked to carry is immutable', OLD.message_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_preview()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF OLD.expires_at < now() - interval '30 days' THEN RETURN OLD; END IF;
    RAISE EXCEPTION 'previews are append-only: % goes 30 days after it expired', OLD.id USING ERRCODE = 'check_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_resolution()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_revoked()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
      RAISE EXCEPTION 'a revoked API key cannot be restored' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_run_tags()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      DELETE FROM run_tags t WHERE t.environment_id = OLD.environment_id AND t.tag = ANY (OLD.tags) AND t.run_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO run_tags (environment_id, tag, run_id) SELECT DISTINCT NEW.environment_id, tag, NEW.id FROM unnest(NEW.tags) AS tag;
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.keep_start_of_approvals()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE due timestamptz;
  BEGIN
    IF TG_OP <> 'DELETE' THEN due := CASE WHEN NEW.awaited_status IS NULL OR NEW.awaited_status = 'pending' THEN interval '30 seconds' + CASE
      WHEN NEW.status <> 'pending' THEN NEW.decided_at WHEN NEW.awaited_status IS NULL THEN NEW.created_at ELSE NEW.expires_at END END; END IF;
    IF due IS NULL THEN
      DELETE FROM workflow_starts s WHERE s.id = OLD.id;
    ELSE
      INSERT INTO workflow_starts AS s (id, environment_id, kind, detail, due_at)
      VALUES (NEW.id, NEW.environment_id, 'approval', NEW.invocation_id, due)
      ON CONFLICT ON CONSTRAINT workflow_starts_pkey DO UPDATE SET detail = EXCLUDED.detail, due_at = EXCLUDED.due_at, claimed = false;
    END IF;
    RETURN NULL;
  END $function$
;
ALTER FUNCTION keep_start_of_approvals() OWNER TO service_directory;
REVOKE ALL ON FUNCTION keep_start_of_approvals() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_start_of_approvals() TO service_app;

CREATE OR REPLACE FUNCTION public.keep_start_of_dead_letter_jobs()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE due timestamptz;
  BEGIN
    IF TG_OP <> 'DELETE' THEN due := CASE WHEN NEW.ended_at IS NULL THEN NEW.looked_at + interval '2 minutes' END; END IF;
    IF due IS NULL THEN
      DELETE FROM workflow_starts s WHERE s.id = OLD.id;
    ELSE
      INSERT INTO workflow_starts AS s (id, environment_id, kind, detail, due_at)
      VALUES (NEW.id, NEW.environment_id, 'dead_letter_job', NEW.kind, due)
      ON CONFLICT ON CONSTRAINT workflow_starts_pkey DO UPDATE SET detail = EXCLUDED.detail, due_at = EXCLUDED.due_at, claimed = false;
    END IF;
    RETURN NULL;
  END $function$
;
ALTER FUNCTION keep_start_of_dead_letter_jobs() OWNER TO service_directory;
REVOKE ALL ON FUNCTION keep_start_of_dead_letter_jobs() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_start_of_dead_letter_jobs() TO service_app;

CREATE OR REPLACE FUNCTION public.keep_start_of_effects()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE due timestamptz;
  BEGIN
    IF TG_OP <> 'DELETE' THEN due := CASE WHEN NEW.stage = 'reconciling' AND NOT NEW.reconcile_exhausted THEN COALESCE(NEW.reconcile_next_at, NEW.updated_at) + interval '2 minutes'
      WHEN NEW.stage = 'settled' THEN NEW.reconcile_next_at + interval '2 minutes' END; END IF;
    IF due IS NULL THEN
      DELETE FROM workflow_starts s WHERE s.id = OLD.id;
    ELSE
      INSERT INTO workflow_starts AS s (id, environment_id, kind, detail, due_at)
      VALUES (NEW.id, NEW.environment_id, 'read', NULL, due)
      ON CONFLICT ON CONSTRAINT workflow_starts_pkey DO UPDATE SET detail = EXCLUDED.detail, due_at = EXCLUDED.due_at, claimed = false;
    END IF;
    RETURN NULL;
  END $function$
;
ALTER FUNCTION keep_start_of_effects() OWNER TO service_directory;
REVOKE ALL ON FUNCTION keep_start_of_effects() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_start_of_effects() TO service_app;

CREATE OR REPLACE FUNCTION public.keep_start_of_events()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE due timestamptz;
  BEGIN
    IF TG_OP <> 'DELETE' THEN due := CASE WHEN NEW.fanned_out_at IS NULL THEN NEW.created_at + interval '30 seconds' END; END IF;
    IF due IS NULL THEN
      DELETE FROM workflow_starts s WHERE s.id = OLD.id;
    ELSE
      INSERT INTO workflow_starts AS s (id, environment_id, kind, detail, due_at)
      VALUES (NEW.id, NEW.environment_id, 'event', NULL, due)
      ON CONFLICT ON CONSTRAINT workflow_starts_pkey DO UPDATE SET detail = EXCLUDED.detail, due_at = EXCLUDED.due_at, claimed = false;
    END IF;
    RETURN NULL;
  END $function$
;
ALTER FUNCTION keep_start_of_events() OWNER TO service_directory;
REVOKE ALL ON FUNCTION keep_start_of_events() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_start_of_events() TO service_app;

CREATE OR REPLACE FUNCTION public.keep_start_of_invocations()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE due timestamptz;
  BEGIN
    IF TG_OP <> 'DELETE' THEN due := CASE WHEN NEW.status IN ('queued', 'dispatching') AND NEW.outcome_source IS NULL THEN NEW.created_at + interval '30 seconds' END; END IF;
    IF due IS NULL THEN
      DELETE FROM workflow_starts s WHERE s.id = OLD.id;
    ELSE
      INSERT INTO workflow_starts AS s (id, environment_id, kind, detail, due_at)
      VALUES (NEW.id, NEW.environment_id, 'invocation', NULL, due)
      ON CONFLICT ON CONSTRAINT workflow_starts_pkey DO UPDATE SET detail = EXCLUDED.detail, due_at = EXCLUDED.due_at, claimed = false;
    END IF;
    RETURN NULL;
  END $function$
;
ALTER FUNCTION keep_start_of_invocations() OWNER TO service_directory;
REVOKE ALL ON FUNCTION keep_start_of_invocations() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_start_of_invocations() TO service_app;

CREATE OR REPLACE FUNCTION public.keep_start_of_memory_jobs()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE due timestamptz;
  BEGIN
    IF TG_OP <> 'DELETE' THEN due := CASE WHEN NEW.ended_at IS NULL THEN NEW.looked_at + interval '2 minutes' END; END IF;
    IF due IS NULL THEN
      DELETE FROM workflow_starts s WHERE s.id = OLD.id;
    ELSE
      INSERT INTO workflow_starts AS s (id, environment_id, kind, detail, due_at)
      VALUES (NEW.id, NEW.environment_id, 'memory_job', NEW.kind, due)
      ON CONFLICT ON CONSTRAINT workflow_starts_pkey DO UPDATE SET detail = EXCLUDED.detail, due_at = EXCLUDED.due_at, claimed = false;
    END IF;
    RETURN NULL;
  END $function$
;
ALTER FUNCTION keep_start_of_memory_jobs() OWNER TO service_directory;
REVOKE ALL ON FUNCTION keep_start_of_memory_jobs() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_start_of_memory_jobs() TO service_app;

CREATE OR REPLACE FUNCTION public.keep_start_of_notification_emails()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE due timestamptz;
  BEGIN
    IF TG_OP <> 'DELETE' THEN due := CASE WHEN NEW.ended_at IS NULL THEN NEW.next_attempt_at + interval '30 seconds' END; END IF;
    IF due IS NULL THEN
      DELETE FROM workflow_starts s WHERE s.id = OLD.id;
    ELSE
      INSERT INTO workflow_starts AS s (id, environment_id, kind, detail, due_at)
      VALUES (NEW.id, NEW.environment_id, 'email', NULL, due)
      ON CONFLICT ON CONSTRAINT workflow_starts_pkey DO UPDATE SET detail = EXCLUDED.detail, due_at = EXCLUDED.due_at, claimed = false;
    END IF;
    RETURN NULL;
  END $function$
;
ALTER FUNCTION keep_start_of_notification_emails() OWNER TO service_directory;
REVOKE ALL ON FUNCTION keep_start_of_notification_emails() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_start_of_notification_emails() TO service_app;

CREATE OR REPLACE FUNCTION public.keep_start_of_schedule_runs()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE due timestamptz;
  BEGIN
    IF TG_OP <> 'DELETE' THEN due := CASE WHEN NEW.outcome IN ('queued', 'waiting') THEN NEW.fired_at + interval '30 seconds' END; END IF;
    IF due IS NULL THEN
      DELETE FROM workflow_starts s WHERE s.id = concat_ws('/', OLD.schedule_id, OLD.trigger, trunc(extract(epoch FROM OLD.nominal_at) * 1000));
    ELSE
      INSERT INTO workflow_starts AS s (id, environment_id, kind, detail, due_at)
      VALUES (concat_ws('/', NEW.schedule_id, NEW.trigger, trunc(extract(epoch FROM NEW.nominal_at) * 1000)), NEW.environment_id, 'firing', NEW.outcome, due)
      ON CONFLICT ON CONSTRAINT workflow_starts_pkey DO UPDATE SET detail = EXCLUDED.detail, due_at = EXCLUDED.due_at, claimed = false;
    END IF;
    RETURN NULL;
  END $function$
;
ALTER FUNCTION keep_start_of_schedule_runs() OWNER TO service_directory;
REVOKE ALL ON FUNCTION keep_start_of_schedule_runs() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_start_of_schedule_runs() TO service_app;

CREATE OR REPLACE FUNCTION public.keep_start_of_schedules()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE due timestamptz;
  BEGIN
    IF TG_OP <> 'DELETE' THEN due := CASE WHEN NEW.deleted_at IS NULL
        THEN LEAST(CASE WHEN NEW.told_revision IS DISTINCT FROM NEW.revision THEN NEW.updated_at + interval '30 seconds' END, NEW.renew_at, NEW.due_at + interval '2 minutes')
      WHEN NEW.told_revision IS NOT NULL THEN NEW.deleted_at + interval '30 seconds' END; END IF;
    IF due IS NULL THEN
      DELETE FROM workflow_starts s WHERE s.id = OLD.id;
    ELSE
      INSERT INTO workflow_starts AS s (id, environment_id, kind, detail, due_at)
      VALUES (NEW.id, NEW.environment_id, 'schedule', NULL, due)
      ON CONFLICT ON CONSTRAINT workflow_starts_pkey DO UPDATE SET detail = EXCLUDED.detail, due_at = EXCLUDED.due_at, claimed = false;
    END IF;
    RETURN NULL;
  END $function$
;
ALTER FUNCTION keep_start_of_schedules() OWNER TO service_directory;
REVOKE ALL ON FUNCTION keep_start_of_schedules() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_start_of_schedules() TO service_app;

CREATE OR REPLACE FUNCTION public.keep_unused_preview()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      INSERT INTO unused_previews (preview_id, environment_id, expires_at) VALUES (NEW.id, NEW.environment_id, NEW.expires_at);
      RETURN NULL;
    END $function$
;
REVOKE ALL ON FUNCTION keep_unused_preview() FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.lane_head(of_lane text, late_at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 STABLE
AS $function$
  DECLARE
    head timestamptz;
  BEGIN
    IF of_lane IS NULL THEN
      SELECT q.due_at INTO head FROM lane_queue q
        WHERE q.environment_id = current_environment_id() AND q.lane_id IS NULL AND q.state = 'ready'
        ORDER BY q.lane_id, q.due_at LIMIT 1;
      IF head IS NULL THEN
        SELECT q.due_at INTO head FROM lane_queue q
          WHERE q.environment_id = current_environment_id() AND q.lane_id IS NULL AND q.state <> 'taken' AND q.due_at <= late_at
          ORDER BY q.lane_id, q.due_at LIMIT 1;
      END IF;
    ELSE
      SELECT q.due_at INTO head FROM lane_queue q
        WHERE q.environment_id = current_environment_id() AND q.lane_id = of_lane AND q.state = 'ready' ORDER BY q.due_at LIMIT 1;
      IF head IS NULL THEN
        SELECT q.due_at INTO head FROM lane_queue q
          WHERE q.environment_id = current_environment_id() AND q.lane_id = of_lane AND q.state <> 'taken' AND q.due_at <= late_at
          ORDER BY q.due_at LIMIT 1;
      END IF;
    END IF;
    RETURN head;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_actions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], NULL, to_jsonb(made) FROM (SELECT NEW.id, NEW.name, NEW.description, NEW.current_version_id, NEW.created_at, NEW.updated_at, NEW.archived_at,
      COALESCE((SELECT v.number FROM action_versions v WHERE v.id = NEW.current_version_id), 1) AS version) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_approvals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], NEW.id, to_jsonb(made) FROM (SELECT NEW.id, NEW.kind, NEW.invocation_id, NEW.effect_id, NEW.preview_id, NEW.action_id, NEW.title, NEW.binding_digest, NEW.source, NEW.policy_id, NEW.policy_version,
      NEW.rule_id, NEW.quorum, NEW.requested_by, NEW.status, NEW.created_at, NEW.expires_at, NEW.decided_at, (SELECT a.name FROM actions a WHERE a.id = NEW.action_id) AS action_name) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_budget_crossings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], NULL, to_jsonb(made) FROM (SELECT NEW.*) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_effects()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], NEW.id, to_jsonb(made) FROM (SELECT NEW.id, NEW.invocation_id, NEW.action_name, NEW.version_id, NEW.adapter_type, NEW.adapter_version, NEW.preview_id, NEW.approval_id, NEW.compensates,
      NEW.stage, NEW.outcome, NEW.outcome_source, NEW.partial_effect, NEW.rejection_reason, NEW.provider_reference, NEW.reconcile_attempts, NEW.grade, NEW.verification,
      NEW.created_at, NEW.first_dispatched_at, NEW.outcome_at, NEW.unknown_at, NEW.known_at, CASE WHEN NEW.outcome_source = 'manual_resolution'
      THEN (SELECT r.resolved_by FROM resolutions r WHERE r.invocation_id = NEW.invocation_id) END AS resolved_by) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_environments()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  DECLARE
    scope text := COALESCE(current_setting('app.environment_id', true), '');
  BEGIN
    PERFORM set_config('app.environment_id', NEW.id::text, true);
    INSERT INTO raised_events (environment_id, type, snapshot)
    SELECT NEW.id, TG_ARGV[0], to_jsonb(made) FROM (SELECT NEW.id, NEW.name, NEW.kind, NEW.halted_at, NEW.halted_reason, NEW.halted_by, OLD.halted_at AS was_halted_at) made;
    PERFORM set_config('app.environment_id', scope, true);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_event_subscriptions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], NULL, to_jsonb(made) FROM (SELECT NEW.id, NEW.topic_id, NEW.url, NEW.event_types, NEW.failing_since, NEW.last_failure_at, NEW.disabled_at,
      (SELECT t.name FROM topics t WHERE t.id = NEW.topic_id) AS topic_name) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_impact_limit_crossings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], NULL, to_jsonb(made) FROM (SELECT NEW.*, (SELECT l.name FROM impact_limits l WHERE l.id = NEW.limit_id) AS limit_name) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_invocations()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], NULL, to_jsonb(made) FROM (SELECT NEW.id, NEW.action_id, NEW.version_id, NEW.retry_of, NEW.run_id, NEW.agent_id, NEW.effect_id, NEW.preview_id, NEW.approval_id, NEW.compensates, NEW.status,
      NEW.outcome_source, NEW.grade, NEW.refusal_code, NEW.created_at, NEW.evaluated_at, NEW.unknown_at, NEW.settled_at, (SELECT a.name FROM actions a WHERE a.id = NEW.action_id) AS action_name) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_messages()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], NEW.id, to_jsonb(made) FROM (SELECT NEW.id, NEW.kind, NEW.url, NEW.method, NEW.label, NEW.scheduled_for, NEW.max_retries, NEW.callback_of, NEW.schedule_id, NEW.url_group_id, NEW.flow_control_key,
      NEW.retry_of, NEW.status, NEW.attempts, NEW.response_status, NEW.error_message, NEW.created_at, NEW.delivered_at, NEW.failed_at) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_missed_slots()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, snapshot)
    SELECT made.environment_id, 'schedule.failed', to_jsonb(made)
    FROM (SELECT DISTINCT ON (r.schedule_id) r.environment_id, r.schedule_id, r.trigger, r.nominal_at, r.outcome, r.error_code, r.error_message,
        r.fired_at, count(*) OVER (PARTITION BY r.schedule_id) AS slots, (SELECT c.name FROM schedules c WHERE c.id = r.schedule_id) AS schedule_name
      FROM recorded r WHERE r.outcome = 'missed' ORDER BY r.schedule_id, r.nominal_at DESC) made
    WHERE EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = made.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_schedule_runs()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], NULL, to_jsonb(made) FROM (SELECT NEW.schedule_id, NEW.trigger, NEW.nominal_at, NEW.outcome, NEW.error_code, NEW.error_message, NEW.fired_at, 1 AS slots,
      (SELECT c.name FROM schedules c WHERE c.id = NEW.schedule_id) AS schedule_name) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_secrets()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], NULL, to_jsonb(made) FROM (SELECT NEW.id, NEW.name, NEW.current_version, NEW.created_at, NEW.rotated_at) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.leave_event_of_usage_crossings()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], NULL, to_jsonb(made) FROM (SELECT NEW.*) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL);
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.list_applied_migrations()
 RETURNS TABLE(name text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT (m.name)::text AS name
    FROM migrations m
   ORDER BY m.id;
END
;
ALTER FUNCTION list_applied_migrations() OWNER TO service_directory;
REVOKE ALL ON FUNCTION list_applied_migrations() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_applied_migrations() TO service_app;

CREATE OR REPLACE FUNCTION public.list_environment_ids()
 RETURNS TABLE(environment_id uuid, workspace_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT e.id,
     e.workspace_id
    FROM environments e
   ORDER BY e.id;
END
;
ALTER FUNCTION list_environment_ids() OWNER TO service_directory;
REVOKE ALL ON FUNCTION list_environment_ids() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_environment_ids() TO service_app;

CREATE OR REPLACE FUNCTION public.list_environments_of_user(of_user text)
 RETURNS TABLE(workspace_id uuid, workspace_name text, id uuid, name text, kind text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT w.id,
     w.name,
     e.id,
     e.name,
     e.kind
    FROM ((members m
      JOIN workspaces w ON ((w.id = m.workspace_id)))
      JOIN environments e ON ((e.workspace_id = w.id)))
   WHERE (m.user_id = list_environments_of_user.of_user)
   ORDER BY w.name, w.id, e.name, e.id;
END
;
ALTER FUNCTION list_environments_of_user(text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION list_environments_of_user(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_environments_of_user(text) TO service_app;

CREATE OR REPLACE FUNCTION public.list_oauth_signing_keys()
 RETURNS TABLE(id text, master_key_version integer, wrapped_data_key bytea, sealed_value bytea)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT k.id,
     k.master_key_version,
     k.wrapped_data_key,
     k.sealed_value
    FROM oauth_signing_keys k
   ORDER BY k.created_at DESC, k.id DESC;
END
;
ALTER FUNCTION list_oauth_signing_keys() OWNER TO service_directory;
REVOKE ALL ON FUNCTION list_oauth_signing_keys() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_oauth_signing_keys() TO service_app;

CREATE OR REPLACE FUNCTION public.list_workspaces_of_user(of_user text)
 RETURNS TABLE(id uuid, name text, role text)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT w.id,
     w.name,
     m.role
    FROM (members m
      JOIN workspaces w ON ((w.id = m.workspace_id)))
   WHERE (m.user_id = list_workspaces_of_user.of_user)
   ORDER BY w.name, w.id;
END
;
ALTER FUNCTION list_workspaces_of_user(text) OWNER TO service_directory;
REVOKE ALL ON FUNCTION list_workspaces_of_user(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION list_workspaces_of_user(text) TO service_app;

CREATE OR REPLACE FUNCTION public.lock_lane_pacer()
 RETURNS void
 LANGUAGE sql
RETURN pg_advisory_xact_lock(hashtextextended(('lane-pacer/'::text || current_environment_id()), (0)::bigint))
;

CREATE OR REPLACE FUNCTION public.lock_policies()
 RETURNS void
 LANGUAGE sql
RETURN pg_advisory_xact_lock(hashtextextended(('policies/'::text || current_environment_id()), (0)::bigint))
;

CREATE OR REPLACE FUNCTION public.make_analytics_partition(table_name text, at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET "TimeZone" TO 'UTC'
AS $function$
  DECLARE
    begins timestamp := date_trunc('month', at AT TIME ZONE 'UTC');
    time_column text := (SELECT t.column_name FROM analytics_tables() t WHERE t.name = table_name);
  BEGIN
    RETURN attach_partition(to_regclass(format('%I', table_name)), table_name, to_char(begins, 'YYYYMM'), time_column,
      to_char(begins, 'YYYY-MM-DD'), to_char(begins + interval '1 month', 'YYYY-MM-DD'));
  END $function$
;
REVOKE ALL ON FUNCTION make_analytics_partition(text,timestamp with time zone) FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.make_analytics_partitions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '500ms'
AS $function$
  DECLARE
    one record;
    made integer := 0;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('analytics partitions')) THEN RETURN 0; END IF; -- another sweep
    FOR one IN SELECT t.name, date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' + make_interval(days => 32 * ahead) AS at
        FROM analytics_tables() t, generate_series(0, 2) ahead LOOP
      BEGIN
        IF make_analytics_partition(one.name, one.at) THEN made := made + 1; END IF;
      EXCEPTION WHEN lock_not_available OR check_violation THEN NULL;
      END;
    END LOOP;
    RETURN made;
  END $function$
;
REVOKE ALL ON FUNCTION make_analytics_partitions() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION make_analytics_partitions() TO service_app;

CREATE OR REPLACE FUNCTION public.make_run_partition(at timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  DECLARE
    begins timestamptz := date_bin('7 days', at, '2024-01-01T00:00:00Z'); -- a Monday
    lower text := run_id_floor(begins);
    upper text := run_id_floor(begins + interval '168 hours');
    suffix text := '_' || to_char(begins AT TIME ZONE 'UTC', 'YYYYMMDD');
    is_taken boolean;
    one record;
  BEGIN
    IF to_regclass(format('partitions.%I', 'runs' || suffix)) IS NOT NULL THEN RETURN false; END IF;
    SELECT EXISTS (SELECT FROM partitions.runs_default WHERE id >= lower AND id < upper)
      OR EXISTS (SELECT FROM partitions.spans_default WHERE run_id >= lower AND run_id < upper)
      OR EXISTS (SELECT FROM partitions.run_tags_default WHERE run_id >= lower AND run_id < upper) INTO is_taken;
    IF is_taken THEN RETURN false; END IF;
    FOR one IN SELECT unnest(ARRAY['runs', 'spans', 'run_tags']) AS name LOOP
      -- ATTACH locks out the DEFAULT partition alone. CREATE … PARTITION OF would lock out the table.
      EXECUTE format('CREATE TABLE partitions.%I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING STORAGE)', one.name || suffix, one.name);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION partitions.%I FOR VALUES FROM (%L) TO (%L)', one.name, one.name || suffix, lower, upper);
    END LOOP;
    RETURN true;
  END $function$
;
REVOKE ALL ON FUNCTION make_run_partition(timestamp with time zone) FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.make_run_partitions()
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET lock_timeout TO '500ms'
AS $function$
  DECLARE
    ahead integer;
    made integer := 0;
  BEGIN
    IF NOT pg_try_advisory_xact_lock(hashtext('run partitions')) THEN RETURN 0; END IF; -- another sweep
    FOR ahead IN 0..3 LOOP
      BEGIN
        IF make_run_partition(now() + make_interval(days => 7 * ahead)) THEN made := made + 1; END IF;
      EXCEPTION WHEN lock_not_available OR check_violation THEN NULL;
      END;
    END LOOP;
    RETURN made;
  END $function$
;
REVOKE ALL ON FUNCTION make_run_partitions() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION make_run_partitions() TO service_app;

CREATE OR REPLACE PROCEDURE public.make_tenant_table(IN table_name regclass, IN privileges text)
 LANGUAGE plpgsql
AS $procedure$
  BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', table_name);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', table_name);
    EXECUTE format('CREATE POLICY tenant ON %s USING (environment_id = current_environment_id())
                    WITH CHECK (environment_id = current_environment_id())', table_name);
    EXECUTE format('GRANT %s ON %s TO service_app', privileges, table_name);
  END $procedure$
;

CREATE OR REPLACE FUNCTION public.memory_terms(words jsonb, others text)
 RETURNS tsvector
 LANGUAGE sql
 STABLE
RETURN (SELECT (concat_ws(' '::text, memory_terms.others, string_agg(concat_ws(' '::text, format('''%s'':%s%s'::text, l.lexeme, (w.word ->> 2), (w.word ->> 3)), (((('''='::text || (w.word ->> 4)) || ''':'::text) || (w.word ->> 2)) || 'A'::text)), ' '::text)))::tsvector AS concat_ws FROM jsonb_array_elements(memory_terms.words) w(word), LATERAL unnest(ts_lexize(((w.word ->> 0))::regdictionary, (w.word ->> 1))) l(lexeme))
;
REVOKE ALL ON FUNCTION memory_terms(jsonb,text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION memory_terms(jsonb,text) TO service_app;

CREATE OR REPLACE FUNCTION public.mend_analytics_sums(of_environment uuid)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      mended integer;
      total integer := 0;
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('analytics fold'));
      WITH rows AS (SELECT environment_id, kind, true AS is_total, quarter, d1, analytics_total(kind, 2, d2) AS d2, analytics_total(kind, 3, d3) AS d3, n, s1, s2,
          buckets, counts FROM analytics_rollups WHERE environment_id = of_environment AND NOT is_total),
      sums AS (SELECT environment_id, kind, is_total, quarter, d1, d2, d3, sum(n) AS n, sum(s1) AS s1, sum(s2) AS s2 FROM rows GROUP BY environment_id, kind, is_total, quarter, d1, d2, d3),
      counted AS (SELECT environment_id, kind, is_total, quarter, d1, d2, d3, bucket, CAST(sum(n) AS bigint) AS n FROM (SELECT environment_id, kind, is_total, quarter, d1, d2, d3, unnest(buckets) AS bucket, unnest(counts) AS n FROM rows) c
        GROUP BY environment_id, kind, is_total, quarter, d1, d2, d3, bucket HAVING sum(n) <> 0),
      histograms AS (SELECT environment_id, kind, is_total, quarter, d1, d2, d3, array_agg(bucket ORDER BY bucket) AS buckets, array_agg(n ORDER BY bucket) AS counts FROM counted GROUP BY environment_id, kind, is_total, quarter, d1, d2, d3)
      INSERT INTO analytics_rollups AS r (environment_id, kind, is_total, quarter, d1, d2, d3, n, s1, s2, buckets, counts)
      SELECT environment_id, kind, is_total, quarter, d1, d2, d3, COALESCE(q.n, 0), COALESCE(q.s1, 0), COALESCE(q.s2, 0), q.buckets, q.counts
      FROM (SELECT * FROM sums LEFT JOIN histograms USING (environment_id, kind, is_total, quarter, d1, d2, d3)) q
        FULL JOIN (SELECT * FROM analytics_rollups WHERE environment_id = of_environment AND is_total) y USING (environment_id, kind, is_total, quarter, d1, d2, d3)
      WHERE (COALESCE(q.n, 0), COALESCE(q.s1, 0), COALESCE(q.s2, 0), q.buckets, q.counts) IS DISTINCT FROM (COALESCE(y.n, 0), COALESCE(y.s1, 0), COALESCE(y.s2, 0), y.buckets, y.counts)
      ON CONFLICT (environment_id, kind, is_total, quarter, d1, d2, d3) DO UPDATE SET n = EXCLUDED.n, s1 = EXCLUDED.s1, s2 = EXCLUDED.s2, buckets = EXCLUDED.buckets, counts = EXCLUDED.counts;
      GET DIAGNOSTICS mended = ROW_COUNT;
      total := total + mended;
      WITH rows AS (SELECT *, (quarter AT TIME ZONE 'UTC')::date AS day FROM analytics_rollups WHERE environment_id = of_environment),
      sums AS (SELECT environment_id, kind, is_total, day, d1, d2, d3, sum(n) AS n, sum(s1) AS s1, sum(s2) AS s2 FROM rows GROUP BY environment_id, kind, is_total, day, d1, d2, d3),
      counted AS (SELECT environment_id, kind, is_total, day, d1, d2, d3, bucket, CAST(sum(n) AS bigint) AS n FROM (SELECT environment_id, kind, is_total, day, d1, d2, d3, unnest(buckets) AS bucket, unnest(counts) AS n FROM rows) c
        GROUP BY environment_id, kind, is_total, day, d1, d2, d3, bucket HAVING sum(n) <> 0),
      histograms AS (SELECT environment_id, kind, is_total, day, d1, d2, d3, array_agg(bucket ORDER BY bucket) AS buckets, array_agg(n ORDER BY bucket) AS counts FROM counted GROUP BY environment_id, kind, is_total, day, d1, d2, d3)
      INSERT INTO analytics_days AS r (environment_id, kind, is_total, day, d1, d2, d3, n, s1, s2, buckets, counts)
      SELECT environment_id, kind, is_total, day, d1, d2, d3, COALESCE(q.n, 0), COALESCE(q.s1, 0), COALESCE(q.s2, 0), q.buckets, q.counts
      FROM (SELECT * FROM sums LEFT JOIN histograms USING (environment_id, kind, is_total, day, d1, d2, d3)) q
        FULL JOIN (SELECT * FROM analytics_days WHERE environment_id = of_environment) y USING (environment_id, kind, is_total, day, d1, d2, d3)
      WHERE (COALESCE(q.n, 0), COALESCE(q.s1, 0), COALESCE(q.s2, 0), q.buckets, q.counts) IS DISTINCT FROM (COALESCE(y.n, 0), COALESCE(y.s1, 0), COALESCE(y.s2, 0), y.buckets, y.counts)
      ON CONFLICT (environment_id, kind, is_total, day, d1, d2, d3) DO UPDATE SET n = EXCLUDED.n, s1 = EXCLUDED.s1, s2 = EXCLUDED.s2, buckets = EXCLUDED.buckets, counts = EXCLUDED.counts;
      GET DIAGNOSTICS mended = ROW_COUNT;
      total := total + mended;
      RETURN total;
    END $function$
;
ALTER FUNCTION mend_analytics_sums(uuid) OWNER TO service_directory;
REVOKE ALL ON FUNCTION mend_analytics_sums(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION mend_analytics_sums(uuid) TO service_app;

CREATE OR REPLACE FUNCTION public.message_retention_classes()
 RETURNS TABLE(class text, content_days integer, record_days integer)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
 VALUES ('week'::text,3,7), ('month'::text,14,30), ('quarter'::text,30,90);
END
;

CREATE OR REPLACE FUNCTION public.move_policy_revision()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  BEGIN
    INSERT INTO policy_revisions AS r (environment_id, revision) VALUES (NEW.environment_id, 1)
    ON CONFLICT (environment_id) DO UPDATE SET revision = r.revision + 1, stamp = gen_random_uuid(), changed_at = now();
    RETURN NULL;
  END $function$
;
REVOKE ALL ON FUNCTION move_policy_revision() FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.move_unused_preview()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      IF TG_OP = 'INSERT' THEN
        DELETE FROM unused_previews WHERE preview_id = NEW.preview_id;
      ELSE
        INSERT INTO unused_previews (preview_id, environment_id, expires_at)
        SELECT id, environment_id, expires_at FROM previews WHERE id = OLD.preview_id AND made_by = 'caller'
        ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END $function$
;
REVOKE ALL ON FUNCTION move_unused_preview() FROM PUBLIC;

CREATE OR REPLACE FUNCTION public.ms_between(earlier timestamp with time zone, later timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ((earlier IS NOT NULL) AND (later IS NOT NULL)) THEN (GREATEST((0)::numeric, round((EXTRACT(epoch FROM (later - earlier)) * (1000)::numeric))))::bigint ELSE NULL::bigint END
;

CREATE OR REPLACE FUNCTION public.note_late_execution()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    INSERT INTO late_executions (invocation_id, kind, environment_id, workspace_id, admitted_at, settled_at, at)
    SELECT NEW.id, TG_ARGV[0], e.id, e.workspace_id, NEW.created_at, NEW.settled_at,
      CASE TG_ARGV[0] WHEN 'settled' THEN NEW.settled_at ELSE NEW.updated_at END
    FROM environments e WHERE e.id = NEW.environment_id;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.note_pacer_look(at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
BEGIN ATOMIC
 INSERT INTO lane_pacers AS p (environment_id, looks_at)
   VALUES (current_environment_id(), note_pacer_look.at) ON CONFLICT(environment_id) DO UPDATE SET looks_at = note_pacer_look.at
   WHERE (p.looks_at IS DISTINCT FROM note_pacer_look.at);
END
;

CREATE OR REPLACE FUNCTION public.oldest_queued_seconds(most integer)
 RETURNS double precision
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
BEGIN ATOMIC
 SELECT (COALESCE(max(EXTRACT(epoch FROM (clock_timestamp() - f.created_at))), (0)::numeric))::double precision AS "coalesce"
    FROM ( SELECT i.status,
             i.created_at,
             i.dependencies_awaited_at
            FROM invocations i
           WHERE (i.status = ANY (ARRAY['queued'::text, 'dispatching'::text]))
           ORDER BY i.environment_id
          LIMIT oldest_queued_seconds.most) f
   WHERE ((f.status = 'queued'::text) AND (f.dependencies_awaited_at IS NULL));
END
;
ALTER FUNCTION oldest_queued_seconds(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION oldest_queued_seconds(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION oldest_queued_seconds(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.open_database_epoch(asked text, nothing_lost boolean)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
  DECLARE
    latest database_epochs;
    begun database_epochs;
    cluster bigint := (SELECT c.system_identifier FROM pg_control_system() c);
    why text;
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('database epochs'));
    SELECT e.* INTO latest FROM database_epochs e ORDER BY e.id DESC LIMIT 1;
    why := CASE WHEN latest.system_identifier <> cluster THEN 'system_identifier'
      WHEN latest.timeline <> current_timeline() THEN 'timeline'
      -- Several processes may see the log behind at once.
      WHEN asked = 'log_position' AND latest.reason = 'log_position' AND latest.first_seen > clock_timestamp() - interval '1 minute' THEN NULL
      ELSE asked END;
    IF why IS NULL THEN RETURN NULL; END IF;
    INSERT INTO database_epochs (id, system_identifier, timeline, reason, recovery)
      VALUES (latest.id + 1, cluster, current_timeline(), why, CASE WHEN why = 'timeline' AND nothing_lost THEN 'note' ELSE 'open' END) RETURNING * INTO begun;
    IF begun.recovery = 'note' THEN
      UPDATE invocations i SET timeline = current_timeline() WHERE i.id IN (SELECT f.id FROM invocations f WHERE f.status IN ('queued', 'dispatching')
        UNION ALL SELECT p.invocation_id FROM approvals p WHERE p.status = 'pending' AND p.invocation_id IS NOT NULL) AND i.timeline = latest.timeline;
    ELSIF why <> 'timeline' THEN
      UPDATE invocations i SET timeline = 0 WHERE i.id IN (SELECT f.id FROM invocations f WHERE f.status IN ('queued', 'dispatching')
        UNION ALL SELECT p.invocation_id FROM approvals p WHERE p.status = 'pending' AND p.invocation_id IS NOT NULL);
    END IF;
    -- In every environment that has work which the recovery concerns.
    INSERT INTO raised_events (environment_id, type, snapshot)
      SELECT w.environment_id, 'database.recovered', jsonb_build_object('recovery', begun.recovery, 'reason', begun.reason,
        'timeline', begun.timeline, 'first_seen', begun.first_seen, 'invocations', w.n)
      FROM (SELECT i.environment_id, count(*) AS n FROM invocations i WHERE i.id IN (SELECT f.id FROM invocations f WHERE f.status IN ('queued', 'dispatching')
        UNION ALL SELECT p.invocation_id FROM approvals p WHERE p.status = 'pending' AND p.invocation_id IS NOT NULL) GROUP BY i.environment_id) w;
    RETURN begun.recovery;
  END $function$
;
ALTER FUNCTION open_database_epoch(text,boolean) OWNER TO service_directory;
REVOKE ALL ON FUNCTION open_database_epoch(text,boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION open_database_epoch(text,boolean) TO service_app;

CREATE OR REPLACE FUNCTION public.pace_messages(ids text[], own_max integer)
 RETURNS TABLE(starting text[], paces boolean)
 LANGUAGE plpgsql
AS $function$
  DECLARE
    at timestamptz := clock_timestamp();
    own integer;
    head timestamptz;
    looks timestamptz;
    -- A pacer that is this late is gone.
    overdue constant interval := interval '5 seconds';
  BEGIN
    paces := false;
    starting := '{}';
    IF NOT EXISTS (SELECT FROM lane_queue q WHERE q.message_id = ANY (ids) AND q.state IN ('timed', 'paced')) THEN
      RETURN NEXT;
      RETURN;
    END IF;
    PERFORM lock_lane_pacer();
    SELECT count(*) INTO own FROM (SELECT FROM lane_queue q
      WHERE q.environment_id = current_environment_id() AND q.state = 'timed' LIMIT own_max) o;
    IF own < own_max THEN
      UPDATE lane_queue q SET state = 'timed', has_workflow = true FROM (
          SELECT w.id FROM unnest(ids) WITH ORDINALITY AS w (id, place) JOIN lane_queue p ON p.message_id = w.id
          WHERE p.state = 'paced' ORDER BY w.place LIMIT own_max - own) given
        WHERE q.message_id = given.id AND q.state = 'paced';
    END IF;
    SELECT COALESCE(array_agg(w.id ORDER BY w.place), '{}') INTO starting
      FROM unnest(ids) WITH ORDINALITY AS w (id, place) JOIN lane_queue q ON q.message_id = w.id WHERE q.state = 'timed';
    head := first_paced_message();
    IF head IS NOT NULL THEN
      SELECT p.looks_at INTO looks FROM lane_pacers p WHERE p.environment_id = current_environment_id();
      IF looks IS NULL OR head < looks OR looks < at - overdue THEN
        PERFORM note_pacer_look(head);
        paces := true;
      END IF;
    END IF;
    RETURN NEXT;
  END $function$
;

CREATE OR REPLACE FUNCTION public.preview_lock_of(preview text)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended(preview, (1886549601)::bigint)
;

CREATE OR REPLACE FUNCTION public.put_oauth_artifact(of_hash bytea, of_kind text, of_grant text, with_payload jsonb, until timestamp with time zone)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 INSERT INTO oauth_artifacts AS a (hash, kind, grant_id, payload, expires_at)
   VALUES (put_oauth_artifact.of_hash, put_oauth_artifact.of_kind, put_oauth_artifact.of_grant, put_oauth_artifact.with_payload, put_oauth_artifact.until) ON CONFLICT(hash) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at
   WHERE (a.kind = excluded.kind);
END
;
ALTER FUNCTION put_oauth_artifact(bytea,text,text,jsonb,timestamp with time zone) OWNER TO service_directory;
REVOKE ALL ON FUNCTION put_oauth_artifact(bytea,text,text,jsonb,timestamp with time zone) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION put_oauth_artifact(bytea,text,text,jsonb,timestamp with time zone) TO service_app;

CREATE OR REPLACE FUNCTION public.raise_workspace_event(of_type text, facts jsonb)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 INSERT INTO raised_events (environment_id, type, snapshot)  SELECT e.id,
             raise_workspace_event.of_type AS of_type,
             (raise_workspace_event.facts || jsonb_build_object('to_channels', (e.id = first_value(e.id) OVER (ORDER BY (e.kind = 'production'::text) DESC, e.id))))
            FROM environments e
           WHERE (e.workspace_id = current_workspace_id());
END
;
ALTER FUNCTION raise_workspace_event(text,jsonb) OWNER TO service_directory;
REVOKE ALL ON FUNCTION raise_workspace_event(text,jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION raise_workspace_event(text,jsonb) TO service_app;

CREATE OR REPLACE FUNCTION public.read_halt()
 RETURNS TABLE(halted_at timestamp with time zone, halted_reason text)
 LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(halt_lock_of(current_environment_id()));
    RETURN QUERY SELECT e.halted_at, e.halted_reason FROM environments e WHERE e.id = current_environment_id();
  END $function$
;

CREATE OR REPLACE FUNCTION public.read_installation_figures(process uuid, stays interval, most integer)
 RETURNS TABLE(name text, label text, value double precision)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
 SET enable_seqscan TO 'off'
AS $function$
  DECLARE began timestamptz := clock_timestamp();
  BEGIN
    RETURN QUERY SELECT 'clock', '', extract(epoch FROM began)::double precision;
    IF NOT pg_try_advisory_xact_lock(hashtext('installation figures')) THEN RETURN; END IF;
    PERFORM FROM installation i WHERE i.figures_by IS NULL OR i.figures_by = process OR i.figures_at < began - stays;
    IF NOT FOUND THEN RETURN; END IF;

    RETURN QUERY SELECT 'unknown_effects', '', count(*)::double precision
      FROM (SELECT FROM invocations i WHERE i.status = 'unknown' ORDER BY i.id LIMIT most) u;
    -- The oldest by their id, which begins with the time of the request: the oldest unknown outcome is among the first.
    RETURN QUERY SELECT 'oldest_unknown_seconds', '', COALESCE(max(extract(epoch FROM clock_timestamp() - u.unknown_at)), 0)::double precision
      FROM (SELECT i.unknown_at FROM invocations i WHERE i.status = 'unknown' ORDER BY i.id LIMIT 100) u;
    RETURN QUERY SELECT 'unknown_exposure_ratio', '', COALESCE(max(h.held / l.cap), 0)::double precision
      FROM (SELECT r.limit_id, r.period, sum(r.amount) AS held
        FROM (SELECT x.limit_id, x.period, x.amount, x.exposure FROM impact_reservations x
          WHERE x.exposure IN ('unknown', 'pending') ORDER BY x.limit_id LIMIT most) r
        WHERE r.exposure = 'unknown' GROUP BY 1, 2) h
      JOIN impact_limits l ON l.id = h.limit_id AND l.cap > 0 AND l.period <> 'per_effect';

    RETURN QUERY WITH flying AS (SELECT i.status FROM invocations i WHERE i.status IN ('queued', 'dispatching')
        ORDER BY i.environment_id LIMIT most)
      SELECT 'invocations_in_flight', s.status, count(f.status)::double precision
      FROM (VALUES ('queued'), ('dispatching')) s (status) LEFT JOIN flying f ON f.status = s.status GROUP BY s.status;
    RETURN QUERY SELECT 'oldest_queued_seconds', '', oldest_queued_seconds(most);
    RETURN QUERY WITH places AS MATERIALIZED (
        SELECT p.kind, p.is_taken, p.asked_at FROM lane_places p ORDER BY p.workspace_id, p.kind, p.is_taken, p.asked_at, p.holder LIMIT most)
      SELECT n.name, k.kind, CASE n.name WHEN 'places_taken' THEN count(p.kind) FILTER (WHERE p.is_taken)::double precision
        WHEN 'places_waiting' THEN count(p.kind) FILTER (WHERE NOT p.is_taken)::double precision
        ELSE COALESCE(max(extract(epoch FROM clock_timestamp() - p.asked_at)) FILTER (WHERE NOT p.is_taken), 0)::double precision END
      FROM (VALUES ('places_taken'), ('places_waiting'), ('oldest_place_wait_seconds')) n (name)
      CROSS JOIN (VALUES ('dispatch'), ('provider_read'), ('notification'), ('maintenance')) k (kind)
      LEFT JOIN places p ON p.kind = k.kind GROUP BY n.name, k.kind;


    RETURN QUERY SELECT 'messages_queued', 'ready', count(*)::double precision
      FROM (SELECT FROM lane_queue q WHERE q.state = 'ready' ORDER BY q.environment_id LIMIT most) c;

    RETURN QUERY SELECT 'messages_queued', 'taken', count(*)::double precision
      FROM (SELECT FROM lane_queue q WHERE q.state = 'taken' ORDER BY q.workspace_id LIMIT most) c;
    RETURN QUERY SELECT 'messages_queued', s.state, count(c.state)::double precision
      FROM (VALUES ('timed'), ('paced')) s (state)
      LEFT JOIN (SELECT q.state FROM lane_queue q WHERE q.state IN ('timed', 'paced') ORDER BY q.environment_id LIMIT most) c ON c.state = s.state
      GROUP BY s.state;
    -- From environment to environment, as find_due_lanes: the first message of each that no lane of its own holds back.
    RETURN QUERY WITH RECURSIVE ready (id) AS (
        (SELECT q.environment_id FROM lane_queue q WHERE q.state = 'ready' ORDER BY q.environment_id LIMIT 1)
        UNION ALL
        SELECT (SELECT q.environment_id FROM lane_queue q WHERE q.state = 'ready' AND q.environment_id > w.id ORDER BY q.environment_id LIMIT 1)
        FROM ready w WHERE w.id IS NOT NULL)
      SELECT 'oldest_message_due_seconds', '', COALESCE(max(extract(epoch FROM clock_timestamp() - d.due_at)), 0)::double precision
      FROM (SELECT w.id FROM ready w WHERE w.id IS NOT NULL LIMIT 1000) w JOIN environments e ON e.id = w.id AND e.halted_at IS NULL,
        LATERAL (SELECT q.due_at FROM lane_queue q WHERE q.environment_id = w.id AND q.lane_id IS NULL AND q.state = 'ready'
          AND q.due_at <= clock_timestamp() ORDER BY q.due_at LIMIT 1) d;

    RETURN QUERY WITH overdue AS MATERIALIZED (
        (SELECT s.id, s.kind, s.detail FROM workflow_starts s WHERE s.claimed ORDER BY s.due_at LIMIT most)
        UNION ALL
        (SELECT s.id, s.kind, s.detail FROM workflow_starts s WHERE NOT s.claimed AND s.due_at <= clock_timestamp() - interval '90 seconds'
          ORDER BY s.due_at LIMIT most)),
      counted AS (
        SELECT o.kind, count(*) AS n FROM overdue o WHERE NOT (o.kind = 'firing' AND o.detail = 'waiting') GROUP BY o.kind),
      late AS (
        SELECT max(extract(epoch FROM clock_timestamp() - COALESCE(e.reconcile_next_at, e.updated_at))) AS seconds
        FROM (SELECT o.id FROM overdue o WHERE o.kind = 'read' LIMIT 1000) r JOIN effects e ON e.id = r.id)
      SELECT 'overdue_work', k.kind, COALESCE(c.n, 0)::double precision
      FROM (VALUES ('approval'), ('read'), ('event'), ('email'), ('dead_letter_job'), ('memory_job'), ('schedule'), ('firing')) k (kind)
      LEFT JOIN counted c ON c.kind = k.kind
      UNION ALL
      SELECT 'reconciliation_lag_seconds', '', COALESCE(l.seconds, 0)::double precision FROM late l;

    RETURN QUERY WITH pending AS MATERIALIZED (SELECT a.created_at FROM approvals a WHERE a.status = 'pending' ORDER BY a.created_at LIMIT most)
      SELECT 'approvals_pending', '', count(*)::double precision FROM pending
      UNION ALL
      SELECT 'oldest_approval_seconds', '', COALESCE(extract(epoch FROM clock_timestamp() - min(p.created_at)), 0)::double precision FROM pending p;
    RETURN QUERY SELECT 'dead_letters', '', count(*)::double precision
      FROM (SELECT FROM dead_letters d ORDER BY d.message_id LIMIT most) d;

    RETURN QUERY SELECT 'expensive_work_paused', '', (i.expensive_work_paused_at IS NOT NULL)::integer::double precision FROM installation i;
    RETURN QUERY SELECT 'master_key_age_seconds', '', extract(epoch FROM clock_timestamp() - max(k.created_at))::double precision
      FROM master_key_digests k HAVING count(*) > 0;
    RETURN QUERY SELECT 'database_connections', '', sum(s.numbackends)::double precision FROM pg_stat_database s;
    RETURN QUERY SELECT 'database_connections_max', '', current_setting('max_connections')::double precision;
    RETURN QUERY SELECT 'database_synchronous', '', (current_setting('synchronous_standby_names') <> '')::integer::double precision;
    RETURN QUERY SELECT 'database_standbys', '', count(*)::double precision FROM pg_stat_replication;
    -- 0046-database-epochs makes these two.
    RETURN QUERY SELECT 'database_timeline', '', current_timeline()::double precision;
    RETURN QUERY SELECT 'recoveries_open', '', count(*)::double precision FROM database_epochs e WHERE e.recovery = 'open';
    RETURN QUERY SELECT split_part(c.key, '/', 1), split_part(c.key, '/', 2), c.value::double precision
      FROM installation i, jsonb_each_text(i.counted_facts) c;

    -- Nobody waits for a standby here, or the figures could not say that there is none.
    PERFORM set_config('synchronous_commit', 'local', true);
    -- A change of this row that waits for a standby holds it: the figures do not wait behind it, and the next reading says who read.
    PERFORM FROM installation FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN UPDATE installation SET figures_by = process, figures_at = clock_timestamp(); END IF;
    RETURN QUERY SELECT 'figures_read_seconds', '', extract(epoch FROM clock_timestamp() - began)::double precision;
  END $function$
;
ALTER FUNCTION read_installation_figures(uuid,interval,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION read_installation_figures(uuid,interval,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_installation_figures(uuid,interval,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.read_recoveries()
 RETURNS TABLE(id integer, timeline integer, system_identifier text, reason text, recovery text, first_seen timestamp with time zone, released_at timestamp with time zone)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT e.id,
     e.timeline,
     (e.system_identifier)::text AS system_identifier,
     e.reason,
     e.recovery,
     e.first_seen,
     e.released_at
    FROM database_epochs e
   ORDER BY e.id DESC
  LIMIT 20;
END
;
ALTER FUNCTION read_recoveries() OWNER TO service_directory;
REVOKE ALL ON FUNCTION read_recoveries() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read_recoveries() TO service_app;

CREATE OR REPLACE FUNCTION public.receipt_content(a attempts, kind text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
RETURN CASE kind WHEN 'attempt_started'::text THEN jsonb_build_object('id', (a).id, 'number', (a).number, 'kind', (a).kind, 'secretVersions', (a).secret_versions, 'startedAt', receipt_time((a).started_at)) WHEN 'attempt_claimed'::text THEN jsonb_build_object('id', (a).id, 'claimedAt', receipt_time((a).claimed_at)) WHEN 'attempt_ended'::text THEN jsonb_build_object('id', (a).id, 'status', (a).status, 'observedOutcome', (a).observed_outcome, 'refusal', (a).refusal, 'error', (a).error, 'responseDigest', receipt_digest((a).response), 'finishedAt', receipt_time((a).finished_at)) ELSE NULL::jsonb END
;

CREATE OR REPLACE FUNCTION public.receipt_content(e evidence)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
RETURN jsonb_build_object('id', (e).id, 'source', (e).source, 'observedAt', receipt_time((e).observed_at), 'impliedOutcome', (e).implied_outcome, 'providerIds', (e).provider_ids, 'summary', (e).summary, 'details', (e).details, 'actor', jsonb_build_object('type', (e).actor_type, 'id', (e).actor_id), 'recordedAt', receipt_time((e).recorded_at))
;

CREATE OR REPLACE FUNCTION public.receipt_content(l late_answers)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
RETURN jsonb_build_object('id', (l).attempt_id, 'observedOutcome', (l).observed_outcome, 'error', (l).error, 'responseDigest', receipt_digest((l).response), 'recordedAt', receipt_time((l).recorded_at))
;

CREATE OR REPLACE FUNCTION public.receipt_content(r resolutions)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
RETURN jsonb_build_object('id', (r).id, 'outcome', (r).outcome, 'previousOutcome', (r).previous_outcome, 'partialEffect', (r).partial_effect, 'settledImpact', (r).settled_impact, 'evidence', jsonb_build_object('summary', (r).summary, 'providerIds', (r).provider_ids, 'url', (r).url), 'resolvedBy', (r).resolved_by, 'resolvedAt', receipt_time((r).resolved_at))
;

CREATE OR REPLACE FUNCTION public.receipt_digest(content jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN ('sha256:'::text || encode(sha256(convert_to((content)::text, 'UTF8'::name)), 'hex'::text))
;

CREATE OR REPLACE FUNCTION public.receipt_hash(e receipt_entries, content jsonb)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN receipt_digest(jsonb_build_array((e).previous_hash, (e).environment_id, (e).effect_id, (e).sequence, (e).kind, content))
;

CREATE OR REPLACE FUNCTION public.receipt_time(t timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN to_char((t AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text)
;

CREATE OR REPLACE FUNCTION public.record_memory_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  DECLARE
    before record;
  BEGIN
    NEW.created_at := date_trunc('milliseconds', clock_timestamp());
    NEW.valid_from := coalesce(NEW.valid_from, NEW.created_at);
    IF (NEW.superseded_by, NEW.superseded_at, NEW.replaced_from, NEW.holds_until) IS DISTINCT FROM (NULL, NULL, NULL, NULL) THEN
      RAISE EXCEPTION 'memory % begins as the newest of its chain', NEW.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.version = 1 THEN RETURN NEW; END IF;
    SELECT m.environment_id, m.collection_id, m.created_at, m.superseded_by INTO before
    FROM memories m WHERE m.chain_id = NEW.chain_id AND m.version = NEW.version - 1;
    IF NOT FOUND OR before.superseded_by IS NOT NULL OR (before.environment_id, before.collection_id)
       IS DISTINCT FROM (NEW.environment_id, NEW.collection_id) THEN
      RAISE EXCEPTION 'memory % does not follow the newest of its chain', NEW.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.valid_from = NEW.created_at THEN NEW.valid_from := greatest(NEW.valid_from, before.created_at + interval '1 millisecond'); END IF;
    NEW.created_at := greatest(NEW.created_at, before.created_at + interval '1 millisecond');
    UPDATE memories m SET
      superseded_by = CASE WHEN m.version = NEW.version - 1 THEN NEW.id ELSE m.superseded_by END,
      superseded_at = CASE WHEN m.version = NEW.version - 1 THEN NEW.created_at ELSE m.superseded_at END,
      replaced_from = least(m.replaced_from, greatest(NEW.created_at, NEW.valid_from)),
      holds_until = least(m.holds_until, NEW.valid_from)
    WHERE m.chain_id = NEW.chain_id AND (m.version = NEW.version - 1
      OR m.replaced_from > greatest(NEW.created_at, NEW.valid_from) OR m.holds_until > NEW.valid_from);
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.record_time()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    NEW.recorded_at := clock_timestamp();
    NEW.observed_at := LEAST(NEW.observed_at, NEW.recorded_at);
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.referrers_of(i invocations)
 RETURNS text[]
 LANGUAGE sql
 STABLE
RETURN ARRAY(SELECT r.id FROM invocations r WHERE (r.retry_of = (referrers_of.i).id) UNION SELECT r.id FROM (effects e JOIN invocations r ON ((r.compensates = e.id))) WHERE (e.invocation_id = (referrers_of.i).id) UNION SELECT r.invocation_id FROM (effects e JOIN effects r ON ((r.compensates = e.id))) WHERE (e.invocation_id = (referrers_of.i).id) UNION SELECT d.invocation_id FROM (effects e JOIN effect_dependencies d ON ((d.depends_on = e.id))) WHERE (e.invocation_id = (referrers_of.i).id) UNION SELECT p.invocation_id FROM previews p WHERE (p.retry_of = (referrers_of.i).id) UNION SELECT p.invocation_id FROM (effects e JOIN previews p ON ((p.compensates = e.id))) WHERE (e.invocation_id = (referrers_of.i).id) UNION SELECT p.invocation_id FROM (previews o JOIN previews p ON ((p.supersedes = o.id))) WHERE (o.invocation_id = (referrers_of.i).id))
;

CREATE OR REPLACE FUNCTION public.refusal_to_archive(i invocations, ended_before timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE WHEN (((i).settled_at IS NULL) OR ((i).status <> ALL (ARRAY['succeeded'::text, 'failed'::text, 'refused'::text, 'denied'::text, 'expired'::text, 'cancelled'::text]))) THEN 'not_at_rest'::text WHEN (EXISTS (SELECT FROM effects e WHERE ((e.invocation_id = (refusal_to_archive.i).id) AND ((e.stage <> ALL (ARRAY['settled'::text, 'rejected'::text])) OR (e.reconcile_next_at IS NOT NULL))))) THEN 'not_at_rest'::text WHEN (EXISTS (SELECT FROM attempts a WHERE ((a.invocation_id = (refusal_to_archive.i).id) AND (a.status = 'started'::text)))) THEN 'not_at_rest'::text WHEN (EXISTS (SELECT FROM approvals a WHERE ((a.invocation_id = (refusal_to_archive.i).id) AND (a.status = 'pending'::text)))) THEN 'not_at_rest'::text WHEN (EXISTS (SELECT FROM workflow_starts w WHERE (w.id = ANY (((ARRAY[(refusal_to_archive.i).id] || ARRAY(SELECT e.id FROM effects e WHERE (e.invocation_id = (refusal_to_archive.i).id))) || ARRAY(SELECT a.id FROM approvals a WHERE (a.invocation_id = (refusal_to_archive.i).id))))))) THEN 'not_at_rest'::text WHEN (EXISTS (SELECT FROM (effects e JOIN impact_reservations r ON ((r.effect_id = e.id))) WHERE ((e.invocation_id = (refusal_to_archive.i).id) AND (r.state = 'reserved'::text)))) THEN 'reserved'::text WHEN (EXISTS (SELECT FROM budget_reservations b WHERE ((b.invocation_id = (refusal_to_archive.i).id) AND (b.state = 'reserved'::text)))) THEN 'reserved'::text WHEN (EXISTS (SELECT FROM file_holds h WHERE (h.invocation_id = (refusal_to_archive.i).id))) THEN 'reserved'::text WHEN (end_of_invocation(i) >= ended_before) THEN 'too_young'::text WHEN ((SELECT (COALESCE((SELECT (max(b.month) + '1 mon'::interval) FROM billing_months b WHERE ((b.workspace_id = w.id) AND (b.closed_at IS NOT NULL))), date_trunc('month'::text, (w.created_at AT TIME ZONE 'UTC'::text))) > date_trunc('month'::text, (end_of_invocation(refusal_to_archive.i) AT TIME ZONE 'UTC'::text))) FROM (environments n JOIN workspaces w ON ((w.id = n.workspace_id))) WHERE (n.id = (refusal_to_archive.i).environment_id)) IS NOT TRUE) THEN 'month_not_closed'::text ELSE NULL::text END
;

CREATE OR REPLACE FUNCTION public.refuse(facts jsonb)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
  BEGIN
    RAISE EXCEPTION 'refused' USING ERRCODE = 'SC002', DETAIL = facts::text;
  END $function$
;

CREATE OR REPLACE FUNCTION public.refuse_archived_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  DECLARE archived operation_keys;
  BEGIN
    SELECT * INTO archived FROM operation_keys k WHERE k.environment_id = NEW.environment_id AND k.operation_key = NEW.operation_key;
    IF FOUND THEN
      RAISE EXCEPTION 'the operation key of invocation % belongs to %, which is archived', NEW.id, archived.invocation_id USING ERRCODE = 'SC002',
        DETAIL = to_jsonb(archived)::text;
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      RAISE EXCEPTION 'invocations are admitted at READ COMMITTED' USING ERRCODE = 'invalid_transaction_state';
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    RAISE EXCEPTION '% rows of % are append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'check_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.refuse_counter_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'UPDATE' AND NEW IS NOT DISTINCT FROM OLD THEN RETURN NEW; END IF;
    RAISE EXCEPTION 'the counters of an impact limit move only with its reservations' USING ERRCODE = 'check_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.refuse_governed_name()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF EXISTS (SELECT FROM actions a JOIN governed_names g ON g.environment_id = a.environment_id AND g.name = a.name
               WHERE a.id = NEW.id AND a.archived_at IS NULL) THEN
      RAISE EXCEPTION 'the name of action % was governed and is not released', NEW.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.refuse_usage_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    RAISE EXCEPTION 'recorded usage is never erased, and what is reserved moves only with its reservation'
      USING ERRCODE = 'check_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.register_oauth_client(of_id text, with_metadata jsonb, from_address bytea, hourly integer, most integer)
 RETURNS text
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('oauth clients'));
      IF (SELECT count(*) FROM oauth_clients c WHERE c.address_hash = from_address AND c.created_at > now() - interval '1 hour') >= hourly THEN
        RETURN 'throttled';
      END IF;
      IF (SELECT count(*) FROM oauth_clients) >= most THEN RETURN 'full'; END IF;
      INSERT INTO oauth_clients (id, metadata, address_hash) VALUES (of_id, with_metadata, from_address);
      RETURN 'registered';
    END $function$
;
ALTER FUNCTION register_oauth_client(text,jsonb,bytea,integer,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION register_oauth_client(text,jsonb,bytea,integer,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION register_oauth_client(text,jsonb,bytea,integer,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.release_files()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    DELETE FROM file_holds WHERE invocation_id = NEW.id;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.release_place(of_kind text, for_holder text, most integer, grant_lease interval, unclaimed_only boolean)
 RETURNS TABLE(to_workspace uuid, to_environment uuid, to_holder text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      released lane_places;
      taken integer;
    BEGIN
      DELETE FROM lane_places p
        WHERE p.environment_id = current_environment_id() AND p.kind = of_kind AND p.holder = for_holder
          AND (NOT unclaimed_only OR p.granted_at IS NOT NULL)
        RETURNING * INTO released;
      -- Who only queued, or whose place had expired, leaves no place.
      IF released.is_taken IS NOT TRUE OR released.expires_at <= clock_timestamp() THEN
        RETURN;
      END IF;
      SELECT count(*) INTO taken FROM lane_places p
        WHERE p.workspace_id = released.workspace_id AND p.kind = of_kind AND p.is_taken AND p.expires_at > clock_timestamp();
      IF taken >= most THEN -- the cap was lowered
        RETURN;
      END IF;
      RETURN QUERY WITH next AS MATERIALIZED (
          SELECT w.environment_id, w.holder FROM lane_places w
          WHERE w.workspace_id = released.workspace_id AND w.kind = of_kind AND NOT w.is_taken
          ORDER BY w.asked_at, w.holder LIMIT 1 FOR UPDATE SKIP LOCKED)
        UPDATE lane_places p
        SET is_taken = true, granted_at = clock_timestamp(), expires_at = clock_timestamp() + grant_lease
        FROM next n
        WHERE p.environment_id = n.environment_id AND p.kind = of_kind AND p.holder = n.holder
        RETURNING p.workspace_id, p.environment_id, p.holder;
    END $function$
;
ALTER FUNCTION release_place(text,text,integer,interval,boolean) OWNER TO service_directory;
REVOKE ALL ON FUNCTION release_place(text,text,integer,interval,boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION release_place(text,text,integer,interval,boolean) TO service_app;

CREATE OR REPLACE FUNCTION public.release_recovery()
 RETURNS integer
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 WITH released AS (
          UPDATE database_epochs e SET recovery = 'released'::text, released_at = now()
           WHERE (e.recovery = 'open'::text)
           RETURNING e.id
         )
  SELECT (count(*))::integer AS count
    FROM released;
END
;
ALTER FUNCTION release_recovery() OWNER TO service_directory;
REVOKE ALL ON FUNCTION release_recovery() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION release_recovery() TO service_app;

CREATE OR REPLACE FUNCTION public.require_archived()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF EXISTS (SELECT FROM invocations i WHERE i.id = NEW.invocation_id) THEN
      RAISE EXCEPTION 'invocation % was archived and is still there', NEW.invocation_id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.require_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF (TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND s.of_service AND s.enabled AND s.deleted_at IS NULL
          AND COALESCE(s.enabled_at, s.created_at) < now() - interval '5 minutes'))
       AND NOT EXISTS (SELECT FROM raised_events r WHERE r.row_id = NEW.id AND r.type = TG_ARGV[0] AND r.occurred_at = now()::timestamptz(3)) THEN
      RAISE EXCEPTION '% leaves no event % in the outbox', NEW.id, TG_ARGV[0] USING ERRCODE = 'check_violation',
        HINT = 'Insert it into raised_events in the same transaction, as the trigger leave_event_of_… does (db/migrations/platform-events.ts).';
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.reservation_place(stage text, outcome text, partial_effect text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN (stage = 'rejected'::text) THEN 'released'::text WHEN (stage = 'dispatching'::text) THEN 'reserved/dispatching'::text WHEN (outcome = ANY (ARRAY['pending'::text, 'unknown'::text])) THEN ('reserved/'::text || outcome) WHEN (outcome = 'succeeded'::text) THEN 'settled'::text WHEN ((outcome = 'failed'::text) AND (partial_effect = 'none'::text)) THEN 'released'::text WHEN (outcome = 'failed'::text) THEN 'settled/partial'::text ELSE NULL::text END
;

CREATE OR REPLACE FUNCTION public.rewrap_oauth_signing_key(of_id text, from_version integer, to_version integer, with_wrapped bytea)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      UPDATE oauth_signing_keys k SET master_key_version = to_version, wrapped_data_key = with_wrapped
        WHERE k.id = of_id AND k.master_key_version = from_version;
      RETURN FOUND;
    END $function$
;
ALTER FUNCTION rewrap_oauth_signing_key(text,integer,integer,bytea) OWNER TO service_directory;
REVOKE ALL ON FUNCTION rewrap_oauth_signing_key(text,integer,integer,bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rewrap_oauth_signing_key(text,integer,integer,bytea) TO service_app;

CREATE OR REPLACE FUNCTION public.run_id_floor(at timestamp with time zone)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
  DECLARE
    rest numeric := floor(extract(epoch FROM at) * 1000) * 1208925819614629174706176;
    digits text := '';
  BEGIN
    FOR place IN 1..22 LOOP
      digits := substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', mod(rest, 62)::integer + 1, 1) || digits;
      rest := div(rest, 62);
    END LOOP;
    RETURN 'run_' || digits;
  END $function$
;

CREATE OR REPLACE FUNCTION public.runs_kept_since()
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (now() - '30 days'::interval)
;

CREATE OR REPLACE FUNCTION public.settle_attempts(results jsonb)
 RETURNS TABLE(message_id text, has_workflow boolean)
 LANGUAGE plpgsql
 ROWS 20
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET enable_sort TO 'off'
AS $function$
  #variable_conflict use_column
  DECLARE
    given attempt_result[];
    ids text[];
    closed text[];
  BEGIN
    SELECT array_agg(r), array_agg(r.id) INTO given, ids FROM jsonb_populate_recordset(NULL::attempt_result, results) r;
    PERFORM FROM lane_queue q WHERE q.message_id = ANY (ids) ORDER BY q.message_id FOR UPDATE;
    WITH ended AS (
        UPDATE message_attempts a SET status = g.status, response_status = g.response_status, response_headers = g.response_headers,
          response_body = g.response_body, failure = g.failure, error = g.error, address = g.address, latency_ms = g.latency_ms,
          finished_at = now()
        FROM unnest(given) g
        WHERE a.message_id = ANY (ids) AND a.message_id = g.id AND a.number = g.number AND a.status = 'started' RETURNING a.message_id)
      SELECT COALESCE(array_agg(e.message_id), '{}') INTO closed FROM ended e;
    UPDATE messages m SET response_status = g.response_status, error_message = g.error, updated_at = now(),
        status = CASE WHEN g.outcome = 'retry' THEN m.status ELSE g.outcome END,
        delivered_at = CASE WHEN g.outcome = 'delivered' THEN now() END,
        failed_at = CASE WHEN g.outcome = 'failed' THEN now() END,
        next_attempt_at = CASE WHEN g.outcome = 'retry' THEN clock_timestamp() + g.delay_ms * interval '1 millisecond' ELSE m.next_attempt_at END
      FROM unnest(given) g WHERE m.id = g.id AND m.id = ANY (closed);
    RETURN QUERY DELETE FROM lane_queue q USING unnest(given) g
      WHERE q.message_id = ANY (closed) AND q.message_id = g.id AND g.outcome <> 'retry' RETURNING q.message_id, q.has_workflow;
    IF EXISTS (SELECT FROM unnest(given) g WHERE g.outcome = 'failed') THEN
      INSERT INTO dead_letters (message_id, environment_id, retention, reason, url, url_group_id, schedule_id, response_status, label,
          last_attempt_at, failed_at)
        SELECT m.id, m.environment_id, m.retention, g.reason, m.url, m.url_group_id, m.schedule_id, m.response_status, m.label,
          (SELECT a.started_at FROM message_attempts a WHERE a.message_id = m.id ORDER BY a.number DESC LIMIT 1), m.failed_at
        FROM unnest(given) g JOIN messages m ON m.id = g.id
        WHERE g.outcome = 'failed' AND m.id = ANY (closed) AND m.kind <> 'event';
    END IF;
    IF EXISTS (SELECT FROM unnest(given) g WHERE g.outcome = 'retry') THEN
      RETURN QUERY UPDATE lane_queue q SET state = CASE WHEN g.is_again THEN 'ready' ELSE 'timed' END, claim = NULL, lease_until = NULL,
          due_at = m.next_attempt_at, has_workflow = q.has_workflow OR NOT g.is_again
        FROM unnest(given) g JOIN messages m ON m.id = g.id
        WHERE q.message_id = ANY (closed) AND q.message_id = g.id AND g.outcome = 'retry' RETURNING q.message_id, q.has_workflow;
    END IF;
  END $function$
;

CREATE OR REPLACE FUNCTION public.settle_budget_reservation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
  END $function$
;

CREATE OR REPLACE FUNCTION public.settle_sign_in(of_account bytea, of_address bytea, of_both bytea, forgotten_after interval)
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    BEGIN
      UPDATE sign_in_throttles SET failures = GREATEST(failures - 1, 0), blocked_until = NULL WHERE key = of_address;
      DELETE FROM sign_in_throttles WHERE key = of_account;
      INSERT INTO sign_in_throttles (key, succeeded_at) VALUES (of_both, now())
        ON CONFLICT (key) DO UPDATE SET failures = 0, blocked_until = NULL, succeeded_at = now(), last_failed_at = now();
      DELETE FROM sign_in_throttles WHERE key = ANY (ARRAY(
        SELECT key FROM sign_in_throttles WHERE last_failed_at < now() - forgotten_after ORDER BY last_failed_at LIMIT 100
        FOR UPDATE SKIP LOCKED));
    END $function$
;
ALTER FUNCTION settle_sign_in(bytea,bytea,bytea,interval) OWNER TO service_directory;
REVOKE ALL ON FUNCTION settle_sign_in(bytea,bytea,bytea,interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION settle_sign_in(bytea,bytea,bytea,interval) TO service_app;

CREATE OR REPLACE FUNCTION public.shortened(value jsonb, bytes_max integer)
 RETURNS jsonb
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE STRICT
AS $function$
  DECLARE written text := value::text; -- once: it is what costs
  BEGIN
    RETURN CASE WHEN octet_length(written) <= bytes_max THEN value ELSE shortened_text(written, bytes_max) END;
  END $function$
;

CREATE OR REPLACE FUNCTION public.shortened_text(value text, bytes_max integer)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN jsonb_build_object('truncated', true, 'bytes', octet_length(value), 'preview', "left"(value, (bytes_max / 4)))
;

CREATE OR REPLACE FUNCTION public.standing_approvals(of_approval text, digest text)
 RETURNS bigint
 LANGUAGE sql
 STABLE
RETURN (SELECT count(DISTINCT voice_of(d.actor_type, d.actor_id)) AS count FROM approval_decisions d WHERE ((d.approval_id = standing_approvals.of_approval) AND (d.decision = 'approve'::text) AND (d.binding_digest = standing_approvals.digest) AND credential_stands(d.environment_id, d.actor_type, d.actor_id, (d.authentication #>> '{app,connectedAppId}'::text[]), d.decided_at)))
;

CREATE OR REPLACE FUNCTION public.storage_of(of_status text, of_size bigint, of_is_sent_to_store boolean)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
RETURN CASE WHEN ((of_status = 'deleted'::text) AND (NOT of_is_sent_to_store)) THEN (0)::bigint ELSE GREATEST(of_size, (1024)::bigint) END
;

CREATE OR REPLACE FUNCTION public.stored_week(run_id text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
  DECLARE
    value numeric := 0;
  BEGIN
    FOR place IN 5..26 LOOP
      value := value * 62 + strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', substr(run_id, place, 1)) - 1;
    END LOOP;
    value := least(greatest(div(value, 1208925819614629174706176), 0), 253402300799999);
    RETURN 'runs_' || to_char(date_bin('7 days', to_timestamp(value / 1000), '2024-01-01T00:00:00Z') AT TIME ZONE 'UTC', 'YYYYMMDD');
  END $function$
;

CREATE OR REPLACE FUNCTION public.take_from_lane(of_lane text, most integer, in_flight_max integer, of_claim text, until timestamp with time zone)
 RETURNS TABLE(taken text[], next_at timestamp with time zone, is_left boolean, is_more boolean)
 LANGUAGE plpgsql
 ROWS 1
AS $function$
  DECLARE
    k lanes;
    at timestamptz;
    slots integer;                     -- by parallelism
    calls integer := 2147483647;       -- by rate, within the present window
    head timestamptz;
    late constant interval := interval '30 seconds';
  BEGIN
    taken := '{}';
    is_left := false;
    is_more := false;
    SELECT * INTO k FROM lanes l WHERE l.id = of_lane FOR NO KEY UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      is_left := true;
      RETURN NEXT;
      RETURN;
    END IF;
    at := clock_timestamp();
    IF k.paused_at IS NOT NULL THEN
      RETURN NEXT;
      RETURN;
    END IF;
    SELECT COALESCE(k.parallelism, in_flight_max) - count(*) INTO slots FROM lane_queue q WHERE q.lane_id = of_lane AND q.state = 'taken';
    IF k.rate IS NOT NULL THEN
      IF COALESCE(k.window_started_at + make_interval(secs => k.period_seconds) <= at, true) THEN
        k.window_started_at := at;
        k.window_count := 0;
      END IF;
      calls := k.rate - k.window_count;
    END IF;
    IF COALESCE(k.held_until <= at, true) AND LEAST(slots, calls) > 0 THEN
      WITH next AS MATERIALIZED (
          SELECT q.message_id FROM lane_queue q
          WHERE q.environment_id = k.environment_id AND q.lane_id = of_lane AND q.state <> 'taken' AND q.due_at <= at
            AND (q.state = 'ready' OR q.due_at <= at - late)
          ORDER BY q.due_at, q.message_id LIMIT LEAST(most, slots, calls) FOR UPDATE SKIP LOCKED),
        leased AS (
          UPDATE lane_queue q SET state = 'taken', claim = of_claim, lease_until = until
          WHERE q.message_id = ANY (ARRAY(SELECT n.message_id FROM next n)) RETURNING q.message_id)
        SELECT COALESCE(array_agg(l.message_id), '{}') INTO taken FROM leased l;
      slots := slots - cardinality(taken);
      calls := calls - cardinality(taken);
      IF k.rate IS NOT NULL AND cardinality(taken) > 0 THEN
        UPDATE lanes l SET window_started_at = k.window_started_at, window_count = k.window_count + cardinality(taken) WHERE l.id = of_lane;
      END IF;
    END IF;
    head := lane_head(of_lane, at - late);
    IF head IS NOT NULL THEN
      next_at := GREATEST(head, k.held_until, CASE WHEN calls <= 0 THEN k.window_started_at + make_interval(secs => k.period_seconds) END);
      is_left := next_at <= at;
      -- Where nothing was taken, somebody has locked what is due.
      is_more := is_left AND slots > 0 AND calls > 0 AND cardinality(taken) > 0;
      IF is_left THEN next_at := NULL; END IF;
    END IF;
    RETURN NEXT;
  END $function$
;

CREATE OR REPLACE FUNCTION public.take_place(of_kind text, for_holder text, most integer, lease interval)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE
      of_environment uuid := current_environment_id();
      of_workspace uuid;
      since timestamptz;
      ahead integer;
      is_held boolean;
      -- A position beyond this is told as this one: nobody need count further.
      positions_max constant integer := 300;
    BEGIN
      -- Granted, or held already: it concerns no other asker.
      UPDATE lane_places p SET granted_at = NULL, expires_at = clock_timestamp() + lease
        WHERE p.environment_id = of_environment AND p.kind = of_kind AND p.holder = for_holder
          AND p.is_taken AND p.expires_at > clock_timestamp();
      IF FOUND THEN
        RETURN 0;
      END IF;
      SELECT e.workspace_id INTO STRICT of_workspace FROM environments e WHERE e.id = of_environment;
      -- One at a time: two that ask at once must not both get the last place. Held until the claim commits.
      IF NOT pg_try_advisory_xact_lock(hashtextextended('place/' || of_kind || '/' || of_workspace, 0)) THEN
        RETURN NULL;
      END IF;
      SELECT p.asked_at INTO since FROM lane_places p
        WHERE p.environment_id = of_environment AND p.kind = of_kind AND p.holder = for_holder;
      since := COALESCE(since, clock_timestamp());
      SELECT count(*) INTO ahead FROM (
        SELECT FROM lane_places p
          WHERE p.workspace_id = of_workspace AND p.kind = of_kind AND p.is_taken AND p.expires_at > clock_timestamp()
            AND (p.environment_id, p.holder) <> (of_environment, for_holder)
        UNION ALL (SELECT FROM lane_places p
          WHERE p.workspace_id = of_workspace AND p.kind = of_kind AND NOT p.is_taken AND (p.asked_at, p.holder) < (since, for_holder)
          LIMIT most + positions_max)) before;
      -- It may have been granted since the first look.
      INSERT INTO lane_places AS p (environment_id, workspace_id, kind, holder, asked_at, is_taken, expires_at)
        VALUES (of_environment, of_workspace, of_kind, for_holder, since, ahead < most,
          CASE WHEN ahead < most THEN clock_timestamp() + lease ELSE 'infinity' END)
        ON CONFLICT (environment_id, kind, holder) DO UPDATE SET granted_at = NULL,
          is_taken = EXCLUDED.is_taken OR (p.is_taken AND p.expires_at > clock_timestamp()),
          expires_at = CASE WHEN p.is_taken AND p.expires_at > clock_timestamp() THEN clock_timestamp() + lease ELSE EXCLUDED.expires_at END
        RETURNING p.is_taken INTO is_held;
      RETURN CASE WHEN is_held THEN 0 ELSE ahead - most + 1 END;
    END $function$
;
ALTER FUNCTION take_place(text,text,integer,interval) OWNER TO service_directory;
REVOKE ALL ON FUNCTION take_place(text,text,integer,interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION take_place(text,text,integer,interval) TO service_app;

CREATE OR REPLACE FUNCTION public.url_target(url text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN "left"(regexp_replace(url, '^([a-z][a-z0-9+.-]*://){0,1}([^/\u003f#]*@){0,1}([^\u003f#]*).*$'::text, '\1\3'::text), 500)
;

CREATE OR REPLACE FUNCTION public.voice_of(credential_type text, credential_id text)
 RETURNS text
 LANGUAGE sql
 STABLE
RETURN CASE credential_type WHEN 'api_key'::text THEN COALESCE((SELECT k.created_by FROM api_keys k WHERE (k.id = voice_of.credential_id)), credential_id) ELSE credential_id END
;

CREATE OR REPLACE FUNCTION public.wait_for_admissions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM pg_advisory_xact_lock(budget_lock_of(NEW.api_key_id));
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.waiting_lanes(behind_id text, last_id text)
 RETURNS TABLE(id text, opens_at timestamp with time zone)
 LANGUAGE sql
 STABLE
BEGIN ATOMIC
 WITH RECURSIVE walk(id, due_at) AS (
         ( SELECT q.lane_id,
             q.due_at
            FROM lane_queue q
           WHERE ((q.environment_id = current_environment_id()) AND (q.lane_id > waiting_lanes.behind_id) AND (q.state <> 'taken'::text))
           ORDER BY q.lane_id, q.due_at
          LIMIT 1)
         UNION ALL
          SELECT n.lane_id,
             n.due_at
            FROM (walk w_1
              CROSS JOIN LATERAL ( SELECT q.lane_id,
                     q.due_at
                    FROM lane_queue q
                   WHERE ((q.environment_id = current_environment_id()) AND (q.lane_id > w_1.id) AND (q.state <> 'taken'::text))
                   ORDER BY q.lane_id, q.due_at
                  LIMIT 1) n)
           WHERE ((waiting_lanes.last_id IS NULL) OR (w_1.id < waiting_lanes.last_id))
         )
  SELECT w.id,
     GREATEST(w.due_at, l.held_until,
         CASE
             WHEN (l.window_count >= l.rate) THEN (l.window_started_at + make_interval(secs => (l.period_seconds)::double precision))
             ELSE NULL::timestamp with time zone
         END) AS "greatest"
    FROM (walk w
      CROSS JOIN LATERAL ( SELECT k.id,
             k.environment_id,
             k.key,
             k.rate,
             k.period_seconds,
             k.parallelism,
             k.rate_pinned,
             k.parallelism_pinned,
             k.paused_at,
             k.held_until,
             k.window_started_at,
             k.window_count,
             k.created_at,
             k.updated_at
            FROM lanes k
           WHERE (k.id = w.id)
          LIMIT 1) l)
   WHERE ((l.paused_at IS NULL) AND ((waiting_lanes.last_id IS NULL) OR (w.id <= waiting_lanes.last_id)));
END
;

CREATE OR REPLACE FUNCTION public.with_newest_range(past tstzmultirange, newest tstzrange)
 RETURNS tstzmultirange
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN (SELECT range_agg(kept.r) AS range_agg FROM (SELECT with_newest_range.newest AS r UNION ALL (SELECT r.r FROM unnest(with_newest_range.past) r(r) ORDER BY r.r DESC LIMIT 19)) kept)
;

CREATE TABLE action_versions (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  action_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  digest text NOT NULL,
  definition jsonb NOT NULL,
  change_note text,
  created_by jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT action_versions_pkey PRIMARY KEY (id),
  CONSTRAINT action_versions_action_id_number_key UNIQUE (action_id, number),
  CONSTRAINT action_versions_digest_check CHECK ((digest ~ '^sha256:[0-9a-f]{64}$'::text)),
  CONSTRAINT action_versions_number_check CHECK ((number >= 1))
);
CREATE INDEX action_versions_governed ON public.action_versions USING btree (environment_id, created_at) WHERE ((definition ->> 'governed'::text) = 'true'::text);
ALTER TABLE action_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE action_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON action_versions FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON action_versions TO service_app;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.action_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE actions (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  name text NOT NULL,
  description text,
  current_version_id text COLLATE "C" NOT NULL,
  mcp_pinned boolean DEFAULT false NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  archived_at timestamp(3) with time zone,
  CONSTRAINT actions_pkey PRIMARY KEY (id),
  CONSTRAINT actions_name_check CHECK ((name ~ '^[a-z][a-z0-9_.-]{0,63}$'::text))
);
CREATE UNIQUE INDEX actions_live_name ON public.actions USING btree (environment_id, name) WHERE (archived_at IS NULL);
CREATE INDEX actions_newest_first ON public.actions USING btree (environment_id, created_at DESC, id DESC);
CREATE INDEX actions_pinned ON public.actions USING btree (environment_id, name COLLATE "C") WHERE (mcp_pinned AND (archived_at IS NULL));
ALTER TABLE actions ENABLE ROW LEVEL SECURITY;
ALTER TABLE actions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON actions FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT, UPDATE ON actions TO service_app;
CREATE TRIGGER keep_governed_name AFTER UPDATE ON public.actions FOR EACH ROW WHEN (((old.archived_at IS NULL) AND ((new.archived_at IS NOT NULL) OR (new.name <> old.name)))) EXECUTE FUNCTION keep_governed_name();
CREATE TRIGGER leave_action_archived AFTER UPDATE ON public.actions FOR EACH ROW WHEN (((new.archived_at IS NOT NULL) AND ((((new.name IS DISTINCT FROM old.name) OR (new.description IS DISTINCT FROM old.description)) OR (new.current_version_id IS DISTINCT FROM old.current_version_id)) OR (new.archived_at IS DISTINCT FROM old.archived_at)))) EXECUTE FUNCTION leave_event_of_actions('action.archived', 'heard');
CREATE TRIGGER leave_action_created AFTER INSERT ON public.actions FOR EACH ROW WHEN (true) EXECUTE FUNCTION leave_event_of_actions('action.created', 'heard');
CREATE TRIGGER leave_action_updated AFTER UPDATE ON public.actions FOR EACH ROW WHEN (((new.archived_at IS NULL) AND ((((new.name IS DISTINCT FROM old.name) OR (new.description IS DISTINCT FROM old.description)) OR (new.current_version_id IS DISTINCT FROM old.current_version_id)) OR (new.archived_at IS DISTINCT FROM old.archived_at)))) EXECUTE FUNCTION leave_event_of_actions('action.updated', 'heard');
CREATE CONSTRAINT TRIGGER refuse_governed_name AFTER INSERT OR UPDATE OF name ON public.actions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_governed_name();

CREATE TABLE alert_targets (
  workspace_id uuid NOT NULL,
  amount bigint,
  currency text,
  thresholds integer[] NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT alert_targets_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT alert_targets_amount_check CHECK ((amount >= 1)),
  CONSTRAINT alert_targets_check CHECK (((amount IS NULL) = (currency IS NULL))),
  CONSTRAINT alert_targets_currency_check CHECK ((currency ~ '^[a-z]{3}$'::text)),
  CONSTRAINT alert_targets_thresholds_check CHECK (((cardinality(thresholds) >= 1) AND (cardinality(thresholds) <= 10)))
);
ALTER TABLE alert_targets ENABLE ROW LEVEL SECURITY;
ALTER TABLE alert_targets FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON alert_targets FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON alert_targets FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT, UPDATE ON alert_targets TO service_app;
GRANT SELECT ON alert_targets TO service_directory;

CREATE TABLE analytics_days (
  environment_id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  is_total boolean NOT NULL,
  day date NOT NULL,
  d1 text COLLATE "C" NOT NULL,
  d2 text COLLATE "C" NOT NULL,
  d3 text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  s1 bigint NOT NULL,
  s2 bigint NOT NULL,
  first_at timestamp(3) with time zone,
  last_at timestamp(3) with time zone,
  samples text[],
  buckets smallint[],
  counts bigint[],
  histogram text GENERATED ALWAYS AS (analytics_histogram_text(buckets, counts)) STORED,
  CONSTRAINT analytics_days_pkey PRIMARY KEY (environment_id, kind, is_total, day, d1, d2, d3) INCLUDE (n, s1, s2, last_at)
) PARTITION BY RANGE (day);
ALTER TABLE analytics_days ENABLE ROW LEVEL SECURITY;
ALTER TABLE analytics_days FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON analytics_days FOR ALL TO service_directory USING (true) WITH CHECK (true);
CREATE POLICY tenant ON analytics_days FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT SELECT ON analytics_days TO service_app;
GRANT INSERT, SELECT, UPDATE ON analytics_days TO service_directory;

CREATE TABLE analytics_facts (
  environment_id uuid NOT NULL,
  kind text NOT NULL,
  quarter timestamp(3) with time zone NOT NULL,
  d1 text NOT NULL,
  d2 text NOT NULL,
  d3 text NOT NULL,
  bucket smallint,
  n integer NOT NULL,
  s1 bigint NOT NULL,
  s2 bigint NOT NULL,
  first_at timestamp(3) with time zone,
  last_at timestamp(3) with time zone,
  samples text[]
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=20000, autovacuum_vacuum_cost_delay=0);
ALTER TABLE analytics_facts ENABLE ROW LEVEL SECURITY;
ALTER TABLE analytics_facts FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON analytics_facts FOR ALL TO service_directory USING (true) WITH CHECK (true);
CREATE POLICY tenant ON analytics_facts FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON analytics_facts TO service_app;
GRANT DELETE, INSERT, SELECT ON analytics_facts TO service_directory;

CREATE TABLE analytics_rollups (
  environment_id uuid NOT NULL,
  kind text COLLATE "C" NOT NULL,
  is_total boolean NOT NULL,
  quarter timestamp with time zone NOT NULL,
  d1 text COLLATE "C" NOT NULL,
  d2 text COLLATE "C" NOT NULL,
  d3 text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  s1 bigint NOT NULL,
  s2 bigint NOT NULL,
  first_at timestamp(3) with time zone,
  last_at timestamp(3) with time zone,
  samples text[],
  buckets smallint[],
  counts bigint[],
  histogram text GENERATED ALWAYS AS (analytics_histogram_text(buckets, counts)) STORED,
  CONSTRAINT analytics_rollups_pkey PRIMARY KEY (environment_id, kind, is_total, quarter, d1, d2, d3) INCLUDE (n, s1, s2, last_at)
) PARTITION BY RANGE (quarter);
ALTER TABLE analytics_rollups ENABLE ROW LEVEL SECURITY;
ALTER TABLE analytics_rollups FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON analytics_rollups FOR ALL TO service_directory USING (true) WITH CHECK (true);
CREATE POLICY tenant ON analytics_rollups FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT SELECT ON analytics_rollups TO service_app;
GRANT INSERT, SELECT, UPDATE ON analytics_rollups TO service_directory;

CREATE TABLE api_key_unknown_usage (
  environment_id uuid NOT NULL,
  api_key_id text COLLATE "C" NOT NULL,
  month date NOT NULL,
  CONSTRAINT api_key_unknown_usage_pkey PRIMARY KEY (api_key_id, month)
);
ALTER TABLE api_key_unknown_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_key_unknown_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON api_key_unknown_usage FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, SELECT ON api_key_unknown_usage TO service_app;

CREATE TABLE api_key_usage (
  environment_id uuid NOT NULL,
  api_key_id text COLLATE "C" NOT NULL,
  month date NOT NULL,
  kind text NOT NULL,
  shard smallint NOT NULL,
  used bigint DEFAULT 0 NOT NULL,
  reserved bigint DEFAULT 0 NOT NULL,
  CONSTRAINT api_key_usage_pkey PRIMARY KEY (api_key_id, month, kind, shard),
  CONSTRAINT api_key_usage_kind_check CHECK ((kind = ANY (ARRAY['messages'::text, 'events'::text, 'cache_lookups'::text, 'memory_operations'::text, 'invocations'::text]))),
  CONSTRAINT api_key_usage_month_check CHECK ((month = (date_trunc('month'::text, (month)::timestamp with time zone))::date)),
  CONSTRAINT api_key_usage_reserved_check CHECK ((reserved >= 0)),
  CONSTRAINT api_key_usage_shard_check CHECK (((shard >= 0) AND (shard <= 15))),
  CONSTRAINT api_key_usage_used_check CHECK ((used >= 0))
);
ALTER TABLE api_key_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_key_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON api_key_usage FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON api_key_usage TO service_app;
GRANT UPDATE (used, reserved) ON api_key_usage TO service_app;
CREATE TRIGGER begins_unreserved AFTER INSERT ON public.api_key_usage FOR EACH ROW WHEN (((pg_trigger_depth() = 0) AND (new.reserved <> 0))) EXECUTE FUNCTION refuse_usage_change();
CREATE TRIGGER check_budget BEFORE INSERT OR DELETE OR UPDATE ON public.api_key_usage FOR EACH ROW EXECUTE FUNCTION check_budget();
CREATE TRIGGER only_rises AFTER UPDATE ON public.api_key_usage FOR EACH ROW WHEN (((pg_trigger_depth() = 0) AND ((new.used < old.used) OR (new.reserved <> old.reserved)))) EXECUTE FUNCTION refuse_usage_change();

CREATE TABLE api_keys (
  id text COLLATE "C" NOT NULL,
  workspace_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  created_by text COLLATE "C",
  name text NOT NULL,
  key_hash bytea NOT NULL,
  key_prefix text NOT NULL,
  preset text,
  scopes text[] NOT NULL,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_key_hash_key UNIQUE (key_hash),
  CONSTRAINT api_keys_key_hash_check CHECK ((octet_length(key_hash) = 32)),
  CONSTRAINT api_keys_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT api_keys_preset_check CHECK ((preset = ANY (ARRAY['standard'::text, 'read_only'::text, 'full_access'::text, 'agent'::text])))
);
CREATE INDEX api_keys_by_environment ON public.api_keys USING btree (environment_id, created_at DESC, id DESC);
CREATE INDEX api_keys_by_workspace ON public.api_keys USING btree (workspace_id, created_at DESC, id DESC);
ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE api_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON api_keys FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON api_keys FOR ALL TO PUBLIC USING (((environment_id = current_environment_id()) OR ((current_environment_id() IS NULL) AND (workspace_id = current_workspace_id())))) WITH CHECK (((environment_id = current_environment_id()) OR ((current_environment_id() IS NULL) AND (workspace_id = current_workspace_id()))));
GRANT INSERT, SELECT ON api_keys TO service_app;
GRANT UPDATE (revoked_at, last_used_at) ON api_keys TO service_app;
GRANT SELECT (id, workspace_id, environment_id, key_hash, preset, scopes, expires_at, revoked_at, last_used_at) ON api_keys TO service_directory;
CREATE TRIGGER end_use BEFORE UPDATE OF revoked_at ON public.api_keys FOR EACH ROW WHEN ((new.revoked_at IS DISTINCT FROM old.revoked_at)) EXECUTE FUNCTION end_api_key_use();
CREATE TRIGGER keep_revoked BEFORE UPDATE ON public.api_keys FOR EACH ROW EXECUTE FUNCTION keep_revoked();

CREATE TABLE approval_decisions (
  approval_id text COLLATE "C" NOT NULL,
  actor_type text NOT NULL,
  actor_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  decision text NOT NULL,
  note text,
  binding_digest text NOT NULL,
  authentication jsonb NOT NULL,
  decided_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  connected_app_id text COLLATE "C" GENERATED ALWAYS AS (COALESCE((authentication #>> '{app,connectedAppId}'::text[]), ''::text)) STORED NOT NULL,
  CONSTRAINT approval_decisions_pkey PRIMARY KEY (approval_id, actor_type, actor_id, connected_app_id),
  CONSTRAINT approval_decisions_actor_type_check CHECK ((actor_type = ANY (ARRAY['api_key'::text, 'user'::text]))),
  CONSTRAINT approval_decisions_authentication_check CHECK ((jsonb_typeof(authentication) = 'object'::text)),
  CONSTRAINT approval_decisions_check CHECK (((decision <> 'deny'::text) OR (note IS NOT NULL))),
  CONSTRAINT approval_decisions_decision_check CHECK ((decision = ANY (ARRAY['approve'::text, 'deny'::text]))),
  CONSTRAINT approval_decisions_note_check CHECK (((char_length(note) >= 1) AND (char_length(note) <= 2000)))
);
ALTER TABLE approval_decisions ENABLE ROW LEVEL SECURITY;
ALTER TABLE approval_decisions FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON approval_decisions FOR SELECT TO service_directory USING (true);
CREATE POLICY directory_retention ON approval_decisions FOR DELETE TO service_directory USING (true);
CREATE POLICY tenant ON approval_decisions FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON approval_decisions TO service_app;
GRANT DELETE ON approval_decisions TO service_directory;
GRANT SELECT (approval_id) ON approval_decisions TO service_directory;
CREATE TRIGGER append_only BEFORE UPDATE ON public.approval_decisions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER check_decision BEFORE INSERT ON public.approval_decisions FOR EACH ROW EXECUTE FUNCTION check_approval_decision();
CREATE TRIGGER conclude AFTER INSERT ON public.approval_decisions FOR EACH ROW EXECUTE FUNCTION conclude_approval();
CREATE TRIGGER keep BEFORE DELETE ON public.approval_decisions FOR EACH ROW WHEN ((NOT is_archived_approval(old.approval_id))) EXECUTE FUNCTION keep_approval_decision();

CREATE TABLE approval_policies (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  priority integer NOT NULL,
  enabled boolean DEFAULT true NOT NULL,
  current_version integer NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  archived_at timestamp(3) with time zone,
  CONSTRAINT approval_policies_pkey PRIMARY KEY (id),
  CONSTRAINT approval_policies_id_environment_id_key UNIQUE (id, environment_id),
  CONSTRAINT approval_policies_current_version_check CHECK ((current_version >= 1)),
  CONSTRAINT approval_policies_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200)))
);
CREATE UNIQUE INDEX approval_policies_live_name ON public.approval_policies USING btree (environment_id, name) WHERE (archived_at IS NULL);
CREATE INDEX approval_policies_newest_first ON public.approval_policies USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE approval_policies ENABLE ROW LEVEL SECURITY;
ALTER TABLE approval_policies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON approval_policies FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON approval_policies TO service_app;
GRANT UPDATE (enabled, updated_at, archived_at) ON approval_policies TO service_app;
CREATE TRIGGER keep_archived BEFORE UPDATE ON public.approval_policies FOR EACH ROW WHEN ((old.archived_at IS NOT NULL)) EXECUTE FUNCTION keep_archived_policy();
CREATE TRIGGER move_revision AFTER INSERT OR UPDATE ON public.approval_policies FOR EACH ROW EXECUTE FUNCTION move_policy_revision();

CREATE TABLE approval_policy_versions (
  policy_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  environment_id uuid NOT NULL,
  digest text NOT NULL,
  document json NOT NULL,
  created_by jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT approval_policy_versions_pkey PRIMARY KEY (policy_id, version),
  CONSTRAINT approval_policy_versions_digest_check CHECK ((digest ~ '^sha256:[0-9a-f]{64}$'::text)),
  CONSTRAINT approval_policy_versions_document_check CHECK ((json_typeof(document) = 'object'::text)),
  CONSTRAINT approval_policy_versions_version_check CHECK ((version >= 1))
);
ALTER TABLE approval_policy_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE approval_policy_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON approval_policy_versions FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON approval_policy_versions TO service_app;
CREATE TRIGGER advance AFTER INSERT ON public.approval_policy_versions FOR EACH ROW EXECUTE FUNCTION advance_approval_policy();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.approval_policy_versions FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE approvals (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  kind text NOT NULL,
  invocation_id text COLLATE "C",
  effect_id text COLLATE "C",
  preview_id text COLLATE "C",
  action_id text COLLATE "C",
  title text NOT NULL,
  summary text NOT NULL,
  payload jsonb,
  binding_digest text NOT NULL,
  source text NOT NULL,
  policy_id text COLLATE "C",
  policy_version integer,
  rule_id text,
  reason text NOT NULL,
  quorum integer NOT NULL,
  approvers jsonb NOT NULL,
  prevent_self boolean NOT NULL,
  requested_by jsonb NOT NULL,
  status text DEFAULT 'pending'::text NOT NULL,
  reminders_sent integer DEFAULT 0 NOT NULL,
  last_reminded_at timestamp(3) with time zone,
  awaited_status text,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  decided_at timestamp(3) with time zone,
  consumed_at timestamp(3) with time zone,
  trace_context text DEFAULT NULLIF(current_setting('app.trace_context'::text, true), ''::text),
  CONSTRAINT approvals_pkey PRIMARY KEY (id),
  CONSTRAINT approvals_effect_id_key UNIQUE (effect_id),
  CONSTRAINT approvals_invocation_id_key UNIQUE (invocation_id),
  CONSTRAINT approvals_approvers_check CHECK ((jsonb_typeof(approvers) = 'array'::text)),
  CONSTRAINT approvals_binding_digest_check CHECK ((binding_digest ~ '^sha256:[0-9a-f]{64}$'::text)),
  CONSTRAINT approvals_check CHECK ((expires_at > created_at)),
  CONSTRAINT approvals_check1 CHECK ((((kind = 'invocation'::text) = (invocation_id IS NOT NULL)) AND ((kind = 'invocation'::text) = (preview_id IS NOT NULL)) AND ((kind = 'invocation'::text) = (action_id IS NOT NULL)) AND ((kind = 'free_standing'::text) = (payload IS NOT NULL)) AND ((kind = 'free_standing'::text) = (source = 'caller'::text)))),
  CONSTRAINT approvals_check2 CHECK (((source = 'policy'::text) = ((policy_id IS NOT NULL) AND (policy_version IS NOT NULL) AND (rule_id IS NOT NULL)))),
  CONSTRAINT approvals_check3 CHECK (((status = 'pending'::text) = (decided_at IS NULL))),
  CONSTRAINT approvals_check4 CHECK (((status = 'consumed'::text) = (consumed_at IS NOT NULL))),
  CONSTRAINT approvals_check5 CHECK (((reminders_sent = 0) = (last_reminded_at IS NULL))),
  CONSTRAINT approvals_kind_check CHECK ((kind = ANY (ARRAY['invocation'::text, 'free_standing'::text]))),
  CONSTRAINT approvals_quorum_check CHECK (((quorum >= 1) AND (quorum <= 100))),
  CONSTRAINT approvals_reminders_sent_check CHECK ((reminders_sent >= 0)),
  CONSTRAINT approvals_source_check CHECK ((source = ANY (ARRAY['policy'::text, 'action'::text, 'environment'::text, 'caller'::text]))),
  CONSTRAINT approvals_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'denied'::text, 'expired'::text, 'cancelled'::text, 'invalidated'::text, 'consumed'::text]))),
  CONSTRAINT approvals_summary_check CHECK (((char_length(summary) >= 1) AND (char_length(summary) <= 4000))),
  CONSTRAINT approvals_title_check CHECK (((char_length(title) >= 1) AND (char_length(title) <= 200))),
  CONSTRAINT approvals_trace_context_check CHECK ((trace_context ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$'::text))
);
CREATE INDEX approvals_by_action ON public.approvals USING btree (action_id, created_at DESC, id DESC);
CREATE INDEX approvals_by_preview ON public.approvals USING btree (preview_id) WHERE (preview_id IS NOT NULL);
CREATE INDEX approvals_by_status ON public.approvals USING btree (environment_id, status, created_at DESC, id DESC);
CREATE INDEX approvals_ended_free_standing ON public.approvals USING btree (decided_at) WHERE ((kind = 'free_standing'::text) AND (status <> 'pending'::text));
CREATE INDEX approvals_newest_first ON public.approvals USING btree (environment_id, created_at DESC, id DESC);
CREATE INDEX approvals_pending ON public.approvals USING btree (created_at) WHERE (status = 'pending'::text);
CREATE INDEX approvals_pending_free_standing ON public.approvals USING btree (environment_id) WHERE ((kind = 'free_standing'::text) AND (status = 'pending'::text));
ALTER TABLE approvals ENABLE ROW LEVEL SECURITY;
ALTER TABLE approvals FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON approvals FOR SELECT TO service_directory USING (true);
CREATE POLICY directory_retention ON approvals FOR DELETE TO service_directory USING (((kind = 'free_standing'::text) AND (decided_at < (now() - '90 days'::interval)) AND (expires_at < (now() - '90 days'::interval))));
CREATE POLICY tenant ON approvals FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON approvals TO service_app;
GRANT DELETE ON approvals TO service_directory;
GRANT UPDATE (status, reminders_sent, last_reminded_at, awaited_status, decided_at, consumed_at) ON approvals TO service_app;
GRANT SELECT (id, environment_id, kind, invocation_id, preview_id, status, awaited_status, created_at, expires_at, decided_at) ON approvals TO service_directory;
CREATE TRIGGER check_move BEFORE INSERT OR UPDATE ON public.approvals FOR EACH ROW EXECUTE FUNCTION check_approval_move();
CREATE TRIGGER count_facts_of_insert AFTER INSERT ON public.approvals REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_approvals();
CREATE TRIGGER count_facts_of_update AFTER UPDATE ON public.approvals REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_approvals();
CREATE TRIGGER keep BEFORE DELETE ON public.approvals FOR EACH ROW WHEN ((NOT is_archived(old.invocation_id))) EXECUTE FUNCTION keep_approval();
CREATE TRIGGER keep_start_delete AFTER DELETE ON public.approvals FOR EACH ROW WHEN ((
        CASE
            WHEN ((old.awaited_status IS NULL) OR (old.awaited_status = 'pending'::text)) THEN ('00:00:30'::interval +
            CASE
                WHEN (old.status <> 'pending'::text) THEN old.decided_at
                WHEN (old.awaited_status IS NULL) THEN old.created_at
                ELSE old.expires_at
            END)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_approvals();
CREATE TRIGGER keep_start_insert AFTER INSERT ON public.approvals FOR EACH ROW WHEN ((
        CASE
            WHEN ((new.awaited_status IS NULL) OR (new.awaited_status = 'pending'::text)) THEN ('00:00:30'::interval +
            CASE
                WHEN (new.status <> 'pending'::text) THEN new.decided_at
                WHEN (new.awaited_status IS NULL) THEN new.created_at
                ELSE new.expires_at
            END)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_approvals();
CREATE TRIGGER keep_start_update AFTER UPDATE ON public.approvals FOR EACH ROW WHEN ((
        CASE
            WHEN ((old.awaited_status IS NULL) OR (old.awaited_status = 'pending'::text)) THEN ('00:00:30'::interval +
            CASE
                WHEN (old.status <> 'pending'::text) THEN old.decided_at
                WHEN (old.awaited_status IS NULL) THEN old.created_at
                ELSE old.expires_at
            END)
            ELSE NULL::timestamp with time zone
        END IS DISTINCT FROM
        CASE
            WHEN ((new.awaited_status IS NULL) OR (new.awaited_status = 'pending'::text)) THEN ('00:00:30'::interval +
            CASE
                WHEN (new.status <> 'pending'::text) THEN new.decided_at
                WHEN (new.awaited_status IS NULL) THEN new.created_at
                ELSE new.expires_at
            END)
            ELSE NULL::timestamp with time zone
        END)) EXECUTE FUNCTION keep_start_of_approvals();
CREATE TRIGGER leave_approval_decided AFTER UPDATE OF status ON public.approvals FOR EACH ROW WHEN (((new.status = ANY (ARRAY['approved'::text, 'denied'::text])) AND (new.status IS DISTINCT FROM old.status))) EXECUTE FUNCTION leave_event_of_approvals('approval.decided', 'heard');
CREATE TRIGGER leave_approval_expired AFTER UPDATE OF status ON public.approvals FOR EACH ROW WHEN (((new.status = 'expired'::text) AND (old.status <> 'expired'::text))) EXECUTE FUNCTION leave_event_of_approvals('approval.expired', 'heard');
CREATE TRIGGER leave_approval_requested AFTER INSERT ON public.approvals FOR EACH ROW WHEN (true) EXECUTE FUNCTION leave_event_of_approvals('approval.requested', 'always');
CREATE CONSTRAINT TRIGGER require_approval_decided AFTER UPDATE OF status ON public.approvals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status = ANY (ARRAY['approved'::text, 'denied'::text])) AND (new.status IS DISTINCT FROM old.status))) EXECUTE FUNCTION require_event('approval.decided', 'heard');
CREATE CONSTRAINT TRIGGER require_approval_expired AFTER UPDATE OF status ON public.approvals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status = 'expired'::text) AND (old.status <> 'expired'::text))) EXECUTE FUNCTION require_event('approval.expired', 'heard');
CREATE CONSTRAINT TRIGGER require_approval_requested AFTER INSERT ON public.approvals DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (true) EXECUTE FUNCTION require_event('approval.requested', 'always');

CREATE TABLE attempts (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  invocation_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  kind text NOT NULL,
  status text DEFAULT 'started'::text NOT NULL,
  claimed_at timestamp(3) with time zone,
  observed_outcome text,
  refusal jsonb,
  error text,
  response jsonb,
  secret_versions jsonb,
  started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  finished_at timestamp(3) with time zone,
  CONSTRAINT attempts_pkey PRIMARY KEY (id),
  CONSTRAINT attempts_invocation_id_number_key UNIQUE (invocation_id, number),
  CONSTRAINT attempts_check CHECK (((status = 'started'::text) = (finished_at IS NULL))),
  CONSTRAINT attempts_check1 CHECK (((status <> 'completed'::text) OR ((claimed_at IS NOT NULL) AND (observed_outcome IS NOT NULL)))),
  CONSTRAINT attempts_claimed_may_be_sent CHECK ((NOT ((status = 'abandoned'::text) AND (claimed_at IS NOT NULL) AND (observed_outcome = 'not_dispatched'::text)))),
  CONSTRAINT attempts_end_at_once CHECK (((status <> 'started'::text) OR ((observed_outcome IS NULL) AND (refusal IS NULL) AND (error IS NULL) AND (response IS NULL)))),
  CONSTRAINT attempts_kind_check CHECK ((kind = ANY (ARRAY['dispatch'::text, 'replay'::text, 'reconcile'::text]))),
  CONSTRAINT attempts_number_check CHECK ((number >= 1)),
  CONSTRAINT attempts_observed_outcome_check CHECK ((observed_outcome = ANY (ARRAY['not_dispatched'::text, 'pending'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text]))),
  CONSTRAINT attempts_secret_versions_check CHECK ((jsonb_typeof(secret_versions) = 'object'::text)),
  CONSTRAINT attempts_status_check CHECK ((status = ANY (ARRAY['started'::text, 'completed'::text, 'abandoned'::text])))
);
CREATE UNIQUE INDEX attempts_one_dispatch ON public.attempts USING btree (invocation_id) WHERE (kind = 'dispatch'::text);
CREATE UNIQUE INDEX attempts_one_open_replay ON public.attempts USING btree (invocation_id) WHERE ((kind = 'replay'::text) AND (status = 'started'::text));
ALTER TABLE attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON attempts FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON attempts FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT, UPDATE ON attempts TO service_app;
GRANT SELECT (id, invocation_id, kind, claimed_at, observed_outcome) ON attempts TO service_directory;
CREATE TRIGGER chain AFTER INSERT OR UPDATE ON public.attempts FOR EACH ROW EXECUTE FUNCTION chain_attempt();
CREATE TRIGGER check_move BEFORE INSERT OR UPDATE ON public.attempts FOR EACH ROW EXECUTE FUNCTION check_attempt_move();
CREATE TRIGGER check_replay_asked BEFORE INSERT ON public.attempts FOR EACH ROW WHEN ((new.kind = 'replay'::text)) EXECUTE FUNCTION check_replay();
CREATE TRIGGER check_replay_claimed BEFORE UPDATE ON public.attempts FOR EACH ROW WHEN (((new.kind = 'replay'::text) AND (old.claimed_at IS NULL) AND (new.claimed_at IS NOT NULL))) EXECUTE FUNCTION check_replay();
CREATE TRIGGER keep_secret_versions BEFORE UPDATE ON public.attempts FOR EACH ROW WHEN ((new.secret_versions IS DISTINCT FROM old.secret_versions)) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stays BEFORE DELETE ON public.attempts FOR EACH ROW WHEN ((NOT is_archived(old.invocation_id))) EXECUTE FUNCTION check_attempt_move();

CREATE TABLE audit_chains (
  workspace_id uuid NOT NULL,
  sequence bigint NOT NULL,
  hash text,
  CONSTRAINT audit_chains_pkey PRIMARY KEY (workspace_id)
);
ALTER TABLE audit_chains ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_chains FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_chains FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT SELECT ON audit_chains TO service_app;
CREATE TRIGGER moves_on BEFORE UPDATE ON public.audit_chains FOR EACH ROW WHEN (((new.sequence <> (old.sequence + 1)) OR (new.hash IS NULL) OR (new.workspace_id <> old.workspace_id))) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.audit_chains FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stays BEFORE DELETE ON public.audit_chains FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE audit_log (
  id text COLLATE "C" NOT NULL,
  workspace_id uuid NOT NULL,
  environment_id uuid,
  sequence bigint NOT NULL,
  actor_type text NOT NULL,
  actor_id text,
  action text NOT NULL,
  target_type text NOT NULL,
  target_id text NOT NULL,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  request_id text,
  recorded_at timestamp(3) with time zone NOT NULL,
  previous_hash text,
  hash text NOT NULL,
  authentication jsonb,
  CONSTRAINT audit_log_pkey PRIMARY KEY (id),
  CONSTRAINT audit_log_workspace_id_sequence_key UNIQUE (workspace_id, sequence),
  CONSTRAINT audit_log_action_check CHECK ((action ~ '^[a-z_]+\.[a-z_]+$'::text)),
  CONSTRAINT audit_log_actor_type_check CHECK ((actor_type = ANY (ARRAY['api_key'::text, 'user'::text, 'system'::text]))),
  CONSTRAINT audit_log_authentication_check CHECK (((authentication IS NULL) OR ((jsonb_typeof(authentication) = 'object'::text) AND ((authentication -> 'method'::text) IS NOT NULL)))),
  CONSTRAINT audit_log_details_check CHECK ((jsonb_typeof(details) = 'object'::text))
);
CREATE INDEX audit_log_by_actor ON public.audit_log USING btree (workspace_id, actor_id, sequence DESC);
CREATE INDEX audit_log_by_target ON public.audit_log USING btree (workspace_id, target_id, sequence DESC);
ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_log FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_log FOR ALL TO PUBLIC USING (((workspace_id = current_workspace_id()) AND ((current_environment_id() IS NULL) OR (environment_id = current_environment_id())))) WITH CHECK (((workspace_id = current_workspace_id()) AND ((current_environment_id() IS NULL) OR (environment_id = current_environment_id()))));
GRANT INSERT, SELECT ON audit_log TO service_app;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain BEFORE INSERT ON public.audit_log FOR EACH ROW EXECUTE FUNCTION chain_audit();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE billing_months (
  workspace_id uuid NOT NULL,
  month date NOT NULL,
  plan text NOT NULL,
  quantities jsonb NOT NULL,
  snapshot_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  closed_at timestamp(3) with time zone,
  CONSTRAINT billing_months_pkey PRIMARY KEY (workspace_id, month),
  CONSTRAINT billing_months_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric))
);
ALTER TABLE billing_months ENABLE ROW LEVEL SECURITY;
ALTER TABLE billing_months FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON billing_months FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON billing_months FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON billing_months TO service_app;
GRANT SELECT ON billing_months TO service_directory;
GRANT UPDATE (closed_at) ON billing_months TO service_app;
CREATE TRIGGER append_only BEFORE DELETE ON public.billing_months FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER keep_snapshot BEFORE UPDATE ON public.billing_months FOR EACH ROW WHEN (((((((new.workspace_id IS DISTINCT FROM old.workspace_id) OR (new.month IS DISTINCT FROM old.month)) OR (new.plan IS DISTINCT FROM old.plan)) OR (new.quantities IS DISTINCT FROM old.quantities)) OR (new.snapshot_at IS DISTINCT FROM old.snapshot_at)) OR (old.closed_at IS NOT NULL))) EXECUTE FUNCTION refuse_change();

CREATE TABLE budget_crossings (
  environment_id uuid NOT NULL,
  api_key_id text COLLATE "C" NOT NULL,
  month date NOT NULL,
  cap_name text NOT NULL,
  threshold smallint,
  taken bigint NOT NULL,
  cap bigint NOT NULL,
  crossed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT budget_crossings_api_key_id_month_cap_name_threshold_cap_key UNIQUE NULLS NOT DISTINCT (api_key_id, month, cap_name, threshold, cap),
  CONSTRAINT budget_crossings_cap_name_check CHECK ((cap_name = ANY (ARRAY['total'::text, 'messages'::text, 'events'::text, 'cache_lookups'::text, 'memory_operations'::text, 'invocations'::text]))),
  CONSTRAINT budget_crossings_threshold_check CHECK (((threshold >= 1) AND (threshold <= 100)))
);
ALTER TABLE budget_crossings ENABLE ROW LEVEL SECURITY;
ALTER TABLE budget_crossings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON budget_crossings FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON budget_crossings TO service_app;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.budget_crossings FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER leave_budget_exceeded AFTER INSERT ON public.budget_crossings FOR EACH ROW WHEN ((new.threshold IS NULL)) EXECUTE FUNCTION leave_event_of_budget_crossings('budget.exceeded', 'always');
CREATE TRIGGER leave_budget_threshold AFTER INSERT ON public.budget_crossings FOR EACH ROW WHEN ((new.threshold IS NOT NULL)) EXECUTE FUNCTION leave_event_of_budget_crossings('budget.threshold', 'always');

CREATE TABLE budget_reservations (
  invocation_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  api_key_id text COLLATE "C" NOT NULL,
  month date NOT NULL,
  amount bigint NOT NULL,
  state text DEFAULT 'reserved'::text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  finished_at timestamp(3) with time zone,
  CONSTRAINT budget_reservations_pkey PRIMARY KEY (invocation_id),
  CONSTRAINT budget_reservations_amount_check CHECK ((amount >= 0)),
  CONSTRAINT budget_reservations_check CHECK (((state = 'reserved'::text) = (finished_at IS NULL))),
  CONSTRAINT budget_reservations_state_check CHECK ((state = ANY (ARRAY['reserved'::text, 'settled'::text, 'released'::text])))
);
ALTER TABLE budget_reservations ENABLE ROW LEVEL SECURITY;
ALTER TABLE budget_reservations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON budget_reservations FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON budget_reservations TO service_app;
GRANT UPDATE (api_key_id, month, amount, state, created_at, finished_at) ON budget_reservations TO service_app;
CREATE TRIGGER count_reservation BEFORE INSERT OR UPDATE ON public.budget_reservations FOR EACH ROW EXECUTE FUNCTION count_budget_reservation();
CREATE TRIGGER stays BEFORE DELETE ON public.budget_reservations FOR EACH ROW WHEN ((NOT is_archived(old.invocation_id))) EXECUTE FUNCTION count_budget_reservation();

CREATE TABLE budgets (
  api_key_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  total bigint,
  messages bigint,
  events bigint,
  cache_lookups bigint,
  memory_operations bigint,
  invocations bigint,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT budgets_pkey PRIMARY KEY (api_key_id),
  CONSTRAINT budgets_cache_lookups_check CHECK ((cache_lookups >= 0)),
  CONSTRAINT budgets_check CHECK ((num_nonnulls(total, messages, events, cache_lookups, memory_operations, invocations) > 0)),
  CONSTRAINT budgets_events_check CHECK ((events >= 0)),
  CONSTRAINT budgets_invocations_check CHECK ((invocations >= 0)),
  CONSTRAINT budgets_memory_operations_check CHECK ((memory_operations >= 0)),
  CONSTRAINT budgets_messages_check CHECK ((messages >= 0)),
  CONSTRAINT budgets_total_check CHECK ((total >= 0))
);
CREATE INDEX budgets_newest_first ON public.budgets USING btree (environment_id, created_at DESC, api_key_id DESC);
ALTER TABLE budgets ENABLE ROW LEVEL SECURITY;
ALTER TABLE budgets FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON budgets FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON budgets TO service_app;
CREATE TRIGGER wait_for_admissions BEFORE INSERT ON public.budgets FOR EACH ROW EXECUTE FUNCTION wait_for_admissions();

CREATE TABLE cache_counters (
  environment_id uuid NOT NULL,
  shard smallint NOT NULL,
  hits bigint NOT NULL,
  misses bigint NOT NULL,
  gated bigint NOT NULL,
  tokens_saved bigint NOT NULL,
  CONSTRAINT cache_counters_pkey PRIMARY KEY (environment_id, shard),
  CONSTRAINT cache_counters_gated_check CHECK ((gated >= 0)),
  CONSTRAINT cache_counters_hits_check CHECK ((hits >= 0)),
  CONSTRAINT cache_counters_misses_check CHECK ((misses >= 0)),
  CONSTRAINT cache_counters_shard_check CHECK (((shard >= 0) AND (shard <= 15))),
  CONSTRAINT cache_counters_tokens_saved_check CHECK ((tokens_saved >= 0))
);
ALTER TABLE cache_counters ENABLE ROW LEVEL SECURITY;
ALTER TABLE cache_counters FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON cache_counters FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON cache_counters TO service_app;
GRANT UPDATE (hits, misses, gated, tokens_saved) ON cache_counters TO service_app;

CREATE TABLE cache_entries (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  identity bytea NOT NULL,
  prompt_digest bytea NOT NULL,
  namespace text COLLATE "C" NOT NULL,
  model text,
  attributes jsonb NOT NULL,
  prompt text NOT NULL,
  response jsonb NOT NULL,
  tokens integer NOT NULL,
  bytes integer NOT NULL,
  embedding_model text NOT NULL,
  embedding bytea NOT NULL,
  signs bit varying NOT NULL,
  hits bigint DEFAULT 0 NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  last_hit_at timestamp(3) with time zone,
  stored_bytes integer GENERATED ALWAYS AS (((((512 + octet_length(prompt)) + octet_length((response)::text)) + octet_length((attributes)::text)) + octet_length(embedding))) STORED NOT NULL,
  CONSTRAINT cache_entries_pkey PRIMARY KEY (id),
  CONSTRAINT cache_entries_environment_id_identity_prompt_digest_key UNIQUE (environment_id, identity, prompt_digest),
  CONSTRAINT cache_entries_attributes_check CHECK ((jsonb_typeof(attributes) = 'object'::text)),
  CONSTRAINT cache_entries_bytes_check CHECK ((bytes >= 0)),
  CONSTRAINT cache_entries_hits_check CHECK ((hits >= 0)),
  CONSTRAINT cache_entries_identity_check CHECK ((octet_length(identity) = 32)),
  CONSTRAINT cache_entries_model_check CHECK (((char_length(model) >= 1) AND (char_length(model) <= 200))),
  CONSTRAINT cache_entries_namespace_check CHECK (((char_length(namespace) >= 1) AND (char_length(namespace) <= 64))),
  CONSTRAINT cache_entries_prompt_digest_check CHECK ((octet_length(prompt_digest) = 32)),
  CONSTRAINT cache_entries_tokens_check CHECK ((tokens >= 0))
);
CREATE INDEX cache_entries_expired ON public.cache_entries USING btree (environment_id, expires_at);
CREATE INDEX cache_entries_newest_first ON public.cache_entries USING btree (environment_id, created_at DESC, id DESC);
CREATE INDEX cache_entries_past ON public.cache_entries USING btree (expires_at);
ALTER TABLE cache_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE cache_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON cache_entries FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON cache_entries FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON cache_entries TO service_app;
GRANT DELETE ON cache_entries TO service_directory;
GRANT UPDATE (id, prompt, response, tokens, bytes, embedding_model, embedding, signs, hits, created_at, expires_at, last_hit_at) ON cache_entries TO service_app;
GRANT SELECT (id, environment_id, expires_at) ON cache_entries TO service_directory;
GRANT UPDATE (expires_at) ON cache_entries TO service_directory;
CREATE TRIGGER count_added AFTER INSERT ON public.cache_entries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_cache_entries();
CREATE TRIGGER count_changed AFTER UPDATE ON public.cache_entries REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_cache_entries();
CREATE TRIGGER count_removed AFTER DELETE ON public.cache_entries REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_cache_entries();

CREATE TABLE chat_clicks (
  integration_id text COLLATE "C" NOT NULL,
  request_hash bytea NOT NULL,
  environment_id uuid NOT NULL,
  answer jsonb NOT NULL,
  at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  CONSTRAINT chat_clicks_pkey PRIMARY KEY (integration_id, request_hash),
  CONSTRAINT chat_clicks_request_hash_check CHECK ((octet_length(request_hash) = 32))
);
CREATE INDEX chat_clicks_by_time ON public.chat_clicks USING btree (at);
CREATE INDEX chat_clicks_of_environment ON public.chat_clicks USING btree (environment_id);
ALTER TABLE chat_clicks ENABLE ROW LEVEL SECURITY;
ALTER TABLE chat_clicks FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON chat_clicks FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON chat_clicks FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON chat_clicks TO service_app;
GRANT DELETE ON chat_clicks TO service_directory;
GRANT SELECT (integration_id, request_hash, at) ON chat_clicks TO service_directory;
GRANT UPDATE (at) ON chat_clicks TO service_directory;

CREATE TABLE chat_link_codes (
  integration_id text COLLATE "C" NOT NULL,
  chat_user_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  chat_user_name text NOT NULL,
  code_hash bytea NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT chat_link_codes_pkey PRIMARY KEY (integration_id, chat_user_id),
  CONSTRAINT chat_link_codes_chat_user_id_check CHECK (((char_length(chat_user_id) >= 1) AND (char_length(chat_user_id) <= 100))),
  CONSTRAINT chat_link_codes_chat_user_name_check CHECK ((char_length(chat_user_name) <= 200)),
  CONSTRAINT chat_link_codes_code_hash_check CHECK ((octet_length(code_hash) = 32))
);
CREATE INDEX chat_link_codes_by_expiry ON public.chat_link_codes USING btree (expires_at);
CREATE UNIQUE INDEX chat_link_codes_by_hash ON public.chat_link_codes USING btree (environment_id, code_hash);
ALTER TABLE chat_link_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE chat_link_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON chat_link_codes FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON chat_link_codes FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON chat_link_codes TO service_app;
GRANT DELETE ON chat_link_codes TO service_directory;
GRANT UPDATE (chat_user_name, code_hash, expires_at) ON chat_link_codes TO service_app;
GRANT SELECT (integration_id, chat_user_id, expires_at) ON chat_link_codes TO service_directory;
GRANT UPDATE (expires_at) ON chat_link_codes TO service_directory;

CREATE TABLE chat_links (
  integration_id text COLLATE "C" NOT NULL,
  chat_user_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  chat_user_name text NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  linked_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT chat_links_pkey PRIMARY KEY (integration_id, chat_user_id),
  CONSTRAINT chat_links_chat_user_id_check CHECK (((char_length(chat_user_id) >= 1) AND (char_length(chat_user_id) <= 100))),
  CONSTRAINT chat_links_chat_user_name_check CHECK ((char_length(chat_user_name) <= 200))
);
CREATE INDEX chat_links_of_environment ON public.chat_links USING btree (environment_id);
CREATE INDEX chat_links_of_user ON public.chat_links USING btree (user_id);
ALTER TABLE chat_links ENABLE ROW LEVEL SECURITY;
ALTER TABLE chat_links FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON chat_links FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON chat_links TO service_app;
GRANT UPDATE (chat_user_name) ON chat_links TO service_app;

CREATE TABLE chat_posts (
  approval_id text COLLATE "C" NOT NULL,
  integration_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  status text NOT NULL,
  error text,
  at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT chat_posts_pkey PRIMARY KEY (approval_id, integration_id),
  CONSTRAINT chat_posts_check CHECK (((status = 'refused'::text) = (error IS NOT NULL))),
  CONSTRAINT chat_posts_error_check CHECK ((char_length(error) <= 500)),
  CONSTRAINT chat_posts_status_check CHECK ((status = ANY (ARRAY['posted'::text, 'refused'::text])))
);
CREATE INDEX chat_posts_of_environment ON public.chat_posts USING btree (environment_id);
ALTER TABLE chat_posts ENABLE ROW LEVEL SECURITY;
ALTER TABLE chat_posts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON chat_posts FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON chat_posts TO service_app;
CREATE TRIGGER count_facts_of_insert AFTER INSERT ON public.chat_posts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_chat_posts();

CREATE TABLE daily_usage (
  environment_id uuid NOT NULL,
  day date NOT NULL,
  allowance text NOT NULL,
  shard smallint NOT NULL,
  workspace_id uuid NOT NULL,
  used bigint NOT NULL,
  CONSTRAINT daily_usage_pkey PRIMARY KEY (environment_id, day, allowance, shard),
  CONSTRAINT daily_usage_allowance_check CHECK ((allowance = ANY (ARRAY['executions'::text, 'messages'::text, 'egress'::text, 'memory_processing'::text, 'notification_emails'::text]))),
  CONSTRAINT daily_usage_shard_check CHECK ((shard >= 0))
);
CREATE INDEX daily_usage_of_workspace ON public.daily_usage USING btree (workspace_id, day);
ALTER TABLE daily_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE daily_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON daily_usage FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON daily_usage FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON daily_usage TO service_app;
GRANT SELECT ON daily_usage TO service_directory;
GRANT UPDATE (used) ON daily_usage TO service_app;

CREATE TABLE database_epochs (
  id integer NOT NULL,
  system_identifier bigint NOT NULL,
  timeline integer NOT NULL,
  reason text NOT NULL,
  recovery text NOT NULL,
  first_seen timestamp(3) with time zone DEFAULT now() NOT NULL,
  released_at timestamp(3) with time zone,
  CONSTRAINT database_epochs_pkey PRIMARY KEY (id),
  CONSTRAINT database_epochs_check CHECK (((reason = 'first'::text) = (recovery = 'none'::text))),
  CONSTRAINT database_epochs_check1 CHECK (((recovery = 'released'::text) = (released_at IS NOT NULL))),
  CONSTRAINT database_epochs_reason_check CHECK ((reason = ANY (ARRAY['first'::text, 'timeline'::text, 'system_identifier'::text, 'log_position'::text, 'operator'::text]))),
  CONSTRAINT database_epochs_recovery_check CHECK ((recovery = ANY (ARRAY['none'::text, 'note'::text, 'open'::text, 'released'::text])))
);
ALTER TABLE database_epochs ENABLE ROW LEVEL SECURITY;
ALTER TABLE database_epochs FORCE ROW LEVEL SECURITY;
CREATE POLICY installation_wide ON database_epochs FOR ALL TO PUBLIC USING (true) WITH CHECK (true);
GRANT SELECT ON database_epochs TO service_app;
GRANT INSERT, SELECT ON database_epochs TO service_directory;
GRANT UPDATE (recovery, released_at) ON database_epochs TO service_directory;

CREATE TABLE dead_letter_jobs (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  kind text NOT NULL,
  filter jsonb NOT NULL,
  requested_by jsonb NOT NULL,
  api_key_id text,
  publishes_while_halted boolean NOT NULL,
  status text DEFAULT 'running'::text NOT NULL,
  reason jsonb,
  total integer,
  done integer DEFAULT 0 NOT NULL,
  failed integer DEFAULT 0 NOT NULL,
  after_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  page_ids text[] DEFAULT '{}'::text[] NOT NULL,
  looked_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  ended_at timestamp(3) with time zone,
  subscription_id text COLLATE "C",
  CONSTRAINT dead_letter_jobs_pkey PRIMARY KEY (id),
  CONSTRAINT dead_letter_jobs_check CHECK (((status = ANY (ARRAY['completed'::text, 'failed'::text, 'cancelled'::text])) = (ended_at IS NOT NULL))),
  CONSTRAINT dead_letter_jobs_done_check CHECK ((done >= 0)),
  CONSTRAINT dead_letter_jobs_failed_check CHECK ((failed >= 0)),
  CONSTRAINT dead_letter_jobs_filter_check CHECK ((jsonb_typeof(filter) = 'object'::text)),
  CONSTRAINT dead_letter_jobs_kind_check CHECK ((kind = ANY (ARRAY['retry'::text, 'clear'::text, 'recover'::text]))),
  CONSTRAINT dead_letter_jobs_of_subscriptions CHECK (((kind = 'recover'::text) = (subscription_id IS NOT NULL))),
  CONSTRAINT dead_letter_jobs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'paused'::text, 'completed'::text, 'failed'::text, 'cancelled'::text]))),
  CONSTRAINT dead_letter_jobs_total_check CHECK ((total >= 0))
);
CREATE INDEX dead_letter_jobs_newest_first ON public.dead_letter_jobs USING btree (environment_id, created_at DESC, id DESC);
CREATE INDEX dead_letter_jobs_of_subscription ON public.dead_letter_jobs USING btree (subscription_id, created_at DESC, id DESC) WHERE (subscription_id IS NOT NULL);
CREATE UNIQUE INDEX dead_letter_jobs_one_recovery ON public.dead_letter_jobs USING btree (subscription_id) WHERE ((ended_at IS NULL) AND (subscription_id IS NOT NULL));
CREATE INDEX dead_letter_jobs_open ON public.dead_letter_jobs USING btree (looked_at) WHERE (ended_at IS NULL);
ALTER TABLE dead_letter_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE dead_letter_jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON dead_letter_jobs FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON dead_letter_jobs TO service_app;
GRANT UPDATE (status, reason, total, done, failed, after_id, page_ids, looked_at, updated_at, ended_at) ON dead_letter_jobs TO service_app;
CREATE TRIGGER check_move BEFORE UPDATE ON public.dead_letter_jobs FOR EACH ROW EXECUTE FUNCTION check_dead_letter_job_move();
CREATE TRIGGER keep_start_delete AFTER DELETE ON public.dead_letter_jobs FOR EACH ROW WHEN ((
        CASE
            WHEN (old.ended_at IS NULL) THEN (old.looked_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_dead_letter_jobs();
CREATE TRIGGER keep_start_insert AFTER INSERT ON public.dead_letter_jobs FOR EACH ROW WHEN ((
        CASE
            WHEN (new.ended_at IS NULL) THEN (new.looked_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_dead_letter_jobs();
CREATE TRIGGER keep_start_update AFTER UPDATE ON public.dead_letter_jobs FOR EACH ROW WHEN ((
        CASE
            WHEN (old.ended_at IS NULL) THEN (old.looked_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END IS DISTINCT FROM
        CASE
            WHEN (new.ended_at IS NULL) THEN (new.looked_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END)) EXECUTE FUNCTION keep_start_of_dead_letter_jobs();

CREATE TABLE dead_letters (
  message_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  retention text NOT NULL,
  reason text NOT NULL,
  url text NOT NULL,
  url_group_id text COLLATE "C",
  schedule_id text COLLATE "C",
  response_status integer,
  label text,
  last_attempt_at timestamp(3) with time zone,
  failed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT dead_letters_pkey PRIMARY KEY (message_id),
  CONSTRAINT dead_letters_reason_check CHECK ((reason = ANY (ARRAY['retries_exhausted'::text, 'gone'::text, 'not_retryable'::text, 'destination_blocked'::text]))),
  CONSTRAINT dead_letters_response_status_check CHECK (((response_status >= 100) AND (response_status <= 599)))
);
CREATE INDEX dead_letters_by_age ON public.dead_letters USING btree (retention, failed_at);
CREATE INDEX dead_letters_by_group ON public.dead_letters USING btree (url_group_id, failed_at DESC, message_id DESC) WHERE (url_group_id IS NOT NULL);
CREATE INDEX dead_letters_by_label ON public.dead_letters USING btree (environment_id, label, failed_at DESC, message_id DESC) WHERE (label IS NOT NULL);
CREATE INDEX dead_letters_by_reason ON public.dead_letters USING btree (environment_id, reason, failed_at DESC, message_id DESC);
CREATE INDEX dead_letters_by_schedule ON public.dead_letters USING btree (schedule_id, failed_at DESC, message_id DESC) WHERE (schedule_id IS NOT NULL);
CREATE INDEX dead_letters_by_status ON public.dead_letters USING btree (environment_id, response_status, failed_at DESC, message_id DESC);
CREATE INDEX dead_letters_by_url ON public.dead_letters USING hash (url);
CREATE INDEX dead_letters_newest_first ON public.dead_letters USING btree (environment_id, failed_at DESC, message_id DESC);
CREATE INDEX dead_letters_pages ON public.dead_letters USING btree (environment_id, message_id);
ALTER TABLE dead_letters ENABLE ROW LEVEL SECURITY;
ALTER TABLE dead_letters FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON dead_letters FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON dead_letters FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON dead_letters TO service_app;
GRANT DELETE ON dead_letters TO service_directory;
GRANT SELECT (message_id, retention, failed_at) ON dead_letters TO service_directory;

CREATE TABLE effect_dependencies (
  invocation_id text COLLATE "C" NOT NULL,
  depends_on text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  "position" integer NOT NULL,
  CONSTRAINT effect_dependencies_pkey PRIMARY KEY (invocation_id, depends_on),
  CONSTRAINT effect_dependencies_invocation_id_position_key UNIQUE (invocation_id, "position"),
  CONSTRAINT effect_dependencies_position_check CHECK ((("position" >= 1) AND ("position" <= 20)))
);
CREATE INDEX effect_dependencies_by_depends_on ON public.effect_dependencies USING btree (depends_on);
ALTER TABLE effect_dependencies ENABLE ROW LEVEL SECURITY;
ALTER TABLE effect_dependencies FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON effect_dependencies FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON effect_dependencies TO service_app;
CREATE TRIGGER immutable BEFORE UPDATE ON public.effect_dependencies FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE effects (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  invocation_id text COLLATE "C" NOT NULL,
  operation_key text NOT NULL,
  action_name text NOT NULL,
  version_id text COLLATE "C" NOT NULL,
  adapter_type text NOT NULL,
  adapter_version text NOT NULL,
  capabilities jsonb NOT NULL,
  target jsonb NOT NULL,
  request jsonb NOT NULL,
  request_digest text NOT NULL,
  impact jsonb NOT NULL,
  binding_digest text,
  preview_id text COLLATE "C",
  approval_id text,
  compensates text COLLATE "C",
  stage text NOT NULL,
  outcome text DEFAULT 'not_dispatched'::text NOT NULL,
  outcome_source text,
  partial_effect text DEFAULT 'none'::text NOT NULL,
  rejection_reason text,
  provider_reference text,
  reconcile_attempts integer DEFAULT 0 NOT NULL,
  reconcile_next_at timestamp(3) with time zone,
  reconcile_exhausted boolean DEFAULT false NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  first_dispatched_at timestamp(3) with time zone,
  outcome_at timestamp(3) with time zone,
  unknown_at timestamp(3) with time zone,
  known_at timestamp(3) with time zone,
  grade text GENERATED ALWAYS AS (
CASE
    WHEN ((stage = 'rejected'::text) AND (rejection_reason = 'approval_denied'::text)) THEN 'denied'::text
    WHEN (stage = 'rejected'::text) THEN 'refused'::text
    WHEN ((outcome = 'succeeded'::text) AND (outcome_source = 'provider_lookup'::text)) THEN 'confirmed'::text
    WHEN (outcome = 'succeeded'::text) THEN 'acknowledged'::text
    WHEN (outcome = 'failed'::text) THEN 'failed'::text
    WHEN (outcome = 'unknown'::text) THEN 'unknown'::text
    ELSE 'pending'::text
END) STORED NOT NULL,
  verification text GENERATED ALWAYS AS (
CASE
    WHEN (outcome = 'not_dispatched'::text) THEN 'not_dispatched'::text
    WHEN (outcome_source = 'manual_resolution'::text) THEN 'manual'::text
    WHEN ((outcome = 'failed'::text) AND (outcome_source = 'system'::text)) THEN 'not_dispatched'::text
    WHEN (outcome_source = 'provider_lookup'::text) THEN 'provider'::text
    WHEN ((outcome = 'failed'::text) AND (outcome_source = 'provider_response'::text)) THEN 'provider'::text
    ELSE 'unverified'::text
END) STORED NOT NULL,
  CONSTRAINT effects_pkey PRIMARY KEY (id),
  CONSTRAINT effects_invocation_id_key UNIQUE (invocation_id),
  CONSTRAINT effects_check CHECK (((stage = 'rejected'::text) = (rejection_reason IS NOT NULL))),
  CONSTRAINT effects_check1 CHECK (((stage <> ALL (ARRAY['awaiting_approval'::text, 'ready'::text, 'rejected'::text])) OR (outcome = 'not_dispatched'::text))),
  CONSTRAINT effects_check2 CHECK (((stage <> 'dispatching'::text) OR (outcome = 'pending'::text))),
  CONSTRAINT effects_check3 CHECK (((stage <> 'reconciling'::text) OR (outcome = ANY (ARRAY['unknown'::text, 'pending'::text])))),
  CONSTRAINT effects_check4 CHECK (((stage <> 'settled'::text) OR (outcome = ANY (ARRAY['succeeded'::text, 'failed'::text])))),
  CONSTRAINT effects_check5 CHECK (((outcome <> ALL (ARRAY['succeeded'::text, 'failed'::text])) OR ((outcome_source IS NOT NULL) AND (outcome_at IS NOT NULL)))),
  CONSTRAINT effects_of_a_preview_are_bound CHECK (((preview_id IS NULL) OR (binding_digest IS NOT NULL))),
  CONSTRAINT effects_outcome_check CHECK ((outcome = ANY (ARRAY['not_dispatched'::text, 'pending'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text]))),
  CONSTRAINT effects_outcome_source_check CHECK ((outcome_source = ANY (ARRAY['system'::text, 'provider_response'::text, 'provider_lookup'::text, 'manual_resolution'::text]))),
  CONSTRAINT effects_partial_effect_check CHECK ((partial_effect = ANY (ARRAY['none'::text, 'possible'::text, 'confirmed'::text]))),
  CONSTRAINT effects_reconcile_attempts_check CHECK ((reconcile_attempts >= 0)),
  CONSTRAINT effects_stage_check CHECK ((stage = ANY (ARRAY['awaiting_approval'::text, 'ready'::text, 'dispatching'::text, 'reconciling'::text, 'settled'::text, 'rejected'::text])))
);
CREATE INDEX effects_by_grade ON public.effects USING btree (environment_id, grade, created_at DESC, id DESC);
CREATE INDEX effects_compensating ON public.effects USING btree (compensates) WHERE (compensates IS NOT NULL);
CREATE INDEX effects_newest_first ON public.effects USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE effects ENABLE ROW LEVEL SECURITY;
ALTER TABLE effects FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON effects FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON effects FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT, UPDATE ON effects TO service_app;
GRANT SELECT (id, preview_id, reconcile_next_at, updated_at) ON effects TO service_directory;
CREATE CONSTRAINT TRIGGER agree_with_reservations AFTER UPDATE OF stage, outcome, partial_effect ON public.effects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.stage <> ALL (ARRAY['awaiting_approval'::text, 'ready'::text])) AND (((old.stage IS DISTINCT FROM new.stage) OR (old.outcome IS DISTINCT FROM new.outcome)) OR (old.partial_effect IS DISTINCT FROM new.partial_effect)))) EXECUTE FUNCTION agree_with_reservations();
CREATE TRIGGER check_approval BEFORE UPDATE ON public.effects FOR EACH ROW WHEN (((old.approval_id IS NOT NULL) AND (old.stage = 'awaiting_approval'::text) AND (new.stage = 'ready'::text))) EXECUTE FUNCTION check_approval_of_effect();
CREATE TRIGGER check_move BEFORE INSERT OR UPDATE ON public.effects FOR EACH ROW EXECUTE FUNCTION check_effect_move();
CREATE TRIGGER count_facts_of_insert AFTER INSERT ON public.effects REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_effects();
CREATE TRIGGER count_facts_of_update AFTER UPDATE ON public.effects REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_effects();
CREATE TRIGGER keep_ambiguous_unknown BEFORE UPDATE ON public.effects FOR EACH ROW WHEN (((old.outcome = 'unknown'::text) AND (new.outcome <> 'unknown'::text) AND (new.outcome_source IS DISTINCT FROM 'manual_resolution'::text))) EXECUTE FUNCTION keep_ambiguous_unknown();
CREATE TRIGGER keep_binding BEFORE UPDATE ON public.effects FOR EACH ROW WHEN ((((old.preview_id IS NOT NULL) AND (new.preview_id IS DISTINCT FROM old.preview_id)) OR ((old.binding_digest IS NOT NULL) AND (new.binding_digest IS DISTINCT FROM old.binding_digest)) OR ((old.approval_id IS NOT NULL) AND (new.approval_id IS DISTINCT FROM old.approval_id)))) EXECUTE FUNCTION keep_binding();
CREATE TRIGGER keep_start_delete AFTER DELETE ON public.effects FOR EACH ROW WHEN ((
        CASE
            WHEN ((old.stage = 'reconciling'::text) AND (NOT old.reconcile_exhausted)) THEN (COALESCE(old.reconcile_next_at, old.updated_at) + '00:02:00'::interval)
            WHEN (old.stage = 'settled'::text) THEN (old.reconcile_next_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_effects();
CREATE TRIGGER keep_start_insert AFTER INSERT ON public.effects FOR EACH ROW WHEN ((
        CASE
            WHEN ((new.stage = 'reconciling'::text) AND (NOT new.reconcile_exhausted)) THEN (COALESCE(new.reconcile_next_at, new.updated_at) + '00:02:00'::interval)
            WHEN (new.stage = 'settled'::text) THEN (new.reconcile_next_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_effects();
CREATE TRIGGER keep_start_update AFTER UPDATE ON public.effects FOR EACH ROW WHEN ((
        CASE
            WHEN ((old.stage = 'reconciling'::text) AND (NOT old.reconcile_exhausted)) THEN (COALESCE(old.reconcile_next_at, old.updated_at) + '00:02:00'::interval)
            WHEN (old.stage = 'settled'::text) THEN (old.reconcile_next_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END IS DISTINCT FROM
        CASE
            WHEN ((new.stage = 'reconciling'::text) AND (NOT new.reconcile_exhausted)) THEN (COALESCE(new.reconcile_next_at, new.updated_at) + '00:02:00'::interval)
            WHEN (new.stage = 'settled'::text) THEN (new.reconcile_next_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END)) EXECUTE FUNCTION keep_start_of_effects();
CREATE TRIGGER leave_effect_exhausted AFTER UPDATE OF reconcile_exhausted ON public.effects FOR EACH ROW WHEN ((new.reconcile_exhausted AND (NOT old.reconcile_exhausted))) EXECUTE FUNCTION leave_event_of_effects('effect.exhausted', 'always');
CREATE TRIGGER leave_effect_resolved AFTER UPDATE OF stage, outcome ON public.effects FOR EACH ROW WHEN (((new.stage = 'settled'::text) AND ((new.stage IS DISTINCT FROM old.stage) OR (new.outcome IS DISTINCT FROM old.outcome)) AND (new.outcome_source = 'manual_resolution'::text))) EXECUTE FUNCTION leave_event_of_effects('effect.resolved', 'heard');
CREATE TRIGGER leave_effect_settled AFTER UPDATE OF stage, outcome ON public.effects FOR EACH ROW WHEN (((new.stage = 'settled'::text) AND ((new.stage IS DISTINCT FROM old.stage) OR (new.outcome IS DISTINCT FROM old.outcome)))) EXECUTE FUNCTION leave_event_of_effects('effect.settled', 'heard');
CREATE TRIGGER leave_effect_unknown AFTER UPDATE OF outcome ON public.effects FOR EACH ROW WHEN (((new.outcome = 'unknown'::text) AND (old.outcome <> 'unknown'::text))) EXECUTE FUNCTION leave_event_of_effects('effect.unknown', 'always');
CREATE CONSTRAINT TRIGGER require_effect_exhausted AFTER UPDATE OF reconcile_exhausted ON public.effects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.reconcile_exhausted AND (NOT old.reconcile_exhausted))) EXECUTE FUNCTION require_event('effect.exhausted', 'always');
CREATE CONSTRAINT TRIGGER require_effect_resolved AFTER UPDATE OF stage, outcome ON public.effects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.stage = 'settled'::text) AND ((new.stage IS DISTINCT FROM old.stage) OR (new.outcome IS DISTINCT FROM old.outcome)) AND (new.outcome_source = 'manual_resolution'::text))) EXECUTE FUNCTION require_event('effect.resolved', 'heard');
CREATE CONSTRAINT TRIGGER require_effect_settled AFTER UPDATE OF stage, outcome ON public.effects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.stage = 'settled'::text) AND ((new.stage IS DISTINCT FROM old.stage) OR (new.outcome IS DISTINCT FROM old.outcome)))) EXECUTE FUNCTION require_event('effect.settled', 'heard');
CREATE CONSTRAINT TRIGGER require_effect_unknown AFTER UPDATE OF outcome ON public.effects DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.outcome = 'unknown'::text) AND (old.outcome <> 'unknown'::text))) EXECUTE FUNCTION require_event('effect.unknown', 'always');
CREATE TRIGGER stays BEFORE DELETE ON public.effects FOR EACH ROW WHEN ((NOT is_archived(old.invocation_id))) EXECUTE FUNCTION check_effect_move();

CREATE TABLE environments (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  kind text NOT NULL,
  protected boolean NOT NULL,
  approval_default text,
  halted_at timestamp(3) with time zone,
  halted_reason text,
  halted_by jsonb,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  halts tstzmultirange DEFAULT '{}'::tstzmultirange NOT NULL,
  require_second_factor boolean DEFAULT false NOT NULL,
  CONSTRAINT environments_pkey PRIMARY KEY (id),
  CONSTRAINT environments_id_workspace_id_key UNIQUE (id, workspace_id),
  CONSTRAINT environments_workspace_id_name_key UNIQUE (workspace_id, name),
  CONSTRAINT environments_approval_default_check CHECK ((approval_default = ANY (ARRAY['allow'::text, 'require_approval'::text]))),
  CONSTRAINT environments_halt CHECK ((((halted_at IS NULL) = (halted_reason IS NULL)) AND ((halted_at IS NULL) = (halted_by IS NULL)))),
  CONSTRAINT environments_kind_check CHECK ((kind = ANY (ARRAY['development'::text, 'staging'::text, 'production'::text]))),
  CONSTRAINT environments_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);
ALTER TABLE environments ENABLE ROW LEVEL SECURITY;
ALTER TABLE environments FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON environments FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON environments FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON environments TO service_app;
GRANT UPDATE (name, protected, approval_default, halted_at, halted_reason, halted_by, halts, require_second_factor) ON environments TO service_app;
GRANT SELECT (id, workspace_id, name, kind, protected, halted_at, created_at, require_second_factor) ON environments TO service_directory;
CREATE TRIGGER leave_environment_halted AFTER UPDATE OF halted_at ON public.environments FOR EACH ROW WHEN (((old.halted_at IS NULL) AND (new.halted_at IS NOT NULL))) EXECUTE FUNCTION leave_event_of_environments('environment.halted');
CREATE TRIGGER leave_environment_resumed AFTER UPDATE OF halted_at ON public.environments FOR EACH ROW WHEN (((old.halted_at IS NOT NULL) AND (new.halted_at IS NULL))) EXECUTE FUNCTION leave_event_of_environments('environment.resumed');

CREATE TABLE event_subscription_secrets (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  subscription_id text COLLATE "C" NOT NULL,
  master_key_version integer NOT NULL,
  wrapped_data_key bytea NOT NULL,
  sealed_value bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  retires_at timestamp(3) with time zone,
  workspace_keys_until timestamp(3) with time zone,
  CONSTRAINT event_subscription_secrets_pkey PRIMARY KEY (id),
  CONSTRAINT event_subscription_secrets_master_key_version_check CHECK ((master_key_version >= 1))
);
CREATE INDEX event_subscription_secrets_by_master_key ON public.event_subscription_secrets USING btree (environment_id, master_key_version);
CREATE UNIQUE INDEX event_subscription_secrets_newest ON public.event_subscription_secrets USING btree (subscription_id) WHERE (retires_at IS NULL);
CREATE INDEX event_subscription_secrets_of ON public.event_subscription_secrets USING btree (subscription_id);
ALTER TABLE event_subscription_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_subscription_secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON event_subscription_secrets FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON event_subscription_secrets FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON event_subscription_secrets TO service_app;
GRANT DELETE ON event_subscription_secrets TO service_directory;
GRANT UPDATE (master_key_version, wrapped_data_key, retires_at) ON event_subscription_secrets TO service_app;
GRANT SELECT (id, subscription_id) ON event_subscription_secrets TO service_directory;

CREATE TABLE event_subscriptions (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  topic_id text COLLATE "C" NOT NULL,
  of_service boolean NOT NULL,
  url text NOT NULL,
  event_types text[] NOT NULL,
  headers jsonb,
  enabled boolean DEFAULT true NOT NULL,
  master_key_version integer,
  wrapped_data_key bytea,
  sealed_value bytea,
  failing_since timestamp(3) with time zone,
  last_failure_at timestamp(3) with time zone,
  clock_runs boolean DEFAULT false NOT NULL,
  disabled_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp(3) with time zone,
  enabled_at timestamp(3) with time zone,
  CONSTRAINT event_subscriptions_pkey PRIMARY KEY (id),
  CONSTRAINT event_subscriptions_check CHECK ((num_nonnulls(master_key_version, wrapped_data_key, sealed_value) = ANY (ARRAY[0, 3]))),
  CONSTRAINT event_subscriptions_check1 CHECK ((((failing_since IS NULL) = (last_failure_at IS NULL)) AND ((failing_since IS NOT NULL) OR (NOT clock_runs)))),
  CONSTRAINT event_subscriptions_check2 CHECK (((disabled_at IS NULL) OR (NOT enabled))),
  CONSTRAINT event_subscriptions_event_types_check CHECK (((cardinality(event_types) >= 1) AND (cardinality(event_types) <= 50))),
  CONSTRAINT event_subscriptions_master_key_version_check CHECK ((master_key_version >= 1)),
  CONSTRAINT event_subscriptions_url_check CHECK ((char_length(url) <= 2048))
);
CREATE INDEX event_subscriptions_by_master_key ON public.event_subscriptions USING btree (environment_id, master_key_version) WHERE (master_key_version IS NOT NULL);
CREATE INDEX event_subscriptions_deleted ON public.event_subscriptions USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX event_subscriptions_newest_first ON public.event_subscriptions USING btree (topic_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX event_subscriptions_of_service ON public.event_subscriptions USING btree (environment_id) WHERE (of_service AND enabled AND (deleted_at IS NULL));
CREATE INDEX event_subscriptions_of_topic ON public.event_subscriptions USING btree (topic_id, id);
ALTER TABLE event_subscriptions ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_subscriptions FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON event_subscriptions FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON event_subscriptions FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON event_subscriptions TO service_app;
GRANT DELETE ON event_subscriptions TO service_directory;
GRANT UPDATE (url, event_types, headers, enabled, master_key_version, wrapped_data_key, sealed_value, failing_since, last_failure_at, clock_runs, disabled_at, updated_at, deleted_at, enabled_at) ON event_subscriptions TO service_app;
GRANT SELECT (id, topic_id, deleted_at) ON event_subscriptions TO service_directory;
GRANT UPDATE (deleted_at) ON event_subscriptions TO service_directory;
CREATE TRIGGER forget_failures BEFORE UPDATE OF url, enabled ON public.event_subscriptions FOR EACH ROW WHEN (((new.enabled AND (NOT old.enabled)) OR ((new.url <> old.url) AND new.enabled))) EXECUTE FUNCTION forget_failures();
CREATE TRIGGER leave_subscription_disabled AFTER UPDATE OF disabled_at ON public.event_subscriptions FOR EACH ROW WHEN (((new.disabled_at IS NOT NULL) AND (old.disabled_at IS NULL))) EXECUTE FUNCTION leave_event_of_event_subscriptions('subscription.disabled', 'always');

CREATE TABLE events (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  topic_id text COLLATE "C" NOT NULL,
  public_id text COLLATE "C" NOT NULL,
  type text NOT NULL,
  data json NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  published_by jsonb NOT NULL,
  retention text NOT NULL,
  status text DEFAULT 'fanning_out'::text NOT NULL,
  deliveries integer DEFAULT 0 NOT NULL,
  error jsonb,
  after_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  fanned_out_at timestamp(3) with time zone,
  unmade integer DEFAULT 0 NOT NULL,
  trace_context text DEFAULT NULLIF(current_setting('app.trace_context'::text, true), ''::text),
  CONSTRAINT events_pkey PRIMARY KEY (id),
  CONSTRAINT events_check CHECK (((status = 'fanning_out'::text) = (fanned_out_at IS NULL))),
  CONSTRAINT events_check1 CHECK (((status = 'failed'::text) = (error IS NOT NULL))),
  CONSTRAINT events_deliveries_check CHECK ((deliveries >= 0)),
  CONSTRAINT events_public_id_check CHECK (((char_length(public_id) >= 1) AND (char_length(public_id) <= 128))),
  CONSTRAINT events_retention_check CHECK ((retention = ANY (ARRAY['week'::text, 'month'::text, 'quarter'::text]))),
  CONSTRAINT events_status_check CHECK ((status = ANY (ARRAY['fanning_out'::text, 'fanned_out'::text, 'failed'::text]))),
  CONSTRAINT events_trace_context_check CHECK ((trace_context ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$'::text)),
  CONSTRAINT events_type_check CHECK ((type ~ '^[a-zA-Z0-9_.-]{1,128}$'::text)),
  CONSTRAINT events_unmade_check CHECK ((unmade >= 0))
);
CREATE INDEX events_by_age ON public.events USING btree (retention, created_at);
CREATE INDEX events_newest_first ON public.events USING btree (environment_id, created_at DESC, id DESC);
CREATE INDEX events_of_topic ON public.events USING btree (topic_id, created_at DESC, id DESC);
CREATE INDEX events_of_type ON public.events USING btree (environment_id, type, created_at DESC, id DESC);
CREATE UNIQUE INDEX events_public_id ON public.events USING btree (environment_id, public_id);
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON events FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON events FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON events TO service_app;
GRANT DELETE ON events TO service_directory;
GRANT UPDATE (status, deliveries, error, after_id, fanned_out_at, unmade) ON events TO service_app;
GRANT SELECT (id, environment_id, topic_id, retention, created_at, fanned_out_at) ON events TO service_directory;
CREATE TRIGGER check_move BEFORE UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION check_event_move();
CREATE TRIGGER keep_start_delete AFTER DELETE ON public.events FOR EACH ROW WHEN ((
        CASE
            WHEN (old.fanned_out_at IS NULL) THEN (old.created_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_events();
CREATE TRIGGER keep_start_insert AFTER INSERT ON public.events FOR EACH ROW WHEN ((
        CASE
            WHEN (new.fanned_out_at IS NULL) THEN (new.created_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_events();
CREATE TRIGGER keep_start_update AFTER UPDATE ON public.events FOR EACH ROW WHEN ((
        CASE
            WHEN (old.fanned_out_at IS NULL) THEN (old.created_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS DISTINCT FROM
        CASE
            WHEN (new.fanned_out_at IS NULL) THEN (new.created_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END)) EXECUTE FUNCTION keep_start_of_events();

CREATE TABLE evidence (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  effect_id text COLLATE "C" NOT NULL,
  source text NOT NULL,
  observed_at timestamp(3) with time zone NOT NULL,
  implied_outcome text,
  provider_ids jsonb DEFAULT '{}'::jsonb NOT NULL,
  summary text NOT NULL,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  actor_type text NOT NULL,
  actor_id text,
  recorded_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT evidence_pkey PRIMARY KEY (id),
  CONSTRAINT evidence_implied_outcome_check CHECK ((implied_outcome = ANY (ARRAY['not_dispatched'::text, 'pending'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text]))),
  CONSTRAINT evidence_source_check CHECK ((source = ANY (ARRAY['preview'::text, 'provider_response'::text, 'provider_lookup'::text, 'system'::text, 'operator_note'::text, 'manual_resolution'::text])))
);
CREATE INDEX evidence_by_effect ON public.evidence USING btree (effect_id);
ALTER TABLE evidence ENABLE ROW LEVEL SECURITY;
ALTER TABLE evidence FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON evidence FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON evidence TO service_app;
CREATE TRIGGER append_only BEFORE UPDATE ON public.evidence FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain AFTER INSERT ON public.evidence FOR EACH ROW EXECUTE FUNCTION chain_evidence();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.evidence FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER record_time BEFORE INSERT ON public.evidence FOR EACH ROW EXECUTE FUNCTION record_time();
CREATE TRIGGER stays BEFORE DELETE ON public.evidence FOR EACH ROW WHEN ((NOT is_archived_effect(old.effect_id))) EXECUTE FUNCTION refuse_change();

CREATE TABLE file_holds (
  file_id text COLLATE "C" NOT NULL,
  invocation_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  CONSTRAINT file_holds_pkey PRIMARY KEY (file_id, invocation_id)
);
CREATE INDEX file_holds_of_invocation ON public.file_holds USING btree (invocation_id);
ALTER TABLE file_holds ENABLE ROW LEVEL SECURITY;
ALTER TABLE file_holds FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON file_holds FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON file_holds TO service_app;

CREATE TABLE files (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  upload text NOT NULL,
  status text NOT NULL,
  filename text NOT NULL,
  content_type text NOT NULL,
  size bigint NOT NULL,
  sha256 text COLLATE "C",
  purpose text,
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  created_by jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  confirmed_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone NOT NULL,
  due_at timestamp(3) with time zone,
  confirm_token uuid,
  confirming_until timestamp(3) with time zone,
  is_sent_to_store boolean DEFAULT false NOT NULL,
  CONSTRAINT files_pkey PRIMARY KEY (id),
  CONSTRAINT files_check CHECK (((status <> 'ready'::text) OR ((sha256 IS NOT NULL) AND (confirmed_at IS NOT NULL)))),
  CONSTRAINT files_check1 CHECK (((status <> 'pending'::text) OR ((confirmed_at IS NULL) AND (due_at IS NOT NULL)))),
  CONSTRAINT files_check2 CHECK (((confirm_token IS NULL) = (confirming_until IS NULL))),
  CONSTRAINT files_check3 CHECK (((upload = 'presigned'::text) OR (NOT is_sent_to_store))),
  CONSTRAINT files_content_type_check CHECK (((char_length(content_type) >= 1) AND (char_length(content_type) <= 255))),
  CONSTRAINT files_filename_check CHECK (((char_length(filename) >= 1) AND (char_length(filename) <= 255))),
  CONSTRAINT files_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  CONSTRAINT files_purpose_check CHECK (((char_length(purpose) >= 1) AND (char_length(purpose) <= 64))),
  CONSTRAINT files_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
  CONSTRAINT files_size_check CHECK (((size >= 0) AND (size <= '5368709120'::bigint))),
  CONSTRAINT files_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'ready'::text, 'deleted'::text]))),
  CONSTRAINT files_upload_check CHECK ((upload = ANY (ARRAY['direct'::text, 'presigned'::text])))
);
CREATE INDEX files_due ON public.files USING btree (id) INCLUDE (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX files_newest_first ON public.files USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE files ENABLE ROW LEVEL SECURITY;
ALTER TABLE files FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON files FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON files FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON files TO service_app;
GRANT UPDATE (status, size, sha256, purpose, metadata, confirmed_at, due_at, confirm_token, confirming_until) ON files TO service_app;
GRANT SELECT (id, environment_id, due_at) ON files TO service_directory;
CREATE TRIGGER check_change BEFORE DELETE OR UPDATE ON public.files FOR EACH ROW EXECUTE FUNCTION check_file_change();
CREATE TRIGGER count_storage AFTER INSERT OR DELETE OR UPDATE OF status, size ON public.files FOR EACH ROW EXECUTE FUNCTION count_storage();
CREATE TRIGGER keep_held BEFORE UPDATE OF status ON public.files FOR EACH ROW WHEN (((new.status = 'deleted'::text) AND (old.status = 'ready'::text))) EXECUTE FUNCTION keep_held_file();

CREATE TABLE governed_names (
  environment_id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  action_id text COLLATE "C" NOT NULL,
  left_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT governed_names_pkey PRIMARY KEY (environment_id, name)
);
ALTER TABLE governed_names ENABLE ROW LEVEL SECURITY;
ALTER TABLE governed_names FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON governed_names FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON governed_names TO service_app;

CREATE TABLE idempotency_claims (
  environment_id uuid NOT NULL,
  key text NOT NULL,
  request_digest text NOT NULL,
  state text DEFAULT 'in_progress'::text NOT NULL,
  holder uuid NOT NULL,
  lease_expires_at timestamp(3) with time zone NOT NULL,
  awaited boolean DEFAULT false NOT NULL,
  response_status integer,
  response_body text,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT idempotency_claims_pkey PRIMARY KEY (environment_id, key),
  CONSTRAINT idempotency_claims_check CHECK (((state = 'completed'::text) = (response_status IS NOT NULL))),
  CONSTRAINT idempotency_claims_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 255))),
  CONSTRAINT idempotency_claims_response_status_check CHECK (((response_status >= 200) AND (response_status <= 299))),
  CONSTRAINT idempotency_claims_state_check CHECK ((state = ANY (ARRAY['in_progress'::text, 'completed'::text])))
);
CREATE INDEX idempotency_claims_expiry ON public.idempotency_claims USING btree (expires_at);
ALTER TABLE idempotency_claims ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_claims FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON idempotency_claims FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON idempotency_claims FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON idempotency_claims TO service_app;
GRANT DELETE ON idempotency_claims TO service_directory;
GRANT SELECT (environment_id, key, expires_at) ON idempotency_claims TO service_directory;

CREATE TABLE impact_limit_crossings (
  limit_id text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  threshold smallint,
  environment_id uuid NOT NULL,
  used bigint NOT NULL,
  requested bigint,
  cap bigint NOT NULL,
  crossed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT impact_limit_crossings_limit_id_period_threshold_key UNIQUE NULLS NOT DISTINCT (limit_id, period, threshold),
  CONSTRAINT impact_limit_crossings_check CHECK (((requested IS NULL) = (threshold IS NOT NULL))),
  CONSTRAINT impact_limit_crossings_threshold_check CHECK (((threshold >= 1) AND (threshold <= 100)))
);
CREATE INDEX impact_limit_crossings_newest_first ON public.impact_limit_crossings USING btree (limit_id, crossed_at DESC);
ALTER TABLE impact_limit_crossings ENABLE ROW LEVEL SECURITY;
ALTER TABLE impact_limit_crossings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON impact_limit_crossings FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON impact_limit_crossings TO service_app;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.impact_limit_crossings FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER leave_impact_limit_exceeded AFTER INSERT ON public.impact_limit_crossings FOR EACH ROW WHEN ((new.threshold IS NULL)) EXECUTE FUNCTION leave_event_of_impact_limit_crossings('impact_limit.exceeded', 'always');
CREATE TRIGGER leave_impact_limit_threshold AFTER INSERT ON public.impact_limit_crossings FOR EACH ROW WHEN ((new.threshold IS NOT NULL)) EXECUTE FUNCTION leave_event_of_impact_limit_crossings('impact_limit.threshold', 'always');

CREATE TABLE impact_limit_periods (
  limit_id text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  reserved bigint DEFAULT 0 NOT NULL,
  settled bigint DEFAULT 0 NOT NULL,
  threshold_reached smallint DEFAULT 0 NOT NULL,
  CONSTRAINT impact_limit_periods_pkey PRIMARY KEY (limit_id, period),
  CONSTRAINT impact_limit_periods_period_check CHECK (((char_length(period) >= 1) AND (char_length(period) <= 64))),
  CONSTRAINT impact_limit_periods_reserved_check CHECK ((reserved >= 0)),
  CONSTRAINT impact_limit_periods_settled_check CHECK ((settled >= 0))
) WITH (fillfactor=50);
ALTER TABLE impact_limit_periods ENABLE ROW LEVEL SECURITY;
ALTER TABLE impact_limit_periods FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON impact_limit_periods FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON impact_limit_periods TO service_app;
GRANT UPDATE (reserved, settled, threshold_reached) ON impact_limit_periods TO service_app;
CREATE TRIGGER begins_at_zero AFTER INSERT ON public.impact_limit_periods FOR EACH ROW WHEN (((new.reserved <> 0) OR (new.settled <> 0) OR (new.threshold_reached <> 0))) EXECUTE FUNCTION refuse_counter_change();
CREATE TRIGGER only_by_reservations BEFORE DELETE OR UPDATE ON public.impact_limit_periods FOR EACH ROW WHEN ((pg_trigger_depth() = 0)) EXECUTE FUNCTION refuse_counter_change();

CREATE TABLE impact_limits (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  name text NOT NULL,
  dimension text NOT NULL,
  currency text,
  cap bigint NOT NULL,
  period text NOT NULL,
  timezone text NOT NULL,
  scope jsonb NOT NULL,
  thresholds smallint[] NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  archived_at timestamp(3) with time zone,
  CONSTRAINT impact_limits_pkey PRIMARY KEY (id),
  CONSTRAINT impact_limits_cap_check CHECK (((cap >= 0) AND (cap <= '9007199254740991'::bigint))),
  CONSTRAINT impact_limits_check CHECK (((dimension = 'money'::text) = (currency IS NOT NULL))),
  CONSTRAINT impact_limits_currency_check CHECK ((currency ~ '^[a-z]{3}$'::text)),
  CONSTRAINT impact_limits_dimension_check CHECK ((dimension ~ '^[a-z][a-z0-9_]{0,31}$'::text)),
  CONSTRAINT impact_limits_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT impact_limits_period_check CHECK ((period = ANY (ARRAY['per_effect'::text, 'hour'::text, 'day'::text, 'week'::text, 'month'::text, 'lifetime'::text]))),
  CONSTRAINT impact_limits_scope_check CHECK ((jsonb_typeof(scope) = 'object'::text)),
  CONSTRAINT impact_limits_thresholds_check CHECK (((cardinality(thresholds) <= 10) AND (1 <= ALL (thresholds)) AND (100 >= ALL (thresholds))))
);
CREATE UNIQUE INDEX impact_limits_live_name ON public.impact_limits USING btree (environment_id, name) WHERE (archived_at IS NULL);
CREATE INDEX impact_limits_newest_first ON public.impact_limits USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE impact_limits ENABLE ROW LEVEL SECURITY;
ALTER TABLE impact_limits FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON impact_limits FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON impact_limits FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON impact_limits TO service_app;
GRANT UPDATE (name, cap, thresholds, updated_at, archived_at) ON impact_limits TO service_app;
GRANT SELECT (id, cap, period) ON impact_limits TO service_directory;
CREATE TRIGGER check_change BEFORE DELETE OR UPDATE ON public.impact_limits FOR EACH ROW EXECUTE FUNCTION check_impact_limit_change();

CREATE TABLE impact_reservations (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  effect_id text COLLATE "C" NOT NULL,
  limit_id text COLLATE "C" NOT NULL,
  period text COLLATE "C" NOT NULL,
  amount bigint NOT NULL,
  state text DEFAULT 'reserved'::text NOT NULL,
  exposure text DEFAULT 'dispatching'::text,
  settled bigint DEFAULT 0 NOT NULL,
  released bigint DEFAULT 0 NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  finished_at timestamp(3) with time zone,
  reversed_at timestamp(3) with time zone,
  CONSTRAINT impact_reservations_pkey PRIMARY KEY (id),
  CONSTRAINT impact_reservations_effect_id_limit_id_key UNIQUE (effect_id, limit_id),
  CONSTRAINT impact_reservations_add_up CHECK (
CASE state
    WHEN 'reserved'::text THEN ((settled = 0) AND (released = 0) AND (finished_at IS NULL) AND (exposure = ANY (ARRAY['dispatching'::text, 'pending'::text, 'unknown'::text])))
    WHEN 'settled'::text THEN (((settled + released) = amount) AND (finished_at IS NOT NULL) AND (COALESCE(exposure, 'partial'::text) = 'partial'::text))
    ELSE ((settled = 0) AND (released = amount) AND (finished_at IS NOT NULL) AND (exposure IS NULL))
END),
  CONSTRAINT impact_reservations_amount_check CHECK ((amount > 0)),
  CONSTRAINT impact_reservations_check CHECK (((state <> 'reserved'::text) OR (exposure IS NOT NULL))),
  CONSTRAINT impact_reservations_check1 CHECK (((reversed_at IS NULL) OR (state = 'released'::text))),
  CONSTRAINT impact_reservations_exposure_check CHECK ((exposure = ANY (ARRAY['dispatching'::text, 'pending'::text, 'unknown'::text, 'partial'::text]))),
  CONSTRAINT impact_reservations_released_check CHECK ((released >= 0)),
  CONSTRAINT impact_reservations_settled_check CHECK ((settled >= 0)),
  CONSTRAINT impact_reservations_state_check CHECK ((state = ANY (ARRAY['reserved'::text, 'settled'::text, 'released'::text])))
);
CREATE INDEX impact_reservations_exposed ON public.impact_reservations USING btree (limit_id) WHERE (exposure = ANY (ARRAY['unknown'::text, 'pending'::text]));
ALTER TABLE impact_reservations ENABLE ROW LEVEL SECURITY;
ALTER TABLE impact_reservations FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON impact_reservations FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON impact_reservations FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON impact_reservations TO service_app;
GRANT UPDATE (state, exposure, settled, released, finished_at, reversed_at) ON impact_reservations TO service_app;
GRANT SELECT (limit_id, period, amount, exposure) ON impact_reservations TO service_directory;
CREATE CONSTRAINT TRIGGER agree_with_effect AFTER INSERT OR UPDATE ON public.impact_reservations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION agree_with_effect();
CREATE TRIGGER check_insert BEFORE INSERT ON public.impact_reservations FOR EACH ROW EXECUTE FUNCTION check_reservation_insert();
CREATE TRIGGER check_move BEFORE UPDATE ON public.impact_reservations FOR EACH ROW EXECUTE FUNCTION check_reservation_move();
CREATE TRIGGER stays BEFORE DELETE ON public.impact_reservations FOR EACH ROW WHEN ((NOT is_archived_effect(old.effect_id))) EXECUTE FUNCTION check_reservation_move();

CREATE TABLE installation (
  only_row boolean DEFAULT true NOT NULL,
  expensive_work_paused_at timestamp(3) with time zone,
  expensive_work_paused_reason text,
  sweep_stopped_at jsonb DEFAULT '{}'::jsonb NOT NULL,
  analytics_complete_until timestamp(3) with time zone DEFAULT now() NOT NULL,
  analytics_verified_on date DEFAULT '-infinity'::date NOT NULL,
  counted_facts jsonb DEFAULT '{}'::jsonb NOT NULL,
  figures_by uuid,
  figures_at timestamp with time zone,
  CONSTRAINT installation_pkey PRIMARY KEY (only_row),
  CONSTRAINT installation_check CHECK (((expensive_work_paused_at IS NULL) = (expensive_work_paused_reason IS NULL))),
  CONSTRAINT installation_expensive_work_paused_reason_check CHECK (((char_length(expensive_work_paused_reason) >= 1) AND (char_length(expensive_work_paused_reason) <= 500))),
  CONSTRAINT installation_only_row_check CHECK (only_row)
);
ALTER TABLE installation ENABLE ROW LEVEL SECURITY;
ALTER TABLE installation FORCE ROW LEVEL SECURITY;
CREATE POLICY installation_wide ON installation FOR ALL TO PUBLIC USING (true) WITH CHECK (true);
GRANT SELECT ON installation TO service_app;
GRANT UPDATE (expensive_work_paused_at, expensive_work_paused_reason, sweep_stopped_at) ON installation TO service_app;
GRANT SELECT (expensive_work_paused_at, analytics_complete_until, analytics_verified_on, counted_facts, figures_by, figures_at) ON installation TO service_directory;
GRANT UPDATE (analytics_complete_until, analytics_verified_on, counted_facts, figures_by, figures_at) ON installation TO service_directory;

CREATE TABLE integrations (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  provider text NOT NULL,
  name text NOT NULL,
  is_active boolean DEFAULT true NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  account_name text NOT NULL,
  channel_id text COLLATE "C",
  channel_name text,
  application_id text COLLATE "C",
  public_key text COLLATE "C",
  takes_clicks boolean NOT NULL,
  master_key_version integer NOT NULL,
  wrapped_data_key bytea NOT NULL,
  sealed_value bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT integrations_pkey PRIMARY KEY (id),
  CONSTRAINT integrations_environment_id_provider_account_id_key UNIQUE (environment_id, provider, account_id),
  CONSTRAINT integrations_account_id_check CHECK (((char_length(account_id) >= 1) AND (char_length(account_id) <= 100))),
  CONSTRAINT integrations_account_name_check CHECK ((char_length(account_name) <= 200)),
  CONSTRAINT integrations_application_id_check CHECK ((char_length(application_id) <= 100)),
  CONSTRAINT integrations_channel_id_check CHECK (((char_length(channel_id) >= 1) AND (char_length(channel_id) <= 100))),
  CONSTRAINT integrations_channel_name_check CHECK ((char_length(channel_name) <= 200)),
  CONSTRAINT integrations_check CHECK (((provider = 'discord'::text) OR ((application_id IS NULL) AND (public_key IS NULL)))),
  CONSTRAINT integrations_check1 CHECK (((provider = 'slack'::text) OR (takes_clicks = (public_key IS NOT NULL)))),
  CONSTRAINT integrations_check2 CHECK (((public_key IS NULL) OR (application_id IS NOT NULL))),
  CONSTRAINT integrations_id_check CHECK ((id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'::text)),
  CONSTRAINT integrations_master_key_version_check CHECK ((master_key_version >= 1)),
  CONSTRAINT integrations_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT integrations_provider_check CHECK ((provider = ANY (ARRAY['slack'::text, 'discord'::text]))),
  CONSTRAINT integrations_public_key_check CHECK ((public_key ~ '^[0-9a-f]{64}$'::text))
);
CREATE INDEX integrations_by_master_key ON public.integrations USING btree (environment_id, master_key_version);
CREATE INDEX integrations_newest_first ON public.integrations USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE integrations ENABLE ROW LEVEL SECURITY;
ALTER TABLE integrations FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON integrations FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON integrations FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON integrations TO service_app;
GRANT UPDATE (name, is_active, account_name, channel_id, channel_name, application_id, public_key, takes_clicks, master_key_version, wrapped_data_key, sealed_value, updated_at) ON integrations TO service_app;
GRANT SELECT (id, environment_id) ON integrations TO service_directory;
CREATE TRIGGER end_links AFTER UPDATE OF sealed_value, public_key ON public.integrations FOR EACH ROW WHEN (((new.sealed_value IS DISTINCT FROM old.sealed_value) OR (new.public_key IS DISTINCT FROM old.public_key))) EXECUTE FUNCTION end_chat_links();

CREATE TABLE invitations (
  id text COLLATE "C" NOT NULL,
  workspace_id uuid NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  token_hash bytea NOT NULL,
  invited_by text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  accepted_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  CONSTRAINT invitations_pkey PRIMARY KEY (id),
  CONSTRAINT invitations_token_hash_key UNIQUE (token_hash),
  CONSTRAINT invitations_email_check CHECK (((char_length(email) >= 3) AND (char_length(email) <= 254))),
  CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['member'::text, 'admin'::text, 'owner'::text]))),
  CONSTRAINT invitations_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
CREATE UNIQUE INDEX invitations_open ON public.invitations USING btree (workspace_id, lower(email)) WHERE ((accepted_at IS NULL) AND (revoked_at IS NULL));
ALTER TABLE invitations ENABLE ROW LEVEL SECURITY;
ALTER TABLE invitations FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON invitations FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON invitations FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON invitations TO service_app;
GRANT UPDATE (accepted_at, revoked_at) ON invitations TO service_app;
GRANT SELECT (id, workspace_id, email, role, token_hash, expires_at, accepted_at, revoked_at) ON invitations TO service_directory;

CREATE TABLE invocations (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  action_id text COLLATE "C" NOT NULL,
  version_id text COLLATE "C" NOT NULL,
  operation_key text NOT NULL,
  request_digest text NOT NULL,
  input jsonb NOT NULL,
  requested_by jsonb NOT NULL,
  request_id text,
  retry_of text COLLATE "C",
  run_id text,
  agent_id text,
  effect_id text COLLATE "C",
  preview_id text COLLATE "C",
  approval_id text COLLATE "C",
  compensates text COLLATE "C",
  status text DEFAULT 'queued'::text NOT NULL,
  outcome_source text,
  grade text GENERATED ALWAYS AS (
CASE status
    WHEN 'succeeded'::text THEN
    CASE
        WHEN (outcome_source = 'provider_lookup'::text) THEN 'confirmed'::text
        ELSE 'acknowledged'::text
    END
    WHEN 'failed'::text THEN 'failed'::text
    WHEN 'unknown'::text THEN 'unknown'::text
    WHEN 'denied'::text THEN 'denied'::text
    WHEN 'refused'::text THEN 'refused'::text
    WHEN 'expired'::text THEN 'refused'::text
    WHEN 'cancelled'::text THEN 'refused'::text
    ELSE 'pending'::text
END) STORED NOT NULL,
  error text,
  refusal_code text,
  refusal_details jsonb,
  result jsonb,
  resolution jsonb,
  decision jsonb,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  evaluated_at timestamp(3) with time zone,
  unknown_at timestamp(3) with time zone,
  settled_at timestamp(3) with time zone,
  dependencies_awaited_at timestamp(3) with time zone,
  holds_files boolean DEFAULT false NOT NULL,
  timeline integer DEFAULT current_timeline() NOT NULL,
  trace_context text DEFAULT NULLIF(current_setting('app.trace_context'::text, true), ''::text),
  CONSTRAINT invocations_pkey PRIMARY KEY (id),
  CONSTRAINT invocations_environment_id_operation_key_key UNIQUE (environment_id, operation_key),
  CONSTRAINT invocations_check CHECK (((status <> 'succeeded'::text) OR (outcome_source IS NOT NULL))),
  CONSTRAINT invocations_operation_key_check CHECK (((char_length(operation_key) >= 1) AND (char_length(operation_key) <= 255))),
  CONSTRAINT invocations_outcome_source_check CHECK ((outcome_source = ANY (ARRAY['system'::text, 'provider_response'::text, 'provider_lookup'::text, 'manual_resolution'::text]))),
  CONSTRAINT invocations_refusal_check CHECK ((((refusal_code IS NOT NULL) = (status = ANY (ARRAY['refused'::text, 'denied'::text, 'expired'::text, 'cancelled'::text, 'failed'::text, 'unknown'::text]))) AND ((refusal_details IS NOT NULL) = (refusal_code IS NOT NULL)))),
  CONSTRAINT invocations_refusal_code_check CHECK ((refusal_code ~ '^[a-z_]{1,64}$'::text)),
  CONSTRAINT invocations_request_id_check CHECK (((length(request_id) >= 1) AND (length(request_id) <= 128))),
  CONSTRAINT invocations_status_check CHECK ((status = ANY (ARRAY['pending_approval'::text, 'queued'::text, 'dispatching'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text, 'refused'::text, 'denied'::text, 'expired'::text, 'cancelled'::text]))),
  CONSTRAINT invocations_trace_context_check CHECK ((trace_context ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$'::text))
);
CREATE UNIQUE INDEX invocations_approval ON public.invocations USING btree (approval_id) WHERE (approval_id IS NOT NULL);
CREATE INDEX invocations_by_action ON public.invocations USING btree (action_id, created_at DESC, id DESC);
CREATE INDEX invocations_by_agent ON public.invocations USING btree (environment_id, agent_id, created_at DESC, id DESC) WHERE (agent_id IS NOT NULL);
CREATE INDEX invocations_by_run ON public.invocations USING btree (environment_id, run_id, created_at DESC, id DESC) WHERE (run_id IS NOT NULL);
CREATE INDEX invocations_compensating ON public.invocations USING btree (compensates) WHERE (compensates IS NOT NULL);
CREATE INDEX invocations_in_flight ON public.invocations USING btree (environment_id) WHERE (status = ANY (ARRAY['queued'::text, 'dispatching'::text]));
CREATE INDEX invocations_newest_first ON public.invocations USING btree (environment_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX invocations_preview ON public.invocations USING btree (preview_id) WHERE (preview_id IS NOT NULL);
CREATE INDEX invocations_retries ON public.invocations USING btree (retry_of) WHERE (retry_of IS NOT NULL);
CREATE INDEX invocations_unknown ON public.invocations USING btree (id) WHERE (status = 'unknown'::text);
CREATE INDEX invocations_waiting_of_run ON public.invocations USING btree (run_id) WHERE ((run_id IS NOT NULL) AND ((status = 'pending_approval'::text) OR ((status = 'queued'::text) AND (dependencies_awaited_at IS NOT NULL))));
ALTER TABLE invocations ENABLE ROW LEVEL SECURITY;
ALTER TABLE invocations FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON invocations FOR SELECT TO service_directory USING (true);
CREATE POLICY directory_holds ON invocations FOR UPDATE TO service_directory USING (true) WITH CHECK (true);
CREATE POLICY tenant ON invocations FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON invocations TO service_app;
GRANT SELECT (id, environment_id, run_id, preview_id, status, outcome_source, refusal_code, created_at, unknown_at, settled_at, dependencies_awaited_at, timeline) ON invocations TO service_directory;
GRANT UPDATE (timeline) ON invocations TO service_directory;
CREATE TRIGGER check_approval BEFORE UPDATE ON public.invocations FOR EACH ROW WHEN (((new.approval_id IS NOT NULL) OR (old.approval_id IS NOT NULL) OR (new.status = ANY (ARRAY['pending_approval'::text, 'denied'::text, 'expired'::text])))) EXECUTE FUNCTION check_approval_of_invocation();
CREATE TRIGGER check_effect_made AFTER INSERT ON public.invocations FOR EACH ROW WHEN ((new.effect_id IS NOT NULL)) EXECUTE FUNCTION check_effect_of_invocation();
CREATE TRIGGER check_effect_named AFTER UPDATE OF effect_id ON public.invocations FOR EACH ROW WHEN (((new.effect_id IS NOT NULL) AND (new.effect_id IS DISTINCT FROM old.effect_id))) EXECUTE FUNCTION check_effect_of_invocation();
CREATE TRIGGER check_move BEFORE INSERT OR UPDATE ON public.invocations FOR EACH ROW EXECUTE FUNCTION check_invocation_move();
CREATE TRIGGER check_preview_made BEFORE UPDATE ON public.invocations FOR EACH ROW WHEN ((new.preview_id IS DISTINCT FROM old.preview_id)) EXECUTE FUNCTION check_preview_use();
CREATE TRIGGER check_preview_named BEFORE INSERT ON public.invocations FOR EACH ROW WHEN ((new.preview_id IS NOT NULL)) EXECUTE FUNCTION check_preview_use();
CREATE TRIGGER count_facts_of_delete AFTER DELETE ON public.invocations REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_invocations();
CREATE TRIGGER count_facts_of_insert AFTER INSERT ON public.invocations REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_invocations();
CREATE TRIGGER count_facts_of_update AFTER UPDATE ON public.invocations REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_invocations();
CREATE TRIGGER free_preview AFTER DELETE ON public.invocations FOR EACH ROW WHEN ((old.preview_id IS NOT NULL)) EXECUTE FUNCTION move_unused_preview();
CREATE TRIGGER keep_resolution BEFORE UPDATE ON public.invocations FOR EACH ROW WHEN (((new.compensates IS DISTINCT FROM old.compensates) OR (old.resolution IS NOT NULL) OR (new.resolution IS NOT NULL) OR (new.outcome_source = 'manual_resolution'::text))) EXECUTE FUNCTION keep_resolution();
CREATE TRIGGER keep_start_delete AFTER DELETE ON public.invocations FOR EACH ROW WHEN ((
        CASE
            WHEN ((old.status = ANY (ARRAY['queued'::text, 'dispatching'::text])) AND (old.outcome_source IS NULL)) THEN (old.created_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_invocations();
CREATE TRIGGER keep_start_insert AFTER INSERT ON public.invocations FOR EACH ROW WHEN ((
        CASE
            WHEN ((new.status = ANY (ARRAY['queued'::text, 'dispatching'::text])) AND (new.outcome_source IS NULL)) THEN (new.created_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_invocations();
CREATE TRIGGER keep_start_update AFTER UPDATE ON public.invocations FOR EACH ROW WHEN ((
        CASE
            WHEN ((old.status = ANY (ARRAY['queued'::text, 'dispatching'::text])) AND (old.outcome_source IS NULL)) THEN (old.created_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS DISTINCT FROM
        CASE
            WHEN ((new.status = ANY (ARRAY['queued'::text, 'dispatching'::text])) AND (new.outcome_source IS NULL)) THEN (new.created_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END)) EXECUTE FUNCTION keep_start_of_invocations();
CREATE TRIGGER leave_invocation_settled AFTER UPDATE OF status ON public.invocations FOR EACH ROW WHEN (((new.status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'refused'::text, 'denied'::text, 'expired'::text, 'cancelled'::text])) AND (new.status IS DISTINCT FROM old.status))) EXECUTE FUNCTION leave_event_of_invocations('invocation.settled', 'heard');
CREATE TRIGGER note_late_settlement AFTER UPDATE OF settled_at ON public.invocations FOR EACH ROW WHEN (((new.status = 'succeeded'::text) AND (new.settled_at IS NOT NULL) AND (old.settled_at IS NULL) AND (date_trunc('month'::text, (new.settled_at AT TIME ZONE 'UTC'::text)) <> date_trunc('month'::text, (new.created_at AT TIME ZONE 'UTC'::text))))) EXECUTE FUNCTION note_late_execution('settled');
CREATE TRIGGER note_reversal AFTER UPDATE OF status ON public.invocations FOR EACH ROW WHEN (((old.status = 'succeeded'::text) AND (new.status = 'failed'::text) AND (new.settled_at IS NOT NULL))) EXECUTE FUNCTION note_late_execution('reversed');
CREATE TRIGGER refuse_archived_key AFTER INSERT ON public.invocations FOR EACH ROW EXECUTE FUNCTION refuse_archived_key();
CREATE TRIGGER release_budget AFTER DELETE ON public.invocations FOR EACH ROW EXECUTE FUNCTION settle_budget_reservation();
CREATE TRIGGER release_files AFTER UPDATE OF status ON public.invocations FOR EACH ROW WHEN ((new.holds_files AND ((new.status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'refused'::text, 'denied'::text, 'expired'::text, 'cancelled'::text])) OR ((new.status = 'unknown'::text) AND (new.effect_id IS NULL))))) EXECUTE FUNCTION release_files();
CREATE CONSTRAINT TRIGGER settle_budget AFTER UPDATE OF status ON public.invocations DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'refused'::text, 'denied'::text, 'expired'::text, 'cancelled'::text])) AND (new.status IS DISTINCT FROM old.status))) EXECUTE FUNCTION settle_budget_reservation();
CREATE TRIGGER stays BEFORE DELETE ON public.invocations FOR EACH ROW WHEN ((NOT is_archived(old.id))) EXECUTE FUNCTION check_invocation_move();
CREATE TRIGGER take_preview AFTER INSERT ON public.invocations FOR EACH ROW WHEN ((new.preview_id IS NOT NULL)) EXECUTE FUNCTION move_unused_preview();

CREATE TABLE invoice_lines (
  id text COLLATE "C" NOT NULL,
  invoice_id text COLLATE "C" NOT NULL,
  workspace_id uuid NOT NULL,
  "position" integer NOT NULL,
  amount bigint NOT NULL,
  line jsonb NOT NULL,
  CONSTRAINT invoice_lines_pkey PRIMARY KEY (id),
  CONSTRAINT invoice_lines_invoice_id_position_key UNIQUE (invoice_id, "position"),
  CONSTRAINT invoice_lines_check CHECK ((((line ->> 'amount'::text))::bigint = amount)),
  CONSTRAINT invoice_lines_position_check CHECK (("position" >= 1))
);
ALTER TABLE invoice_lines ENABLE ROW LEVEL SECURITY;
ALTER TABLE invoice_lines FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON invoice_lines FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON invoice_lines TO service_app;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.invoice_lines FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER check_draft AFTER INSERT ON public.invoice_lines FOR EACH ROW EXECUTE FUNCTION check_invoice_line();

CREATE TABLE invoice_numbers (
  workspace_id uuid NOT NULL,
  last integer NOT NULL,
  CONSTRAINT invoice_numbers_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT invoice_numbers_last_check CHECK ((last >= 1))
);
ALTER TABLE invoice_numbers ENABLE ROW LEVEL SECURITY;
ALTER TABLE invoice_numbers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON invoice_numbers FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON invoice_numbers TO service_app;
GRANT UPDATE (last) ON invoice_numbers TO service_app;

CREATE TABLE invoices (
  id text COLLATE "C" NOT NULL,
  workspace_id uuid NOT NULL,
  month date NOT NULL,
  number integer,
  status text DEFAULT 'draft'::text NOT NULL,
  currency text NOT NULL,
  subtotal bigint NOT NULL,
  tax bigint NOT NULL,
  total bigint NOT NULL,
  digest text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  issued_at timestamp(3) with time zone,
  due_at timestamp(3) with time zone,
  paid_at timestamp(3) with time zone,
  voided_at timestamp(3) with time zone,
  hosted_url text,
  pdf_url text,
  CONSTRAINT invoices_pkey PRIMARY KEY (id),
  CONSTRAINT invoices_id_workspace_id_key UNIQUE (id, workspace_id),
  CONSTRAINT invoices_workspace_id_month_key UNIQUE (workspace_id, month),
  CONSTRAINT invoices_workspace_id_number_key UNIQUE (workspace_id, number),
  CONSTRAINT invoices_check CHECK ((total = (subtotal + tax))),
  CONSTRAINT invoices_currency_check CHECK ((currency ~ '^[a-z]{3}$'::text)),
  CONSTRAINT invoices_ended CHECK ((((status = 'paid'::text) = (paid_at IS NOT NULL)) AND ((status = 'void'::text) = (voided_at IS NOT NULL)))),
  CONSTRAINT invoices_number_check CHECK ((number >= 1)),
  CONSTRAINT invoices_opened CHECK ((((status = 'draft'::text) = (number IS NULL)) AND ((status = 'draft'::text) = (issued_at IS NULL)) AND ((status = 'draft'::text) = (due_at IS NULL)))),
  CONSTRAINT invoices_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'open'::text, 'paid'::text, 'void'::text, 'uncollectible'::text])))
);
ALTER TABLE invoices ENABLE ROW LEVEL SECURITY;
ALTER TABLE invoices FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON invoices FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON invoices TO service_app;
GRANT UPDATE (number, status, issued_at, due_at, paid_at, voided_at, hosted_url, pdf_url) ON invoices TO service_app;
CREATE TRIGGER check_move BEFORE INSERT OR DELETE OR UPDATE ON public.invoices FOR EACH ROW EXECUTE FUNCTION check_invoice_move();

CREATE TABLE lane_pacers (
  environment_id uuid NOT NULL,
  looks_at timestamp with time zone,
  CONSTRAINT lane_pacers_pkey PRIMARY KEY (environment_id)
);
ALTER TABLE lane_pacers ENABLE ROW LEVEL SECURITY;
ALTER TABLE lane_pacers FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON lane_pacers FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON lane_pacers TO service_app;
GRANT UPDATE (looks_at) ON lane_pacers TO service_app;

CREATE TABLE lane_places (
  environment_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  kind text NOT NULL,
  holder text COLLATE "C" NOT NULL,
  asked_at timestamp with time zone NOT NULL,
  is_taken boolean NOT NULL,
  granted_at timestamp with time zone,
  unclaimed_grants integer DEFAULT 0 NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT lane_places_pkey PRIMARY KEY (environment_id, kind, holder),
  CONSTRAINT lane_places_check CHECK (((granted_at IS NULL) OR is_taken)),
  CONSTRAINT lane_places_kind_check CHECK ((kind = ANY (ARRAY['dispatch'::text, 'provider_read'::text, 'notification'::text, 'maintenance'::text])))
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000);
CREATE INDEX lane_places_expiry ON public.lane_places USING btree (expires_at);
CREATE INDEX lane_places_queue ON public.lane_places USING btree (workspace_id, kind, is_taken, asked_at, holder);
CREATE INDEX lane_places_waiting ON public.lane_places USING btree (workspace_id, kind) WHERE (NOT is_taken);
ALTER TABLE lane_places ENABLE ROW LEVEL SECURITY;
ALTER TABLE lane_places FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON lane_places FOR ALL TO service_directory USING (true) WITH CHECK (true);
CREATE POLICY tenant ON lane_places FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT SELECT ON lane_places TO service_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON lane_places TO service_directory;

CREATE TABLE lane_queue (
  message_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  lane_id text COLLATE "C",
  state text NOT NULL,
  due_at timestamp with time zone NOT NULL,
  ignores_halt boolean DEFAULT false NOT NULL,
  has_workflow boolean DEFAULT false NOT NULL,
  claim text,
  lease_until timestamp with time zone,
  CONSTRAINT lane_queue_pkey PRIMARY KEY (message_id),
  CONSTRAINT lane_queue_check CHECK (((state = 'taken'::text) = (claim IS NOT NULL))),
  CONSTRAINT lane_queue_check1 CHECK (((state = 'taken'::text) = (lease_until IS NOT NULL))),
  CONSTRAINT lane_queue_state_check CHECK ((state = ANY (ARRAY['ready'::text, 'taken'::text, 'timed'::text, 'paced'::text])))
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000);
CREATE INDEX lane_queue_alerts ON public.lane_queue USING btree (environment_id, due_at, message_id) WHERE ignores_halt;
CREATE INDEX lane_queue_in_flight ON public.lane_queue USING btree (workspace_id) WHERE (state = 'taken'::text);
CREATE INDEX lane_queue_leases ON public.lane_queue USING btree (environment_id, lease_until) WHERE (state = 'taken'::text);
CREATE INDEX lane_queue_of_lane ON public.lane_queue USING btree (lane_id, state) WHERE (lane_id IS NOT NULL);
CREATE INDEX lane_queue_ready ON public.lane_queue USING btree (environment_id, lane_id, due_at) WHERE (state = 'ready'::text);
CREATE INDEX lane_queue_timed ON public.lane_queue USING btree (environment_id, state, due_at, message_id) WHERE (state = ANY (ARRAY['timed'::text, 'paced'::text]));
CREATE INDEX lane_queue_waiting ON public.lane_queue USING btree (environment_id, lane_id, due_at, message_id) WHERE (state <> 'taken'::text);
ALTER TABLE lane_queue ENABLE ROW LEVEL SECURITY;
ALTER TABLE lane_queue FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON lane_queue FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON lane_queue FOR ALL TO PUBLIC USING (((environment_id = current_environment_id()) IS TRUE)) WITH CHECK (((environment_id = current_environment_id()) IS TRUE));
GRANT DELETE, INSERT, SELECT ON lane_queue TO service_app;
GRANT UPDATE (state, due_at, has_workflow, claim, lease_until) ON lane_queue TO service_app;
GRANT SELECT (message_id, environment_id, workspace_id, lane_id, state, due_at, ignores_halt, lease_until) ON lane_queue TO service_directory;

CREATE TABLE lanes (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  key text NOT NULL,
  rate integer,
  period_seconds integer,
  parallelism integer,
  rate_pinned boolean DEFAULT false NOT NULL,
  parallelism_pinned boolean DEFAULT false NOT NULL,
  paused_at timestamp(3) with time zone,
  held_until timestamp with time zone,
  window_started_at timestamp with time zone,
  window_count integer DEFAULT 0 NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT lanes_pkey PRIMARY KEY (id),
  CONSTRAINT lanes_name UNIQUE (environment_id, key),
  CONSTRAINT lanes_check CHECK (((rate IS NULL) = (period_seconds IS NULL))),
  CONSTRAINT lanes_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 200))),
  CONSTRAINT lanes_parallelism_check CHECK ((parallelism >= 1)),
  CONSTRAINT lanes_period_seconds_check CHECK ((period_seconds >= 1)),
  CONSTRAINT lanes_rate_check CHECK ((rate >= 1)),
  CONSTRAINT lanes_window_count_check CHECK ((window_count >= 0))
);
CREATE INDEX lanes_newest_first ON public.lanes USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE lanes ENABLE ROW LEVEL SECURITY;
ALTER TABLE lanes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON lanes FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON lanes TO service_app;
GRANT UPDATE (rate, period_seconds, parallelism, rate_pinned, parallelism_pinned, paused_at, held_until, window_started_at, window_count, updated_at) ON lanes TO service_app;

CREATE TABLE late_answers (
  attempt_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  observed_outcome text NOT NULL,
  error text,
  response jsonb,
  recorded_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT late_answers_pkey PRIMARY KEY (attempt_id),
  CONSTRAINT late_answers_observed_outcome_check CHECK ((observed_outcome = ANY (ARRAY['not_dispatched'::text, 'pending'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text])))
);
ALTER TABLE late_answers ENABLE ROW LEVEL SECURITY;
ALTER TABLE late_answers FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON late_answers FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON late_answers FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON late_answers TO service_app;
GRANT SELECT (attempt_id, observed_outcome) ON late_answers TO service_directory;
CREATE TRIGGER append_only BEFORE UPDATE ON public.late_answers FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain AFTER INSERT ON public.late_answers FOR EACH ROW EXECUTE FUNCTION chain_late_answer();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.late_answers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stays BEFORE DELETE ON public.late_answers FOR EACH ROW WHEN ((NOT is_archived_attempt(old.attempt_id))) EXECUTE FUNCTION refuse_change();

CREATE TABLE late_executions (
  invocation_id text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  environment_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  admitted_at timestamp(3) with time zone NOT NULL,
  settled_at timestamp(3) with time zone NOT NULL,
  at timestamp(3) with time zone NOT NULL,
  CONSTRAINT late_executions_pkey PRIMARY KEY (invocation_id, kind),
  CONSTRAINT late_executions_kind_check CHECK ((kind = ANY (ARRAY['settled'::text, 'reversed'::text])))
);
CREATE INDEX late_executions_of_workspace ON public.late_executions USING btree (workspace_id, at);
ALTER TABLE late_executions ENABLE ROW LEVEL SECURITY;
ALTER TABLE late_executions FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON late_executions FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON late_executions FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON late_executions TO service_app;
GRANT SELECT ON late_executions TO service_directory;
CREATE TRIGGER append_only BEFORE UPDATE ON public.late_executions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stays BEFORE DELETE ON public.late_executions FOR EACH ROW WHEN ((NOT is_archived(old.invocation_id))) EXECUTE FUNCTION refuse_change();

CREATE TABLE master_key_digests (
  version integer NOT NULL,
  digest bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT master_key_digests_pkey PRIMARY KEY (version),
  CONSTRAINT master_key_digests_digest_check CHECK ((octet_length(digest) = 32)),
  CONSTRAINT master_key_digests_version_check CHECK ((version >= 1))
);
ALTER TABLE master_key_digests ENABLE ROW LEVEL SECURITY;
ALTER TABLE master_key_digests FORCE ROW LEVEL SECURITY;
CREATE POLICY installation_wide ON master_key_digests FOR ALL TO PUBLIC USING (true) WITH CHECK (true);
GRANT INSERT, SELECT ON master_key_digests TO service_app;
GRANT SELECT (created_at) ON master_key_digests TO service_directory;

CREATE TABLE members (
  workspace_id uuid NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT members_pkey PRIMARY KEY (workspace_id, user_id),
  CONSTRAINT members_role_check CHECK ((role = ANY (ARRAY['member'::text, 'admin'::text, 'owner'::text])))
);
CREATE INDEX members_by_user ON public.members USING btree (user_id);
ALTER TABLE members ENABLE ROW LEVEL SECURITY;
ALTER TABLE members FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON members FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON members FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT DELETE, INSERT, SELECT ON members TO service_app;
GRANT UPDATE (role) ON members TO service_app;
GRANT SELECT (workspace_id, user_id, role, created_at) ON members TO service_directory;
CREATE TRIGGER end_use BEFORE DELETE OR UPDATE OF role ON public.members FOR EACH ROW EXECUTE FUNCTION end_membership_use();
CREATE TRIGGER keep_an_owner BEFORE DELETE OR UPDATE ON public.members FOR EACH ROW EXECUTE FUNCTION keep_an_owner();

CREATE TABLE memories (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  collection_id text COLLATE "C" NOT NULL,
  chain_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  kind text NOT NULL,
  content text NOT NULL,
  user_id text,
  agent_id text,
  session_id text COLLATE "C",
  source_type text,
  source_id text COLLATE "C",
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  valid_from timestamp(3) with time zone NOT NULL,
  valid_to timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  superseded_by text COLLATE "C",
  superseded_at timestamp(3) with time zone,
  replaced_from timestamp(3) with time zone,
  holds_until timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  signs bit varying(4096),
  terms tsvector DEFAULT ''::tsvector NOT NULL,
  CONSTRAINT memories_pkey PRIMARY KEY (id),
  CONSTRAINT memories_chain_id_version_key UNIQUE (chain_id, version),
  CONSTRAINT memories_agent_id_check CHECK (((char_length(agent_id) >= 1) AND (char_length(agent_id) <= 60))),
  CONSTRAINT memories_check CHECK (((version = 1) = (chain_id = id))),
  CONSTRAINT memories_check1 CHECK (((source_type IS NULL) = (source_id IS NULL))),
  CONSTRAINT memories_check2 CHECK ((num_nulls(superseded_by, superseded_at, replaced_from, holds_until) = ANY (ARRAY[0, 4]))),
  CONSTRAINT memories_content_check CHECK (((char_length(content) >= 1) AND (char_length(content) <= 8192))),
  CONSTRAINT memories_end_after_they_begin CHECK ((valid_to > valid_from)),
  CONSTRAINT memories_kind_check CHECK ((kind = ANY (ARRAY['fact'::text, 'episode'::text]))),
  CONSTRAINT memories_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  CONSTRAINT memories_session_id_check CHECK (((char_length(session_id) >= 1) AND (char_length(session_id) <= 100))),
  CONSTRAINT memories_source_id_check CHECK (((char_length(source_id) >= 1) AND (char_length(source_id) <= 200))),
  CONSTRAINT memories_source_type_check CHECK (((char_length(source_type) >= 1) AND (char_length(source_type) <= 60))),
  CONSTRAINT memories_user_id_check CHECK (((char_length(user_id) >= 1) AND (char_length(user_id) <= 200))),
  CONSTRAINT memories_version_check CHECK (((version >= 1) AND (version <= 1000)))
);
CREATE INDEX memories_by_expiry ON public.memories USING btree (expires_at, id) WHERE (expires_at IS NOT NULL);
CREATE INDEX memories_newest_first ON public.memories USING btree (environment_id, created_at DESC, id DESC);
CREATE INDEX memories_of_collection ON public.memories USING btree (collection_id, created_at DESC, id DESC);
CREATE INDEX memories_of_session ON public.memories USING btree (environment_id, session_id) WHERE (session_id IS NOT NULL);
CREATE INDEX memories_of_source ON public.memories USING btree (environment_id, source_id) WHERE (source_id IS NOT NULL);
CREATE INDEX memories_of_user ON public.memories USING btree (environment_id, user_id, created_at DESC, id DESC) WHERE (user_id IS NOT NULL);
ALTER TABLE memories ENABLE ROW LEVEL SECURITY;
ALTER TABLE memories FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON memories FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON memories FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON memories TO service_app;
GRANT UPDATE (superseded_by, superseded_at, replaced_from, holds_until, expires_at) ON memories TO service_app;
GRANT SELECT (id, environment_id, expires_at) ON memories TO service_directory;
CREATE TRIGGER check_change BEFORE UPDATE ON public.memories FOR EACH ROW EXECUTE FUNCTION check_memory_change();
CREATE TRIGGER record_version BEFORE INSERT ON public.memories FOR EACH ROW EXECUTE FUNCTION record_memory_version();

CREATE TABLE memory_collections (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  name text NOT NULL,
  description text,
  embedding_model text NOT NULL,
  embedding_dimensions integer NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp(3) with time zone,
  CONSTRAINT memory_collections_pkey PRIMARY KEY (id),
  CONSTRAINT memory_collections_description_check CHECK ((char_length(description) <= 1000)),
  CONSTRAINT memory_collections_embedding_dimensions_check CHECK (((embedding_dimensions >= 1) AND (embedding_dimensions <= 4096))),
  CONSTRAINT memory_collections_embedding_model_check CHECK (((char_length(embedding_model) >= 1) AND (char_length(embedding_model) <= 200))),
  CONSTRAINT memory_collections_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);
CREATE UNIQUE INDEX memory_collections_by_name ON public.memory_collections USING btree (environment_id, name) WHERE (deleted_at IS NULL);
CREATE INDEX memory_collections_newest_first ON public.memory_collections USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE memory_collections ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory_collections FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON memory_collections FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON memory_collections TO service_app;
GRANT UPDATE (name, description, updated_at, deleted_at) ON memory_collections TO service_app;

CREATE TABLE memory_job_chunks (
  job_id text COLLATE "C" NOT NULL,
  "position" integer NOT NULL,
  environment_id uuid NOT NULL,
  content text NOT NULL,
  metadata jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT memory_job_chunks_pkey PRIMARY KEY (job_id, "position"),
  CONSTRAINT memory_job_chunks_content_check CHECK (((char_length(content) >= 1) AND (char_length(content) <= 8192))),
  CONSTRAINT memory_job_chunks_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  CONSTRAINT memory_job_chunks_position_check CHECK (("position" >= 0))
);
CREATE INDEX memory_job_chunks_of_environment ON public.memory_job_chunks USING btree (environment_id);
ALTER TABLE memory_job_chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory_job_chunks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON memory_job_chunks FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON memory_job_chunks TO service_app;

CREATE TABLE memory_jobs (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  collection_id text COLLATE "C",
  kind text NOT NULL,
  status text DEFAULT 'queued'::text NOT NULL,
  filter jsonb,
  template jsonb,
  input jsonb,
  total integer,
  done integer DEFAULT 0 NOT NULL,
  error jsonb,
  looked_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  ended_at timestamp(3) with time zone,
  CONSTRAINT memory_jobs_pkey PRIMARY KEY (id),
  CONSTRAINT memory_jobs_check CHECK (((status = ANY (ARRAY['succeeded'::text, 'failed'::text])) = (ended_at IS NOT NULL))),
  CONSTRAINT memory_jobs_check1 CHECK (((kind = 'ingest'::text) = (template IS NOT NULL))),
  CONSTRAINT memory_jobs_check2 CHECK (((kind = 'forget'::text) = (filter IS NOT NULL))),
  CONSTRAINT memory_jobs_check3 CHECK (((kind = 'forget'::text) OR (collection_id IS NOT NULL))),
  CONSTRAINT memory_jobs_check4 CHECK (((input IS NULL) OR ((kind = 'ingest'::text) AND (ended_at IS NULL)))),
  CONSTRAINT memory_jobs_done_check CHECK ((done >= 0)),
  CONSTRAINT memory_jobs_kind_check CHECK ((kind = ANY (ARRAY['ingest'::text, 'forget'::text, 'delete'::text]))),
  CONSTRAINT memory_jobs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text]))),
  CONSTRAINT memory_jobs_total_check CHECK ((total >= 0))
);
CREATE INDEX memory_jobs_newest_first ON public.memory_jobs USING btree (environment_id, created_at DESC, id DESC);
CREATE INDEX memory_jobs_of_collection ON public.memory_jobs USING btree (collection_id);
CREATE INDEX memory_jobs_open ON public.memory_jobs USING btree (looked_at) WHERE (ended_at IS NULL);
ALTER TABLE memory_jobs ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory_jobs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON memory_jobs FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON memory_jobs TO service_app;
GRANT UPDATE (status, input, total, done, error, looked_at, updated_at, ended_at) ON memory_jobs TO service_app;
CREATE TRIGGER check_move BEFORE UPDATE ON public.memory_jobs FOR EACH ROW EXECUTE FUNCTION check_memory_job_move();
CREATE TRIGGER keep_start_delete AFTER DELETE ON public.memory_jobs FOR EACH ROW WHEN ((
        CASE
            WHEN (old.ended_at IS NULL) THEN (old.looked_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_memory_jobs();
CREATE TRIGGER keep_start_insert AFTER INSERT ON public.memory_jobs FOR EACH ROW WHEN ((
        CASE
            WHEN (new.ended_at IS NULL) THEN (new.looked_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_memory_jobs();
CREATE TRIGGER keep_start_update AFTER UPDATE ON public.memory_jobs FOR EACH ROW WHEN ((
        CASE
            WHEN (old.ended_at IS NULL) THEN (old.looked_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END IS DISTINCT FROM
        CASE
            WHEN (new.ended_at IS NULL) THEN (new.looked_at + '00:02:00'::interval)
            ELSE NULL::timestamp with time zone
        END)) EXECUTE FUNCTION keep_start_of_memory_jobs();

CREATE TABLE memory_vectors (
  memory_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  collection_id text COLLATE "C" NOT NULL,
  embedding real[] NOT NULL,
  dimensions integer GENERATED ALWAYS AS (cardinality(embedding)) STORED NOT NULL,
  CONSTRAINT memory_vectors_pkey PRIMARY KEY (memory_id),
  CONSTRAINT memory_vectors_embedding_check CHECK (((cardinality(embedding) >= 1) AND (cardinality(embedding) <= 4096)))
);
CREATE INDEX memory_vectors_of_environment ON public.memory_vectors USING btree (environment_id, collection_id);
ALTER TABLE memory_vectors ENABLE ROW LEVEL SECURITY;
ALTER TABLE memory_vectors FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON memory_vectors FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON memory_vectors TO service_app;

CREATE TABLE message_attempts (
  message_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  environment_id uuid NOT NULL,
  status text DEFAULT 'started'::text NOT NULL,
  target text,
  worker text,
  address text,
  latency_ms integer,
  response_status integer,
  response_headers jsonb,
  response_body bytea,
  failure text,
  error text,
  started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  finished_at timestamp(3) with time zone,
  subscription_id text COLLATE "C",
  CONSTRAINT message_attempts_pkey PRIMARY KEY (message_id, number),
  CONSTRAINT message_attempts_check CHECK (((status = 'started'::text) = (finished_at IS NULL))),
  CONSTRAINT message_attempts_failure_check CHECK ((failure = ANY (ARRAY['timeout'::text, 'connection'::text, 'blocked'::text]))),
  CONSTRAINT message_attempts_latency_ms_check CHECK ((latency_ms >= 0)),
  CONSTRAINT message_attempts_number_check CHECK ((number >= 1)),
  CONSTRAINT message_attempts_response_body_check CHECK ((octet_length(response_body) <= 8192)),
  CONSTRAINT message_attempts_response_status_check CHECK (((response_status >= 100) AND (response_status <= 599))),
  CONSTRAINT message_attempts_status_check CHECK ((status = ANY (ARRAY['started'::text, 'completed'::text, 'abandoned'::text])))
);
CREATE INDEX message_attempts_of_subscription ON public.message_attempts USING btree (subscription_id, started_at DESC, message_id DESC, number DESC) WHERE (subscription_id IS NOT NULL);
CREATE UNIQUE INDEX message_attempts_one_at_a_time ON public.message_attempts USING btree (message_id) WHERE (status = 'started'::text);
ALTER TABLE message_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE message_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON message_attempts FOR SELECT TO service_directory USING (true);
CREATE POLICY directory_retention ON message_attempts FOR DELETE TO service_directory USING (true);
CREATE POLICY tenant ON message_attempts FOR ALL TO PUBLIC USING (((environment_id = current_environment_id()) IS TRUE)) WITH CHECK (((environment_id = current_environment_id()) IS TRUE));
GRANT INSERT, SELECT ON message_attempts TO service_app;
GRANT DELETE ON message_attempts TO service_directory;
GRANT UPDATE (status, address, latency_ms, response_status, response_headers, response_body, failure, error, finished_at) ON message_attempts TO service_app;
GRANT SELECT (message_id) ON message_attempts TO service_directory;
CREATE TRIGGER check_move BEFORE DELETE OR UPDATE ON public.message_attempts FOR EACH ROW EXECUTE FUNCTION check_message_attempt_move();
CREATE TRIGGER count_facts_of_insert AFTER INSERT ON public.message_attempts REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_message_attempts();
CREATE TRIGGER count_facts_of_update AFTER UPDATE ON public.message_attempts REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_message_attempts();

CREATE TABLE message_content_marks (
  retention text NOT NULL,
  ended_at timestamp(3) with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
  message_id text COLLATE "C" DEFAULT ''::text NOT NULL,
  CONSTRAINT message_content_marks_pkey PRIMARY KEY (retention)
);
GRANT SELECT ON message_content_marks TO service_directory;
GRANT UPDATE (ended_at, message_id) ON message_content_marks TO service_directory;

CREATE TABLE message_contents (
  message_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  headers jsonb,
  body text,
  body_kind text NOT NULL,
  body_sealed boolean DEFAULT false NOT NULL,
  master_key_version integer,
  wrapped_data_key bytea,
  sealed_value bytea,
  CONSTRAINT message_contents_pkey PRIMARY KEY (message_id),
  CONSTRAINT message_contents_body_kind_check CHECK ((body_kind = ANY (ARRAY['none'::text, 'text'::text, 'json'::text]))),
  CONSTRAINT message_contents_check CHECK ((num_nonnulls(master_key_version, wrapped_data_key, sealed_value) = ANY (ARRAY[0, 3]))),
  CONSTRAINT message_contents_check1 CHECK (((body_kind = 'none'::text) OR ((body IS NULL) = body_sealed))),
  CONSTRAINT message_contents_master_key_version_check CHECK ((master_key_version >= 1))
);
CREATE INDEX message_contents_by_master_key ON public.message_contents USING btree (environment_id, master_key_version) WHERE (master_key_version IS NOT NULL);
ALTER TABLE message_contents ENABLE ROW LEVEL SECURITY;
ALTER TABLE message_contents FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON message_contents FOR SELECT TO service_directory USING (true);
CREATE POLICY directory_retention ON message_contents FOR DELETE TO service_directory USING (true);
CREATE POLICY tenant ON message_contents FOR ALL TO PUBLIC USING (((environment_id = current_environment_id()) IS TRUE)) WITH CHECK (((environment_id = current_environment_id()) IS TRUE));
GRANT INSERT, SELECT ON message_contents TO service_app;
GRANT DELETE ON message_contents TO service_directory;
GRANT UPDATE (master_key_version, wrapped_data_key) ON message_contents TO service_app;
GRANT SELECT (message_id) ON message_contents TO service_directory;
CREATE TRIGGER keep BEFORE DELETE OR UPDATE ON public.message_contents FOR EACH ROW EXECUTE FUNCTION keep_message_content();

CREATE TABLE message_deduplications (
  environment_id uuid NOT NULL,
  digest bytea NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT message_deduplications_pkey PRIMARY KEY (environment_id, digest),
  CONSTRAINT message_deduplications_digest_check CHECK ((octet_length(digest) = 32))
);
CREATE INDEX message_deduplications_expiry ON public.message_deduplications USING btree (expires_at);
ALTER TABLE message_deduplications ENABLE ROW LEVEL SECURITY;
ALTER TABLE message_deduplications FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON message_deduplications FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON message_deduplications FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON message_deduplications TO service_app;
GRANT DELETE ON message_deduplications TO service_directory;
GRANT SELECT (environment_id, digest, expires_at) ON message_deduplications TO service_directory;

CREATE TABLE messages (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  retention text NOT NULL,
  kind text DEFAULT 'message'::text NOT NULL,
  url text NOT NULL,
  method text NOT NULL,
  redact jsonb,
  label text,
  scheduled_for timestamp(3) with time zone,
  max_retries integer NOT NULL,
  retry_delays_ms integer[],
  timeout_seconds integer NOT NULL,
  callback_url text,
  failure_callback_url text,
  callback_of text COLLATE "C",
  schedule_id text COLLATE "C",
  url_group_id text COLLATE "C",
  url_group_endpoint_id uuid,
  flow_control_key_id text COLLATE "C",
  flow_control_key text,
  retry_of text COLLATE "C",
  published_by jsonb NOT NULL,
  status text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp(3) with time zone NOT NULL,
  response_status integer,
  error_message text,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  delivered_at timestamp(3) with time zone,
  failed_at timestamp(3) with time zone,
  event_id text COLLATE "C",
  subscription_id text COLLATE "C",
  trace_context text DEFAULT NULLIF(current_setting('app.trace_context'::text, true), ''::text),
  CONSTRAINT messages_pkey PRIMARY KEY (id),
  CONSTRAINT messages_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT messages_check CHECK (((url_group_id IS NULL) = (url_group_endpoint_id IS NULL))),
  CONSTRAINT messages_check1 CHECK (((flow_control_key_id IS NULL) = (flow_control_key IS NULL))),
  CONSTRAINT messages_check2 CHECK (((status = 'delivered'::text) = (delivered_at IS NOT NULL))),
  CONSTRAINT messages_check3 CHECK (((status = 'failed'::text) = (failed_at IS NOT NULL))),
  CONSTRAINT messages_kind_check CHECK ((kind = ANY (ARRAY['message'::text, 'callback'::text, 'event'::text, 'alert'::text]))),
  CONSTRAINT messages_label_check CHECK (((char_length(label) >= 1) AND (char_length(label) <= 200))),
  CONSTRAINT messages_max_retries_check CHECK (((max_retries >= 0) AND (max_retries <= 20))),
  CONSTRAINT messages_method_check CHECK ((method = ANY (ARRAY['GET'::text, 'POST'::text, 'PUT'::text, 'PATCH'::text, 'DELETE'::text]))),
  CONSTRAINT messages_of_events CHECK ((((kind = 'event'::text) = (event_id IS NOT NULL)) AND ((kind = 'event'::text) = (subscription_id IS NOT NULL)))),
  CONSTRAINT messages_response_status_check CHECK (((response_status >= 100) AND (response_status <= 599))),
  CONSTRAINT messages_retention_check CHECK ((retention = ANY (ARRAY['week'::text, 'month'::text, 'quarter'::text]))),
  CONSTRAINT messages_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'scheduled'::text, 'processing'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text]))),
  CONSTRAINT messages_timeout_seconds_check CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 300))),
  CONSTRAINT messages_trace_context_check CHECK ((trace_context ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$'::text)),
  CONSTRAINT messages_url_check CHECK ((char_length(url) <= 2048))
);
CREATE INDEX messages_by_end ON public.messages USING btree (retention, updated_at, id) WHERE (status = ANY (ARRAY['delivered'::text, 'failed'::text, 'cancelled'::text]));
CREATE INDEX messages_by_label ON public.messages USING btree (environment_id, label, created_at DESC, id DESC) WHERE (label IS NOT NULL);
CREATE INDEX messages_by_retried ON public.messages USING btree (retry_of) WHERE (retry_of IS NOT NULL);
CREATE INDEX messages_by_schedule ON public.messages USING btree (schedule_id, created_at DESC, id DESC) WHERE (schedule_id IS NOT NULL);
CREATE INDEX messages_by_source ON public.messages USING btree (callback_of) WHERE (callback_of IS NOT NULL);
CREATE INDEX messages_by_status ON public.messages USING btree (environment_id, status, created_at DESC, id DESC);
CREATE INDEX messages_by_url ON public.messages USING btree (environment_id, url, created_at DESC, id DESC);
CREATE INDEX messages_failed_of_subscription ON public.messages USING btree (subscription_id, id) WHERE ((status = 'failed'::text) AND (subscription_id IS NOT NULL));
CREATE INDEX messages_newest_first ON public.messages USING btree (environment_id, created_at DESC, id DESC);
CREATE INDEX messages_of_event ON public.messages USING btree (event_id, id) WHERE (event_id IS NOT NULL);
CREATE INDEX messages_of_subscription ON public.messages USING btree (subscription_id, created_at DESC, id DESC) WHERE (subscription_id IS NOT NULL);
CREATE INDEX messages_unended_of_schedule ON public.messages USING btree (schedule_id) WHERE ((schedule_id IS NOT NULL) AND (status = ANY (ARRAY['pending'::text, 'scheduled'::text, 'processing'::text])));
CREATE INDEX messages_unended_of_subscription ON public.messages USING btree (subscription_id) WHERE ((subscription_id IS NOT NULL) AND (status = ANY (ARRAY['pending'::text, 'scheduled'::text, 'processing'::text])));
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON messages FOR SELECT TO service_directory USING (true);
CREATE POLICY directory_retention ON messages FOR DELETE TO service_directory USING ((status = ANY (ARRAY['delivered'::text, 'failed'::text, 'cancelled'::text])));
CREATE POLICY tenant ON messages FOR ALL TO PUBLIC USING (((environment_id = current_environment_id()) IS TRUE)) WITH CHECK (((environment_id = current_environment_id()) IS TRUE));
GRANT INSERT, SELECT ON messages TO service_app;
GRANT DELETE ON messages TO service_directory;
GRANT UPDATE (status, attempts, next_attempt_at, response_status, error_message, updated_at, delivered_at, failed_at) ON messages TO service_app;
GRANT SELECT (id, environment_id, retention, kind, status, created_at, updated_at, subscription_id) ON messages TO service_directory;
CREATE TRIGGER check_begin BEFORE INSERT ON public.messages FOR EACH ROW WHEN ((new.status <> ALL (ARRAY['pending'::text, 'scheduled'::text]))) EXECUTE FUNCTION check_message_move();
CREATE TRIGGER check_move BEFORE DELETE OR UPDATE ON public.messages FOR EACH ROW EXECUTE FUNCTION check_message_move();
CREATE TRIGGER count_facts_of_insert AFTER INSERT ON public.messages REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_messages();
CREATE TRIGGER count_facts_of_update AFTER UPDATE ON public.messages REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_messages();
CREATE TRIGGER leave_message_delivered AFTER UPDATE OF status ON public.messages FOR EACH ROW WHEN (((new.kind <> ALL (ARRAY['event'::text, 'alert'::text])) AND (new.status = 'delivered'::text) AND (old.status <> 'delivered'::text))) EXECUTE FUNCTION leave_event_of_messages('message.delivered', 'heard');
CREATE TRIGGER leave_message_failed AFTER UPDATE OF status ON public.messages FOR EACH ROW WHEN (((new.kind <> ALL (ARRAY['event'::text, 'alert'::text])) AND (new.status = 'failed'::text) AND (old.status <> 'failed'::text))) EXECUTE FUNCTION leave_event_of_messages('message.failed', 'always');
CREATE CONSTRAINT TRIGGER require_message_delivered AFTER UPDATE OF status ON public.messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.kind <> ALL (ARRAY['event'::text, 'alert'::text])) AND (new.status = 'delivered'::text) AND (old.status <> 'delivered'::text))) EXECUTE FUNCTION require_event('message.delivered', 'heard');
CREATE CONSTRAINT TRIGGER require_message_failed AFTER UPDATE OF status ON public.messages DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((new.kind <> ALL (ARRAY['event'::text, 'alert'::text])) AND (new.status = 'failed'::text) AND (old.status <> 'failed'::text))) EXECUTE FUNCTION require_event('message.failed', 'always');

CREATE TABLE monthly_usage (
  workspace_id uuid NOT NULL,
  month date NOT NULL,
  allowance text NOT NULL,
  shard smallint NOT NULL,
  used bigint NOT NULL,
  CONSTRAINT monthly_usage_pkey PRIMARY KEY (workspace_id, month, allowance, shard),
  CONSTRAINT monthly_usage_allowance_check CHECK ((allowance = ANY (ARRAY['executions'::text, 'messages'::text, 'egress'::text, 'memory_processing'::text, 'notification_emails'::text]))),
  CONSTRAINT monthly_usage_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  CONSTRAINT monthly_usage_shard_check CHECK ((shard >= 0))
);
CREATE INDEX monthly_usage_by_month ON public.monthly_usage USING btree (month);
ALTER TABLE monthly_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE monthly_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON monthly_usage FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON monthly_usage FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON monthly_usage TO service_app;
GRANT SELECT ON monthly_usage TO service_directory;
GRANT UPDATE (used) ON monthly_usage TO service_app;

CREATE TABLE notification_emails (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  notification_id text COLLATE "C" NOT NULL,
  recipient text NOT NULL,
  status text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  reason text,
  next_attempt_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  ended_at timestamp(3) with time zone,
  CONSTRAINT notification_emails_pkey PRIMARY KEY (id),
  CONSTRAINT notification_emails_notification_id_recipient_key UNIQUE (notification_id, recipient),
  CONSTRAINT notification_emails_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT notification_emails_check CHECK (((status = ANY (ARRAY['queued'::text, 'sending'::text])) = (ended_at IS NULL))),
  CONSTRAINT notification_emails_reason_check CHECK ((char_length(reason) <= 200)),
  CONSTRAINT notification_emails_recipient_check CHECK ((char_length(recipient) <= 254)),
  CONSTRAINT notification_emails_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'refused'::text, 'failed'::text, 'unknown'::text])))
);
ALTER TABLE notification_emails ENABLE ROW LEVEL SECURITY;
ALTER TABLE notification_emails FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON notification_emails FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON notification_emails TO service_app;
GRANT UPDATE (status, attempts, reason, next_attempt_at, ended_at) ON notification_emails TO service_app;
CREATE TRIGGER check_move BEFORE UPDATE ON public.notification_emails FOR EACH ROW EXECUTE FUNCTION check_notification_email_move();
CREATE TRIGGER keep_start_delete AFTER DELETE ON public.notification_emails FOR EACH ROW WHEN ((
        CASE
            WHEN (old.ended_at IS NULL) THEN (old.next_attempt_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_notification_emails();
CREATE TRIGGER keep_start_insert AFTER INSERT ON public.notification_emails FOR EACH ROW WHEN ((
        CASE
            WHEN (new.ended_at IS NULL) THEN (new.next_attempt_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_notification_emails();
CREATE TRIGGER keep_start_update AFTER UPDATE ON public.notification_emails FOR EACH ROW WHEN ((
        CASE
            WHEN (old.ended_at IS NULL) THEN (old.next_attempt_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS DISTINCT FROM
        CASE
            WHEN (new.ended_at IS NULL) THEN (new.next_attempt_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END)) EXECUTE FUNCTION keep_start_of_notification_emails();

CREATE TABLE notification_marks (
  notification_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  reader text COLLATE "C" NOT NULL,
  read_at timestamp(3) with time zone,
  read_count integer DEFAULT 0 NOT NULL,
  dismissed_count integer DEFAULT 0 NOT NULL,
  CONSTRAINT notification_marks_pkey PRIMARY KEY (notification_id, reader)
);
ALTER TABLE notification_marks ENABLE ROW LEVEL SECURITY;
ALTER TABLE notification_marks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON notification_marks FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON notification_marks TO service_app;
GRANT UPDATE (read_at, read_count, dismissed_count) ON notification_marks TO service_app;

CREATE TABLE notification_mutes (
  workspace_id uuid NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  types text[] NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT notification_mutes_pkey PRIMARY KEY (workspace_id, user_id)
);
ALTER TABLE notification_mutes ENABLE ROW LEVEL SECURITY;
ALTER TABLE notification_mutes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON notification_mutes FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON notification_mutes TO service_app;
GRANT UPDATE (types, updated_at) ON notification_mutes TO service_app;

CREATE TABLE notification_settings (
  workspace_id uuid NOT NULL,
  alert_webhook_url text,
  alert_webhook_set_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  email_recipients text[] DEFAULT '{}'::text[] NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT notification_settings_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT notification_settings_alert_webhook_url_check CHECK ((char_length(alert_webhook_url) <= 2048)),
  CONSTRAINT notification_settings_email_recipients_check CHECK ((cardinality(email_recipients) <= 20))
);
ALTER TABLE notification_settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE notification_settings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON notification_settings FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON notification_settings TO service_app;
GRANT UPDATE (alert_webhook_url, alert_webhook_set_at, email_recipients, updated_at) ON notification_settings TO service_app;

CREATE TABLE notifications (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  type text NOT NULL,
  title text NOT NULL,
  body text NOT NULL,
  subject_type text NOT NULL,
  subject_id text NOT NULL,
  coalesce_key text NOT NULL,
  count integer DEFAULT 1 NOT NULL,
  alerted_as_of timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT notifications_pkey PRIMARY KEY (id),
  CONSTRAINT notifications_environment_id_coalesce_key_key UNIQUE (environment_id, coalesce_key),
  CONSTRAINT notifications_body_check CHECK ((char_length(body) <= 2000)),
  CONSTRAINT notifications_count_check CHECK ((count >= 1)),
  CONSTRAINT notifications_title_check CHECK (((char_length(title) >= 1) AND (char_length(title) <= 200)))
);
CREATE INDEX notifications_by_age ON public.notifications USING btree (updated_at);
CREATE INDEX notifications_newest_first ON public.notifications USING btree (environment_id, updated_at DESC, id DESC);
ALTER TABLE notifications ENABLE ROW LEVEL SECURITY;
ALTER TABLE notifications FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON notifications FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON notifications FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON notifications TO service_app;
GRANT DELETE ON notifications TO service_directory;
GRANT UPDATE (count, alerted_as_of, updated_at) ON notifications TO service_app;
GRANT SELECT (id, updated_at) ON notifications TO service_directory;
CREATE TRIGGER check_change BEFORE UPDATE ON public.notifications FOR EACH ROW EXECUTE FUNCTION check_notification_change();

CREATE TABLE oauth_artifacts (
  hash bytea NOT NULL,
  kind text NOT NULL,
  grant_id text COLLATE "C",
  payload jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  consumed_at timestamp(3) with time zone,
  CONSTRAINT oauth_artifacts_pkey PRIMARY KEY (hash),
  CONSTRAINT oauth_artifacts_check CHECK (((kind = 'Interaction'::text) OR (grant_id IS NOT NULL))),
  CONSTRAINT oauth_artifacts_hash_check CHECK ((octet_length(hash) = 32)),
  CONSTRAINT oauth_artifacts_kind_check CHECK ((kind = ANY (ARRAY['Interaction'::text, 'AuthorizationCode'::text, 'AccessToken'::text, 'RefreshToken'::text])))
);
CREATE INDEX oauth_artifacts_by_expiry ON public.oauth_artifacts USING btree (expires_at);
CREATE INDEX oauth_artifacts_by_grant ON public.oauth_artifacts USING btree (grant_id);
ALTER TABLE oauth_artifacts ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth_artifacts FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON oauth_artifacts FOR ALL TO service_directory USING (true);
GRANT DELETE, INSERT, SELECT, UPDATE ON oauth_artifacts TO service_directory;

CREATE TABLE oauth_clients (
  id text COLLATE "C" NOT NULL,
  metadata jsonb NOT NULL,
  address_hash bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp(3) with time zone,
  CONSTRAINT oauth_clients_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_clients_address_hash_check CHECK ((octet_length(address_hash) = 32))
);
CREATE INDEX oauth_clients_by_address ON public.oauth_clients USING btree (address_hash, created_at);
ALTER TABLE oauth_clients ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth_clients FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON oauth_clients FOR ALL TO service_directory USING (true);
GRANT DELETE, INSERT, SELECT, UPDATE ON oauth_clients TO service_directory;

CREATE TABLE oauth_grants (
  id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  workspace_id uuid NOT NULL,
  environment_id uuid NOT NULL,
  client_id text NOT NULL,
  client_name text NOT NULL,
  resource text NOT NULL,
  scopes text[] NOT NULL,
  openid boolean NOT NULL,
  request_hash bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  last_used_at timestamp(3) with time zone,
  ended_at timestamp(3) with time zone,
  ended_by text,
  CONSTRAINT oauth_grants_pkey PRIMARY KEY (id),
  CONSTRAINT oauth_grants_request_hash_key UNIQUE (request_hash),
  CONSTRAINT oauth_grants_check CHECK (((ended_at IS NULL) = (ended_by IS NULL))),
  CONSTRAINT oauth_grants_client_id_check CHECK (((char_length(client_id) >= 1) AND (char_length(client_id) <= 2048))),
  CONSTRAINT oauth_grants_client_name_check CHECK (((char_length(client_name) >= 1) AND (char_length(client_name) <= 200))),
  CONSTRAINT oauth_grants_ended_by_check CHECK ((ended_by = ANY (ARRAY['user'::text, 'app'::text, 'reuse'::text]))),
  CONSTRAINT oauth_grants_request_hash_check CHECK ((octet_length(request_hash) = 32)),
  CONSTRAINT oauth_grants_resource_check CHECK ((resource = ANY (ARRAY['mcp'::text, 'api'::text])))
);
CREATE INDEX oauth_grants_by_client ON public.oauth_grants USING btree (client_id);
CREATE INDEX oauth_grants_by_environment ON public.oauth_grants USING btree (environment_id);
CREATE INDEX oauth_grants_by_user ON public.oauth_grants USING btree (user_id, created_at DESC, id DESC);
ALTER TABLE oauth_grants ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth_grants FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON oauth_grants FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON oauth_grants FOR ALL TO PUBLIC USING (((environment_id = current_environment_id()) OR (user_id = current_user_id()))) WITH CHECK (((environment_id = current_environment_id()) OR (user_id = current_user_id())));
GRANT INSERT, SELECT ON oauth_grants TO service_app;
GRANT DELETE, SELECT ON oauth_grants TO service_directory;
GRANT UPDATE (last_used_at, ended_at, ended_by) ON oauth_grants TO service_app;
CREATE TRIGGER end_use BEFORE UPDATE OF ended_at ON public.oauth_grants FOR EACH ROW WHEN ((new.ended_at IS DISTINCT FROM old.ended_at)) EXECUTE FUNCTION end_oauth_grant_use();

CREATE TABLE oauth_signing_keys (
  id text COLLATE "C" NOT NULL,
  master_key_version integer NOT NULL,
  wrapped_data_key bytea NOT NULL,
  sealed_value bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT oauth_signing_keys_pkey PRIMARY KEY (id)
);
ALTER TABLE oauth_signing_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE oauth_signing_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON oauth_signing_keys FOR ALL TO service_directory USING (true);
GRANT INSERT, SELECT, UPDATE ON oauth_signing_keys TO service_directory;

CREATE TABLE observations (
  invocation_id text COLLATE "C" NOT NULL,
  sequence integer NOT NULL,
  environment_id uuid NOT NULL,
  observed_at timestamp(3) with time zone NOT NULL,
  preconditions jsonb NOT NULL,
  blocks jsonb NOT NULL,
  refusal jsonb,
  summary text NOT NULL,
  recorded_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT observations_pkey PRIMARY KEY (invocation_id, sequence),
  CONSTRAINT observations_blocks_check CHECK ((jsonb_typeof(blocks) = 'array'::text)),
  CONSTRAINT observations_preconditions_check CHECK ((jsonb_typeof(preconditions) = 'object'::text)),
  CONSTRAINT observations_sequence_check CHECK ((sequence >= 1))
);
ALTER TABLE observations ENABLE ROW LEVEL SECURITY;
ALTER TABLE observations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON observations FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON observations TO service_app;
CREATE TRIGGER append_only BEFORE UPDATE ON public.observations FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER record_time BEFORE INSERT ON public.observations FOR EACH ROW EXECUTE FUNCTION record_time();
CREATE TRIGGER stays BEFORE DELETE ON public.observations FOR EACH ROW WHEN ((NOT is_archived(old.invocation_id))) EXECUTE FUNCTION refuse_change();

CREATE TABLE operation_keys (
  environment_id uuid NOT NULL,
  operation_key text NOT NULL,
  invocation_id text COLLATE "C" NOT NULL,
  effect_id text COLLATE "C",
  request_digest text NOT NULL,
  status text NOT NULL,
  grade text NOT NULL,
  settled_at timestamp(3) with time zone NOT NULL,
  archived_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  archive text NOT NULL,
  CONSTRAINT operation_keys_pkey PRIMARY KEY (environment_id, operation_key),
  CONSTRAINT operation_keys_effect_id_key UNIQUE (effect_id),
  CONSTRAINT operation_keys_invocation_id_key UNIQUE (invocation_id),
  CONSTRAINT operation_keys_archive_check CHECK ((archive ~ '^[0-9a-f-]{36}/[0-9]{4}-[0-9]{2}-[0-9]{1,6}$'::text))
);
ALTER TABLE operation_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE operation_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON operation_keys FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON operation_keys FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT SELECT ON operation_keys TO service_app;
GRANT SELECT (invocation_id) ON operation_keys TO service_directory;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.operation_keys FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER check_archival BEFORE INSERT ON public.operation_keys FOR EACH ROW EXECUTE FUNCTION check_archival();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.operation_keys FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE CONSTRAINT TRIGGER require_archived AFTER INSERT ON public.operation_keys DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_archived();

CREATE TABLE passkey_challenges (
  session_id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  purpose text NOT NULL,
  challenge text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT passkey_challenges_pkey PRIMARY KEY (session_id, purpose),
  CONSTRAINT passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['enrol'::text, 'authenticate'::text])))
);
CREATE INDEX passkey_challenges_by_user ON public.passkey_challenges USING btree (user_id);
ALTER TABLE passkey_challenges ENABLE ROW LEVEL SECURITY;
ALTER TABLE passkey_challenges FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON passkey_challenges FOR ALL TO PUBLIC USING ((user_id = current_user_id())) WITH CHECK ((user_id = current_user_id()));
GRANT DELETE, INSERT, SELECT ON passkey_challenges TO service_app;
GRANT UPDATE (challenge, expires_at) ON passkey_challenges TO service_app;

CREATE TABLE passkeys (
  id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  name text NOT NULL,
  credential_id bytea NOT NULL,
  public_key bytea NOT NULL,
  sign_count bigint NOT NULL,
  transports text[] NOT NULL,
  is_synced boolean NOT NULL,
  created_at timestamp(3) with time zone DEFAULT clock_timestamp() NOT NULL,
  last_used_at timestamp(3) with time zone,
  challenged_at timestamp(3) with time zone,
  CONSTRAINT passkeys_pkey PRIMARY KEY (id),
  CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id),
  CONSTRAINT passkeys_credential_id_check CHECK (((octet_length(credential_id) >= 1) AND (octet_length(credential_id) <= 1023))),
  CONSTRAINT passkeys_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT passkeys_public_key_check CHECK (((octet_length(public_key) >= 1) AND (octet_length(public_key) <= 4096))),
  CONSTRAINT passkeys_sign_count_check CHECK ((sign_count >= 0))
);
CREATE INDEX passkeys_by_user ON public.passkeys USING btree (user_id);
ALTER TABLE passkeys ENABLE ROW LEVEL SECURITY;
ALTER TABLE passkeys FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON passkeys FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON passkeys FOR ALL TO PUBLIC USING ((user_id = current_user_id())) WITH CHECK ((user_id = current_user_id()));
GRANT DELETE, INSERT, SELECT ON passkeys TO service_app;
GRANT UPDATE (name, sign_count, last_used_at, challenged_at) ON passkeys TO service_app;
GRANT SELECT (user_id, credential_id) ON passkeys TO service_directory;

CREATE TABLE pending_plan_changes (
  workspace_id uuid NOT NULL,
  plan text NOT NULL,
  effective_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT pending_plan_changes_pkey PRIMARY KEY (workspace_id)
);
ALTER TABLE pending_plan_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE pending_plan_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON pending_plan_changes FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT DELETE, INSERT, SELECT ON pending_plan_changes TO service_app;
GRANT UPDATE (plan, effective_at) ON pending_plan_changes TO service_app;

CREATE TABLE plan_changes (
  workspace_id uuid NOT NULL,
  number integer NOT NULL,
  from_plan text NOT NULL,
  to_plan text NOT NULL,
  changed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT plan_changes_pkey PRIMARY KEY (workspace_id, number),
  CONSTRAINT plan_changes_check CHECK ((to_plan <> from_plan)),
  CONSTRAINT plan_changes_number_check CHECK ((number >= 1))
);
ALTER TABLE plan_changes ENABLE ROW LEVEL SECURITY;
ALTER TABLE plan_changes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON plan_changes FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON plan_changes TO service_app;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.plan_changes FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE policy_plans (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  base_revision bigint NOT NULL,
  digest text NOT NULL,
  changes json NOT NULL,
  created_by jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  applied_at timestamp(3) with time zone,
  result json,
  CONSTRAINT policy_plans_pkey PRIMARY KEY (id),
  CONSTRAINT policy_plans_base_revision_check CHECK ((base_revision >= 0)),
  CONSTRAINT policy_plans_changes_check CHECK ((json_typeof(changes) = 'array'::text)),
  CONSTRAINT policy_plans_check CHECK (((applied_at IS NULL) = (result IS NULL))),
  CONSTRAINT policy_plans_digest_check CHECK ((digest ~ '^sha256:[0-9a-f]{64}$'::text))
);
CREATE INDEX policy_plans_by_expiry ON public.policy_plans USING btree (environment_id, expires_at);
ALTER TABLE policy_plans ENABLE ROW LEVEL SECURITY;
ALTER TABLE policy_plans FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON policy_plans FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON policy_plans TO service_app;
GRANT UPDATE (applied_at, result) ON policy_plans TO service_app;
CREATE TRIGGER keep_applied BEFORE UPDATE ON public.policy_plans FOR EACH ROW WHEN ((old.applied_at IS NOT NULL)) EXECUTE FUNCTION keep_applied_plan();

CREATE TABLE policy_revisions (
  environment_id uuid NOT NULL,
  revision bigint NOT NULL,
  stamp uuid DEFAULT gen_random_uuid() NOT NULL,
  changed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT policy_revisions_pkey PRIMARY KEY (environment_id),
  CONSTRAINT policy_revisions_revision_check CHECK ((revision >= 1))
);
ALTER TABLE policy_revisions ENABLE ROW LEVEL SECURITY;
ALTER TABLE policy_revisions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON policy_revisions FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT SELECT ON policy_revisions TO service_app;

CREATE TABLE preview_drafts (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  version_id text COLLATE "C" NOT NULL,
  invocation_id text COLLATE "C" NOT NULL,
  effect_id text COLLATE "C" NOT NULL,
  operation_key text NOT NULL,
  input jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  observed_at timestamp(3) with time zone,
  preconditions jsonb,
  blocks jsonb,
  refusal jsonb,
  summary text,
  CONSTRAINT preview_drafts_pkey PRIMARY KEY (id),
  CONSTRAINT preview_drafts_check CHECK ((((observed_at IS NULL) = (preconditions IS NULL)) AND ((observed_at IS NULL) = (blocks IS NULL)) AND ((observed_at IS NULL) = (summary IS NULL)) AND ((refusal IS NULL) OR (observed_at IS NOT NULL))))
);
CREATE INDEX preview_drafts_oldest_first ON public.preview_drafts USING btree (environment_id, created_at);
ALTER TABLE preview_drafts ENABLE ROW LEVEL SECURITY;
ALTER TABLE preview_drafts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON preview_drafts FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON preview_drafts TO service_app;
GRANT UPDATE (observed_at, preconditions, blocks, refusal, summary) ON preview_drafts TO service_app;

CREATE TABLE previews (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  action_id text COLLATE "C" NOT NULL,
  version_id text COLLATE "C" NOT NULL,
  adapter_type text NOT NULL,
  adapter_version text NOT NULL,
  invocation_id text COLLATE "C" NOT NULL,
  effect_id text COLLATE "C",
  operation_key text,
  input jsonb NOT NULL,
  run_id text,
  agent_id text,
  retry_of text COLLATE "C",
  depends_on jsonb DEFAULT '[]'::jsonb NOT NULL,
  compensates text COLLATE "C",
  capabilities jsonb NOT NULL,
  target jsonb NOT NULL,
  request jsonb NOT NULL,
  request_digest text NOT NULL,
  impact jsonb NOT NULL,
  blocks jsonb NOT NULL,
  preconditions jsonb NOT NULL,
  allowances jsonb DEFAULT '[]'::jsonb NOT NULL,
  binding_digest text NOT NULL,
  evidence_observed_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  supersedes text COLLATE "C",
  made_by text NOT NULL,
  created_by jsonb NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT previews_pkey PRIMARY KEY (id),
  CONSTRAINT previews_effect_id_key UNIQUE (effect_id),
  CONSTRAINT previews_id_effect_id_invocation_id_key UNIQUE (id, effect_id, invocation_id),
  CONSTRAINT previews_id_invocation_id_environment_id_key UNIQUE (id, invocation_id, environment_id),
  CONSTRAINT previews_invocation_id_key UNIQUE (invocation_id),
  CONSTRAINT previews_supersedes_key UNIQUE (supersedes),
  CONSTRAINT previews_allowances_check CHECK ((jsonb_typeof(allowances) = 'array'::text)),
  CONSTRAINT previews_binding_digest_check CHECK ((binding_digest ~ '^sha256:[0-9a-f]{64}$'::text)),
  CONSTRAINT previews_blocks_check CHECK ((jsonb_typeof(blocks) = 'array'::text)),
  CONSTRAINT previews_depends_on_check CHECK ((jsonb_typeof(depends_on) = 'array'::text)),
  CONSTRAINT previews_impact_check CHECK ((jsonb_typeof(impact) = 'array'::text)),
  CONSTRAINT previews_made_by_check CHECK ((made_by = ANY (ARRAY['caller'::text, 'service'::text]))),
  CONSTRAINT previews_operation_key_check CHECK (((char_length(operation_key) >= 1) AND (char_length(operation_key) <= 255))),
  CONSTRAINT previews_preconditions_check CHECK ((jsonb_typeof(preconditions) = 'object'::text)),
  CONSTRAINT previews_request_digest_check CHECK ((request_digest ~ '^sha256:[0-9a-f]{64}$'::text))
);
CREATE INDEX previews_compensating ON public.previews USING btree (compensates) WHERE (compensates IS NOT NULL);
CREATE INDEX previews_newest_first ON public.previews USING btree (environment_id, created_at DESC, id DESC);
CREATE INDEX previews_of_callers ON public.previews USING btree (environment_id, created_at) WHERE (made_by = 'caller'::text);
CREATE INDEX previews_retries ON public.previews USING btree (retry_of) WHERE (retry_of IS NOT NULL);
ALTER TABLE previews ENABLE ROW LEVEL SECURITY;
ALTER TABLE previews FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON previews FOR SELECT TO service_directory USING (true);
CREATE POLICY directory_retention ON previews FOR DELETE TO service_directory USING ((expires_at < (now() - '30 days'::interval)));
CREATE POLICY tenant ON previews FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON previews TO service_app;
GRANT DELETE ON previews TO service_directory;
GRANT SELECT (id, expires_at, supersedes) ON previews TO service_directory;
CREATE TRIGGER append_only BEFORE UPDATE ON public.previews FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER check_succession BEFORE INSERT ON public.previews FOR EACH ROW WHEN ((new.supersedes IS NOT NULL)) EXECUTE FUNCTION check_preview_succession();
CREATE TRIGGER keep BEFORE DELETE ON public.previews FOR EACH ROW EXECUTE FUNCTION keep_preview();
CREATE TRIGGER keep_unused AFTER INSERT ON public.previews FOR EACH ROW WHEN ((new.made_by = 'caller'::text)) EXECUTE FUNCTION keep_unused_preview();

CREATE TABLE raised_events (
  id uuid DEFAULT uuidv7() NOT NULL,
  environment_id uuid NOT NULL,
  type text NOT NULL,
  row_id text COLLATE "C",
  snapshot jsonb NOT NULL,
  occurred_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  look_again_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT raised_events_pkey PRIMARY KEY (id)
);
CREATE INDEX raised_events_of ON public.raised_events USING btree (environment_id, id);
CREATE INDEX raised_events_of_row ON public.raised_events USING btree (row_id) WHERE (row_id IS NOT NULL);
ALTER TABLE raised_events ENABLE ROW LEVEL SECURITY;
ALTER TABLE raised_events FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON raised_events FOR SELECT TO service_directory USING (true);
CREATE POLICY directory_raises ON raised_events FOR INSERT TO service_directory WITH CHECK (true);
CREATE POLICY tenant ON raised_events FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON raised_events TO service_app;
GRANT UPDATE (look_again_at) ON raised_events TO service_app;
GRANT INSERT (environment_id, type, snapshot) ON raised_events TO service_directory;
GRANT SELECT (id, environment_id, look_again_at) ON raised_events TO service_directory;

CREATE UNLOGGED TABLE rate_windows (
  workspace_id uuid NOT NULL,
  minute_started_at timestamp with time zone NOT NULL,
  minute_used integer NOT NULL,
  hour_started_at timestamp with time zone NOT NULL,
  hour_used integer NOT NULL,
  CONSTRAINT rate_windows_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT rate_windows_hour_used_check CHECK ((hour_used >= 1)),
  CONSTRAINT rate_windows_minute_used_check CHECK ((minute_used >= 1))
) WITH (fillfactor=50);
ALTER TABLE rate_windows ENABLE ROW LEVEL SECURITY;
ALTER TABLE rate_windows FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON rate_windows FOR ALL TO service_directory USING (true) WITH CHECK (true);
CREATE POLICY tenant ON rate_windows FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT, UPDATE ON rate_windows TO service_directory;

CREATE TABLE receipt_chains (
  effect_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  sequence integer NOT NULL,
  hash text,
  CONSTRAINT receipt_chains_pkey PRIMARY KEY (effect_id)
) WITH (fillfactor=70);
ALTER TABLE receipt_chains ENABLE ROW LEVEL SECURITY;
ALTER TABLE receipt_chains FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON receipt_chains FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT SELECT ON receipt_chains TO service_app;
CREATE TRIGGER moves_on BEFORE UPDATE ON public.receipt_chains FOR EACH ROW WHEN (((new.sequence <> (old.sequence + 1)) OR (new.hash IS NULL) OR (new.effect_id <> old.effect_id) OR (new.environment_id <> old.environment_id))) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.receipt_chains FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stays BEFORE DELETE ON public.receipt_chains FOR EACH ROW WHEN ((NOT is_archived_effect(old.effect_id))) EXECUTE FUNCTION refuse_change();

CREATE TABLE receipt_entries (
  effect_id text COLLATE "C" NOT NULL,
  sequence integer NOT NULL,
  environment_id uuid NOT NULL,
  kind text NOT NULL,
  record_id text COLLATE "C" NOT NULL,
  previous_hash text,
  hash text NOT NULL,
  CONSTRAINT receipt_entries_pkey PRIMARY KEY (effect_id, sequence),
  CONSTRAINT receipt_entries_record_id_kind_key UNIQUE (record_id, kind),
  CONSTRAINT receipt_entries_kind_check CHECK ((kind = ANY (ARRAY['evidence'::text, 'attempt_started'::text, 'attempt_claimed'::text, 'attempt_ended'::text, 'late_answer'::text, 'resolution'::text])))
);
ALTER TABLE receipt_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE receipt_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON receipt_entries FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT SELECT ON receipt_entries TO service_app;
CREATE TRIGGER append_only BEFORE UPDATE ON public.receipt_entries FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.receipt_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stays BEFORE DELETE ON public.receipt_entries FOR EACH ROW WHEN ((NOT is_archived_effect(old.effect_id))) EXECUTE FUNCTION refuse_change();

CREATE TABLE recovery_codes (
  code_hash bytea NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  used_at timestamp(3) with time zone,
  CONSTRAINT recovery_codes_pkey PRIMARY KEY (code_hash),
  CONSTRAINT recovery_codes_code_hash_check CHECK ((octet_length(code_hash) = 32))
);
CREATE INDEX recovery_codes_by_user ON public.recovery_codes USING btree (user_id);
ALTER TABLE recovery_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE recovery_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON recovery_codes FOR ALL TO PUBLIC USING ((user_id = current_user_id())) WITH CHECK ((user_id = current_user_id()));
GRANT DELETE, INSERT, SELECT ON recovery_codes TO service_app;
GRANT UPDATE (used_at) ON recovery_codes TO service_app;

CREATE TABLE resolutions (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  invocation_id text COLLATE "C" NOT NULL,
  effect_id text COLLATE "C",
  outcome text NOT NULL,
  previous_outcome text NOT NULL,
  partial_effect text NOT NULL,
  settled_impact jsonb,
  summary text NOT NULL,
  provider_ids jsonb NOT NULL,
  url text,
  resolved_by jsonb NOT NULL,
  resolved_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT resolutions_pkey PRIMARY KEY (id),
  CONSTRAINT resolutions_effect_id_key UNIQUE (effect_id),
  CONSTRAINT resolutions_invocation_id_key UNIQUE (invocation_id),
  CONSTRAINT resolutions_outcome_check CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text]))),
  CONSTRAINT resolutions_partial_effect_check CHECK ((partial_effect = ANY (ARRAY['none'::text, 'possible'::text, 'confirmed'::text]))),
  CONSTRAINT resolutions_previous_outcome_check CHECK ((previous_outcome = ANY (ARRAY['unknown'::text, 'pending'::text]))),
  CONSTRAINT resolutions_provider_ids_check CHECK ((jsonb_typeof(provider_ids) = 'object'::text)),
  CONSTRAINT resolutions_settled_impact_check CHECK ((jsonb_typeof(settled_impact) = 'array'::text)),
  CONSTRAINT resolutions_summary_check CHECK (((char_length(summary) >= 3) AND (char_length(summary) <= 2000)))
);
ALTER TABLE resolutions ENABLE ROW LEVEL SECURITY;
ALTER TABLE resolutions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON resolutions FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON resolutions TO service_app;
CREATE TRIGGER append_only BEFORE UPDATE ON public.resolutions FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain AFTER INSERT ON public.resolutions FOR EACH ROW WHEN ((new.effect_id IS NOT NULL)) EXECUTE FUNCTION chain_resolution();
CREATE TRIGGER check_resolution BEFORE INSERT ON public.resolutions FOR EACH ROW EXECUTE FUNCTION check_resolution();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON public.resolutions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER stays BEFORE DELETE ON public.resolutions FOR EACH ROW WHEN ((NOT is_archived(old.invocation_id))) EXECUTE FUNCTION refuse_change();

CREATE TABLE run_tags (
  environment_id uuid NOT NULL,
  tag text NOT NULL,
  run_id text COLLATE "C" NOT NULL,
  CONSTRAINT run_tags_pkey PRIMARY KEY (environment_id, tag, run_id)
) PARTITION BY RANGE (run_id);
ALTER TABLE run_tags ENABLE ROW LEVEL SECURITY;
ALTER TABLE run_tags FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON run_tags FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON run_tags FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON run_tags TO service_app;
GRANT DELETE, SELECT ON run_tags TO service_directory;

CREATE TABLE runs (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  name text,
  agent_id text,
  agent_version text,
  user_id text,
  application text,
  status text DEFAULT 'running'::text NOT NULL,
  input jsonb,
  output jsonb,
  error jsonb,
  tokens bigint,
  input_tokens bigint,
  output_tokens bigint,
  cost double precision,
  tags text[],
  metadata jsonb,
  trace_id text,
  started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  ended_at timestamp(3) with time zone,
  closed_at timestamp(3) with time zone,
  stored_bytes integer GENERATED ALWAYS AS ((((((512 + COALESCE(octet_length((input)::text), 0)) + COALESCE(octet_length((output)::text), 0)) + COALESCE(octet_length((error)::text), 0)) + COALESCE(octet_length((metadata)::text), 0)) + (64 * COALESCE(cardinality(tags), 0)))) STORED NOT NULL,
  CONSTRAINT runs_pkey PRIMARY KEY (id),
  CONSTRAINT runs_agent_id_check CHECK ((char_length(agent_id) <= 60)),
  CONSTRAINT runs_agent_version_check CHECK ((char_length(agent_version) <= 60)),
  CONSTRAINT runs_application_check CHECK ((char_length(application) <= 200)),
  CONSTRAINT runs_check CHECK (((status = 'running'::text) = (ended_at IS NULL))),
  CONSTRAINT runs_check1 CHECK (((ended_at IS NULL) = (closed_at IS NULL))),
  CONSTRAINT runs_check2 CHECK ((ended_at >= started_at)),
  CONSTRAINT runs_cost_check CHECK ((cost >= (0)::double precision)),
  CONSTRAINT runs_error_check CHECK ((jsonb_typeof(error) = 'object'::text)),
  CONSTRAINT runs_input_tokens_check CHECK ((input_tokens >= 0)),
  CONSTRAINT runs_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  CONSTRAINT runs_name_check CHECK ((char_length(name) <= 200)),
  CONSTRAINT runs_output_tokens_check CHECK ((output_tokens >= 0)),
  CONSTRAINT runs_status_check CHECK ((status = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text]))),
  CONSTRAINT runs_tags_check CHECK ((cardinality(tags) <= 50)),
  CONSTRAINT runs_tokens_check CHECK ((tokens >= 0)),
  CONSTRAINT runs_trace_id_check CHECK ((trace_id ~ '^[0-9a-f]{32}$'::text)),
  CONSTRAINT runs_user_id_check CHECK ((char_length(user_id) <= 200))
) PARTITION BY RANGE (id);
CREATE INDEX runs_by_agent ON ONLY public.runs USING btree (environment_id, agent_id, id DESC) WHERE (agent_id IS NOT NULL);
CREATE INDEX runs_by_application ON ONLY public.runs USING btree (environment_id, application, id DESC) WHERE (application IS NOT NULL);
CREATE INDEX runs_by_status ON ONLY public.runs USING btree (environment_id, status, id DESC);
CREATE INDEX runs_by_trace ON ONLY public.runs USING btree (environment_id, trace_id) WHERE (trace_id IS NOT NULL);
CREATE INDEX runs_by_user ON ONLY public.runs USING btree (environment_id, user_id, id DESC) WHERE (user_id IS NOT NULL);
CREATE INDEX runs_newest_first ON ONLY public.runs USING btree (environment_id, id DESC);
ALTER TABLE runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE runs FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON runs FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON runs FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON runs TO service_app;
GRANT DELETE ON runs TO service_directory;
GRANT UPDATE (name, agent_id, user_id, application, status, output, error, tokens, input_tokens, output_tokens, cost, tags, metadata, started_at, ended_at, closed_at) ON runs TO service_app;
GRANT SELECT (id, environment_id, status) ON runs TO service_directory;
CREATE TRIGGER check_move BEFORE UPDATE ON public.runs FOR EACH ROW EXECUTE FUNCTION check_run_move();
CREATE TRIGGER count_added AFTER INSERT ON public.runs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_runs();
CREATE TRIGGER count_changed AFTER UPDATE ON public.runs REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_runs();
CREATE TRIGGER count_facts_of_insert AFTER INSERT ON public.runs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_runs();
CREATE TRIGGER count_facts_of_update AFTER UPDATE ON public.runs REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_runs();
CREATE TRIGGER count_removed AFTER DELETE ON public.runs REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_runs();
CREATE TRIGGER keep_tags AFTER INSERT ON public.runs FOR EACH ROW WHEN ((cardinality(new.tags) > 0)) EXECUTE FUNCTION keep_run_tags();
CREATE TRIGGER move_tags AFTER UPDATE OF tags ON public.runs FOR EACH ROW WHEN ((old.tags IS DISTINCT FROM new.tags)) EXECUTE FUNCTION keep_run_tags();
CREATE TRIGGER remove_tags AFTER DELETE ON public.runs FOR EACH ROW WHEN ((cardinality(old.tags) > 0)) EXECUTE FUNCTION keep_run_tags();

CREATE TABLE schedule_runs (
  environment_id uuid NOT NULL,
  schedule_id text COLLATE "C" NOT NULL,
  trigger text NOT NULL,
  nominal_at timestamp(3) with time zone NOT NULL,
  outcome text NOT NULL,
  message_ids text[] COLLATE "C" DEFAULT '{}'::text[] NOT NULL,
  event_id text COLLATE "C",
  error_code text,
  error_message text,
  fired_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT schedule_runs_pkey PRIMARY KEY (schedule_id, nominal_at, trigger),
  CONSTRAINT schedule_runs_check CHECK (((outcome = 'published'::text) = ((cardinality(message_ids) > 0) OR (event_id IS NOT NULL)))),
  CONSTRAINT schedule_runs_check1 CHECK (((outcome = ANY (ARRAY['queued'::text, 'published'::text])) = (error_code IS NULL))),
  CONSTRAINT schedule_runs_check2 CHECK (((outcome <> 'queued'::text) OR (trigger = 'manual'::text))),
  CONSTRAINT schedule_runs_check3 CHECK (((error_code IS NULL) = (error_message IS NULL))),
  CONSTRAINT schedule_runs_outcome_check CHECK ((outcome = ANY (ARRAY['queued'::text, 'waiting'::text, 'published'::text, 'skipped'::text, 'failed'::text, 'missed'::text]))),
  CONSTRAINT schedule_runs_trigger_check CHECK ((trigger = ANY (ARRAY['schedule'::text, 'manual'::text])))
);
CREATE INDEX schedule_runs_newest_first ON public.schedule_runs USING btree (environment_id, fired_at DESC, schedule_id DESC, nominal_at DESC, trigger DESC);
CREATE UNIQUE INDEX schedule_runs_waiting ON public.schedule_runs USING btree (schedule_id) WHERE (outcome = 'waiting'::text);
ALTER TABLE schedule_runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE schedule_runs FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON schedule_runs FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON schedule_runs TO service_app;
GRANT UPDATE (outcome, message_ids, event_id, error_code, error_message, fired_at) ON schedule_runs TO service_app;
CREATE TRIGGER count_facts_of_insert AFTER INSERT ON public.schedule_runs REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_schedule_runs();
CREATE TRIGGER count_facts_of_update AFTER UPDATE ON public.schedule_runs REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_schedule_runs();
CREATE TRIGGER keep_start_delete AFTER DELETE ON public.schedule_runs FOR EACH ROW WHEN ((
        CASE
            WHEN (old.outcome = ANY (ARRAY['queued'::text, 'waiting'::text])) THEN (old.fired_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_schedule_runs();
CREATE TRIGGER keep_start_insert AFTER INSERT ON public.schedule_runs FOR EACH ROW WHEN ((
        CASE
            WHEN (new.outcome = ANY (ARRAY['queued'::text, 'waiting'::text])) THEN (new.fired_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_schedule_runs();
CREATE TRIGGER keep_start_update AFTER UPDATE ON public.schedule_runs FOR EACH ROW WHEN ((
        CASE
            WHEN (old.outcome = ANY (ARRAY['queued'::text, 'waiting'::text])) THEN (old.fired_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS DISTINCT FROM
        CASE
            WHEN (new.outcome = ANY (ARRAY['queued'::text, 'waiting'::text])) THEN (new.fired_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END)) EXECUTE FUNCTION keep_start_of_schedule_runs();
CREATE TRIGGER leave_schedule_failed AFTER INSERT OR UPDATE OF outcome ON public.schedule_runs FOR EACH ROW WHEN ((new.outcome = 'failed'::text)) EXECUTE FUNCTION leave_event_of_schedule_runs('schedule.failed', 'heard');
CREATE TRIGGER leave_schedule_missed AFTER INSERT ON public.schedule_runs REFERENCING NEW TABLE AS recorded FOR EACH STATEMENT EXECUTE FUNCTION leave_event_of_missed_slots();

CREATE TABLE schedules (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  name text,
  cron text NOT NULL,
  timezone text NOT NULL,
  overlap text NOT NULL,
  catch_up_seconds integer NOT NULL,
  destination jsonb NOT NULL,
  headers jsonb,
  body text,
  body_kind text NOT NULL,
  body_sealed boolean DEFAULT false NOT NULL,
  master_key_version integer,
  wrapped_data_key bytea,
  sealed_value bytea,
  paused boolean DEFAULT false NOT NULL,
  created_by jsonb NOT NULL,
  last_run_at timestamp(3) with time zone,
  due_at timestamp(3) with time zone,
  revision integer DEFAULT 1 NOT NULL,
  told_revision integer,
  renew_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp(3) with time zone,
  firings_per_hour integer GENERATED ALWAYS AS (cron_firings_per_hour(cron)) STORED NOT NULL,
  pauses tstzmultirange DEFAULT '{}'::tstzmultirange NOT NULL,
  CONSTRAINT schedules_pkey PRIMARY KEY (id),
  CONSTRAINT schedules_body_kind_check CHECK ((body_kind = ANY (ARRAY['none'::text, 'text'::text, 'json'::text]))),
  CONSTRAINT schedules_catch_up_seconds_check CHECK (((catch_up_seconds >= 10) AND (catch_up_seconds <= 86400))),
  CONSTRAINT schedules_check CHECK ((told_revision <= revision)),
  CONSTRAINT schedules_check1 CHECK (((told_revision IS NULL) = (renew_at IS NULL))),
  CONSTRAINT schedules_check2 CHECK ((num_nonnulls(master_key_version, wrapped_data_key, sealed_value) = ANY (ARRAY[0, 3]))),
  CONSTRAINT schedules_check3 CHECK (((body_kind = 'none'::text) OR ((body IS NULL) = body_sealed))),
  CONSTRAINT schedules_cron_check CHECK (((char_length(cron) >= 1) AND (char_length(cron) <= 200))),
  CONSTRAINT schedules_master_key_version_check CHECK ((master_key_version >= 1)),
  CONSTRAINT schedules_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT schedules_overlap_check CHECK ((overlap = ANY (ARRAY['skip'::text, 'buffer_one'::text, 'allow_all'::text]))),
  CONSTRAINT schedules_revision_check CHECK ((revision >= 1)),
  CONSTRAINT schedules_timezone_check CHECK (((char_length(timezone) >= 1) AND (char_length(timezone) <= 64)))
);
CREATE INDEX schedules_active ON public.schedules USING btree (environment_id) INCLUDE (firings_per_hour) WHERE ((deleted_at IS NULL) AND (NOT paused));
CREATE INDEX schedules_by_master_key ON public.schedules USING btree (environment_id, master_key_version) WHERE (master_key_version IS NOT NULL);
CREATE INDEX schedules_newest_first ON public.schedules USING btree (environment_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
ALTER TABLE schedules ENABLE ROW LEVEL SECURITY;
ALTER TABLE schedules FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON schedules FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON schedules FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON schedules TO service_app;
GRANT UPDATE (name, cron, timezone, overlap, catch_up_seconds, destination, headers, body, body_kind, body_sealed, master_key_version, wrapped_data_key, sealed_value, paused, last_run_at, due_at, revision, told_revision, renew_at, updated_at, deleted_at, pauses) ON schedules TO service_app;
GRANT SELECT (environment_id, paused, deleted_at, firings_per_hour) ON schedules TO service_directory;
CREATE TRIGGER keep_start_delete AFTER DELETE ON public.schedules FOR EACH ROW WHEN ((
        CASE
            WHEN (old.deleted_at IS NULL) THEN LEAST(
            CASE
                WHEN (old.told_revision IS DISTINCT FROM old.revision) THEN (old.updated_at + '00:00:30'::interval)
                ELSE NULL::timestamp with time zone
            END, old.renew_at, (old.due_at + '00:02:00'::interval))
            WHEN (old.told_revision IS NOT NULL) THEN (old.deleted_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_schedules();
CREATE TRIGGER keep_start_insert AFTER INSERT ON public.schedules FOR EACH ROW WHEN ((
        CASE
            WHEN (new.deleted_at IS NULL) THEN LEAST(
            CASE
                WHEN (new.told_revision IS DISTINCT FROM new.revision) THEN (new.updated_at + '00:00:30'::interval)
                ELSE NULL::timestamp with time zone
            END, new.renew_at, (new.due_at + '00:02:00'::interval))
            WHEN (new.told_revision IS NOT NULL) THEN (new.deleted_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS NOT NULL)) EXECUTE FUNCTION keep_start_of_schedules();
CREATE TRIGGER keep_start_update AFTER UPDATE ON public.schedules FOR EACH ROW WHEN ((
        CASE
            WHEN (old.deleted_at IS NULL) THEN LEAST(
            CASE
                WHEN (old.told_revision IS DISTINCT FROM old.revision) THEN (old.updated_at + '00:00:30'::interval)
                ELSE NULL::timestamp with time zone
            END, old.renew_at, (old.due_at + '00:02:00'::interval))
            WHEN (old.told_revision IS NOT NULL) THEN (old.deleted_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END IS DISTINCT FROM
        CASE
            WHEN (new.deleted_at IS NULL) THEN LEAST(
            CASE
                WHEN (new.told_revision IS DISTINCT FROM new.revision) THEN (new.updated_at + '00:00:30'::interval)
                ELSE NULL::timestamp with time zone
            END, new.renew_at, (new.due_at + '00:02:00'::interval))
            WHEN (new.told_revision IS NOT NULL) THEN (new.deleted_at + '00:00:30'::interval)
            ELSE NULL::timestamp with time zone
        END)) EXECUTE FUNCTION keep_start_of_schedules();

CREATE TABLE secret_versions (
  environment_id uuid NOT NULL,
  secret_id text COLLATE "C" NOT NULL,
  version integer NOT NULL,
  master_key_version integer NOT NULL,
  wrapped_data_key bytea NOT NULL,
  sealed_value bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT secret_versions_pkey PRIMARY KEY (secret_id, version),
  CONSTRAINT secret_versions_master_key_version_check CHECK ((master_key_version >= 1)),
  CONSTRAINT secret_versions_version_check CHECK ((version >= 1))
);
CREATE INDEX secret_versions_by_master_key ON public.secret_versions USING btree (environment_id, master_key_version);
ALTER TABLE secret_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE secret_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON secret_versions FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON secret_versions TO service_app;
GRANT UPDATE (master_key_version, wrapped_data_key) ON secret_versions TO service_app;

CREATE TABLE secrets (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  name text NOT NULL,
  description text,
  current_version integer NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  rotated_at timestamp(3) with time zone,
  deleted_at timestamp(3) with time zone,
  CONSTRAINT secrets_pkey PRIMARY KEY (id),
  CONSTRAINT secrets_environment_id_name_key UNIQUE (environment_id, name),
  CONSTRAINT secrets_current_version_check CHECK ((current_version >= 1))
);
ALTER TABLE secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON secrets FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT, UPDATE ON secrets TO service_app;
CREATE TRIGGER leave_secret_rotated AFTER UPDATE OF current_version ON public.secrets FOR EACH ROW WHEN (((new.current_version <> old.current_version) AND (old.deleted_at IS NULL) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION leave_event_of_secrets('secret.rotated', 'heard');

CREATE TABLE session_messages (
  session_id text COLLATE "C" NOT NULL,
  sequence bigint NOT NULL,
  environment_id uuid NOT NULL,
  id text COLLATE "C" NOT NULL,
  role text NOT NULL,
  content jsonb NOT NULL,
  name text,
  tool_call_id text,
  tool_calls jsonb,
  metadata jsonb,
  tokens integer NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  bytes integer GENERATED ALWAYS AS ((octet_length((content)::text) + COALESCE(octet_length((tool_calls)::text), 0))) STORED NOT NULL,
  stored_bytes integer GENERATED ALWAYS AS ((((512 + octet_length((content)::text)) + COALESCE(octet_length((tool_calls)::text), 0)) + COALESCE(octet_length((metadata)::text), 0))) STORED NOT NULL,
  CONSTRAINT session_messages_pkey PRIMARY KEY (session_id, sequence),
  CONSTRAINT session_messages_check CHECK (((role = 'tool'::text) = (tool_call_id IS NOT NULL))),
  CONSTRAINT session_messages_check1 CHECK (((tool_calls IS NULL) OR (role = 'assistant'::text))),
  CONSTRAINT session_messages_content_check CHECK ((jsonb_typeof(content) = ANY (ARRAY['string'::text, 'array'::text]))),
  CONSTRAINT session_messages_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  CONSTRAINT session_messages_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 64))),
  CONSTRAINT session_messages_role_check CHECK ((role = ANY (ARRAY['system'::text, 'user'::text, 'assistant'::text, 'tool'::text]))),
  CONSTRAINT session_messages_sequence_check CHECK ((sequence >= 1)),
  CONSTRAINT session_messages_tokens_check CHECK ((tokens >= 0)),
  CONSTRAINT session_messages_tool_call_id_check CHECK (((char_length(tool_call_id) >= 1) AND (char_length(tool_call_id) <= 200))),
  CONSTRAINT session_messages_tool_calls_check CHECK ((jsonb_typeof(tool_calls) = 'array'::text))
);
CREATE INDEX session_messages_of_system ON public.session_messages USING btree (session_id, sequence) WHERE (role = 'system'::text);
ALTER TABLE session_messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE session_messages FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON session_messages FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON session_messages FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON session_messages TO service_app;
GRANT DELETE ON session_messages TO service_directory;
GRANT SELECT (session_id, sequence) ON session_messages TO service_directory;
CREATE TRIGGER count_added AFTER INSERT ON public.session_messages REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_session_messages();
CREATE TRIGGER count_changed AFTER UPDATE ON public.session_messages REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_session_messages();
CREATE TRIGGER count_removed AFTER DELETE ON public.session_messages REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_session_messages();

CREATE UNLOGGED TABLE session_rate_windows (
  user_id text COLLATE "C" NOT NULL,
  started_at timestamp with time zone NOT NULL,
  used integer NOT NULL,
  CONSTRAINT session_rate_windows_pkey PRIMARY KEY (user_id),
  CONSTRAINT session_rate_windows_used_check CHECK ((used >= 1))
) WITH (fillfactor=50);
ALTER TABLE session_rate_windows ENABLE ROW LEVEL SECURITY;
ALTER TABLE session_rate_windows FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON session_rate_windows FOR ALL TO service_directory USING (true) WITH CHECK (true);
CREATE POLICY tenant ON session_rate_windows FOR ALL TO PUBLIC USING ((user_id = current_user_id())) WITH CHECK ((user_id = current_user_id()));
GRANT INSERT, SELECT, UPDATE ON session_rate_windows TO service_directory;

CREATE TABLE sessions (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  name text,
  user_id text,
  agent_id text,
  metadata jsonb,
  message_count integer DEFAULT 0 NOT NULL,
  token_count bigint DEFAULT 0 NOT NULL,
  last_sequence bigint DEFAULT 0 NOT NULL,
  expires_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  stored_bytes integer GENERATED ALWAYS AS ((512 + COALESCE(octet_length((metadata)::text), 0))) STORED NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_agent_id_check CHECK (((char_length(agent_id) >= 1) AND (char_length(agent_id) <= 60))),
  CONSTRAINT sessions_check CHECK ((last_sequence >= message_count)),
  CONSTRAINT sessions_message_count_check CHECK (((message_count >= 0) AND (message_count <= 100000))),
  CONSTRAINT sessions_metadata_check CHECK ((jsonb_typeof(metadata) = 'object'::text)),
  CONSTRAINT sessions_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 200))),
  CONSTRAINT sessions_token_count_check CHECK ((token_count >= 0)),
  CONSTRAINT sessions_user_id_check CHECK (((char_length(user_id) >= 1) AND (char_length(user_id) <= 200)))
) WITH (fillfactor=70);
CREATE INDEX sessions_by_agent ON public.sessions USING btree (environment_id, agent_id, created_at DESC, id DESC) WHERE (agent_id IS NOT NULL);
CREATE INDEX sessions_by_user ON public.sessions USING btree (environment_id, user_id, created_at DESC, id DESC) WHERE (user_id IS NOT NULL);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX sessions_newest_first ON public.sessions USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON sessions FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON sessions FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON sessions TO service_app;
GRANT DELETE ON sessions TO service_directory;
GRANT UPDATE (name, user_id, agent_id, metadata, message_count, token_count, last_sequence, expires_at, updated_at) ON sessions TO service_app;
GRANT SELECT (id, environment_id, expires_at) ON sessions TO service_directory;
GRANT UPDATE (expires_at) ON sessions TO service_directory;
CREATE TRIGGER check_sequence BEFORE UPDATE OF last_sequence ON public.sessions FOR EACH ROW EXECUTE FUNCTION check_session_sequence();
CREATE TRIGGER count_added AFTER INSERT ON public.sessions REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_sessions();
CREATE TRIGGER count_changed AFTER UPDATE ON public.sessions REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_sessions();
CREATE TRIGGER count_removed AFTER DELETE ON public.sessions REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_sessions();

CREATE TABLE sign_in_sessions (
  id text COLLATE "C" NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  token_hash bytea NOT NULL,
  token_issued_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  previous_token_hash bytea,
  previous_valid_until timestamp(3) with time zone,
  csrf_token text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  last_seen_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  password_at timestamp(3) with time zone DEFAULT now(),
  second_factor_at timestamp(3) with time zone,
  second_factor text,
  CONSTRAINT sign_in_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sign_in_sessions_previous_token_hash_key UNIQUE (previous_token_hash),
  CONSTRAINT sign_in_sessions_token_hash_key UNIQUE (token_hash),
  CONSTRAINT sign_in_sessions_check CHECK (((second_factor IS NULL) = (second_factor_at IS NULL))),
  CONSTRAINT sign_in_sessions_check1 CHECK (((password_at IS NOT NULL) OR (second_factor_at IS NOT NULL))),
  CONSTRAINT sign_in_sessions_second_factor_check CHECK ((second_factor = ANY (ARRAY['passkey'::text, 'recovery_code'::text]))),
  CONSTRAINT sign_in_sessions_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX sign_in_sessions_by_user ON public.sign_in_sessions USING btree (user_id);
ALTER TABLE sign_in_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sign_in_sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON sign_in_sessions FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON sign_in_sessions FOR ALL TO PUBLIC USING ((user_id = current_user_id())) WITH CHECK ((user_id = current_user_id()));
GRANT DELETE, INSERT, SELECT ON sign_in_sessions TO service_app;
GRANT DELETE, SELECT ON sign_in_sessions TO service_directory;
GRANT UPDATE (token_hash, token_issued_at, previous_token_hash, previous_valid_until, last_seen_at, password_at, second_factor_at, second_factor) ON sign_in_sessions TO service_app;
CREATE TRIGGER end_use BEFORE DELETE ON public.sign_in_sessions FOR EACH ROW EXECUTE FUNCTION end_session_use();

CREATE TABLE sign_in_throttles (
  key bytea NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  last_failed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  blocked_until timestamp(3) with time zone,
  succeeded_at timestamp(3) with time zone,
  CONSTRAINT sign_in_throttles_pkey PRIMARY KEY (key),
  CONSTRAINT sign_in_throttles_failures_check CHECK ((failures >= 0)),
  CONSTRAINT sign_in_throttles_key_check CHECK ((octet_length(key) = 32))
);
CREATE INDEX sign_in_throttles_by_age ON public.sign_in_throttles USING btree (last_failed_at);
ALTER TABLE sign_in_throttles ENABLE ROW LEVEL SECURITY;
ALTER TABLE sign_in_throttles FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON sign_in_throttles FOR ALL TO service_directory USING (true);
GRANT DELETE, INSERT, SELECT, UPDATE ON sign_in_throttles TO service_directory;

CREATE TABLE signing_keys (
  id text COLLATE "C" NOT NULL,
  workspace_id uuid NOT NULL,
  prefix text NOT NULL,
  master_key_version integer NOT NULL,
  wrapped_data_key bytea NOT NULL,
  sealed_value bytea NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  retires_at timestamp(3) with time zone,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (id),
  CONSTRAINT signing_keys_master_key_version_check CHECK ((master_key_version >= 1))
);
CREATE INDEX signing_keys_by_workspace ON public.signing_keys USING btree (workspace_id, created_at DESC);
CREATE UNIQUE INDEX signing_keys_newest ON public.signing_keys USING btree (workspace_id) WHERE (retires_at IS NULL);
ALTER TABLE signing_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE signing_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON signing_keys FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT DELETE, INSERT, SELECT ON signing_keys TO service_app;
GRANT UPDATE (master_key_version, wrapped_data_key, retires_at) ON signing_keys TO service_app;

CREATE TABLE spans (
  run_id text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  parent_id text COLLATE "C",
  trace_id text,
  name text NOT NULL,
  kind text NOT NULL,
  status text NOT NULL,
  started_at timestamp(3) with time zone NOT NULL,
  ended_at timestamp(3) with time zone,
  input jsonb,
  output jsonb,
  error jsonb,
  input_tokens bigint,
  output_tokens bigint,
  cost double precision,
  attributes jsonb,
  invocation_id text COLLATE "C",
  sent_status text,
  is_start_sent boolean DEFAULT false NOT NULL,
  is_end_sent boolean DEFAULT false NOT NULL,
  stored_bytes integer GENERATED ALWAYS AS (((((512 + COALESCE(octet_length((input)::text), 0)) + COALESCE(octet_length((output)::text), 0)) + COALESCE(octet_length((error)::text), 0)) + COALESCE(octet_length((attributes)::text), 0))) STORED NOT NULL,
  CONSTRAINT spans_pkey PRIMARY KEY (run_id, id),
  CONSTRAINT spans_attributes_check CHECK ((jsonb_typeof(attributes) = 'object'::text)),
  CONSTRAINT spans_check CHECK ((parent_id <> id)),
  CONSTRAINT spans_check1 CHECK ((ended_at >= started_at)),
  CONSTRAINT spans_check2 CHECK (((status = 'running'::text) = (ended_at IS NULL))),
  CONSTRAINT spans_cost_check CHECK ((cost >= (0)::double precision)),
  CONSTRAINT spans_error_check CHECK ((jsonb_typeof(error) = 'object'::text)),
  CONSTRAINT spans_id_check CHECK ((id ~ '^(spn_[0-9A-Za-z]{22}|[0-9a-f]{16})$'::text)),
  CONSTRAINT spans_input_tokens_check CHECK ((input_tokens >= 0)),
  CONSTRAINT spans_kind_check CHECK ((kind = ANY (ARRAY['agent'::text, 'model'::text, 'tool'::text, 'retrieval'::text, 'action'::text, 'other'::text]))),
  CONSTRAINT spans_name_check CHECK ((char_length(name) <= 200)),
  CONSTRAINT spans_output_tokens_check CHECK ((output_tokens >= 0)),
  CONSTRAINT spans_sent_status_check CHECK ((sent_status = ANY (ARRAY['succeeded'::text, 'failed'::text, 'cancelled'::text]))),
  CONSTRAINT spans_status_check CHECK ((status = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
) PARTITION BY RANGE (run_id);
CREATE INDEX spans_by_parent ON ONLY public.spans USING btree (run_id, parent_id, started_at, id);
ALTER TABLE spans ENABLE ROW LEVEL SECURITY;
ALTER TABLE spans FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON spans FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON spans FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT ON spans TO service_app;
GRANT DELETE ON spans TO service_directory;
GRANT UPDATE (parent_id, trace_id, name, kind, status, started_at, ended_at, input, output, error, input_tokens, output_tokens, cost, attributes, invocation_id, sent_status, is_start_sent, is_end_sent) ON spans TO service_app;
GRANT SELECT (run_id, id) ON spans TO service_directory;
CREATE TRIGGER count_added AFTER INSERT ON public.spans REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_spans();
CREATE TRIGGER count_changed AFTER UPDATE ON public.spans REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_stored_spans();
CREATE TRIGGER count_removed AFTER DELETE ON public.spans REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_stored_spans();

CREATE TABLE storage_used (
  workspace_id uuid NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT storage_used_pkey PRIMARY KEY (workspace_id),
  CONSTRAINT storage_used_bytes_check CHECK ((bytes >= 0))
);
ALTER TABLE storage_used ENABLE ROW LEVEL SECURITY;
ALTER TABLE storage_used FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON storage_used FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON storage_used TO service_app;
GRANT UPDATE (bytes) ON storage_used TO service_app;

CREATE TABLE stored_state (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  workspace_id uuid NOT NULL,
  part text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  CONSTRAINT stored_state_pkey PRIMARY KEY (id)
);
CREATE INDEX stored_state_by_part ON public.stored_state USING btree (workspace_id, part) INCLUDE (bytes);
ALTER TABLE stored_state ENABLE ROW LEVEL SECURITY;
ALTER TABLE stored_state FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON stored_state FOR ALL TO service_directory USING (true) WITH CHECK (true);
CREATE POLICY tenant ON stored_state FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON stored_state TO service_app;
GRANT DELETE, INSERT, SELECT ON stored_state TO service_directory;

CREATE TABLE topics (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  name text NOT NULL,
  description text,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp(3) with time zone,
  CONSTRAINT topics_pkey PRIMARY KEY (id),
  CONSTRAINT topics_check CHECK (((name <> 'service'::text) OR (deleted_at IS NULL))),
  CONSTRAINT topics_description_check CHECK ((char_length(description) <= 500)),
  CONSTRAINT topics_name_check CHECK ((name ~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$'::text))
);
CREATE INDEX topics_deleted ON public.topics USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE UNIQUE INDEX topics_live_name ON public.topics USING btree (environment_id, name) WHERE (deleted_at IS NULL);
CREATE INDEX topics_newest_first ON public.topics USING btree (environment_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
ALTER TABLE topics ENABLE ROW LEVEL SECURITY;
ALTER TABLE topics FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON topics FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON topics FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON topics TO service_app;
GRANT DELETE ON topics TO service_directory;
GRANT UPDATE (name, description, updated_at, deleted_at) ON topics TO service_app;
GRANT SELECT (id, environment_id, deleted_at) ON topics TO service_directory;

CREATE TABLE unused_previews (
  preview_id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT unused_previews_pkey PRIMARY KEY (preview_id)
);
CREATE INDEX unused_previews_live ON public.unused_previews USING btree (environment_id, expires_at);
CREATE INDEX unused_previews_old ON public.unused_previews USING btree (expires_at);
ALTER TABLE unused_previews ENABLE ROW LEVEL SECURITY;
ALTER TABLE unused_previews FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON unused_previews FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON unused_previews FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT SELECT ON unused_previews TO service_app;
GRANT SELECT (preview_id, expires_at) ON unused_previews TO service_directory;

CREATE TABLE url_group_endpoints (
  id uuid NOT NULL,
  environment_id uuid NOT NULL,
  group_id text COLLATE "C" NOT NULL,
  url text NOT NULL,
  name text,
  retry_count integer,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  removed_at timestamp(3) with time zone,
  CONSTRAINT url_group_endpoints_pkey PRIMARY KEY (id),
  CONSTRAINT url_group_endpoints_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT url_group_endpoints_retry_count_check CHECK (((retry_count >= 0) AND (retry_count <= 10))),
  CONSTRAINT url_group_endpoints_url_check CHECK ((char_length(url) <= 2048))
);
CREATE UNIQUE INDEX url_group_endpoints_live_url ON public.url_group_endpoints USING btree (group_id, url) WHERE (removed_at IS NULL);
ALTER TABLE url_group_endpoints ENABLE ROW LEVEL SECURITY;
ALTER TABLE url_group_endpoints FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON url_group_endpoints FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON url_group_endpoints TO service_app;
GRANT UPDATE (removed_at) ON url_group_endpoints TO service_app;

CREATE TABLE url_groups (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  deleted_at timestamp(3) with time zone,
  CONSTRAINT url_groups_pkey PRIMARY KEY (id),
  CONSTRAINT url_groups_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);
CREATE UNIQUE INDEX url_groups_live_name ON public.url_groups USING btree (environment_id, name) WHERE (deleted_at IS NULL);
CREATE INDEX url_groups_newest_first ON public.url_groups USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE url_groups ENABLE ROW LEVEL SECURITY;
ALTER TABLE url_groups FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON url_groups FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON url_groups TO service_app;
GRANT UPDATE (name, updated_at, deleted_at) ON url_groups TO service_app;

CREATE TABLE usage_crossings (
  workspace_id uuid NOT NULL,
  month date NOT NULL,
  meter text NOT NULL,
  threshold integer NOT NULL,
  environment_id uuid NOT NULL,
  used bigint NOT NULL,
  allowed bigint NOT NULL,
  currency text,
  at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT usage_crossings_pkey PRIMARY KEY (workspace_id, month, meter, threshold),
  CONSTRAINT usage_crossings_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  CONSTRAINT usage_crossings_threshold_check CHECK (((threshold >= 1) AND (threshold <= 1000)))
);
ALTER TABLE usage_crossings ENABLE ROW LEVEL SECURITY;
ALTER TABLE usage_crossings FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON usage_crossings FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON usage_crossings FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON usage_crossings TO service_app;
GRANT SELECT ON usage_crossings TO service_directory;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.usage_crossings FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER leave_usage_threshold AFTER INSERT ON public.usage_crossings FOR EACH ROW WHEN (true) EXECUTE FUNCTION leave_event_of_usage_crossings('usage.threshold', 'always');

CREATE TABLE users (
  id text COLLATE "C" NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  password_hash text NOT NULL,
  password_changed_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_email_check CHECK (((char_length(email) >= 3) AND (char_length(email) <= 254))),
  CONSTRAINT users_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100)))
);
CREATE UNIQUE INDEX users_by_email ON public.users USING btree (lower(email));
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON users FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON users FOR ALL TO PUBLIC USING (((id = current_user_id()) OR (EXISTS ( SELECT
   FROM members m
  WHERE ((m.user_id = users.id) AND (m.workspace_id = current_workspace_id())))))) WITH CHECK ((id = current_user_id()));
GRANT INSERT ON users TO service_app;
GRANT SELECT (id, email, name, created_at) ON users TO service_app;
GRANT UPDATE (name, password_hash, password_changed_at) ON users TO service_app;
GRANT SELECT (id, email, name, password_hash) ON users TO service_directory;

CREATE TABLE workflow_starts (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  kind text NOT NULL,
  detail text,
  due_at timestamp with time zone NOT NULL,
  claimed boolean DEFAULT false NOT NULL,
  CONSTRAINT workflow_starts_pkey PRIMARY KEY (id)
);
CREATE INDEX workflow_starts_due ON public.workflow_starts USING btree (claimed, due_at);
ALTER TABLE workflow_starts ENABLE ROW LEVEL SECURITY;
ALTER TABLE workflow_starts FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON workflow_starts FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON workflow_starts FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT SELECT ON workflow_starts TO service_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON workflow_starts TO service_directory;

CREATE TABLE workspaces (
  id uuid NOT NULL,
  name text NOT NULL,
  plan text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT workspaces_pkey PRIMARY KEY (id),
  CONSTRAINT workspaces_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  CONSTRAINT workspaces_plan_check CHECK ((plan = ANY (ARRAY['free'::text, 'early_beta_access'::text, 'production'::text, 'growth'::text, 'pay_as_you_go'::text, 'enterprise'::text])))
);
ALTER TABLE workspaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE workspaces FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON workspaces FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON workspaces FOR ALL TO PUBLIC USING ((id = current_workspace_id())) WITH CHECK ((id = current_workspace_id()));
GRANT INSERT, SELECT ON workspaces TO service_app;
GRANT UPDATE (plan) ON workspaces TO service_app;
GRANT SELECT (id, name, plan, created_at) ON workspaces TO service_directory;

ALTER TABLE action_versions ADD CONSTRAINT action_versions_action_id_fkey FOREIGN KEY (action_id) REFERENCES actions(id);
ALTER TABLE action_versions ADD CONSTRAINT action_versions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE actions ADD CONSTRAINT actions_current_version FOREIGN KEY (current_version_id) REFERENCES action_versions(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE actions ADD CONSTRAINT actions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE alert_targets ADD CONSTRAINT alert_targets_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE api_key_unknown_usage ADD CONSTRAINT api_key_unknown_usage_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id);
ALTER TABLE api_key_unknown_usage ADD CONSTRAINT api_key_unknown_usage_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE api_key_usage ADD CONSTRAINT api_key_usage_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id);
ALTER TABLE api_key_usage ADD CONSTRAINT api_key_usage_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_environment_id_workspace_id_fkey FOREIGN KEY (environment_id, workspace_id) REFERENCES environments(id, workspace_id);
ALTER TABLE approval_decisions ADD CONSTRAINT approval_decisions_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id);
ALTER TABLE approval_decisions ADD CONSTRAINT approval_decisions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE approval_policies ADD CONSTRAINT approval_policies_current_version FOREIGN KEY (id, current_version) REFERENCES approval_policy_versions(policy_id, version) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE approval_policies ADD CONSTRAINT approval_policies_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE approval_policy_versions ADD CONSTRAINT approval_policy_versions_policy_id_environment_id_fkey FOREIGN KEY (policy_id, environment_id) REFERENCES approval_policies(id, environment_id);
ALTER TABLE approvals ADD CONSTRAINT approvals_action_id_fkey FOREIGN KEY (action_id) REFERENCES actions(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES effects(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_invocation_id_fkey FOREIGN KEY (invocation_id) REFERENCES invocations(id);
ALTER TABLE approvals ADD CONSTRAINT approvals_preview_id_fkey FOREIGN KEY (preview_id) REFERENCES previews(id);
ALTER TABLE attempts ADD CONSTRAINT attempts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE attempts ADD CONSTRAINT attempts_invocation_id_fkey FOREIGN KEY (invocation_id) REFERENCES invocations(id);
ALTER TABLE audit_chains ADD CONSTRAINT audit_chains_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE audit_log ADD CONSTRAINT audit_log_environment_id_workspace_id_fkey FOREIGN KEY (environment_id, workspace_id) REFERENCES environments(id, workspace_id);
ALTER TABLE audit_log ADD CONSTRAINT audit_log_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE billing_months ADD CONSTRAINT billing_months_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE budget_crossings ADD CONSTRAINT budget_crossings_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id);
ALTER TABLE budget_crossings ADD CONSTRAINT budget_crossings_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE budget_reservations ADD CONSTRAINT budget_reservations_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id);
ALTER TABLE budget_reservations ADD CONSTRAINT budget_reservations_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE budgets ADD CONSTRAINT budgets_api_key_id_fkey FOREIGN KEY (api_key_id) REFERENCES api_keys(id);
ALTER TABLE budgets ADD CONSTRAINT budgets_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE cache_counters ADD CONSTRAINT cache_counters_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE cache_entries ADD CONSTRAINT cache_entries_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE chat_clicks ADD CONSTRAINT chat_clicks_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE chat_clicks ADD CONSTRAINT chat_clicks_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id);
ALTER TABLE chat_link_codes ADD CONSTRAINT chat_link_codes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE chat_link_codes ADD CONSTRAINT chat_link_codes_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id);
ALTER TABLE chat_links ADD CONSTRAINT chat_links_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE chat_links ADD CONSTRAINT chat_links_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id);
ALTER TABLE chat_links ADD CONSTRAINT chat_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE chat_posts ADD CONSTRAINT chat_posts_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id) ON DELETE CASCADE;
ALTER TABLE chat_posts ADD CONSTRAINT chat_posts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE chat_posts ADD CONSTRAINT chat_posts_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id);
ALTER TABLE daily_usage ADD CONSTRAINT daily_usage_environment_id_workspace_id_fkey FOREIGN KEY (environment_id, workspace_id) REFERENCES environments(id, workspace_id);
ALTER TABLE dead_letter_jobs ADD CONSTRAINT dead_letter_jobs_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE dead_letters ADD CONSTRAINT dead_letters_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE effect_dependencies ADD CONSTRAINT effect_dependencies_depends_on_fkey FOREIGN KEY (depends_on) REFERENCES effects(id);
ALTER TABLE effect_dependencies ADD CONSTRAINT effect_dependencies_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE effect_dependencies ADD CONSTRAINT effect_dependencies_invocation_id_fkey FOREIGN KEY (invocation_id) REFERENCES invocations(id) ON DELETE CASCADE;
ALTER TABLE effects ADD CONSTRAINT effects_compensates_fkey FOREIGN KEY (compensates) REFERENCES effects(id);
ALTER TABLE effects ADD CONSTRAINT effects_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE effects ADD CONSTRAINT effects_execute_their_preview FOREIGN KEY (preview_id, id, invocation_id) REFERENCES previews(id, effect_id, invocation_id);
ALTER TABLE effects ADD CONSTRAINT effects_invocation_id_fkey FOREIGN KEY (invocation_id) REFERENCES invocations(id);
ALTER TABLE effects ADD CONSTRAINT effects_version_id_fkey FOREIGN KEY (version_id) REFERENCES action_versions(id);
ALTER TABLE environments ADD CONSTRAINT environments_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE event_subscription_secrets ADD CONSTRAINT event_subscription_secrets_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE event_subscription_secrets ADD CONSTRAINT event_subscription_secrets_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES event_subscriptions(id) ON DELETE CASCADE;
ALTER TABLE event_subscriptions ADD CONSTRAINT event_subscriptions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE event_subscriptions ADD CONSTRAINT event_subscriptions_topic_id_fkey FOREIGN KEY (topic_id) REFERENCES topics(id);
ALTER TABLE events ADD CONSTRAINT events_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE events ADD CONSTRAINT events_topic_id_fkey FOREIGN KEY (topic_id) REFERENCES topics(id);
ALTER TABLE evidence ADD CONSTRAINT evidence_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES effects(id);
ALTER TABLE evidence ADD CONSTRAINT evidence_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE file_holds ADD CONSTRAINT file_holds_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE file_holds ADD CONSTRAINT file_holds_file_id_fkey FOREIGN KEY (file_id) REFERENCES files(id);
ALTER TABLE file_holds ADD CONSTRAINT file_holds_invocation_id_fkey FOREIGN KEY (invocation_id) REFERENCES invocations(id) ON DELETE CASCADE;
ALTER TABLE files ADD CONSTRAINT files_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE governed_names ADD CONSTRAINT governed_names_action_id_fkey FOREIGN KEY (action_id) REFERENCES actions(id);
ALTER TABLE governed_names ADD CONSTRAINT governed_names_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE idempotency_claims ADD CONSTRAINT idempotency_claims_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE impact_limit_crossings ADD CONSTRAINT impact_limit_crossings_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE impact_limit_crossings ADD CONSTRAINT impact_limit_crossings_limit_id_period_fkey FOREIGN KEY (limit_id, period) REFERENCES impact_limit_periods(limit_id, period);
ALTER TABLE impact_limit_periods ADD CONSTRAINT impact_limit_periods_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE impact_limit_periods ADD CONSTRAINT impact_limit_periods_limit_id_fkey FOREIGN KEY (limit_id) REFERENCES impact_limits(id);
ALTER TABLE impact_limits ADD CONSTRAINT impact_limits_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE impact_reservations ADD CONSTRAINT impact_reservations_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES effects(id);
ALTER TABLE impact_reservations ADD CONSTRAINT impact_reservations_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE impact_reservations ADD CONSTRAINT impact_reservations_limit_id_period_fkey FOREIGN KEY (limit_id, period) REFERENCES impact_limit_periods(limit_id, period);
ALTER TABLE integrations ADD CONSTRAINT integrations_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE invitations ADD CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id);
ALTER TABLE invitations ADD CONSTRAINT invitations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE invocations ADD CONSTRAINT invocations_action_id_fkey FOREIGN KEY (action_id) REFERENCES actions(id);
ALTER TABLE invocations ADD CONSTRAINT invocations_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE invocations ADD CONSTRAINT invocations_compensates_fkey FOREIGN KEY (compensates) REFERENCES effects(id);
ALTER TABLE invocations ADD CONSTRAINT invocations_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE invocations ADD CONSTRAINT invocations_execute_their_preview FOREIGN KEY (preview_id, id, environment_id) REFERENCES previews(id, invocation_id, environment_id);
ALTER TABLE invocations ADD CONSTRAINT invocations_retry_of_fkey FOREIGN KEY (retry_of) REFERENCES invocations(id);
ALTER TABLE invocations ADD CONSTRAINT invocations_version_id_fkey FOREIGN KEY (version_id) REFERENCES action_versions(id);
ALTER TABLE invoice_lines ADD CONSTRAINT invoice_lines_invoice_id_workspace_id_fkey FOREIGN KEY (invoice_id, workspace_id) REFERENCES invoices(id, workspace_id);
ALTER TABLE invoice_numbers ADD CONSTRAINT invoice_numbers_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE invoices ADD CONSTRAINT invoices_workspace_id_month_fkey FOREIGN KEY (workspace_id, month) REFERENCES billing_months(workspace_id, month);
ALTER TABLE lane_pacers ADD CONSTRAINT lane_pacers_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE lane_places ADD CONSTRAINT lane_places_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE lane_places ADD CONSTRAINT lane_places_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE lane_queue ADD CONSTRAINT lane_queue_lane FOREIGN KEY (lane_id) REFERENCES lanes(id);
ALTER TABLE lanes ADD CONSTRAINT lanes_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE late_answers ADD CONSTRAINT late_answers_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES attempts(id);
ALTER TABLE late_answers ADD CONSTRAINT late_answers_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE late_executions ADD CONSTRAINT late_executions_environment_id_workspace_id_fkey FOREIGN KEY (environment_id, workspace_id) REFERENCES environments(id, workspace_id);
ALTER TABLE late_executions ADD CONSTRAINT late_executions_invocation_id_fkey FOREIGN KEY (invocation_id) REFERENCES invocations(id);
ALTER TABLE members ADD CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE members ADD CONSTRAINT members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE memories ADD CONSTRAINT memories_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES memory_collections(id);
ALTER TABLE memories ADD CONSTRAINT memories_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE memory_collections ADD CONSTRAINT memory_collections_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE memory_job_chunks ADD CONSTRAINT memory_job_chunks_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE memory_job_chunks ADD CONSTRAINT memory_job_chunks_job_id_fkey FOREIGN KEY (job_id) REFERENCES memory_jobs(id) ON DELETE CASCADE;
ALTER TABLE memory_jobs ADD CONSTRAINT memory_jobs_collection_id_fkey FOREIGN KEY (collection_id) REFERENCES memory_collections(id) ON DELETE CASCADE;
ALTER TABLE memory_jobs ADD CONSTRAINT memory_jobs_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE memory_vectors ADD CONSTRAINT memory_vectors_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE memory_vectors ADD CONSTRAINT memory_vectors_memory_id_fkey FOREIGN KEY (memory_id) REFERENCES memories(id) ON DELETE CASCADE;
ALTER TABLE message_attempts ADD CONSTRAINT message_attempts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE message_contents ADD CONSTRAINT message_contents_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE message_deduplications ADD CONSTRAINT message_deduplications_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE messages ADD CONSTRAINT messages_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE monthly_usage ADD CONSTRAINT monthly_usage_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE notification_emails ADD CONSTRAINT notification_emails_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE notification_emails ADD CONSTRAINT notification_emails_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES notifications(id) ON DELETE CASCADE;
ALTER TABLE notification_marks ADD CONSTRAINT notification_marks_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE notification_marks ADD CONSTRAINT notification_marks_notification_id_fkey FOREIGN KEY (notification_id) REFERENCES notifications(id) ON DELETE CASCADE;
ALTER TABLE notification_mutes ADD CONSTRAINT notification_mutes_workspace_id_user_id_fkey FOREIGN KEY (workspace_id, user_id) REFERENCES members(workspace_id, user_id) ON DELETE CASCADE;
ALTER TABLE notification_settings ADD CONSTRAINT notification_settings_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE notifications ADD CONSTRAINT notifications_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE oauth_artifacts ADD CONSTRAINT oauth_artifacts_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE;
ALTER TABLE oauth_grants ADD CONSTRAINT oauth_grants_environment_id_workspace_id_fkey FOREIGN KEY (environment_id, workspace_id) REFERENCES environments(id, workspace_id);
ALTER TABLE oauth_grants ADD CONSTRAINT oauth_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE observations ADD CONSTRAINT observations_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE observations ADD CONSTRAINT observations_invocation_id_fkey FOREIGN KEY (invocation_id) REFERENCES invocations(id);
ALTER TABLE operation_keys ADD CONSTRAINT operation_keys_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE passkey_challenges ADD CONSTRAINT passkey_challenges_session_id_fkey FOREIGN KEY (session_id) REFERENCES sign_in_sessions(id) ON DELETE CASCADE;
ALTER TABLE passkey_challenges ADD CONSTRAINT passkey_challenges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE passkeys ADD CONSTRAINT passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE pending_plan_changes ADD CONSTRAINT pending_plan_changes_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE plan_changes ADD CONSTRAINT plan_changes_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE policy_plans ADD CONSTRAINT policy_plans_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE policy_revisions ADD CONSTRAINT policy_revisions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE preview_drafts ADD CONSTRAINT preview_drafts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE preview_drafts ADD CONSTRAINT preview_drafts_version_id_fkey FOREIGN KEY (version_id) REFERENCES action_versions(id);
ALTER TABLE previews ADD CONSTRAINT previews_action_id_fkey FOREIGN KEY (action_id) REFERENCES actions(id);
ALTER TABLE previews ADD CONSTRAINT previews_compensates_fkey FOREIGN KEY (compensates) REFERENCES effects(id);
ALTER TABLE previews ADD CONSTRAINT previews_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE previews ADD CONSTRAINT previews_retry_of_fkey FOREIGN KEY (retry_of) REFERENCES invocations(id);
ALTER TABLE previews ADD CONSTRAINT previews_supersedes_fkey FOREIGN KEY (supersedes) REFERENCES previews(id);
ALTER TABLE previews ADD CONSTRAINT previews_version_id_fkey FOREIGN KEY (version_id) REFERENCES action_versions(id);
ALTER TABLE raised_events ADD CONSTRAINT raised_events_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE rate_windows ADD CONSTRAINT rate_windows_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE receipt_chains ADD CONSTRAINT receipt_chains_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES effects(id);
ALTER TABLE receipt_chains ADD CONSTRAINT receipt_chains_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE receipt_entries ADD CONSTRAINT receipt_entries_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES effects(id);
ALTER TABLE receipt_entries ADD CONSTRAINT receipt_entries_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE recovery_codes ADD CONSTRAINT recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE resolutions ADD CONSTRAINT resolutions_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES effects(id);
ALTER TABLE resolutions ADD CONSTRAINT resolutions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE resolutions ADD CONSTRAINT resolutions_invocation_id_fkey FOREIGN KEY (invocation_id) REFERENCES invocations(id);
ALTER TABLE run_tags ADD CONSTRAINT run_tags_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE runs ADD CONSTRAINT runs_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE schedule_runs ADD CONSTRAINT schedule_runs_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE schedule_runs ADD CONSTRAINT schedule_runs_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES schedules(id);
ALTER TABLE schedules ADD CONSTRAINT schedules_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE secret_versions ADD CONSTRAINT secret_versions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE secret_versions ADD CONSTRAINT secret_versions_secret_id_fkey FOREIGN KEY (secret_id) REFERENCES secrets(id);
ALTER TABLE secrets ADD CONSTRAINT secrets_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE session_messages ADD CONSTRAINT session_messages_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE session_messages ADD CONSTRAINT session_messages_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id);
ALTER TABLE session_rate_windows ADD CONSTRAINT session_rate_windows_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE;
ALTER TABLE sessions ADD CONSTRAINT sessions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE sign_in_sessions ADD CONSTRAINT sign_in_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE signing_keys ADD CONSTRAINT signing_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE spans ADD CONSTRAINT spans_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE storage_used ADD CONSTRAINT storage_used_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE stored_state ADD CONSTRAINT stored_state_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE topics ADD CONSTRAINT topics_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE unused_previews ADD CONSTRAINT unused_previews_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE unused_previews ADD CONSTRAINT unused_previews_preview_id_fkey FOREIGN KEY (preview_id) REFERENCES previews(id) ON DELETE CASCADE;
ALTER TABLE url_group_endpoints ADD CONSTRAINT url_group_endpoints_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE url_group_endpoints ADD CONSTRAINT url_group_endpoints_group_id_fkey FOREIGN KEY (group_id) REFERENCES url_groups(id);
ALTER TABLE url_groups ADD CONSTRAINT url_groups_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE usage_crossings ADD CONSTRAINT usage_crossings_environment_id_workspace_id_fkey FOREIGN KEY (environment_id, workspace_id) REFERENCES environments(id, workspace_id);
