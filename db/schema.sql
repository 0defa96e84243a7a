-- The schema as the migrations leave it. Generated: change db/migrations, then run `npm run db:schema`.

CREATE ROLE service_app NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB;
CREATE ROLE service_directory NOLOGIN NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB;
GRANT USAGE ON SCHEMA public TO service_app;
GRANT USAGE ON SCHEMA public TO service_directory;

CREATE OR REPLACE FUNCTION public.audit_hash(e audit_log)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN ('sha256:'::text || encode(sha256(convert_to((jsonb_build_array((e).previous_hash, (e).id, (e).workspace_id, (e).environment_id, (e).sequence, (e).actor_type, (e).actor_id, (e).action, (e).target_type, (e).target_id, (e).details, (e).request_id, to_char(((e).recorded_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text)))::text, 'UTF8'::name)), 'hex'::text))
;

CREATE OR REPLACE FUNCTION public.begin_sign_in_attempt(bucket bytea, free_failures integer, first_pause interval, longest_pause interval, forgotten_after interval)
 RETURNS timestamp with time zone
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
    DECLARE held sign_in_throttles;
    BEGIN
      INSERT INTO sign_in_throttles (key) VALUES (bucket) ON CONFLICT (key) DO NOTHING;
      SELECT * INTO STRICT held FROM sign_in_throttles WHERE key = bucket FOR UPDATE;
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
AS $function$
  DECLARE last evidence;
  BEGIN
    PERFORM FROM effects WHERE id = NEW.effect_id FOR UPDATE; -- one writer of a chain at a time
    SELECT * INTO last FROM evidence WHERE effect_id = NEW.effect_id ORDER BY sequence DESC LIMIT 1;
    NEW.sequence := COALESCE(last.sequence, 0) + 1;
    NEW.previous_hash := last.hash;
    NEW.hash := evidence_hash(NEW);
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

CREATE OR REPLACE FUNCTION public.check_effect_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'effects are never deleted' USING ERRCODE = 'check_violation'; END IF;
    IF TG_OP = 'INSERT' THEN
      IF NEW.stage NOT IN ('awaiting_approval', 'ready', 'rejected') THEN
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
    -- A settled outcome may be confirmed by the provider's own record; its source never moves otherwise.
    IF OLD.stage = 'settled' AND NEW.outcome = OLD.outcome AND NEW.outcome_source <> OLD.outcome_source
       AND NOT (OLD.outcome_source = 'provider_response' AND NEW.outcome_source = 'provider_lookup') THEN
      RAISE EXCEPTION 'effect % cannot move from source % to %', OLD.id, OLD.outcome_source, NEW.outcome_source USING ERRCODE = 'check_violation';
    END IF;
    -- A dispatch that was marked may be rejected only where it provably sent nothing (docs/adr/0003).
    IF OLD.stage = 'dispatching' AND NEW.stage = 'rejected' AND EXISTS (
         SELECT FROM attempts a WHERE a.invocation_id = OLD.invocation_id
           AND a.claimed_at IS NOT NULL AND a.observed_outcome IS DISTINCT FROM 'not_dispatched') THEN
      RAISE EXCEPTION 'effect % may have been sent and cannot be rejected', OLD.id USING ERRCODE = 'check_violation';
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
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_message_attempt_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'attempts are never deleted' USING ERRCODE = 'check_violation'; END IF;
    IF OLD.status <> 'started' THEN
      RAISE EXCEPTION 'attempt % is closed', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.id, NEW.message_id, NEW.number, NEW.started_at)
       IS DISTINCT FROM (OLD.id, OLD.message_id, OLD.number, OLD.started_at) THEN
      RAISE EXCEPTION 'the identity of attempt % is immutable', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

CREATE OR REPLACE FUNCTION public.check_message_move()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP = 'DELETE' THEN RAISE EXCEPTION 'messages are never deleted' USING ERRCODE = 'check_violation'; END IF;
    IF TG_OP = 'INSERT' THEN
      IF NEW.status NOT IN ('pending', 'scheduled') THEN
        RAISE EXCEPTION 'message % cannot begin as %', NEW.id, NEW.status USING ERRCODE = 'check_violation';
      END IF;
      RETURN NEW;
    END IF;
    IF (NEW.id, NEW.kind, NEW.url, NEW.method, NEW.headers, NEW.body, NEW.body_kind, NEW.sealed_value, NEW.scheduled_for,
        NEW.max_retries, NEW.callback_url, NEW.failure_callback_url, NEW.callback_of, NEW.published_by, NEW.created_at)
       IS DISTINCT FROM (OLD.id, OLD.kind, OLD.url, OLD.method, OLD.headers, OLD.body, OLD.body_kind, OLD.sealed_value, OLD.scheduled_for,
        OLD.max_retries, OLD.callback_url, OLD.failure_callback_url, OLD.callback_of, OLD.published_by, OLD.created_at) THEN
      RAISE EXCEPTION 'what message % was asked to carry is immutable', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.attempts < OLD.attempts THEN
      RAISE EXCEPTION 'the attempts of message % only grow', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.status <> OLD.status AND NOT (CASE OLD.status
        WHEN 'scheduled' THEN NEW.status IN ('pending', 'processing', 'cancelled')
        WHEN 'pending' THEN NEW.status IN ('processing', 'cancelled')
        WHEN 'processing' THEN NEW.status IN ('delivered', 'failed')
        ELSE false
      END) THEN
      RAISE EXCEPTION 'message % cannot move from % to %', OLD.id, OLD.status, NEW.status USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
  END $function$
;

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

CREATE OR REPLACE FUNCTION public.current_environment_id()
 RETURNS uuid
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('app.environment_id'::text, true), ''::text))::uuid
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

CREATE OR REPLACE FUNCTION public.delete_expired_idempotency_claims(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      DECLARE deleted integer;
      BEGIN
        DELETE FROM idempotency_claims c USING (
          SELECT environment_id, key FROM idempotency_claims WHERE expires_at < now() LIMIT most) old
        WHERE c.environment_id = old.environment_id AND c.key = old.key AND c.expires_at < now();
        GET DIAGNOSTICS deleted = ROW_COUNT;
        RETURN deleted;
      END $function$
;
ALTER FUNCTION delete_expired_idempotency_claims(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_expired_idempotency_claims(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_idempotency_claims(integer) TO service_app;

CREATE OR REPLACE FUNCTION public.delete_expired_message_deduplications(most integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
AS $function$
      DECLARE deleted integer;
      BEGIN
        DELETE FROM message_deduplications d USING (
          SELECT environment_id, digest FROM message_deduplications WHERE expires_at < now() LIMIT most) old
        WHERE d.environment_id = old.environment_id AND d.digest = old.digest AND d.expires_at < now();
        GET DIAGNOSTICS deleted = ROW_COUNT;
        RETURN deleted;
      END $function$
;
ALTER FUNCTION delete_expired_message_deduplications(integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION delete_expired_message_deduplications(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_message_deduplications(integer) TO service_app;

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

CREATE OR REPLACE FUNCTION public.evidence_hash(e evidence)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN ('sha256:'::text || encode(sha256(convert_to((jsonb_build_array((e).previous_hash, (e).id, (e).environment_id, (e).effect_id, (e).sequence, (e).source, to_char(((e).observed_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text), (e).implied_outcome, (e).provider_ids, (e).summary, (e).details, (e).actor_type, (e).actor_id, to_char(((e).recorded_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text)))::text, 'UTF8'::name)), 'hex'::text))
;

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

CREATE OR REPLACE FUNCTION public.find_lost_messages(older_than interval, overdue_by interval, after_id text, most integer)
 RETURNS TABLE(id text, environment_id uuid, workspace_id uuid)
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'public', 'pg_temp'
BEGIN ATOMIC
 SELECT m.id,
     m.environment_id,
     e.workspace_id
    FROM (messages m
      JOIN environments e ON ((e.id = m.environment_id)))
   WHERE ((m.id > find_lost_messages.after_id) AND (m.id IN ( SELECT u.id
            FROM messages u
           WHERE ((u.begun_at IS NULL) AND (u.status = ANY (ARRAY['pending'::text, 'scheduled'::text])) AND (u.created_at < (now() - find_lost_messages.older_than)))
         UNION ALL
          SELECT o.id
            FROM messages o
           WHERE ((o.status = ANY (ARRAY['pending'::text, 'scheduled'::text, 'processing'::text])) AND (o.held_at IS NULL) AND (o.next_attempt_at < (now() - find_lost_messages.overdue_by))))))
   ORDER BY m.id
  LIMIT find_lost_messages.most;
END
;
ALTER FUNCTION find_lost_messages(interval,interval,text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_lost_messages(interval,interval,text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_lost_messages(interval,interval,text,integer) TO service_app;

CREATE OR REPLACE FUNCTION public.find_sign_in_session(hash bytea, idle interval, of_workspace uuid, of_environment uuid)
 RETURNS TABLE(id text, user_id text, email text, name text, csrf_token text, expires_at timestamp with time zone, last_seen_at timestamp with time zone, token_issued_at timestamp with time zone, is_current boolean, workspace_id uuid, role text, environment_id uuid, environment_name text, environment_kind text, environment_protected boolean)
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
     m.workspace_id,
     m.role,
     e.id,
     e.name,
     e.kind,
     e.protected
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

CREATE OR REPLACE FUNCTION public.find_unsettled_invocations(older_than interval, after_id text, most integer)
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
   WHERE ((i.status = ANY (ARRAY['queued'::text, 'dispatching'::text])) AND (i.created_at < (now() - find_unsettled_invocations.older_than)) AND (i.id > find_unsettled_invocations.after_id))
   ORDER BY i.id
  LIMIT find_unsettled_invocations.most;
END
;
ALTER FUNCTION find_unsettled_invocations(interval,text,integer) OWNER TO service_directory;
REVOKE ALL ON FUNCTION find_unsettled_invocations(interval,text,integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_unsettled_invocations(interval,text,integer) TO service_app;

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

CREATE OR REPLACE FUNCTION public.halt_lock_of(environment uuid)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
RETURN hashtextextended((environment)::text, (1751215220)::bigint)
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

CREATE OR REPLACE FUNCTION public.read_halt()
 RETURNS TABLE(halted_at timestamp with time zone, halted_reason text)
 LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM pg_advisory_xact_lock_shared(halt_lock_of(current_environment_id()));
    RETURN QUERY SELECT e.halted_at, e.halted_reason FROM environments e WHERE e.id = current_environment_id();
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
      DELETE FROM sign_in_throttles WHERE key IN (
        SELECT key FROM sign_in_throttles WHERE last_failed_at < now() - forgotten_after ORDER BY last_failed_at LIMIT 100
        FOR UPDATE SKIP LOCKED);
    END $function$
;
ALTER FUNCTION settle_sign_in(bytea,bytea,bytea,interval) OWNER TO service_directory;
REVOKE ALL ON FUNCTION settle_sign_in(bytea,bytea,bytea,interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION settle_sign_in(bytea,bytea,bytea,interval) TO service_app;

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
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  archived_at timestamp(3) with time zone,
  CONSTRAINT actions_pkey PRIMARY KEY (id),
  CONSTRAINT actions_name_check CHECK ((name ~ '^[a-z][a-z0-9_.-]{0,63}$'::text))
);
CREATE UNIQUE INDEX actions_live_name ON public.actions USING btree (environment_id, name) WHERE (archived_at IS NULL);
CREATE INDEX actions_newest_first ON public.actions USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE actions ENABLE ROW LEVEL SECURITY;
ALTER TABLE actions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON actions FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT, UPDATE ON actions TO service_app;

CREATE TABLE api_keys (
  id text COLLATE "C" NOT NULL,
  workspace_id uuid NOT NULL,
  environment_id uuid NOT NULL,
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
  CONSTRAINT api_keys_preset_check CHECK ((preset = ANY (ARRAY['standard'::text, 'read_only'::text, 'full_access'::text])))
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
CREATE TRIGGER keep_revoked BEFORE UPDATE ON public.api_keys FOR EACH ROW EXECUTE FUNCTION keep_revoked();

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
  started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  finished_at timestamp(3) with time zone,
  CONSTRAINT attempts_pkey PRIMARY KEY (id),
  CONSTRAINT attempts_invocation_id_number_key UNIQUE (invocation_id, number),
  CONSTRAINT attempts_check CHECK (((status = 'started'::text) = (finished_at IS NULL))),
  CONSTRAINT attempts_check1 CHECK (((status <> 'completed'::text) OR ((claimed_at IS NOT NULL) AND (observed_outcome IS NOT NULL)))),
  CONSTRAINT attempts_claimed_may_be_sent CHECK ((NOT ((status = 'abandoned'::text) AND (claimed_at IS NOT NULL) AND (observed_outcome = 'not_dispatched'::text)))),
  CONSTRAINT attempts_kind_check CHECK ((kind = ANY (ARRAY['dispatch'::text, 'replay'::text, 'reconcile'::text]))),
  CONSTRAINT attempts_number_check CHECK ((number >= 1)),
  CONSTRAINT attempts_observed_outcome_check CHECK ((observed_outcome = ANY (ARRAY['not_dispatched'::text, 'pending'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text]))),
  CONSTRAINT attempts_status_check CHECK ((status = ANY (ARRAY['started'::text, 'completed'::text, 'abandoned'::text])))
);
CREATE UNIQUE INDEX attempts_one_dispatch ON public.attempts USING btree (invocation_id) WHERE (kind = 'dispatch'::text);
ALTER TABLE attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON attempts FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT, UPDATE ON attempts TO service_app;
CREATE TRIGGER check_move BEFORE INSERT OR DELETE OR UPDATE ON public.attempts FOR EACH ROW EXECUTE FUNCTION check_attempt_move();

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
  CONSTRAINT audit_log_pkey PRIMARY KEY (id),
  CONSTRAINT audit_log_workspace_id_sequence_key UNIQUE (workspace_id, sequence),
  CONSTRAINT audit_log_action_check CHECK ((action ~ '^[a-z_]+\.[a-z_]+$'::text)),
  CONSTRAINT audit_log_actor_type_check CHECK ((actor_type = ANY (ARRAY['api_key'::text, 'user'::text, 'system'::text]))),
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
  preview_id text,
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
  unresolved_exposure boolean GENERATED ALWAYS AS ((outcome = ANY (ARRAY['pending'::text, 'unknown'::text]))) STORED NOT NULL,
  CONSTRAINT effects_pkey PRIMARY KEY (id),
  CONSTRAINT effects_invocation_id_key UNIQUE (invocation_id),
  CONSTRAINT effects_check CHECK (((stage = 'rejected'::text) = (rejection_reason IS NOT NULL))),
  CONSTRAINT effects_check1 CHECK (((stage <> ALL (ARRAY['awaiting_approval'::text, 'ready'::text, 'rejected'::text])) OR (outcome = 'not_dispatched'::text))),
  CONSTRAINT effects_check2 CHECK (((stage <> 'dispatching'::text) OR (outcome = 'pending'::text))),
  CONSTRAINT effects_check3 CHECK (((stage <> 'reconciling'::text) OR (outcome = ANY (ARRAY['unknown'::text, 'pending'::text])))),
  CONSTRAINT effects_check4 CHECK (((stage <> 'settled'::text) OR (outcome = ANY (ARRAY['succeeded'::text, 'failed'::text])))),
  CONSTRAINT effects_check5 CHECK (((outcome <> ALL (ARRAY['succeeded'::text, 'failed'::text])) OR ((outcome_source IS NOT NULL) AND (outcome_at IS NOT NULL)))),
  CONSTRAINT effects_outcome_check CHECK ((outcome = ANY (ARRAY['not_dispatched'::text, 'pending'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text]))),
  CONSTRAINT effects_outcome_source_check CHECK ((outcome_source = ANY (ARRAY['system'::text, 'provider_response'::text, 'provider_lookup'::text, 'manual_resolution'::text]))),
  CONSTRAINT effects_partial_effect_check CHECK ((partial_effect = ANY (ARRAY['none'::text, 'possible'::text, 'confirmed'::text]))),
  CONSTRAINT effects_reconcile_attempts_check CHECK ((reconcile_attempts >= 0)),
  CONSTRAINT effects_stage_check CHECK ((stage = ANY (ARRAY['awaiting_approval'::text, 'ready'::text, 'dispatching'::text, 'reconciling'::text, 'settled'::text, 'rejected'::text])))
);
CREATE INDEX effects_by_grade ON public.effects USING btree (environment_id, grade, created_at DESC, id DESC);
CREATE INDEX effects_newest_first ON public.effects USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE effects ENABLE ROW LEVEL SECURITY;
ALTER TABLE effects FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON effects FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT, UPDATE ON effects TO service_app;
CREATE TRIGGER check_move BEFORE INSERT OR DELETE OR UPDATE ON public.effects FOR EACH ROW EXECUTE FUNCTION check_effect_move();

CREATE TABLE environments (
  id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  name text NOT NULL,
  kind text NOT NULL,
  protected boolean NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  approval_default text,
  halted_at timestamp(3) with time zone,
  halted_reason text,
  halted_by jsonb,
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
GRANT UPDATE (name, protected, approval_default, halted_at, halted_reason, halted_by) ON environments TO service_app;
GRANT SELECT (id, workspace_id, name, kind, protected) ON environments TO service_directory;

CREATE TABLE evidence (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  effect_id text COLLATE "C" NOT NULL,
  sequence integer NOT NULL,
  source text NOT NULL,
  observed_at timestamp(3) with time zone NOT NULL,
  implied_outcome text,
  provider_ids jsonb DEFAULT '{}'::jsonb NOT NULL,
  summary text NOT NULL,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  actor_type text NOT NULL,
  actor_id text,
  recorded_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  previous_hash text,
  hash text NOT NULL,
  CONSTRAINT evidence_pkey PRIMARY KEY (id),
  CONSTRAINT evidence_effect_id_sequence_key UNIQUE (effect_id, sequence),
  CONSTRAINT evidence_implied_outcome_check CHECK ((implied_outcome = ANY (ARRAY['not_dispatched'::text, 'pending'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text]))),
  CONSTRAINT evidence_source_check CHECK ((source = ANY (ARRAY['preview'::text, 'provider_response'::text, 'provider_lookup'::text, 'system'::text, 'operator_note'::text, 'manual_resolution'::text])))
);
ALTER TABLE evidence ENABLE ROW LEVEL SECURITY;
ALTER TABLE evidence FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON evidence FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT ON evidence TO service_app;
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.evidence FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER chain BEFORE INSERT ON public.evidence FOR EACH ROW EXECUTE FUNCTION chain_evidence();

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

CREATE TABLE installation (
  only_row boolean DEFAULT true NOT NULL,
  expensive_work_paused_at timestamp(3) with time zone,
  expensive_work_paused_reason text,
  CONSTRAINT installation_pkey PRIMARY KEY (only_row),
  CONSTRAINT installation_check CHECK (((expensive_work_paused_at IS NULL) = (expensive_work_paused_reason IS NULL))),
  CONSTRAINT installation_expensive_work_paused_reason_check CHECK (((char_length(expensive_work_paused_reason) >= 1) AND (char_length(expensive_work_paused_reason) <= 500))),
  CONSTRAINT installation_only_row_check CHECK (only_row)
);
ALTER TABLE installation ENABLE ROW LEVEL SECURITY;
ALTER TABLE installation FORCE ROW LEVEL SECURITY;
CREATE POLICY installation_wide ON installation FOR ALL TO PUBLIC USING (true) WITH CHECK (true);
GRANT SELECT ON installation TO service_app;
GRANT UPDATE (expensive_work_paused_at, expensive_work_paused_reason) ON installation TO service_app;

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
  retry_of text COLLATE "C",
  run_id text,
  agent_id text,
  effect_id text COLLATE "C",
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
  result jsonb,
  resolution jsonb,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  evaluated_at timestamp(3) with time zone,
  settled_at timestamp(3) with time zone,
  CONSTRAINT invocations_pkey PRIMARY KEY (id),
  CONSTRAINT invocations_environment_id_operation_key_key UNIQUE (environment_id, operation_key),
  CONSTRAINT invocations_check CHECK (((status <> 'succeeded'::text) OR (outcome_source IS NOT NULL))),
  CONSTRAINT invocations_operation_key_check CHECK (((char_length(operation_key) >= 1) AND (char_length(operation_key) <= 255))),
  CONSTRAINT invocations_outcome_source_check CHECK ((outcome_source = ANY (ARRAY['system'::text, 'provider_response'::text, 'provider_lookup'::text, 'manual_resolution'::text]))),
  CONSTRAINT invocations_status_check CHECK ((status = ANY (ARRAY['pending_approval'::text, 'queued'::text, 'dispatching'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text, 'refused'::text, 'denied'::text, 'expired'::text, 'cancelled'::text])))
);
CREATE INDEX invocations_by_action ON public.invocations USING btree (action_id, created_at DESC, id DESC);
CREATE INDEX invocations_in_flight ON public.invocations USING btree (id) WHERE (status = ANY (ARRAY['queued'::text, 'dispatching'::text]));
CREATE INDEX invocations_newest_first ON public.invocations USING btree (environment_id, created_at DESC, id DESC);
ALTER TABLE invocations ENABLE ROW LEVEL SECURITY;
ALTER TABLE invocations FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON invocations FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON invocations FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT DELETE, INSERT, SELECT, UPDATE ON invocations TO service_app;
GRANT SELECT (id, environment_id, status, created_at, updated_at) ON invocations TO service_directory;
CREATE TRIGGER check_move BEFORE INSERT OR DELETE OR UPDATE ON public.invocations FOR EACH ROW EXECUTE FUNCTION check_invocation_move();

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
GRANT SELECT (workspace_id, user_id, role) ON members TO service_directory;
CREATE TRIGGER keep_an_owner BEFORE DELETE OR UPDATE ON public.members FOR EACH ROW EXECUTE FUNCTION keep_an_owner();

CREATE TABLE message_attempts (
  id text COLLATE "C" NOT NULL,
  environment_id uuid NOT NULL,
  message_id text COLLATE "C" NOT NULL,
  number integer NOT NULL,
  status text DEFAULT 'started'::text NOT NULL,
  response_status integer,
  error text,
  started_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  finished_at timestamp(3) with time zone,
  CONSTRAINT message_attempts_pkey PRIMARY KEY (id),
  CONSTRAINT message_attempts_message_id_number_key UNIQUE (message_id, number),
  CONSTRAINT message_attempts_check CHECK (((status = 'started'::text) = (finished_at IS NULL))),
  CONSTRAINT message_attempts_number_check CHECK ((number >= 1)),
  CONSTRAINT message_attempts_response_status_check CHECK (((response_status >= 100) AND (response_status <= 599))),
  CONSTRAINT message_attempts_status_check CHECK ((status = ANY (ARRAY['started'::text, 'completed'::text, 'abandoned'::text])))
);
CREATE UNIQUE INDEX message_attempts_one_at_a_time ON public.message_attempts USING btree (message_id) WHERE (status = 'started'::text);
ALTER TABLE message_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE message_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON message_attempts FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT, UPDATE ON message_attempts TO service_app;
CREATE TRIGGER check_move BEFORE DELETE OR UPDATE ON public.message_attempts FOR EACH ROW EXECUTE FUNCTION check_message_attempt_move();

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
  kind text DEFAULT 'message'::text NOT NULL,
  url text NOT NULL,
  method text NOT NULL,
  headers jsonb,
  body text,
  body_kind text NOT NULL,
  body_sealed boolean DEFAULT false NOT NULL,
  master_key_version integer,
  wrapped_data_key bytea,
  sealed_value bytea,
  redact jsonb,
  label text,
  scheduled_for timestamp(3) with time zone,
  max_retries integer NOT NULL,
  retry_delays_ms integer[],
  timeout_seconds integer NOT NULL,
  callback_url text,
  failure_callback_url text,
  callback_of text COLLATE "C",
  published_by jsonb NOT NULL,
  status text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp(3) with time zone NOT NULL,
  begun_at timestamp(3) with time zone,
  held_at timestamp(3) with time zone,
  response_status integer,
  response_headers jsonb,
  response_body bytea,
  error_message text,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  updated_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  delivered_at timestamp(3) with time zone,
  failed_at timestamp(3) with time zone,
  CONSTRAINT messages_pkey PRIMARY KEY (id),
  CONSTRAINT messages_attempts_check CHECK ((attempts >= 0)),
  CONSTRAINT messages_body_kind_check CHECK ((body_kind = ANY (ARRAY['none'::text, 'text'::text, 'json'::text]))),
  CONSTRAINT messages_check CHECK ((num_nonnulls(master_key_version, wrapped_data_key, sealed_value) = ANY (ARRAY[0, 3]))),
  CONSTRAINT messages_check1 CHECK (((body_kind = 'none'::text) OR ((body IS NULL) = body_sealed))),
  CONSTRAINT messages_check2 CHECK (((status = 'delivered'::text) = (delivered_at IS NOT NULL))),
  CONSTRAINT messages_check3 CHECK (((status = 'failed'::text) = (failed_at IS NOT NULL))),
  CONSTRAINT messages_kind_check CHECK ((kind = ANY (ARRAY['message'::text, 'callback'::text, 'event'::text]))),
  CONSTRAINT messages_label_check CHECK (((char_length(label) >= 1) AND (char_length(label) <= 200))),
  CONSTRAINT messages_master_key_version_check CHECK ((master_key_version >= 1)),
  CONSTRAINT messages_max_retries_check CHECK (((max_retries >= 0) AND (max_retries <= 20))),
  CONSTRAINT messages_method_check CHECK ((method = ANY (ARRAY['GET'::text, 'POST'::text, 'PUT'::text, 'PATCH'::text, 'DELETE'::text]))),
  CONSTRAINT messages_response_body_check CHECK ((octet_length(response_body) <= 8192)),
  CONSTRAINT messages_response_status_check CHECK (((response_status >= 100) AND (response_status <= 599))),
  CONSTRAINT messages_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'scheduled'::text, 'processing'::text, 'delivered'::text, 'failed'::text, 'cancelled'::text]))),
  CONSTRAINT messages_timeout_seconds_check CHECK (((timeout_seconds >= 1) AND (timeout_seconds <= 300))),
  CONSTRAINT messages_url_check CHECK ((char_length(url) <= 2048))
);
CREATE INDEX messages_by_master_key ON public.messages USING btree (environment_id, master_key_version) WHERE (master_key_version IS NOT NULL);
CREATE INDEX messages_by_source ON public.messages USING btree (callback_of) WHERE (callback_of IS NOT NULL);
CREATE INDEX messages_by_status ON public.messages USING btree (environment_id, status, created_at DESC, id DESC);
CREATE INDEX messages_by_url ON public.messages USING hash (url);
CREATE INDEX messages_held ON public.messages USING btree (environment_id, id) WHERE (held_at IS NOT NULL);
CREATE INDEX messages_newest_first ON public.messages USING btree (environment_id, created_at DESC, id DESC);
CREATE INDEX messages_overdue ON public.messages USING btree (next_attempt_at) WHERE ((status = ANY (ARRAY['pending'::text, 'scheduled'::text, 'processing'::text])) AND (held_at IS NULL));
CREATE INDEX messages_unbegun ON public.messages USING btree (id) WHERE ((begun_at IS NULL) AND (status = ANY (ARRAY['pending'::text, 'scheduled'::text])));
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON messages FOR SELECT TO service_directory USING (true);
CREATE POLICY tenant ON messages FOR ALL TO PUBLIC USING ((environment_id = current_environment_id())) WITH CHECK ((environment_id = current_environment_id()));
GRANT INSERT, SELECT, UPDATE ON messages TO service_app;
GRANT SELECT (id, environment_id, status, next_attempt_at, begun_at, held_at, created_at) ON messages TO service_directory;
CREATE TRIGGER check_move BEFORE INSERT OR DELETE OR UPDATE ON public.messages FOR EACH ROW EXECUTE FUNCTION check_message_move();

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
ALTER TABLE monthly_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE monthly_usage FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON monthly_usage FOR ALL TO PUBLIC USING ((workspace_id = current_workspace_id())) WITH CHECK ((workspace_id = current_workspace_id()));
GRANT INSERT, SELECT ON monthly_usage TO service_app;
GRANT UPDATE (used) ON monthly_usage TO service_app;

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
  CONSTRAINT sign_in_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sign_in_sessions_previous_token_hash_key UNIQUE (previous_token_hash),
  CONSTRAINT sign_in_sessions_token_hash_key UNIQUE (token_hash),
  CONSTRAINT sign_in_sessions_token_hash_check CHECK ((octet_length(token_hash) = 32))
);
CREATE INDEX sign_in_sessions_by_user ON public.sign_in_sessions USING btree (user_id);
ALTER TABLE sign_in_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sign_in_sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY directory ON sign_in_sessions FOR ALL TO service_directory USING (true);
CREATE POLICY tenant ON sign_in_sessions FOR ALL TO PUBLIC USING ((user_id = current_user_id())) WITH CHECK ((user_id = current_user_id()));
GRANT DELETE, INSERT, SELECT ON sign_in_sessions TO service_app;
GRANT DELETE, SELECT ON sign_in_sessions TO service_directory;
GRANT UPDATE (token_hash, token_issued_at, previous_token_hash, previous_valid_until, last_seen_at) ON sign_in_sessions TO service_app;

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

CREATE TABLE workspaces (
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamp(3) with time zone DEFAULT now() NOT NULL,
  plan text NOT NULL,
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
GRANT SELECT (id, name) ON workspaces TO service_directory;

ALTER TABLE action_versions ADD CONSTRAINT action_versions_action_id_fkey FOREIGN KEY (action_id) REFERENCES actions(id);
ALTER TABLE action_versions ADD CONSTRAINT action_versions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE actions ADD CONSTRAINT actions_current_version FOREIGN KEY (current_version_id) REFERENCES action_versions(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE actions ADD CONSTRAINT actions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE api_keys ADD CONSTRAINT api_keys_environment_id_workspace_id_fkey FOREIGN KEY (environment_id, workspace_id) REFERENCES environments(id, workspace_id);
ALTER TABLE attempts ADD CONSTRAINT attempts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE attempts ADD CONSTRAINT attempts_invocation_id_fkey FOREIGN KEY (invocation_id) REFERENCES invocations(id);
ALTER TABLE audit_chains ADD CONSTRAINT audit_chains_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE audit_log ADD CONSTRAINT audit_log_environment_id_workspace_id_fkey FOREIGN KEY (environment_id, workspace_id) REFERENCES environments(id, workspace_id);
ALTER TABLE audit_log ADD CONSTRAINT audit_log_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE effects ADD CONSTRAINT effects_compensates_fkey FOREIGN KEY (compensates) REFERENCES effects(id);
ALTER TABLE effects ADD CONSTRAINT effects_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE effects ADD CONSTRAINT effects_invocation_id_fkey FOREIGN KEY (invocation_id) REFERENCES invocations(id);
ALTER TABLE effects ADD CONSTRAINT effects_version_id_fkey FOREIGN KEY (version_id) REFERENCES action_versions(id);
ALTER TABLE environments ADD CONSTRAINT environments_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE evidence ADD CONSTRAINT evidence_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES effects(id);
ALTER TABLE evidence ADD CONSTRAINT evidence_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE idempotency_claims ADD CONSTRAINT idempotency_claims_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE invitations ADD CONSTRAINT invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id);
ALTER TABLE invitations ADD CONSTRAINT invitations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE invocations ADD CONSTRAINT invocations_action_id_fkey FOREIGN KEY (action_id) REFERENCES actions(id);
ALTER TABLE invocations ADD CONSTRAINT invocations_effect_id_fkey FOREIGN KEY (effect_id) REFERENCES effects(id);
ALTER TABLE invocations ADD CONSTRAINT invocations_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE invocations ADD CONSTRAINT invocations_retry_of_fkey FOREIGN KEY (retry_of) REFERENCES invocations(id);
ALTER TABLE invocations ADD CONSTRAINT invocations_version_id_fkey FOREIGN KEY (version_id) REFERENCES action_versions(id);
ALTER TABLE members ADD CONSTRAINT members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE members ADD CONSTRAINT members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE message_attempts ADD CONSTRAINT message_attempts_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE message_attempts ADD CONSTRAINT message_attempts_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id);
ALTER TABLE message_deduplications ADD CONSTRAINT message_deduplications_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE message_deduplications ADD CONSTRAINT message_deduplications_message_id_fkey FOREIGN KEY (message_id) REFERENCES messages(id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE messages ADD CONSTRAINT messages_callback_of_fkey FOREIGN KEY (callback_of) REFERENCES messages(id);
ALTER TABLE messages ADD CONSTRAINT messages_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE monthly_usage ADD CONSTRAINT monthly_usage_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
ALTER TABLE rate_windows ADD CONSTRAINT rate_windows_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE;
ALTER TABLE secret_versions ADD CONSTRAINT secret_versions_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE secret_versions ADD CONSTRAINT secret_versions_secret_id_fkey FOREIGN KEY (secret_id) REFERENCES secrets(id);
ALTER TABLE secrets ADD CONSTRAINT secrets_environment_id_fkey FOREIGN KEY (environment_id) REFERENCES environments(id);
ALTER TABLE sign_in_sessions ADD CONSTRAINT sign_in_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id);
ALTER TABLE signing_keys ADD CONSTRAINT signing_keys_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id);
