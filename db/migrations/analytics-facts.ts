/**
 * The twin in SQL of `test/db/analytics/facts.ts`, for 0041-analytics, and the triggers that write what it says. One function for each table,
 * over the columns that count. The rows that a function returns have one record each; a row without `at` counts nothing.
 */
export const FACTS_OF_RECORDS = `
  CREATE FUNCTION analytics_quarter(at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN date_bin('15 minutes', at, '2000-01-01T00:00:00Z');

  CREATE FUNCTION analytics_bucket(ms bigint) RETURNS smallint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ms <= 1 THEN 0 ELSE ceil(ln(ms::double precision) / ln(1.105::double precision)) END::smallint;

  CREATE FUNCTION ms_between(earlier timestamptz, later timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN earlier IS NOT NULL AND later IS NOT NULL
      THEN greatest(0, round(extract(epoch FROM later - earlier) * 1000))::bigint END;

  -- Origin and path of a URL: targetOf. knex takes a question mark for a value.
  CREATE FUNCTION url_target(url text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN left(regexp_replace(url, '^([a-z][a-z0-9+.-]*://){0,1}([^/\\u003f#]*@){0,1}([^\\u003f#]*).*$', '\\1\\3'), 500);

  -- The text of an error without what differs from one to the next: errorShape.
  CREATE FUNCTION error_shape(error text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN left(regexp_replace(left(error, 2000), '[0-9A-Za-z_-]*[0-9][0-9A-Za-z_-]*', '#', 'g'), 300);

  CREATE FUNCTION facts_of_invocation(id text, status text, code text, error text, decision jsonb, action_id text, agent_id text,
      approval_id text, created_at timestamptz, evaluated_at timestamptz, unknown_at timestamptz, settled_at timestamptz)
    RETURNS TABLE (kind text, at timestamptz, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
      SELECT f.kind, f.at, f.d1, f.d2, f.d3, f.s1, 0::bigint, NULL::bigint, f.sample
      FROM (SELECT CASE WHEN status IN ('pending_approval', 'queued', 'dispatching') THEN 'pending' ELSE status || COALESCE(':' || code, '') END AS state,
          CASE WHEN status = 'unknown' THEN unknown_at WHEN status NOT IN ('pending_approval', 'queued', 'dispatching') THEN settled_at END AS ended_at) i,
        LATERAL (VALUES
          ('invocations.created', created_at, i.state, action_id, COALESCE(agent_id, ''), (approval_id IS NOT NULL)::integer::bigint, NULL::text),
          ('invocations.ended', i.ended_at, i.state, action_id, COALESCE(agent_id, ''), 0, NULL),
          ('policy.decisions', CASE WHEN decision IS NOT NULL THEN evaluated_at END, decision ->> 'effect',
            COALESCE(decision ->> 'policyId', ''), COALESCE(COALESCE(decision ->> 'version', '') || '/' || (decision ->> 'ruleId'), ''), 0, NULL),
          ('errors', CASE WHEN status IN ('refused', 'failed', 'unknown') THEN i.ended_at END,
            CASE status WHEN 'refused' THEN 'invocation' ELSE 'dispatch' END, COALESCE(code, ''), COALESCE(error_shape(error), ''), 0, id)
        ) f (kind, at, d1, d2, d3, s1, sample)
      WHERE f.at IS NOT NULL;
    END;

  CREATE FUNCTION facts_of_effect(action_name text, grade text, verification text, outcome_source text, created_at timestamptz,
      updated_at timestamptz, outcome_at timestamptz, unknown_at timestamptz, known_at timestamptz)
    RETURNS TABLE (kind text, at timestamptz, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
      SELECT f.kind, f.at, f.d1, action_name, f.d3, 0::bigint, 0::bigint, f.ms, NULL::text
      FROM (VALUES
          ('effects.graded', CASE WHEN grade IN ('denied', 'refused') THEN updated_at WHEN grade <> 'pending' THEN outcome_at END, grade,
            verification, NULL::bigint),
          ('unknowns.opened', unknown_at, '', '', NULL),
          ('unknowns.resolved', known_at, CASE outcome_source WHEN 'manual_resolution' THEN 'manual' ELSE 'lookup' END, '',
            ms_between(unknown_at, known_at))
        ) f (kind, at, d1, d3, ms)
      WHERE f.at IS NOT NULL;
    END;

  CREATE FUNCTION facts_of_approval(status text, policy_id text, source text, created_at timestamptz, decided_at timestamptz)
    RETURNS TABLE (kind text, at timestamptz, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
      SELECT f.kind, f.at, CASE status WHEN 'consumed' THEN 'approved' ELSE status END, COALESCE(policy_id, ''), source, 0::bigint, 0::bigint,
        f.ms, NULL::text
      FROM (VALUES
          ('approvals.requested', created_at, NULL::bigint),
          ('approvals.decided', decided_at, CASE WHEN status IN ('approved', 'consumed', 'denied') THEN ms_between(created_at, decided_at) END)
        ) f (kind, at, ms)
      WHERE f.at IS NOT NULL;
    END;

  CREATE FUNCTION facts_of_message(status text, of_kind text, label text, url text, subscription_id text, schedule_id text, attempts integer,
      created_at timestamptz, scheduled_for timestamptz, updated_at timestamptz, delivered_at timestamptz, failed_at timestamptz)
    RETURNS TABLE (kind text, at timestamptz, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
      SELECT f.kind, f.at, m.state, f.d2, f.d3, f.s1, 0::bigint, f.ms, NULL::text
      FROM (SELECT CASE WHEN status IN ('pending', 'scheduled', 'processing') THEN 'pending' ELSE status END AS state,
          COALESCE(delivered_at, failed_at, CASE status WHEN 'cancelled' THEN updated_at END) AS ended_at) m,
        LATERAL (VALUES
          ('messages.accepted', created_at, of_kind, COALESCE(label, ''), 0::bigint, NULL::bigint),
          ('messages.ended', m.ended_at, of_kind, COALESCE(label, ''), 0, NULL),
          ('targets.ended', m.ended_at, CASE WHEN m.ended_at IS NOT NULL THEN url_target(url) END, COALESCE(subscription_id, ''), attempts,
            ms_between(greatest(created_at, scheduled_for), delivered_at)),
          ('schedules.delivery', CASE WHEN schedule_id IS NOT NULL THEN m.ended_at END, schedule_id, '', 0, NULL)
        ) f (kind, at, d2, d3, s1, ms)
      WHERE f.at IS NOT NULL;
    END;

  CREATE FUNCTION facts_of_message_attempt(message_id text, number integer, status text, target text, failure text, subscription_id text,
      response_status integer, latency_ms integer, error text, finished_at timestamptz)
    RETURNS TABLE (kind text, at timestamptz, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
      SELECT f.kind, f.at, f.d1, f.d2, f.d3, f.s1, f.s2, f.ms, f.sample
      FROM (SELECT CASE WHEN status = 'abandoned' THEN status ELSE COALESCE(response_status::text, failure, 'connection') END AS outcome) a,
        LATERAL (VALUES
          ('delivery.attempts', finished_at, a.outcome, COALESCE(target, ''), COALESCE(subscription_id, ''), (number = 1)::integer::bigint,
            COALESCE(latency_ms, 0)::bigint, latency_ms::bigint, NULL::text),
          ('errors', CASE WHEN NOT starts_with(a.outcome, '2') THEN finished_at END,
            CASE WHEN subscription_id IS NULL THEN 'delivery' ELSE 'subscription' END, a.outcome, COALESCE(error_shape(error), ''), 0, 0, NULL,
            message_id)
        ) f (kind, at, d1, d2, d3, s1, s2, ms, sample)
      WHERE f.at IS NOT NULL;
    END;

  CREATE FUNCTION facts_of_schedule_run(schedule_id text, trigger text, outcome text, error_code text, error_message text, nominal_at timestamptz,
      fired_at timestamptz)
    RETURNS TABLE (kind text, at timestamptz, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
      SELECT f.kind, fired_at, f.d1, f.d2, f.d3, 0::bigint, 0::bigint, f.ms, f.sample
      FROM (VALUES
          ('schedules.fired', outcome NOT IN ('queued', 'waiting'), outcome, schedule_id, trigger,
            CASE outcome WHEN 'published' THEN ms_between(nominal_at, fired_at) END, NULL::text),
          ('errors', outcome = 'failed', 'schedule', COALESCE(left(error_code, 64), ''), COALESCE(error_shape(error_message), ''), NULL, schedule_id)
        ) f (kind, counts, d1, d2, d3, ms, sample)
      WHERE f.counts;
    END;

  CREATE FUNCTION facts_of_run(id text, status text, agent_id text, agent_version text, error jsonb, tokens bigint, input_tokens bigint,
      output_tokens bigint, cost double precision, started_at timestamptz, ended_at timestamptz)
    RETURNS TABLE (kind text, at timestamptz, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
      SELECT f.kind, f.at, f.d1, f.d2, f.d3, f.s1, f.s2, f.ms, f.sample
      FROM (VALUES
          ('runs.started', started_at, status, COALESCE(agent_id, ''), COALESCE(agent_version, ''), 0::bigint, 0::bigint, NULL::bigint, NULL::text),
          ('runs.ended', ended_at, status, COALESCE(agent_id, ''), COALESCE(agent_version, ''), COALESCE(tokens, 0),
            floor(least(COALESCE(cost, 0), 1e9) * 1e6 + 0.5)::bigint, ms_between(started_at, ended_at), NULL),
          ('runs.tokens', CASE WHEN num_nonnulls(input_tokens, output_tokens) > 0 THEN ended_at END, '', COALESCE(agent_id, ''),
            COALESCE(agent_version, ''), COALESCE(input_tokens, 0), COALESCE(output_tokens, 0), NULL, NULL),
          ('errors', CASE status WHEN 'failed' THEN ended_at END, 'run', COALESCE(left(error ->> 'code', 64), ''),
            COALESCE(error_shape(error ->> 'message'), ''), 0, 0, NULL, id)
        ) f (kind, at, d1, d2, d3, s1, s2, ms, sample)
      WHERE f.at IS NOT NULL;
    END;

  CREATE FUNCTION facts_of_chat_post(approval_id text, status text, error text, posted_at timestamptz)
    RETURNS TABLE (kind text, at timestamptz, d1 text, d2 text, d3 text, s1 bigint, s2 bigint, ms bigint, sample text)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
      SELECT 'errors', posted_at, 'integration', 'refused', COALESCE(error_shape(error), ''), 0::bigint, 0::bigint, NULL::bigint, approval_id
      WHERE status = 'refused';
    END;
`;

interface Counted {
  table: string;
  /** SQL over a row `r`: its facts. */
  facts: string;
  events: readonly ('INSERT' | 'UPDATE' | 'DELETE')[];
}

/**
 * No DELETE: what had its time stays counted. Only an invocation is taken back, where its admission is withdrawn.
 */
export const COUNTED: readonly Counted[] = [
  {
    table: 'invocations',
    facts: `facts_of_invocation(r.id, r.status, r.refusal_code, r.error, r.decision, r.action_id, r.agent_id, r.approval_id, r.created_at,
        r.evaluated_at, r.unknown_at, r.settled_at)`,
    events: ['INSERT', 'UPDATE', 'DELETE'],
  },
  {
    table: 'effects',
    facts: `facts_of_effect(r.action_name, r.grade, r.verification, r.outcome_source, r.created_at, r.updated_at, r.outcome_at, r.unknown_at,
        r.known_at)`,
    events: ['INSERT', 'UPDATE'],
  },
  {
    table: 'approvals',
    facts: 'facts_of_approval(r.status, r.policy_id, r.source, r.created_at, r.decided_at)',
    events: ['INSERT', 'UPDATE'],
  },
  {
    table: 'messages',
    facts: `facts_of_message(r.status, r.kind, r.label, r.url, r.subscription_id, r.schedule_id, r.attempts, r.created_at, r.scheduled_for,
        r.updated_at, r.delivered_at, r.failed_at)`,
    events: ['INSERT', 'UPDATE'],
  },
  {
    table: 'message_attempts',
    facts: `facts_of_message_attempt(r.message_id, r.number, r.status, r.target, r.failure, r.subscription_id, r.response_status, r.latency_ms,
        r.error, r.finished_at)`,
    events: ['INSERT', 'UPDATE'],
  },
  {
    table: 'schedule_runs',
    facts:
      'facts_of_schedule_run(r.schedule_id, r.trigger, r.outcome, r.error_code, r.error_message, r.nominal_at, r.fired_at)',
    events: ['INSERT', 'UPDATE'],
  },
  {
    table: 'runs',
    facts: `facts_of_run(r.id, r.status, r.agent_id, r.agent_version, r.error, r.tokens, r.input_tokens, r.output_tokens, r.cost, r.started_at,
        r.ended_at)`,
    events: ['INSERT', 'UPDATE'],
  },
  {
    table: 'chat_posts',
    facts: 'facts_of_chat_post(r.approval_id, r.status, r.error, r.at)',
    events: ['INSERT'],
  },
];

const TRANSITIONS = {
  INSERT: 'NEW TABLE AS added',
  UPDATE: 'NEW TABLE AS added OLD TABLE AS removed',
  DELETE: 'OLD TABLE AS removed',
} as const;

/** A statement of many rows is counted once. What changes no count leaves no row. */
export function countingOf(counted: Counted): string {
  const { table, events } = counted;
  return `
  ${countingFunctionOf(counted)}
  ${events
    .map(
      (
        event,
      ) => `CREATE TRIGGER count_facts_of_${event.toLowerCase()} AFTER ${event} ON ${table} REFERENCING ${TRANSITIONS[event]}
    FOR EACH STATEMENT EXECUTE FUNCTION count_facts_of_${table}();`,
    )
    .join('\n  ')}
`;
}

/** `deleted`: the rows that a DELETE takes back from what was counted. */
export function countingFunctionOf({ table, facts, events }: Counted, deleted = 'removed'): string {
  const counted = (rows: string, sign: number): string =>
    `SELECT ${sign} AS sign, r.environment_id, f.* FROM ${rows} r, LATERAL ${facts} f`;
  const write = (changes: string): string => `
      INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
        SELECT c.environment_id, c.kind, analytics_quarter(c.at), c.d1, c.d2, c.d3, analytics_bucket(c.ms), sum(c.sign), sum(c.sign * c.s1),
          sum(c.sign * c.s2), min(c.at) FILTER (WHERE c.sign = 1), max(c.at) FILTER (WHERE c.sign = 1),
          (array_agg(c.sample ORDER BY c.at DESC) FILTER (WHERE c.sign = 1 AND c.sample IS NOT NULL))[1:5]
        FROM (${changes}) c GROUP BY 1, 2, 3, 4, 5, 6, 7
        HAVING sum(c.sign) <> 0 OR sum(c.sign * c.s1) <> 0 OR sum(c.sign * c.s2) <> 0;`;
  const changesOf = {
    INSERT: counted('added', 1),
    UPDATE: `${counted('added', 1)} UNION ALL ${counted('removed', -1)}`,
    DELETE: counted(deleted, -1),
  };
  return `CREATE OR REPLACE FUNCTION count_facts_of_${table}() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN${events.map((event, place) => `\n    ${place === 0 ? 'IF' : 'ELSIF'} TG_OP = '${event}' THEN${write(changesOf[event])}`).join('')}
    END IF;
    RETURN NULL;
  END $$;`;
}
