import type { MessageEnd } from '../../domain/messages/messages.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { lanesAreReady } from '../announcements/lanes-ready.ts';

/** Scheduled messages and retries of an environment that have a workflow each. Scheduled ones beyond wait as rows under the pacer. */
const OWN_WORKFLOWS_MAX = 100;

export interface PacedMessages {
  /** They have a workflow of their own, which the caller starts after the commit. */
  starting: string[];
  /** The caller starts the environment's pacer, or tells it that the time of its look came forward. */
  paces: boolean;
}

/**
 * Decides which of these scheduled messages have a workflow each, and which wait under the pacer. A statement of its own, after the commit
 * that accepted them. What a crash leaves waits under the pacer, or is claimed half a minute after its time.
 */
export async function paceMessages(tx: EnvironmentTransaction, messageIds: readonly string[]): Promise<PacedMessages> {
  const row = await tx.row<PacedMessages>(
    'pace_messages',
    'SELECT starting, paces FROM pace_messages(CAST(:messageIds AS text[]), :most)',
    { messageIds: [...messageIds], most: OWN_WORKFLOWS_MAX },
  );
  if (row === null) throw new Error('a function that returns one row returned none');
  return row;
}

/** The pacer's look: makes messages ready that are due. Returns the milliseconds until the next look; null where none waits. */
export async function handOverPaced(tx: EnvironmentTransaction, most: number): Promise<number | null> {
  const row = await tx.row<{ handed: number; nextInMs: number | null }>(
    'hand_over_paced',
    'SELECT handed, next_in_ms AS "nextInMs" FROM hand_over_paced_messages(:most)',
    { most },
  );
  if (row === null) throw new Error('a function that returns one row returned none');
  if (row.handed > 0) lanesAreReady(tx);
  return row.nextInMs;
}

/** Where a message stands that has a workflow. */
export type HandedOver =
  | { state: 'ended'; status: MessageEnd }
  /** Its time has not come. */
  | { state: 'timed'; dueInMs: number }
  /** It waits in its lane, or an attempt is under way. */
  | { state: 'ready' | 'taken' };

/** Makes a message ready whose time has come, and says where it stands. Null where there is no such message. */
export async function handOverMessage(tx: EnvironmentTransaction, messageId: string): Promise<HandedOver | null> {
  const row = await tx.row<{ status: string; state: string | null; dueInMs: number | null; isReady: boolean }>(
    'hand_over_message',
    `SELECT status, state, due_in_ms AS "dueInMs", is_ready AS "isReady" FROM hand_over_message(?)`,
    [messageId],
  );
  if (row === null) return null;
  if (row.isReady) lanesAreReady(tx);
  if (row.state === null) return { state: 'ended', status: row.status as MessageEnd };
  if (row.state === 'timed') return { state: 'timed', dueInMs: row.dueInMs ?? 0 };
  return { state: row.state as 'ready' | 'taken' };
}
