import type { Database } from '../client.ts';

/** An invariant of usage that does not hold. */
export interface UsageDrift {
  rule: 'days_sum_to_month' | 'executions' | 'messages';
  workspace_id: string;
  /** Null for a whole workspace. */
  environment_id: string | null;
  /** The day, or the first of the month, as `YYYY-MM-DD`. */
  day: string;
  allowance: string;
  /** What is kept: of the month for `days_sum_to_month`, of the day for the others. */
  kept: number;
  recounted: number;
}

/**
 * Recounts usage from yesterday on, in one snapshot, the first time that it is called on a UTC day; null afterwards. `days_sum_to_month`: the
 * days of a month sum to it. `executions`: invocations that were admitted, without those that a person resolved as failed. `messages`: at least
 * the kept messages that are charged, and at most one more for each event. Egress, memory operations and e-mails have no recount.
 */
export async function checkUsage(db: Pick<Database, 'directory'>): Promise<UsageDrift[] | null> {
  const { rows } = await db.directory.raw<{ rows: { drift: UsageDrift[] | null }[] }>('SELECT check_usage() AS drift');
  return rows[0]?.drift ?? null;
}
