import type { EnvironmentTransaction } from '../client.ts';

/** Removes the caps of a key; what it has used stays on record. Answers whether there were any. */
export async function deleteBudget(tx: EnvironmentTransaction, apiKeyId: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>('DELETE FROM budgets WHERE api_key_id = ?', [apiKeyId]);
  return rowCount === 1;
}
