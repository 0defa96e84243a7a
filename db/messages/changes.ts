import type { MessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { type Batch, type BatchInput, type Rewrapping, rewrapRows } from '../secrets/rewrap-rows.ts';
import { getMessage } from './queries.ts';
import { messageAssociatedData, type MessageRecord } from './records.ts';

/** What keeps a message from being cancelled: an attempt that is under way, or its end. */
export type InTheWay = 'attempt' | Extract<MessageStatus, 'delivered' | 'failed' | 'cancelled'>;

/**
 * Cancels a message before its first attempt, or between two. The lock of its row in the queue decides: after this commits no attempt can
 * start. Where an attempt is under way or the message has ended, nothing changes and that is returned. Null where there is no such message.
 */
export async function cancelMessage(
  tx: EnvironmentTransaction,
  messageId: string,
): Promise<{ cancelled: MessageRecord; hasWorkflow: boolean } | { inTheWay: InTheWay } | null> {
  const queued = await tx.row<{ state: string; hasWorkflow: boolean }>(
    'lock_queued_message',
    'SELECT state, has_workflow AS "hasWorkflow" FROM lane_queue WHERE message_id = ? FOR UPDATE',
    [messageId],
  );
  if (queued?.state === 'taken') return { inTheWay: 'attempt' };
  if (queued !== null) {
    await tx.inOrder(
      () => tx.raw('leave_lane', 'DELETE FROM lane_queue WHERE message_id = ?', [messageId]),
      () =>
        tx.raw('cancel_message', `UPDATE messages SET status = 'cancelled', updated_at = now() WHERE id = ?`, [
          messageId,
        ]),
    );
  }
  const message = await getMessage(tx, messageId);
  if (message === null) return null;
  if (queued === null) return { inTheWay: message.status as InTheWay };
  return { cancelled: message, hasWorkflow: queued.hasWorkflow };
}

/** Rewraps the sealed contents of the next messages of one environment. */
export function rewrapMessages(tx: EnvironmentTransaction, vault: Rewrapping, input: BatchInput): Promise<Batch> {
  const associatedDataOf = (id: string) => messageAssociatedData(input.tenant, id);
  return rewrapRows(tx, vault, { table: 'message_contents', idColumn: 'message_id', associatedDataOf }, input);
}
