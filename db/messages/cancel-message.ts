import type { MessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { getMessage } from './get-message.ts';
import type { MessageRecord } from './records.ts';

/**
 * Cancels a message before its first attempt. The row lock decides: after this commits no attempt can start. Where an attempt has
 * started, nothing changes and the status that prevents it is returned. Null where there is no such message.
 */
export async function cancelMessage(
  tx: EnvironmentTransaction,
  messageId: string,
): Promise<{ cancelled: MessageRecord } | { inTheWay: MessageStatus } | null> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `UPDATE messages SET status = 'cancelled', held_at = NULL, updated_at = now() WHERE id = ? AND status IN ('pending', 'scheduled')`,
    [messageId],
  );
  const message = await getMessage(tx, messageId);
  if (message === null) return null;
  return rowCount === 1 ? { cancelled: message } : { inTheWay: message.status };
}
