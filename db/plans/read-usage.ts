import { ALLOWANCES, type Allowance } from '../../domain/plans.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';

/** The usage of the transaction's workspace in this UTC month. */
export async function readUsage(tx: EnvironmentTransaction | WorkspaceTransaction): Promise<Record<Allowance, number>> {
  const { rows } = await tx.raw<{ rows: { allowance: Allowance; used: string }[] }>(
    `SELECT allowance, sum(used)::text AS used FROM monthly_usage
     WHERE workspace_id = current_workspace_id() AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date GROUP BY allowance`,
  );
  const used = new Map(rows.map((row) => [row.allowance, Number(row.used)]));
  return Object.fromEntries(ALLOWANCES.map((name) => [name, used.get(name) ?? 0])) as Record<Allowance, number>;
}
