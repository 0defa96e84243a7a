import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0044-metrics';

/**
 * Figures of the whole installation for metrics (domain/metrics/of-the-database.ts). They are read by one process at a time, which keeps this
 * for as long as it reads on: `figures_by` and `figures_at` name it. Each figure follows an index and ends after `most` rows, so that neither a
 * million stored effects nor a backlog makes a reading slow.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(TABLES);
  await makeDirectoryFunctions(knex, [OLDEST_QUEUED, FIGURES].join(''), [
    'oldest_queued_seconds(integer)',
    'read_installation_figures(uuid, interval, integer)',
  ]);
}

const TABLES = `
  ALTER TABLE installation ADD COLUMN figures_by uuid, ADD COLUMN figures_at timestamptz;
  CREATE INDEX approvals_pending ON approvals (created_at) WHERE status = 'pending';

  CREATE POLICY directory ON impact_limits FOR SELECT TO service_directory USING (true);
  CREATE POLICY directory ON impact_reservations FOR SELECT TO service_directory USING (true);
  GRANT SELECT (id, cap, period) ON impact_limits TO service_directory;
  GRANT SELECT (limit_id, period, amount, exposure) ON impact_reservations TO service_directory;
  GRANT SELECT (unknown_at) ON invocations TO service_directory;
  GRANT SELECT (id, reconcile_next_at, updated_at) ON effects TO service_directory;
  GRANT SELECT (created_at) ON approvals TO service_directory;
  GRANT SELECT (created_at) ON master_key_digests TO service_directory;
  GRANT SELECT (figures_by, figures_at, expensive_work_paused_at), UPDATE (figures_by, figures_at) ON installation TO service_directory;
`;

/** The order of environments is that of the index: any would do. */
const FLYING = (
  columns: string,
): string => `SELECT ${columns} FROM invocations i WHERE i.status IN ('queued', 'dispatching')
        ORDER BY i.environment_id LIMIT most`;

const OLDEST_QUEUED = `
  -- The age of the oldest of up to \`most\` invocations in flight that is queued and waits for no other effect. 0: there is none.
  CREATE FUNCTION oldest_queued_seconds(most integer) RETURNS double precision
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan TO off
    BEGIN ATOMIC
      SELECT COALESCE(max(extract(epoch FROM clock_timestamp() - f.created_at)), 0)::double precision
      FROM (${FLYING('i.status, i.created_at, i.dependencies_awaited_at')}) f WHERE f.status = 'queued' AND f.dependencies_awaited_at IS NULL;
    END;
`;

const UNKNOWN = `
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
`;

const IN_FLIGHT = `
    RETURN QUERY WITH flying AS (${FLYING('i.status')})
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
`;

const counted = (state: string, order: string): string => `
    RETURN QUERY SELECT 'messages_queued', '${state}', count(*)::double precision
      FROM (SELECT FROM lane_queue q WHERE q.state = '${state}' ORDER BY ${order} LIMIT most) c;`;

const MESSAGES = `
    ${counted('ready', 'q.environment_id')}
    ${counted('taken', 'q.workspace_id')}
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
`;

/** Invocations have a figure of their own, because those that wait for other effects stay. So do firings that wait for the run before. */
const OVERDUE = `
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
`;

const PEOPLE_AND_LETTERS = `
    RETURN QUERY WITH pending AS MATERIALIZED (SELECT a.created_at FROM approvals a WHERE a.status = 'pending' ORDER BY a.created_at LIMIT most)
      SELECT 'approvals_pending', '', count(*)::double precision FROM pending
      UNION ALL
      SELECT 'oldest_approval_seconds', '', COALESCE(extract(epoch FROM clock_timestamp() - min(p.created_at)), 0)::double precision FROM pending p;
    RETURN QUERY SELECT 'dead_letters', '', count(*)::double precision
      FROM (SELECT FROM dead_letters d ORDER BY d.message_id LIMIT most) d;
`;

const SERVER = `
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
`;

const FIGURES = `
  -- Figures with the value of their label, for the one process that reads them: others get its clock alone until it has not read for \`stays\`.
  -- In the transaction of one reading nobody else reads.
  CREATE FUNCTION read_installation_figures(process uuid, stays interval, most integer)
    RETURNS TABLE (name text, label text, value double precision)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan TO off AS $$
  DECLARE began timestamptz := clock_timestamp();
  BEGIN
    RETURN QUERY SELECT 'clock', '', extract(epoch FROM began)::double precision;
    IF NOT pg_try_advisory_xact_lock(hashtext('installation figures')) THEN RETURN; END IF;
    PERFORM FROM installation i WHERE i.figures_by IS NULL OR i.figures_by = process OR i.figures_at < began - stays;
    IF NOT FOUND THEN RETURN; END IF;
    ${UNKNOWN}${IN_FLIGHT}${MESSAGES}${OVERDUE}${PEOPLE_AND_LETTERS}${SERVER}
    -- Nobody waits for a standby here, or the figures could not say that there is none.
    PERFORM set_config('synchronous_commit', 'local', true);
    -- A change of this row that waits for a standby holds it: the figures do not wait behind it, and the next reading says who read.
    PERFORM FROM installation FOR NO KEY UPDATE SKIP LOCKED;
    IF FOUND THEN UPDATE installation SET figures_by = process, figures_at = clock_timestamp(); END IF;
    RETURN QUERY SELECT 'figures_read_seconds', '', extract(epoch FROM clock_timestamp() - began)::double precision;
  END $$;
`;
