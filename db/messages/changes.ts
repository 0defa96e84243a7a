import type { Grant } from '../../domain/flow-control/flow-control.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { releaseSlot } from '../flow-control/queue.ts';
import { releasePermit } from '../in-flight/permits.ts';
import { type Batch, type BatchInput, type Rewrapping, rewrapRows } from '../secrets/rewrap-rows.ts';
import { getMessage } from './queries.ts';
import { lockMessage, type MessageWork } from './lock-message.ts';
import { messageAssociatedData, type MessageRecord } from './records.ts';

export interface SplitByDueTime {
  due: string[];
  /** They wait until their time, and hold no permit. */
  later: string[];
}

/** Splits messages that have not begun, in the given order. One that has begun, or ended, is left out: somebody started it. */
export async function splitByDueTime(
  tx: EnvironmentTransaction,
  messageIds: readonly string[],
): Promise<SplitByDueTime> {
  const { rows } = await tx.raw<{ rows: SplitByDueTime[] }>(
    'split_by_due_time',
    `SELECT COALESCE(array_agg(w.id ORDER BY w.place) FILTER (WHERE m.next_attempt_at <= clock_timestamp()), '{}') AS due,
       COALESCE(array_agg(w.id ORDER BY w.place) FILTER (WHERE m.next_attempt_at > clock_timestamp()), '{}') AS later
     FROM unnest(CAST(:messageIds AS text[])) WITH ORDINALITY AS w (id, place) JOIN messages m ON m.id = w.id
     WHERE m.status IN ('pending', 'scheduled') AND m.begun_at IS NULL`,
    { messageIds: [...messageIds] },
  );
  const [split] = rows;
  if (split === undefined) throw new Error('an aggregate answers one row');
  return split;
}

/** Scheduled messages of an environment that have a workflow each. Those beyond wait as rows under the pacer. */
const OWN_WORKFLOWS_MAX = 100;

export interface PacedMessages {
  /** They have a workflow of their own, which the caller starts after the commit. */
  starting: string[];
  /** The caller starts the environment's pacer, or tells it that the time of its look came forward. */
  paces: boolean;
}

/**
 * Decides which of these scheduled messages have a workflow each, and which wait under the pacer. A statement of its own, after the commit
 * that accepted them. What a crash leaves waits under the pacer, which the sweep starts (`findDuePacers`).
 */
export async function paceMessages(tx: EnvironmentTransaction, messageIds: readonly string[]): Promise<PacedMessages> {
  const { rows } = await tx.raw<{ rows: PacedMessages[] }>(
    'pace_messages',
    'SELECT starting, paces FROM pace_messages(CAST(:messageIds AS text[]), :most)',
    { messageIds: [...messageIds], most: OWN_WORKFLOWS_MAX },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a function that returns one row returned none');
  return row;
}

export interface DueMessages {
  due: string[];
  /** Milliseconds until the first is due; null where none waits. */
  nextInMs: number | null;
}

/** The pacer's look: messages that are due, earliest first. They stay under the pacer until `handOverPaced`. */
export async function findDueMessages(tx: EnvironmentTransaction, most: number): Promise<DueMessages> {
  const { rows } = await tx.raw<{ rows: DueMessages[] }>(
    'find_due_messages',
    'SELECT due, next_in_ms AS "nextInMs" FROM find_due_paced_messages(:most)',
    { most },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a function that returns one row returned none');
  return row;
}

/** Takes messages from the pacer, once they queue or have been started. */
export async function handOverPaced(tx: EnvironmentTransaction, messageIds: readonly string[]): Promise<void> {
  await tx.raw('hand_over_paced', 'UPDATE messages SET paced = false WHERE id = ANY(:messageIds) AND paced', {
    messageIds: [...messageIds],
  });
}

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
  const { status, openAttempt } = work;
  if (status === 'delivered' || status === 'failed' || status === 'cancelled') return { inTheWay: status };
  if (openAttempt !== null) return { inTheWay: 'attempt' };
  await tx.raw(
    'cancel_message',
    `UPDATE messages SET status = 'cancelled', held_at = NULL, paced = false, updated_at = now() WHERE id = ?`,
    [messageId],
  );
  const cancelled = await getMessage(tx, messageId);
  if (cancelled === null) throw new Error(`message ${messageId} was locked and is gone`);
  // The key is locked before the permit, in the same order as when a message parks or ends.
  const grant = work.flowControlKeyId === null ? null : await releaseSlot(tx, messageId, { how: 'ended' });
  await releasePermit(tx, { kind: 'delivery', holder: messageId, most: GRANTS_NONE });
  return { cancelled, grant };
}

/** Rewraps the sealed contents of the next messages of one environment. */
export function rewrapMessages(tx: EnvironmentTransaction, vault: Rewrapping, input: BatchInput): Promise<Batch> {
  const associatedDataOf = (id: string) => messageAssociatedData(input.tenant, id);
  return rewrapRows(tx, vault, { table: 'message_contents', idColumn: 'message_id', associatedDataOf }, input);
}
