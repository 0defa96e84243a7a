import type { EnvironmentTransaction } from '../client.ts';
import { BUDGET_QUERY, type BudgetRecord } from './records.ts';

/** The budgets of the transaction's environment, newest first, ties by the key's id. */
export async function listBudgets(
  tx: EnvironmentTransaction,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ total: number; items: BudgetRecord[] }> {
  const counted = await tx.raw<{ rows: { total: number }[] }>(
    'SELECT count(*)::int AS total FROM budgets WHERE environment_id = current_environment_id()',
  );
  const { rows } = await tx.raw<{ rows: BudgetRecord[] }>(
    `${BUDGET_QUERY} WHERE b.environment_id = current_environment_id()
     ORDER BY b.created_at DESC, b.api_key_id DESC LIMIT ? OFFSET ?`,
    [limit, offset],
  );
  return { total: counted.rows[0]?.total ?? 0, items: rows };
}
