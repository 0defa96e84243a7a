import type { Client } from 'pg';
import { COUNTED } from '../../db/migrations/analytics-facts.ts';

const DAYS = 90;
const CHUNK = 50_000;
const FACTS_AT_ONCE = 50_000;

/** SQL over `i`, the number of a record of `$3`: its moment in the last 90 days, the same for each of its times. */
const AT = `(now() - make_interval(secs => ($3 - i) * ${DAYS * 86_400}.0 / $3))`;
/** An id of that moment with the number at its end, so that it is in the range of its time. */
const idOf = (prefix: string): string => `'${prefix}_' || substr(run_id_floor(${AT}), 5, 14) || lpad(i::text, 8, '0')`;

/** Each takes the environment as `$1`, the numbers from `$2` to `$4`, and how many there are as `$3`. */
const RECORDS: Readonly<Record<string, string>> = {
  invocations: `INSERT INTO invocations (id, environment_id, action_id, version_id, operation_key, request_digest, input, requested_by, agent_id, status,
      outcome_source, error, refusal_code, refusal_details, decision, created_at, updated_at, evaluated_at, unknown_at, settled_at)
    SELECT ${idOf('inv')}, $1, 'act_' || i % 20, 'actv_' || i % 20, 'bench' || i, 'sha256:0', '{}', '{}', 'agent-' || i % 12, status,
      CASE status WHEN 'succeeded' THEN 'provider_response' END, CASE WHEN status <> 'succeeded' THEN 'the target answered 5' || i % 10 END,
      CASE WHEN status <> 'succeeded' THEN 'http_error' END, CASE WHEN status <> 'succeeded' THEN '{}'::jsonb END,
      jsonb_build_object('effect', 'allow', 'policyId', 'pol_' || i % 5, 'version', 1, 'ruleId', 'rule-' || i % 3),
      at, at, at, CASE status WHEN 'unknown' THEN at END, CASE WHEN status <> 'unknown' THEN at + interval '2 seconds' END
    FROM (SELECT i, ${AT} AS at, CASE WHEN i % 50 = 0 THEN 'unknown' WHEN i % 20 = 0 THEN 'failed' WHEN i % 33 = 0 THEN 'refused' ELSE 'succeeded' END AS status
      FROM generate_series($2::bigint, $4::bigint) i) r`,
  effects: `INSERT INTO effects (id, environment_id, invocation_id, operation_key, action_name, version_id, adapter_type, adapter_version, capabilities, target,
      request, request_digest, impact, stage, outcome, outcome_source, created_at, updated_at, outcome_at)
    SELECT ${idOf('eff')}, $1, ${idOf('inv')}, 'bench' || i, 'action-' || i % 20, 'actv_1', 'http.request', '1', '{}', '{}', '{}', 'sha256:0', '[]', 'settled',
      'succeeded', CASE WHEN i % 3 = 0 THEN 'provider_lookup' ELSE 'provider_response' END, ${AT}, ${AT}, ${AT}
    FROM generate_series($2::bigint, $4::bigint) i WHERE i % 2 = 0`,
  messages: `INSERT INTO messages (id, environment_id, retention, kind, url, method, label, max_retries, timeout_seconds, published_by, status, attempts, next_attempt_at,
      response_status, created_at, updated_at, delivered_at, failed_at, event_id, subscription_id)
    SELECT ${idOf('msg')}, $1, 'quarter', CASE WHEN i % 4 = 0 THEN 'event' ELSE 'message' END, 'https://example.com/hooks/' || i % 40, 'POST', 'label-' || i % 30, 5, 30,
      '{}', CASE WHEN i % 25 = 0 THEN 'failed' ELSE 'delivered' END, 1, at, 200, at, at + interval '300 milliseconds',
      CASE WHEN i % 25 <> 0 THEN at + i % 5000 * interval '1 millisecond' END, CASE WHEN i % 25 = 0 THEN at + interval '9 seconds' END,
      CASE WHEN i % 4 = 0 THEN 'evt_' || i END, CASE WHEN i % 4 = 0 THEN 'sub_' || i % 8 END
    FROM (SELECT i, ${AT} AS at FROM generate_series($2::bigint, $4::bigint) i) r`,
  message_attempts: `INSERT INTO message_attempts (message_id, number, environment_id, target, status, failure, latency_ms, response_status, error, started_at,
      finished_at, subscription_id)
    SELECT ${idOf('msg')}, 1, $1, 'https://example.com/hooks/' || i % 40, 'completed', CASE WHEN i % 50 = 0 THEN 'timeout' END, i % 5000,
      CASE WHEN i % 50 = 0 THEN NULL WHEN i % 25 = 0 THEN 503 ELSE 200 END, CASE WHEN i % 25 = 0 THEN 'the destination answered 503' END, ${AT}, ${AT},
      CASE WHEN i % 4 = 0 THEN 'sub_' || i % 8 END
    FROM generate_series($2::bigint, $4::bigint) i`,
  runs: `INSERT INTO runs (id, environment_id, agent_id, agent_version, status, tokens, input_tokens, output_tokens, cost, started_at, ended_at, closed_at)
    SELECT ${idOf('run')}, $1, 'agent-' || i % 12, 'v' || i % 3, 'succeeded', 1200, 1000, 200, 0.0125, ${AT}, ${AT} + i % 90000 * interval '1 millisecond', ${AT}
    FROM generate_series($2::bigint, $4::bigint) i WHERE i % 5 = 0`,
};

/**
 * Past the triggers: records of the past, which nothing moved there. Their facts are counted from them in the same statement, before the
 * service's sweep drops what is too old, and folded in the order of time, as they would have been.
 */
export async function fill(
  owner: Client,
  environmentId: string,
  records: number,
): Promise<{ seconds: number; rollups: number }> {
  const startedAt = performance.now();
  // A range that begins before the workspace is cut.
  await owner.query(`UPDATE workspaces SET created_at = now() - interval '${DAYS + 10} days'`);
  await owner.query(
    `SELECT make_run_partition(now() - make_interval(days => d)) FROM generate_series(0, ${DAYS + 6}, 7) d`,
  );
  await owner.query(
    `SELECT make_analytics_partition(t.name, now() - make_interval(days => d)) FROM analytics_tables() t, generate_series(0, ${DAYS + 30}, 28) d`,
  );
  await owner.query("SET session_replication_role = 'replica'");
  for (let from = 1; from <= records; from += CHUNK) {
    const bounds = [environmentId, from, records, Math.min(records, from + CHUNK - 1)];
    for (const { table, facts } of COUNTED) {
      const insert = RECORDS[table];
      if (insert === undefined) continue;
      await owner.query(withFacts(insert, facts), used(insert, bounds)).catch(named(table));
    }
    await foldAll(owner);
  }
  await owner.query("SET session_replication_role = 'origin'");
  await owner.query('VACUUM ANALYZE');
  const { rows } = await owner.query<{ n: string }>('SELECT count(*) AS n FROM analytics_rollups');
  return { seconds: (performance.now() - startedAt) / 1000, rollups: Number(rows[0]?.n) };
}

function withFacts(insert: string, facts: string): string {
  return `WITH r AS (${insert} RETURNING *)
    INSERT INTO analytics_facts (environment_id, kind, quarter, d1, d2, d3, bucket, n, s1, s2, first_at, last_at, samples)
    SELECT r.environment_id, f.kind, analytics_quarter(f.at), f.d1, f.d2, f.d3, analytics_bucket(f.ms), count(*), sum(f.s1), sum(f.s2), min(f.at), max(f.at),
      (array_agg(f.sample) FILTER (WHERE f.sample IS NOT NULL))[1:5]
    FROM r, LATERAL ${facts} f GROUP BY 1, 2, 3, 4, 5, 6, 7`;
}

async function foldAll(owner: Client): Promise<void> {
  for (;;) {
    const { rows } = await owner.query<{ left: boolean }>(
      `SELECT fold_analytics_facts(${FACTS_AT_ONCE}), EXISTS (SELECT FROM analytics_facts) AS left`,
    );
    // The service's own sweep may fold at the same time.
    if (rows[0]?.left !== true) return;
  }
}

/** PostgreSQL wants every parameter that it is given to be used. */
function used(sql: string, values: readonly (string | number)[]): (string | number)[] {
  return values.filter((_value, index) => sql.includes(`$${index + 1}`));
}

function named(table: string): (error: unknown) => never {
  return (error) => {
    throw new Error(`${table} could not be filled`, { cause: error });
  };
}
