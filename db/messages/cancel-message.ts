import type { Grant } from '../../domain/flow-control/flow-control.ts';
import type { MessageStatus } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { releaseSlot } from '../flow-control/release-slot.ts';
import { releasePermit } from '../in-flight/release-permit.ts';
import { getMessage } from './get-message.ts';
import type { MessageRecord } from './records.ts';

/** A cap that is always reached: the release frees the permit, and gives it to nobody. */
const GRANTS_NONE = 0;

/**
 * Cancels a message before its first attempt. The row lock decides: after this commits no attempt can start. Where an attempt has
 * started, nothing changes and the status that prevents it is returned. Null where there is no such message. `grant`: what its
 * flow-control key lets through in its place, to be started after the commit.
 *
 * It leaves the queue for permits too: nobody else would take out a message that queues without a workflow. A permit that it was granted
 * meanwhile becomes free, and the workers, who know how many there are, grant it within seconds (`grantFreePermits`).
 */
export async function cancelMessage(
  tx: EnvironmentTransaction,
  messageId: string,
): Promise<{ cancelled: MessageRecord; grant: Grant | null } | { inTheWay: MessageStatus } | null> {
  const { rowCount } = await tx.raw<{ rowCount: number }>(
    `UPDATE messages SET status = 'cancelled', held_at = NULL, updated_at = now() WHERE id = ? AND status IN ('pending', 'scheduled')`,
    [messageId],
  );
  const message = await getMessage(tx, messageId);
  if (message === null) return null;
  if (rowCount !== 1) return { inTheWay: message.status };
  await releasePermit(tx, { kind: 'delivery', holder: messageId, most: GRANTS_NONE });
  const grant = message.flowControlKey === null ? null : await releaseSlot(tx, messageId, { how: 'ended' });
  return { cancelled: message, grant };
}
