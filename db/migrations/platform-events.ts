/**
 * The triggers that raise platform events, each in the transaction of the change that it tells of. What `data` holds is declared in
 * domain/events/platform-events.ts; a suite holds every event that is raised to that. No note, input, response or secret is in it.
 */
export const PLATFORM_EVENTS = `
  CREATE FUNCTION event_time(at timestamptz) RETURNS text LANGUAGE sql STABLE
    RETURN to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

  CREATE FUNCTION raise_action_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    of_type text := CASE WHEN TG_OP = 'INSERT' THEN 'action.created' WHEN NEW.archived_at IS NOT NULL THEN 'action.archived' ELSE 'action.updated' END;
  BEGIN
    -- The first version is written after its action.
    PERFORM raise_event(NEW.environment_id, of_type, jsonb_build_object('actionId', NEW.id, 'name', NEW.name, 'versionId', NEW.current_version_id,
      'version', COALESCE((SELECT v.number FROM action_versions v WHERE v.id = NEW.current_version_id), 1)));
    RETURN NULL;
  END $$;
  CREATE TRIGGER raise_created AFTER INSERT ON actions FOR EACH ROW EXECUTE FUNCTION raise_action_event();
  CREATE TRIGGER raise_changed AFTER UPDATE ON actions FOR EACH ROW
    WHEN ((NEW.name, NEW.description, NEW.current_version_id, NEW.archived_at) IS DISTINCT FROM (OLD.name, OLD.description, OLD.current_version_id, OLD.archived_at))
    EXECUTE FUNCTION raise_action_event();

  CREATE FUNCTION raise_invocation_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT is_event_heard(NEW.environment_id, 'invocation.settled') THEN RETURN NULL; END IF;
    PERFORM raise_event(NEW.environment_id, 'invocation.settled', jsonb_build_object('invocationId', NEW.id, 'effectId', NEW.effect_id,
      'actionId', NEW.action_id, 'action', (SELECT a.name FROM actions a WHERE a.id = NEW.action_id), 'status', NEW.status,
      'grade', NEW.grade, 'outcomeSource', NEW.outcome_source, 'refusalCode', NEW.refusal_code, 'agentId', NEW.agent_id, 'runId', NEW.run_id));
    RETURN NULL;
  END $$;
  CREATE TRIGGER raise_settled AFTER UPDATE OF status ON invocations FOR EACH ROW
    WHEN (NEW.status IN ('succeeded', 'failed', 'refused', 'denied', 'expired', 'cancelled') AND NEW.status IS DISTINCT FROM OLD.status)
    EXECUTE FUNCTION raise_invocation_event();

  CREATE FUNCTION raise_effect_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    facts jsonb;
    is_settled boolean := NEW.stage = 'settled' AND (NEW.stage, NEW.outcome) IS DISTINCT FROM (OLD.stage, OLD.outcome);
  BEGIN
    facts := jsonb_build_object('effectId', NEW.id, 'invocationId', NEW.invocation_id, 'action', NEW.action_name, 'outcome', NEW.outcome,
      'outcomeSource', NEW.outcome_source, 'grade', NEW.grade, 'verification', NEW.verification, 'partialEffect', NEW.partial_effect,
      'providerReference', NEW.provider_reference);
    IF NEW.outcome = 'unknown' AND OLD.outcome <> 'unknown' THEN
      PERFORM raise_event(NEW.environment_id, 'effect.unknown', facts);
    END IF;
    IF NEW.reconcile_exhausted AND NOT OLD.reconcile_exhausted THEN
      PERFORM raise_event(NEW.environment_id, 'effect.exhausted', facts || jsonb_build_object('reads', NEW.reconcile_attempts));
    END IF;
    IF is_settled THEN
      PERFORM raise_event(NEW.environment_id, 'effect.settled', facts);
    END IF;
    IF is_settled AND NEW.outcome_source = 'manual_resolution' THEN
      PERFORM raise_event(NEW.environment_id, 'effect.resolved', facts || jsonb_build_object('resolvedBy',
        (SELECT r.resolved_by FROM resolutions r WHERE r.invocation_id = NEW.invocation_id)));
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER raise_moved AFTER UPDATE OF stage, outcome, reconcile_exhausted ON effects FOR EACH ROW
    WHEN ((NEW.stage, NEW.outcome, NEW.reconcile_exhausted) IS DISTINCT FROM (OLD.stage, OLD.outcome, OLD.reconcile_exhausted)
      AND (NEW.stage = 'settled' OR NEW.outcome = 'unknown' OR NEW.reconcile_exhausted))
    EXECUTE FUNCTION raise_effect_event();

  CREATE FUNCTION raise_approval_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM raise_event(NEW.environment_id,
      CASE WHEN TG_OP = 'INSERT' THEN 'approval.requested' WHEN NEW.status = 'expired' THEN 'approval.expired' ELSE 'approval.decided' END,
      jsonb_build_object('approvalId', NEW.id, 'kind', NEW.kind, 'title', NEW.title, 'status', NEW.status, 'invocationId', NEW.invocation_id,
        'effectId', NEW.effect_id, 'previewId', NEW.preview_id, 'action', (SELECT a.name FROM actions a WHERE a.id = NEW.action_id),
        'bindingDigest', NEW.binding_digest, 'quorum', NEW.quorum, 'requestedBy', jsonb_build_object('type', NEW.requested_by -> 'type', 'id', NEW.requested_by -> 'id'),
        'expiresAt', event_time(NEW.expires_at), 'decidedAt', event_time(NEW.decided_at)));
    RETURN NULL;
  END $$;
  CREATE TRIGGER raise_requested AFTER INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION raise_approval_event();
  CREATE TRIGGER raise_ended AFTER UPDATE OF status ON approvals FOR EACH ROW
    WHEN (NEW.status IN ('approved', 'denied', 'expired') AND NEW.status IS DISTINCT FROM OLD.status) EXECUTE FUNCTION raise_approval_event();

  CREATE FUNCTION raise_impact_limit_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM raise_event(NEW.environment_id, CASE WHEN NEW.threshold IS NULL THEN 'impact_limit.exceeded' ELSE 'impact_limit.threshold' END,
      jsonb_build_object('impactLimitId', NEW.limit_id, 'name', (SELECT l.name FROM impact_limits l WHERE l.id = NEW.limit_id), 'period', NEW.period,
        'used', NEW.used, 'cap', NEW.cap) || CASE WHEN NEW.threshold IS NULL THEN jsonb_build_object('requested', NEW.requested)
        ELSE jsonb_build_object('threshold', NEW.threshold) END);
    RETURN NULL;
  END $$;
  CREATE TRIGGER raise_crossed AFTER INSERT ON impact_limit_crossings FOR EACH ROW EXECUTE FUNCTION raise_impact_limit_event();

  CREATE FUNCTION raise_budget_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM raise_event(NEW.environment_id, CASE WHEN NEW.threshold IS NULL THEN 'budget.exceeded' ELSE 'budget.threshold' END,
      jsonb_build_object('apiKeyId', NEW.api_key_id, 'month', to_char(NEW.month, 'YYYY-MM'), 'cap', CASE NEW.cap_name
        WHEN 'cache_lookups' THEN 'cacheLookups' WHEN 'memory_operations' THEN 'memoryOperations' ELSE NEW.cap_name END,
        'taken', NEW.taken, 'capMicrocents', NEW.cap)
      || CASE WHEN NEW.threshold IS NULL THEN '{}' ELSE jsonb_build_object('threshold', NEW.threshold) END);
    RETURN NULL;
  END $$;
  CREATE TRIGGER raise_crossed AFTER INSERT ON budget_crossings FOR EACH ROW EXECUTE FUNCTION raise_budget_event();

  CREATE FUNCTION raise_message_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NOT is_event_heard(NEW.environment_id, 'message.' || NEW.status) THEN RETURN NULL; END IF;
    PERFORM raise_event(NEW.environment_id, 'message.' || NEW.status, jsonb_build_object('messageId', NEW.id, 'url', NEW.url, 'method', NEW.method,
      'label', NEW.label, 'attempts', NEW.attempts, 'responseStatus', NEW.response_status, 'errorMessage', NEW.error_message,
      'scheduleId', NEW.schedule_id, 'urlGroupId', NEW.url_group_id, 'callbackOf', NEW.callback_of, 'retryOf', NEW.retry_of));
    RETURN NULL;
  END $$;
  -- Not for the delivery of an event, nor for an alert: each would raise the next.
  CREATE TRIGGER raise_ended AFTER UPDATE OF status ON messages FOR EACH ROW
    WHEN (NEW.kind NOT IN ('event', 'alert') AND NEW.status IN ('delivered', 'failed') AND NEW.status IS DISTINCT FROM OLD.status)
    EXECUTE FUNCTION raise_message_event();

  CREATE FUNCTION raise_schedule_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM raise_event(NEW.environment_id, 'schedule.failed', jsonb_build_object('scheduleId', NEW.schedule_id,
      'name', (SELECT s.name FROM schedules s WHERE s.id = NEW.schedule_id), 'trigger', NEW.trigger, 'nominalAt', event_time(NEW.nominal_at),
      'errorCode', NEW.error_code, 'errorMessage', NEW.error_message));
    RETURN NULL;
  END $$;
  CREATE TRIGGER raise_failed AFTER INSERT OR UPDATE OF outcome ON schedule_runs FOR EACH ROW
    WHEN (NEW.outcome = 'failed') EXECUTE FUNCTION raise_schedule_event();

  -- One tells of all the slots of a schedule that are recorded together: there may be a thousand.
  CREATE FUNCTION raise_missed_slots() RETURNS trigger
    LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM raise_event(newest.environment_id, 'schedule.failed', jsonb_build_object('scheduleId', newest.schedule_id,
          'name', (SELECT s.name FROM schedules s WHERE s.id = newest.schedule_id), 'trigger', newest.trigger,
          'nominalAt', event_time(newest.nominal_at), 'errorCode', newest.error_code,
          'errorMessage', newest.error_message || CASE WHEN newest.slots > 1 THEN ' Slots missed: ' || newest.slots || '.' ELSE '' END))
        FROM (SELECT DISTINCT ON (r.schedule_id) r.*, count(*) OVER (PARTITION BY r.schedule_id) AS slots
              FROM recorded r WHERE r.outcome = 'missed' ORDER BY r.schedule_id, r.nominal_at DESC) newest;
      RETURN NULL;
    END $$;
  CREATE TRIGGER raise_missed AFTER INSERT ON schedule_runs REFERENCING NEW TABLE AS recorded
    FOR EACH STATEMENT EXECUTE FUNCTION raise_missed_slots();

  CREATE FUNCTION raise_environment_event() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    scope text := COALESCE(current_setting('app.environment_id', true), '');
  BEGIN
    -- A member changes it in a transaction of the workspace, which names no environment. Row-level security has let the row through.
    PERFORM set_config('app.environment_id', NEW.id::text, true);
    PERFORM raise_event(NEW.id, CASE WHEN NEW.halted_at IS NULL THEN 'environment.resumed' ELSE 'environment.halted' END,
      jsonb_build_object('environmentId', NEW.id, 'name', NEW.name) || CASE WHEN NEW.halted_at IS NULL
        THEN jsonb_build_object('haltedAt', event_time(OLD.halted_at))
        ELSE jsonb_build_object('haltedAt', event_time(NEW.halted_at), 'reason', NEW.halted_reason, 'haltedBy', NEW.halted_by) END);
    PERFORM set_config('app.environment_id', scope, true);
    RETURN NULL;
  END $$;
  CREATE TRIGGER raise_halt AFTER UPDATE OF halted_at ON environments FOR EACH ROW
    WHEN ((NEW.halted_at IS NULL) <> (OLD.halted_at IS NULL)) EXECUTE FUNCTION raise_environment_event();

  CREATE FUNCTION raise_secret_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM raise_event(NEW.environment_id, 'secret.rotated', jsonb_build_object('secretId', NEW.id, 'name', NEW.name, 'version', NEW.current_version));
    RETURN NULL;
  END $$;
  CREATE TRIGGER raise_rotated AFTER UPDATE OF current_version ON secrets FOR EACH ROW
    WHEN (NEW.current_version <> OLD.current_version AND OLD.deleted_at IS NULL AND NEW.deleted_at IS NULL) EXECUTE FUNCTION raise_secret_event();

  CREATE FUNCTION raise_subscription_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM raise_event(NEW.environment_id, 'subscription.disabled', jsonb_build_object('subscriptionId', NEW.id, 'topicId', NEW.topic_id,
      'topic', (SELECT t.name FROM topics t WHERE t.id = NEW.topic_id), 'url', NEW.url, 'failingSince', event_time(NEW.failing_since)));
    RETURN NULL;
  END $$;
  CREATE TRIGGER raise_disabled AFTER UPDATE OF disabled_at ON event_subscriptions FOR EACH ROW
    WHEN (NEW.disabled_at IS NOT NULL AND OLD.disabled_at IS NULL) EXECUTE FUNCTION raise_subscription_event();
`;
