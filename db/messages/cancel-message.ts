import type { MessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { getMessage } from './get-message.ts';
import type { MessageRecord } from './records.ts';

/**
 * Cancels a message that no attempt was started of. The row lock decides: once this commits no attempt can start, and once an
 * attempt has started this changes nothing and answers the status in the way. Null where there is no such message.
 */
export async function cancelMessage(
  tx: EnvironmentTransaction,
  messageId: string,
): Promise<{ cancelled: MessageRecord } | { inTheWay: MessageStatus } | null> {
  const changed = await tx('messages')
    .where({ id: messageId })
    .whereIn('status', ['pending', 'scheduled'])
    .update({ status: 'cancelled', held_at: null, updated_at: tx.fn.now() });
  const message = await getMessage(tx, messageId);
  if (message === null) return null;
  return changed === 1 ? { cancelled: message } : { inTheWay: message.status };
}
