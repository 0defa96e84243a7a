import type { EnvironmentTransaction } from '../client.ts';

/** Removes the caps of a key and keeps its usage. Returns whether it had any. */
export async function deleteBudget(tx: EnvironmentTransaction, apiKeyId: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>('DELETE FROM budgets WHERE api_key_id = ?', [apiKeyId]);
  return rowCount === 1;
}
