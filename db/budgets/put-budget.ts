import { BUDGET_KIND_COLUMNS, BUDGET_KINDS, type BudgetCaps } from '../../domain/budgets.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Makes or replaces the budget of a key. A cap below what was used already is legal: then nothing more is admitted.
 * Answers null where the environment has no such key.
 */
export async function putBudget(
  tx: EnvironmentTransaction,
  apiKeyId: string,
  caps: BudgetCaps,
): Promise<{ created: boolean } | null> {
  const columns = BUDGET_KINDS.map((kind) => BUDGET_KIND_COLUMNS[kind]);
  const { rows } = await tx.raw<{ rows: { created: boolean }[] }>(
    `INSERT INTO budgets AS b (api_key_id, environment_id, total, ${columns.join(', ')})
     SELECT k.id, k.environment_id, CAST(:total AS bigint), ${BUDGET_KINDS.map((kind) => `CAST(:${kind} AS bigint)`).join(', ')}
     FROM api_keys k WHERE k.id = :apiKeyId AND k.revoked_at IS NULL
     ON CONFLICT (api_key_id) DO UPDATE SET total = EXCLUDED.total, updated_at = now(),
       ${columns.map((column) => `${column} = EXCLUDED.${column}`).join(', ')}
     RETURNING b.xmax = 0 AS created`,
    {
      apiKeyId,
      total: caps.total ?? null,
      ...Object.fromEntries(BUDGET_KINDS.map((kind) => [kind, caps[kind] ?? null])),
    },
  );
  return rows[0] ?? null;
}
