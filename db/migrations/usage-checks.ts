/**
 * The invariants of usage, as a function that returns a row for each that does not hold: the daily check of the sweep, and the database
 * test. All of it is one snapshot, so that admissions which go on meanwhile make no difference. Egress, memory operations and e-mails have
 * no recount: their counts are kept here alone.
 */
export const USAGE_CHECK_SIGNATURES: readonly string[] = ['find_usage_drift(date)'];

export const USAGE_CHECKS = `
  GRANT SELECT (outcome_source) ON invocations TO service_directory;
  GRANT SELECT (environment_id, created_at, kind) ON messages TO service_directory;
  CREATE POLICY directory ON daily_usage FOR SELECT TO service_directory USING (true);
  GRANT SELECT ON daily_usage TO service_directory;

  -- Days from \`from_day\` on are recounted, months from that of \`from_day\` on.
  CREATE FUNCTION find_usage_drift(from_day date)
    RETURNS TABLE (rule text, workspace_id uuid, environment_id uuid, day date, allowance text, kept bigint, recounted bigint)
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      WITH days AS (
        SELECT d.workspace_id, date_trunc('month', d.day)::date AS month, d.allowance, sum(d.used)::bigint AS used FROM daily_usage d
        WHERE d.day >= date_trunc('month', from_day)::date GROUP BY 1, 2, 3),
      months AS (
        SELECT m.workspace_id, m.month, m.allowance, sum(m.used)::bigint AS used FROM monthly_usage m
        WHERE m.month >= date_trunc('month', from_day)::date GROUP BY 1, 2, 3),
      counted AS (
        SELECT e.workspace_id, e.id AS environment_id, s.day::date AS day, s.day AT TIME ZONE 'UTC' AS begins,
          (s.day + interval '1 day') AT TIME ZONE 'UTC' AS ends
        FROM environments e CROSS JOIN generate_series(from_day::timestamp, (now() AT TIME ZONE 'UTC')::date::timestamp, interval '1 day') s (day)),
      executions AS (
        -- What a person resolved as failed was given back.
        SELECT c.*, (SELECT count(*) FROM invocations i WHERE i.environment_id = c.environment_id AND i.created_at >= c.begins
            AND i.created_at < c.ends AND NOT (i.status = 'failed' AND i.outcome_source = 'manual_resolution')) AS recounted,
          (SELECT COALESCE(sum(d.used), 0)::bigint FROM daily_usage d WHERE d.environment_id = c.environment_id AND d.day = c.day
            AND d.allowance = 'executions') AS kept
        FROM counted c),
      messages_of AS (
        SELECT c.*, (SELECT count(*) FROM messages m WHERE m.environment_id = c.environment_id AND m.created_at >= c.begins
            AND m.created_at < c.ends AND m.kind IN ('message', 'event')) AS recounted,
          (SELECT count(*) FROM events v WHERE v.environment_id = c.environment_id AND v.created_at >= c.begins AND v.created_at < c.ends) AS events,
          (SELECT COALESCE(sum(d.used), 0)::bigint FROM daily_usage d WHERE d.environment_id = c.environment_id AND d.day = c.day
            AND d.allowance = 'messages') AS kept
        FROM counted c)
      SELECT 'days_sum_to_month', workspace_id, NULL::uuid, month, allowance, COALESCE(months.used, 0), COALESCE(days.used, 0)
        FROM days FULL JOIN months USING (workspace_id, month, allowance) WHERE days.used IS DISTINCT FROM months.used
      UNION ALL
      SELECT 'executions', x.workspace_id, x.environment_id, x.day, 'executions', x.kept, x.recounted FROM executions x WHERE x.kept <> x.recounted
      UNION ALL
      -- An event that nobody wants takes a message and has none.
      SELECT 'messages', g.workspace_id, g.environment_id, g.day, 'messages', g.kept, g.recounted FROM messages_of g
        WHERE g.kept NOT BETWEEN g.recounted AND g.recounted + g.events;
    END;
`;

/** Run once a UTC day: the rows of the check as an array, and null where this day's check was made. */
export const DAILY_USAGE_CHECK = `
  CREATE FUNCTION check_usage() RETURNS jsonb LANGUAGE plpgsql AS $$
  DECLARE
    today text := (now() AT TIME ZONE 'UTC')::date;
  BEGIN
    UPDATE installation SET sweep_stopped_at = sweep_stopped_at || jsonb_build_object('usage-invariants', today)
      WHERE sweep_stopped_at ->> 'usage-invariants' IS DISTINCT FROM today;
    IF NOT FOUND THEN RETURN NULL; END IF;
    RETURN COALESCE((SELECT jsonb_agg(to_jsonb(d)) FROM find_usage_drift(today::date - 1) d), '[]');
  END $$;
`;
