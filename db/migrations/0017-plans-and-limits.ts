import type { Knex } from 'knex';
import { makeDirectoryFunctions } from './directory-functions.ts';

export const name = '0017-plans-and-limits';

/**
 * The usage of a workspace's plan (`workspaces.plan`).
 *
 * - `rate_windows`: one row for each workspace with a rate limit, counted by `consume_rate_limit` in one statement. The
 *   application has no privilege on the table, because requests are counted before a transaction names a tenant. It is UNLOGGED:
 *   an hour's counts are not worth a flush of the log with every request. After a crash of PostgreSQL the windows start anew.
 * - `session_rate_windows`: the same for the sessions of a person, who has one minute in all workspaces together.
 * - `monthly_usage`: counted in the transaction that admits the work, and as durable as the work. An unlimited count is spread
 *   over shards, so that the admissions of a busy workspace do not queue for one row. A limited count is in shard 0, whose lock
 *   makes the limit exact.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(RATE_WINDOWS);
  await knex.raw(MONTHLY_USAGE);
  await makeDirectoryFunctions(knex, CONSUME_RATE_LIMIT, [
    'consume_rate_limit(uuid, integer, integer)',
    'charge_rate_limit(uuid, integer)',
    'consume_session_rate_limit(text, integer)',
  ]);
}

const RATE_WINDOWS = `
  CREATE UNLOGGED TABLE rate_windows (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces ON DELETE CASCADE,
    minute_started_at timestamptz NOT NULL, -- of the first request that the window admitted
    minute_used integer NOT NULL CHECK (minute_used >= 1),
    hour_started_at timestamptz NOT NULL,
    hour_used integer NOT NULL CHECK (hour_used >= 1)
  ) WITH (fillfactor = 50); -- room for the next versions of a row beside it, so that its index is left alone
  ALTER TABLE rate_windows ENABLE ROW LEVEL SECURITY;
  ALTER TABLE rate_windows FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON rate_windows USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  CREATE POLICY directory ON rate_windows TO service_directory USING (true) WITH CHECK (true);
  GRANT SELECT, INSERT, UPDATE ON rate_windows TO service_directory;

  CREATE UNLOGGED TABLE session_rate_windows (
    user_id text COLLATE "C" PRIMARY KEY REFERENCES users ON DELETE CASCADE,
    started_at timestamptz NOT NULL, -- of the first request that the window admitted
    used integer NOT NULL CHECK (used >= 1)
  ) WITH (fillfactor = 50);
  ALTER TABLE session_rate_windows ENABLE ROW LEVEL SECURITY;
  ALTER TABLE session_rate_windows FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON session_rate_windows USING (user_id = current_user_id()) WITH CHECK (user_id = current_user_id());
  CREATE POLICY directory ON session_rate_windows TO service_directory USING (true) WITH CHECK (true);
  GRANT SELECT, INSERT, UPDATE ON session_rate_windows TO service_directory;
`;

const MONTHLY_USAGE = `
  CREATE TABLE monthly_usage (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    month date NOT NULL CHECK (extract(day FROM month) = 1), -- the first of a UTC month
    allowance text NOT NULL CHECK (allowance IN ('executions', 'messages', 'egress', 'memory_processing', 'notification_emails')),
    shard smallint NOT NULL CHECK (shard >= 0),
    used bigint NOT NULL, -- one shard may be negative: what is given back is taken from shard 0
    PRIMARY KEY (workspace_id, month, allowance, shard)
  );
  ALTER TABLE monthly_usage ENABLE ROW LEVEL SECURITY;
  ALTER TABLE monthly_usage FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON monthly_usage USING (workspace_id = current_workspace_id())
    WITH CHECK (workspace_id = current_workspace_id());
  GRANT SELECT, INSERT, UPDATE (used) ON monthly_usage TO service_app;
`;

/**
 * Counts both windows or neither: a refused request uses nothing up. The time is the database's, so that the clocks of the API
 * processes need not agree.
 */
const CONSUME_RATE_LIMIT = `
  CREATE FUNCTION consume_rate_limit(of_workspace uuid, per_minute integer, per_hour integer)
    RETURNS TABLE (admitted boolean, minute_used integer, minute_resets_at timestamptz, hour_used integer,
                   hour_resets_at timestamptz, counted_at timestamptz)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
    END $$;

  CREATE FUNCTION consume_session_rate_limit(of_user text, per_minute integer)
    RETURNS TABLE (admitted boolean, minute_used integer, minute_resets_at timestamptz, counted_at timestamptz)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
    END $$;

  -- A request that makes much counts as more than one: once it is known, and without being refused.
  CREATE FUNCTION charge_rate_limit(of_workspace uuid, more integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    BEGIN ATOMIC
      UPDATE rate_windows SET
        minute_used = minute_used + CASE WHEN minute_started_at <= clock_timestamp() - interval '1 minute' THEN 0 ELSE more END,
        hour_used = hour_used + CASE WHEN hour_started_at <= clock_timestamp() - interval '1 hour' THEN 0 ELSE more END
      WHERE workspace_id = of_workspace;
    END;
`;
