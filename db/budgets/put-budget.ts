import { BUDGET_KIND_COLUMNS, BUDGET_KINDS, type BudgetCaps } from '../../domain/budgets.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Creates or replaces the budget of a key that the same transaction has locked. A cap may be below what was used; nothing more is
 * admitted then.
 */
export async function putBudget(
  tx: EnvironmentTransaction,
  apiKeyId: string,
  caps: BudgetCaps,
): Promise<{ created: boolean }> {
  const columns = BUDGET_KINDS.map((kind) => BUDGET_KIND_COLUMNS[kind]);
  const { rows } = await tx.raw<{ rows: { created: boolean }[] }>(
    `INSERT INTO budgets AS b (api_key_id, environment_id, total, ${columns.join(', ')})
     SELECT k.id, k.environment_id, CAST(:total AS bigint), ${BUDGET_KINDS.map((kind) => `CAST(:${kind} AS bigint)`).join(', ')}
     FROM api_keys k WHERE k.id = :apiKeyId
     ON CONFLICT (api_key_id) DO UPDATE SET total = EXCLUDED.total, updated_at = now(),
       ${columns.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}
     RETURNING b.xmax = 0 AS created`,
    {
      apiKeyId,
      total: caps.total ?? null,
      ...Object.fromEntries(BUDGET_KINDS.map((kind) => [kind, caps[kind] ?? null])),
    },
  );
  if (rows[0] === undefined) throw new Error(`key ${apiKeyId} was locked and is gone`);
  return rows[0];
}
