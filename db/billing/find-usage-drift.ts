import type { Database } from '../client.ts';

/** An invariant of usage that does not hold. */
export interface UsageDrift {
  rule: 'days_sum_to_month' | 'executions' | 'messages';
  workspaceId: string;
  /** Null for a whole workspace. */
  environmentId: string | null;
  /** The day, or the first of the month, as `YYYY-MM-DD`. */
  day: string;
  allowance: string;
  /** What is kept: of the month for `days_sum_to_month`, of the day for the others. */
  kept: number;
  recounted: number;
}

/**
 * Recounts usage from yesterday on, in one snapshot. `days_sum_to_month`: the days of a month sum to it. `executions`: invocations that were
 * admitted, without those that a person resolved as failed. `messages`: at least the kept messages that are charged, and at most one more for
 * each event. Egress, memory operations and e-mails have no recount.
 */
export async function findUsageDrift(db: Database): Promise<UsageDrift[]> {
  const { rows } = await db.directory.raw<{ rows: UsageDrift[] }>(
    `SELECT rule, workspace_id AS "workspaceId", environment_id AS "environmentId", day::text AS day, allowance, kept::float8 AS kept,
       recounted::float8 AS recounted
     FROM find_usage_drift(((now() AT TIME ZONE 'UTC') - interval '1 day')::date)`,
  );
  return rows;
}
