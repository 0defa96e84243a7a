import { BUDGET_KIND_COLUMNS, BUDGET_KINDS, type BudgetKind } from '../../domain/budgets.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Takes an operator's word for what a key had used this month before its use was counted, and ends the pause that waits for
 * it. Call it before the budget is put: what is said here may exceed it. Answers false where nothing was unknown.
 */
export async function reconcileUsage(
  tx: EnvironmentTransaction,
  apiKeyId: string,
  usedBefore: { [kind in BudgetKind]?: number | undefined },
): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: { month: string }[] }>(
    `DELETE FROM api_key_unknown_usage
     WHERE api_key_id = ? AND month = date_trunc('month', now() AT TIME ZONE 'UTC')::date RETURNING month::text`,
    [apiKeyId],
  );
  const month = rows[0]?.month;
  if (month === undefined) return false;
  for (const kind of BUDGET_KINDS) {
    const used = usedBefore[kind] ?? 0;
    if (used === 0) continue;
    await tx.raw(
      `INSERT INTO api_key_usage AS u (environment_id, api_key_id, month, kind, shard, used)
       VALUES (current_environment_id(), :apiKeyId, CAST(:month AS date), :kind, 0, CAST(:used AS bigint))
       ON CONFLICT (api_key_id, month, kind, shard) DO UPDATE SET used = u.used + EXCLUDED.used`,
      { apiKeyId, month, kind: BUDGET_KIND_COLUMNS[kind], used },
    );
  }
  return true;
}
