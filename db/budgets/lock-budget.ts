import type { EnvironmentTransaction } from '../client.ts';

/**
 * Waits until no admission of a key is in flight, and blocks new ones until the transaction ends. A budget that is created then
 * includes all earlier usage. Call it before any other budget operation. Returns whether the key exists and is not revoked.
 */
export async function lockBudget(tx: EnvironmentTransaction, apiKeyId: string): Promise<boolean> {
  // The lock is of the id, whosever it is: without a look at first, anybody who knows a stranger's would hold up its admissions.
  if (!(await isUsable(tx, apiKeyId))) return false;
  await tx.raw('SELECT pg_advisory_xact_lock(budget_lock_of(?))', [apiKeyId]);
  return isUsable(tx, apiKeyId);
}

async function isUsable(tx: EnvironmentTransaction, apiKeyId: string): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>('SELECT 1 FROM api_keys WHERE id = ? AND revoked_at IS NULL', [
    apiKeyId,
  ]);
  return rows.length > 0;
}
