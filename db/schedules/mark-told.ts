import type { EnvironmentTransaction } from '../client.ts';

/**
 * Records that Temporal knows a revision, and what is expected of it from then on. False where the row has changed meanwhile: tell
 * again, for another teller may have been overtaken by this one.
 */
export async function markTold(
  tx: EnvironmentTransaction,
  scheduleId: string,
  told: { revision: number; renewAt: Date; dueAt: Date | null },
): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>(
    `UPDATE schedules SET told_revision = revision, renew_at = :renewAt, due_at = CAST(:dueAt AS timestamptz)
     WHERE id = :scheduleId AND revision = :revision AND deleted_at IS NULL RETURNING id`,
    { scheduleId, ...told },
  );
  return rows.length > 0;
}

/** Records that Temporal no longer has a deleted schedule. */
export async function markForgotten(tx: EnvironmentTransaction, scheduleId: string): Promise<void> {
  await tx.raw(`UPDATE schedules SET told_revision = NULL, renew_at = NULL WHERE id = ? AND deleted_at IS NOT NULL`, [
    scheduleId,
  ]);
}
