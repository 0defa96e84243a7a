import type { Grant } from '../../domain/flow-control/flow-control.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { releaseSlot } from '../flow-control/release-slot.ts';
import { releasePermit } from '../in-flight/release-permit.ts';
import { getMessage } from './get-message.ts';
import { lockMessage, type MessageWork } from './lock-message.ts';
import type { MessageRecord } from './records.ts';

/** A cap that is always reached: the release frees the permit, and gives it to nobody. */
const GRANTS_NONE = 0;

/** What keeps a message from being cancelled: an attempt that is under way, or its end. */
export type InTheWay = 'attempt' | Extract<MessageWork['status'], 'delivered' | 'failed' | 'cancelled'>;

/**
 * Cancels a message before its first attempt, or between two. The row lock decides: after this commits no attempt can start. Where an
 * attempt is under way or the message has ended, nothing changes and that is returned. Null where there is no such message. `grant`: what its
 * flow-control key lets through in its place, to be started after the commit.
 *
 * It leaves the queue for permits too: nobody else would take out a message that queues without a workflow. A permit that it was granted
 * meanwhile becomes free, and the workers, who know how many there are, grant it within seconds (`grantFreePermits`).
 */
export async function cancelMessage(
  tx: EnvironmentTransaction,
  messageId: string,
): Promise<{ cancelled: MessageRecord; grant: Grant | null } | { inTheWay: InTheWay } | null> {
  const work = await lockMessage(tx, messageId);
  if (work === null) return null;
  const { status, openAttempt, retention } = work;
  if (status === 'delivered' || status === 'failed' || status === 'cancelled') return { inTheWay: status };
  if (openAttempt !== null) return { inTheWay: 'attempt' };
  await tx.raw(
    `UPDATE messages SET status = 'cancelled', held_at = NULL, paced = false, updated_at = now() WHERE id = ? AND retention = ?`,
    [messageId, retention],
  );
  const cancelled = await getMessage(tx, messageId);
  if (cancelled === null) throw new Error(`message ${messageId} was locked and is gone`);
  // The key is locked before the permit, in the same order as when a message parks or ends.
  const grant = work.flowControlKeyId === null ? null : await releaseSlot(tx, messageId, { how: 'ended' });
  await releasePermit(tx, { kind: 'delivery', holder: messageId, most: GRANTS_NONE });
  return { cancelled, grant };
}
