import type { EnvironmentTransaction } from '../client.ts';
import { BUDGET_COLUMNS, BUDGET_SUMS, type BudgetRecord } from './records.ts';

/** The budget of a key of the transaction's environment, or null. */
export async function getBudget(tx: EnvironmentTransaction, apiKeyId: string): Promise<BudgetRecord | null> {
  const { rows } = await tx.raw<{ rows: BudgetRecord[] }>(
    `SELECT ${BUDGET_COLUMNS} FROM budgets b ${BUDGET_SUMS} WHERE b.api_key_id = ?`,
    [apiKeyId],
  );
  return rows[0] ?? null;
}
