import { BUDGET_KIND_COLUMNS, BUDGET_KINDS, type BudgetKind } from '../../domain/budgets.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Records the operator's statement of what a key had used this month before it was counted, and ends the pause that waits for the
 * statement. The caller has locked the key, and puts its budget afterwards; the stated amount may exceed the current budget.
 * Returns false where no usage was unknown.
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
  await tx.raw(LIFT_CAPS, [apiKeyId]);
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

/** The table requires a cap. The highest possible one applies until the new caps are put. */
const LIFT_CAPS = `
  UPDATE budgets SET total = 9223372036854775807, ${BUDGET_KINDS.map((kind) => `${BUDGET_KIND_COLUMNS[kind]} = NULL`).join(', ')}
  WHERE api_key_id = ?`;
