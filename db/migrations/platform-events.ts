import { NOTIFIED_EVENT_TYPES, type PlatformEventType } from '../../domain/events/event-types.ts';

/**
 * The triggers that leave a platform event in the outbox, in the transaction of the change that it reports. A row of the outbox holds the
 * type and a snapshot of the changed row. The relay makes the public payload of it (domain/events/payloads.ts), so that a new
 * member of a payload needs no migration. No snapshot holds an input, a response, a note, a header or a secret.
 */
interface Source {
  table: string;
  /** SQL: the select list of the snapshot, over NEW. Its names are those of columns, and no public ones. */
  snapshot: string;
  /** SQL: the id by which `require_event` finds the row in the outbox. Tables without it are not guarded. */
  rowId?: string;
  /** The types: which operation raises them, and on what condition. */
  events: Partial<Record<PlatformEventType, readonly [on: string, when: string]>>;
}

const SUBSCRIPTION_IS_LIVE = 's.of_service AND s.enabled AND s.deleted_at IS NULL';

/**
 * The guard asks for no event that only a subscription of the last minutes wants. Such a subscription may have committed after the
 * trigger looked for one, and no transaction lasts so long (STATEMENT_TIMEOUT_MS, IDLE_IN_TRANSACTION_TIMEOUT_MS in db/client.ts).
 */
const GUARD = `
  CREATE FUNCTION require_event() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND ${SUBSCRIPTION_IS_LIVE}
          AND COALESCE(s.enabled_at, s.created_at) < now() - interval '5 minutes'))
       AND NOT EXISTS (SELECT FROM raised_events r WHERE r.row_id = NEW.id AND r.type = TG_ARGV[0] AND r.occurred_at = now()::timestamptz(3)) THEN
      RAISE EXCEPTION '% leaves no event % in the outbox', NEW.id, TG_ARGV[0] USING ERRCODE = 'check_violation',
        HINT = 'Insert it into raised_events in the same transaction, as the trigger leave_event_of_… does (db/migrations/platform-events.ts).';
    END IF;
    RETURN NULL;
  END $$;
`;

const columns = (names: string): string => names.replaceAll(/\w+/g, 'NEW.$&');
const ACTION_NAME = '(SELECT a.name FROM actions a WHERE a.id = NEW.action_id) AS action_name';
const ACTION_CHANGED = `(NEW.name, NEW.description, NEW.current_version_id, NEW.archived_at)
    IS DISTINCT FROM (OLD.name, OLD.description, OLD.current_version_id, OLD.archived_at)`;
const EFFECT_SETTLED = `NEW.stage = 'settled' AND (NEW.stage, NEW.outcome) IS DISTINCT FROM (OLD.stage, OLD.outcome)`;
/** Not for the delivery of an event, nor for an alert: each would raise the next. */
const messageIs = (status: string): string =>
  `NEW.kind NOT IN ('event', 'alert') AND NEW.status = '${status}' AND OLD.status <> '${status}'`;
const ofCrossings = (thresholdType: PlatformEventType, exceededType: PlatformEventType): Source['events'] => ({
  [thresholdType]: ['INSERT', 'NEW.threshold IS NOT NULL'],
  [exceededType]: ['INSERT', 'NEW.threshold IS NULL'],
});

const SOURCES: readonly Source[] = [
  {
    table: 'actions',
    // The first version is written after its action.
    snapshot: `${columns('id, name, description, current_version_id, created_at, updated_at, archived_at')},
      COALESCE((SELECT v.number FROM action_versions v WHERE v.id = NEW.current_version_id), 1) AS version`,
    events: {
      'action.created': ['INSERT', 'true'],
      'action.updated': ['UPDATE', `NEW.archived_at IS NULL AND ${ACTION_CHANGED}`],
      'action.archived': ['UPDATE', `NEW.archived_at IS NOT NULL AND ${ACTION_CHANGED}`],
    },
  },
  {
    table: 'invocations',
    snapshot: `${columns(`id, action_id, version_id, retry_of, run_id, agent_id, effect_id, preview_id, approval_id, compensates, status,
      outcome_source, grade, refusal_code, created_at, evaluated_at, unknown_at, settled_at`)}, ${ACTION_NAME}`,
    events: {
      'invocation.settled': [
        'UPDATE OF status',
        `NEW.status IN ('succeeded', 'failed', 'refused', 'denied', 'expired', 'cancelled') AND NEW.status IS DISTINCT FROM OLD.status`,
      ],
    },
  },
  {
    table: 'effects',
    rowId: 'NEW.id',
    snapshot: `${columns(`id, invocation_id, action_name, version_id, adapter_type, adapter_version, preview_id, approval_id, compensates,
      stage, outcome, outcome_source, partial_effect, rejection_reason, provider_reference, reconcile_attempts, grade, verification,
      created_at, first_dispatched_at, outcome_at, unknown_at, known_at`)}, CASE WHEN NEW.outcome_source = 'manual_resolution'
      THEN (SELECT r.resolved_by FROM resolutions r WHERE r.invocation_id = NEW.invocation_id) END AS resolved_by`,
    events: {
      'effect.unknown': ['UPDATE OF outcome', `NEW.outcome = 'unknown' AND OLD.outcome <> 'unknown'`],
      'effect.exhausted': ['UPDATE OF reconcile_exhausted', 'NEW.reconcile_exhausted AND NOT OLD.reconcile_exhausted'],
      'effect.settled': ['UPDATE OF stage, outcome', EFFECT_SETTLED],
      'effect.resolved': ['UPDATE OF stage, outcome', `${EFFECT_SETTLED} AND NEW.outcome_source = 'manual_resolution'`],
    },
  },
  {
    table: 'approvals',
    rowId: 'NEW.id',
    snapshot: `${columns(`id, kind, invocation_id, effect_id, preview_id, action_id, title, binding_digest, source, policy_id, policy_version,
      rule_id, quorum, requested_by, status, created_at, expires_at, decided_at`)}, ${ACTION_NAME}`,
    events: {
      'approval.requested': ['INSERT', 'true'],
      'approval.decided': [
        'UPDATE OF status',
        `NEW.status IN ('approved', 'denied') AND NEW.status IS DISTINCT FROM OLD.status`,
      ],
      'approval.expired': ['UPDATE OF status', `NEW.status = 'expired' AND OLD.status <> 'expired'`],
    },
  },
  {
    table: 'messages',
    rowId: 'NEW.id',
    snapshot:
      columns(`id, kind, url, method, label, scheduled_for, max_retries, callback_of, schedule_id, url_group_id, flow_control_key,
      retry_of, status, attempts, response_status, error_message, created_at, delivered_at, failed_at`),
    events: {
      'message.delivered': ['UPDATE OF status', messageIs('delivered')],
      'message.failed': ['UPDATE OF status', messageIs('failed')],
    },
  },
  {
    table: 'impact_limit_crossings',
    snapshot: 'NEW.*, (SELECT l.name FROM impact_limits l WHERE l.id = NEW.limit_id) AS limit_name',
    events: ofCrossings('impact_limit.threshold', 'impact_limit.exceeded'),
  },
  {
    table: 'budget_crossings',
    snapshot: 'NEW.*',
    events: ofCrossings('budget.threshold', 'budget.exceeded'),
  },
  {
    table: 'schedule_runs',
    snapshot: `${columns('schedule_id, trigger, nominal_at, outcome, error_code, error_message, fired_at')}, 1 AS slots,
      (SELECT c.name FROM schedules c WHERE c.id = NEW.schedule_id) AS schedule_name`,
    events: { 'schedule.failed': ['INSERT OR UPDATE OF outcome', `NEW.outcome = 'failed'`] },
  },
  {
    table: 'secrets',
    snapshot: columns('id, name, current_version, created_at, rotated_at'),
    events: {
      'secret.rotated': [
        'UPDATE OF current_version',
        'NEW.current_version <> OLD.current_version AND OLD.deleted_at IS NULL AND NEW.deleted_at IS NULL',
      ],
    },
  },
  {
    table: 'event_subscriptions',
    snapshot: `${columns('id, topic_id, url, event_types, failing_since, last_failure_at, disabled_at')},
      (SELECT t.name FROM topics t WHERE t.id = NEW.topic_id) AS topic_name`,
    events: {
      'subscription.disabled': ['UPDATE OF disabled_at', 'NEW.disabled_at IS NOT NULL AND OLD.disabled_at IS NULL'],
    },
  },
];

const isAlwaysRaised = (type: string): boolean => (NOTIFIED_EVENT_TYPES as readonly string[]).includes(type);

/** SQL that creates the function and the triggers of a table whose rows raise events. */
export function leavingEventsOf({ table, snapshot, rowId, events }: Source): string {
  const triggers = Object.entries(events).map(([type, [on, when]]) => {
    const [name, given] = [type.replace('.', '_'), `'${type}', '${isAlwaysRaised(type) ? 'always' : 'heard'}'`];
    const guard = `CREATE CONSTRAINT TRIGGER require_${name} AFTER ${on} ON ${table} DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN (${when}) EXECUTE FUNCTION require_event(${given});`;
    return `
  CREATE TRIGGER leave_${name} AFTER ${on} ON ${table} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION leave_event_of_${table}(${given});
  ${rowId === undefined ? '' : guard}`;
  });
  return `
  CREATE FUNCTION leave_event_of_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO raised_events (environment_id, type, row_id, snapshot)
    SELECT NEW.environment_id, TG_ARGV[0], ${rowId ?? 'NULL'}, to_jsonb(made) FROM (SELECT ${snapshot}) made
    WHERE TG_ARGV[1] = 'always' OR EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = NEW.environment_id AND ${SUBSCRIPTION_IS_LIVE});
    RETURN NULL;
  END $$;${triggers.join('')}`;
}

/** One event reports all the slots of a schedule that are recorded together, as its newest one: there may be a thousand. */
const MISSED_SLOTS = `
  CREATE FUNCTION leave_event_of_missed_slots() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO raised_events (environment_id, type, snapshot)
    SELECT made.environment_id, 'schedule.failed', to_jsonb(made)
    FROM (SELECT DISTINCT ON (r.schedule_id) r.environment_id, r.schedule_id, r.trigger, r.nominal_at, r.outcome, r.error_code, r.error_message,
        r.fired_at, count(*) OVER (PARTITION BY r.schedule_id) AS slots, (SELECT c.name FROM schedules c WHERE c.id = r.schedule_id) AS schedule_name
      FROM recorded r WHERE r.outcome = 'missed' ORDER BY r.schedule_id, r.nominal_at DESC) made
    WHERE EXISTS (SELECT FROM event_subscriptions s WHERE s.environment_id = made.environment_id AND ${SUBSCRIPTION_IS_LIVE});
    RETURN NULL;
  END $$;
  CREATE TRIGGER leave_schedule_missed AFTER INSERT ON schedule_runs REFERENCING NEW TABLE AS recorded
    FOR EACH STATEMENT EXECUTE FUNCTION leave_event_of_missed_slots();
`;

/** A member halts in a transaction of the workspace, which names no environment. Row-level security has let the row through. */
const HALTS = `
  CREATE FUNCTION leave_event_of_environments() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    scope text := COALESCE(current_setting('app.environment_id', true), '');
  BEGIN
    PERFORM set_config('app.environment_id', NEW.id::text, true);
    INSERT INTO raised_events (environment_id, type, snapshot)
    SELECT NEW.id, TG_ARGV[0], to_jsonb(made) FROM (SELECT ${columns('id, name, kind, halted_at, halted_reason, halted_by')}, OLD.halted_at AS was_halted_at) made;
    PERFORM set_config('app.environment_id', scope, true);
    RETURN NULL;
  END $$;
  CREATE TRIGGER leave_environment_halted AFTER UPDATE OF halted_at ON environments FOR EACH ROW
    WHEN (OLD.halted_at IS NULL AND NEW.halted_at IS NOT NULL) EXECUTE FUNCTION leave_event_of_environments('environment.halted');
  CREATE TRIGGER leave_environment_resumed AFTER UPDATE OF halted_at ON environments FOR EACH ROW
    WHEN (OLD.halted_at IS NOT NULL AND NEW.halted_at IS NULL) EXECUTE FUNCTION leave_event_of_environments('environment.resumed');
`;

export const PLATFORM_EVENTS = [GUARD, ...SOURCES.map(leavingEventsOf), MISSED_SLOTS, HALTS].join('');
