import { type Allowance, ALLOWANCES } from '../../domain/plans.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';

export interface DayOfUsage extends Record<Allowance, number> {
  /** The UTC day, as `YYYY-MM-DD`. */
  date: string;
  /** Whether the day has ended by the database's clock. What is given back later is taken from the day of its admission. */
  complete: boolean;
}

const OWNED = {
  environment: 'environment_id = current_environment_id()',
  workspace: 'workspace_id = current_workspace_id()',
};

/**
 * What the transaction's workspace, or its environment alone, used on each UTC day from `from` to `to`, both included, the oldest
 * first. A day without use is there with zeros.
 */
export async function readDailyUsage(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  { from, to }: { from: string; to: string },
  of: keyof typeof OWNED = 'workspace',
): Promise<DayOfUsage[]> {
  const { rows } = await tx.raw<{
    rows: { date: string; complete: boolean; used: Partial<Record<Allowance, number>> }[];
  }>(
    `WITH used AS (
       SELECT day, allowance, sum(used) AS used FROM daily_usage
       WHERE ${OWNED[of]} AND day BETWEEN CAST(:from AS date) AND CAST(:to AS date) GROUP BY day, allowance)
     SELECT to_char(d, 'YYYY-MM-DD') AS date, d::date < (now() AT TIME ZONE 'UTC')::date AS complete,
       COALESCE(jsonb_object_agg(u.allowance, u.used) FILTER (WHERE u.allowance IS NOT NULL), '{}') AS used
     FROM generate_series(CAST(:from AS date)::timestamp, CAST(:to AS date)::timestamp, interval '1 day') d
     LEFT JOIN used u ON u.day = d::date
     GROUP BY d ORDER BY d`,
    { from, to },
  );
  return rows.map(({ date, complete, used }) => {
    const counts = Object.fromEntries(ALLOWANCES.map((allowance) => [allowance, used[allowance] ?? 0]));
    return { date, complete, ...(counts as Record<Allowance, number>) };
  });
}
