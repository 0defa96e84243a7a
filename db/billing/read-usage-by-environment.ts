import type { Allowance } from '../../domain/plans.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';

export interface EnvironmentUsage {
  environmentId: string;
  name: string;
  /** By allowance, in this UTC month: what the environment has taken. */
  used: Partial<Record<Allowance, number>>;
}

/** What each environment of the transaction's workspace took in this UTC month, the oldest environment first. */
export async function readUsageByEnvironment(
  tx: EnvironmentTransaction | WorkspaceTransaction,
): Promise<EnvironmentUsage[]> {
  const { rows } = await tx.raw<{ rows: EnvironmentUsage[] }>(
    `SELECT e.id AS "environmentId", e.name, COALESCE(u.used, '{}') AS used FROM environments e
     LEFT JOIN (
       SELECT s.environment_id, jsonb_object_agg(s.allowance, s.used) AS used FROM (
         SELECT d.environment_id, d.allowance, sum(d.used) AS used FROM daily_usage d
         WHERE d.workspace_id = current_workspace_id() AND d.day >= date_trunc('month', now() AT TIME ZONE 'UTC')::date
           AND d.day < (date_trunc('month', now() AT TIME ZONE 'UTC') + interval '1 month')::date GROUP BY 1, 2) s
       GROUP BY 1) u ON u.environment_id = e.id
     WHERE e.workspace_id = current_workspace_id() ORDER BY e.created_at, e.id`,
  );
  return rows;
}
