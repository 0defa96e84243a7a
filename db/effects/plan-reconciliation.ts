import type { EnvironmentTransaction } from '../client.ts';

export async function planReconciliation(
  tx: EnvironmentTransaction,
  effectId: string,
  attempts: number,
  nextAt: Date,
): Promise<void> {
  await tx.raw(
    `UPDATE effects SET reconcile_attempts = ?, reconcile_next_at = ?, updated_at = now() WHERE id = ? AND stage = 'reconciling'`,
    [attempts, nextAt, effectId],
  );
}

export async function markReconciliationExhausted(
  tx: EnvironmentTransaction,
  effectId: string,
  attempts: number,
): Promise<void> {
  await tx.raw(
    `UPDATE effects SET reconcile_attempts = ?, reconcile_next_at = NULL, reconcile_exhausted = true, updated_at = now()
     WHERE id = ? AND stage = 'reconciling'`,
    [attempts, effectId],
  );
}
