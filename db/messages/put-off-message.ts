import type { EnvironmentTransaction } from '../client.ts';

/** Records that the message's workflow runs; it waits until the attempt is due. */
export async function markBegun(tx: EnvironmentTransaction, messageId: string): Promise<void> {
  await tx.raw('UPDATE messages SET begun_at = now() WHERE id = ? AND begun_at IS NULL', [messageId]);
}

/**
 * Holds a message whose attempt is due while the environment is halted; resuming finds these. A due scheduled message becomes
 * pending.
 */
export async function holdMessage(tx: EnvironmentTransaction, messageId: string): Promise<void> {
  await tx.raw(
    `UPDATE messages SET held_at = COALESCE(held_at, now()), begun_at = COALESCE(begun_at, now()),
       status = CASE WHEN status = 'scheduled' THEN 'pending' ELSE status END, updated_at = now() WHERE id = ?`,
    [messageId],
  );
}
