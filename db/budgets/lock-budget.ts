import type { EnvironmentTransaction } from '../client.ts';

/**
 * Waits until no admission of a key is under way, and keeps new ones waiting until the transaction ends: a budget that is made
 * then knows all that the key has used. Call it before anything else of the budget. Answers whether there is such a key that
 * is not revoked.
 */
export async function lockBudget(tx: EnvironmentTransaction, apiKeyId: string): Promise<boolean> {
  await tx.raw('SELECT pg_advisory_xact_lock(budget_lock_of(?))', [apiKeyId]);
  const { rows } = await tx.raw<{ rows: unknown[] }>('SELECT 1 FROM api_keys WHERE id = ? AND revoked_at IS NULL', [
    apiKeyId,
  ]);
  return rows.length > 0;
}
