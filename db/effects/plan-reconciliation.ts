import type { EnvironmentTransaction } from '../client.ts';

/** Records when the effect is read next. It also reopens an exhausted schedule, where there is something to wait for again. */
export async function planReconciliation(tx: EnvironmentTransaction, effectId: string, nextAt: Date): Promise<void> {
  await tx.raw(
    `UPDATE effects SET reconcile_next_at = ?, reconcile_exhausted = false, updated_at = now() WHERE id = ? AND stage = 'reconciling'`,
    [nextAt, effectId],
  );
}

/** Marks the schedule as exhausted. Returns false where it was so before, or the effect was settled meanwhile. */
export async function markReconciliationExhausted(tx: EnvironmentTransaction, effectId: string): Promise<boolean> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `UPDATE effects SET reconcile_next_at = NULL, reconcile_exhausted = true, updated_at = now()
     WHERE id = ? AND stage = 'reconciling' AND NOT reconcile_exhausted`,
    [effectId],
  );
  return rowCount === 1;
}
