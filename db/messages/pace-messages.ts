import type { EnvironmentTransaction } from '../client.ts';

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
    'SELECT due, next_in_ms AS "nextInMs" FROM find_due_paced_messages(:most)',
    { most },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('a function that returns one row returned none');
  return row;
}

/** Takes messages from the pacer, once they queue or have been started. */
export async function handOverPaced(tx: EnvironmentTransaction, messageIds: readonly string[]): Promise<void> {
  await tx.raw('UPDATE messages SET paced = false WHERE id = ANY(:messageIds) AND paced', {
    messageIds: [...messageIds],
  });
}
