import type { EnvironmentTransaction } from '../client.ts';
import type { MessageWork } from './lock-message.ts';

type LockedMessage = Pick<MessageWork, 'id' | 'retention'>;

/** Records that the message's workflow runs; it waits until the attempt is due. */
export async function markBegun(tx: EnvironmentTransaction, message: LockedMessage): Promise<void> {
  await tx.raw('UPDATE messages SET begun_at = now() WHERE id = ? AND retention = ? AND begun_at IS NULL', [
    message.id,
    message.retention,
  ]);
}

/**
 * Holds a message whose attempt is due while the environment is halted; resuming finds these. A due scheduled message becomes
 * pending.
 */
export async function holdMessage(tx: EnvironmentTransaction, message: LockedMessage): Promise<void> {
  await tx.raw(
    `UPDATE messages SET held_at = COALESCE(held_at, now()), begun_at = COALESCE(begun_at, now()),
       status = CASE WHEN status = 'scheduled' THEN 'pending' ELSE status END, paced = false, updated_at = now()
     WHERE id = ? AND retention = ?`,
    [message.id, message.retention],
  );
}
