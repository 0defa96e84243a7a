import type { EnvironmentTransaction } from '../client.ts';
import type { MessageWork } from './lock-message.ts';

export interface StartedAttempt {
  /** From 1. */
  number: number;
}

const OF_CLASS = 'retention = :retention';
/** `where`: what is known of its partition. The class alone is enough. */
export const beginAttempt = (where: string = OF_CLASS): string =>
  `UPDATE messages SET status = 'processing', attempts = attempts + 1, begun_at = COALESCE(begun_at, now()), held_at = NULL, paced = false, updated_at = now()
  WHERE id = :messageId AND ${where}`;
export const INSERT_ATTEMPT = `INSERT INTO message_attempts (message_id, number, environment_id, retention, target, worker, subscription_id)
  SELECT :messageId, attempts, current_environment_id(), :retention, url_target(url), :worker, subscription_id FROM begun RETURNING number`;

/** Starts an attempt. Until it ends the message cannot be cancelled. The caller holds the row's lock. */
export async function startAttempt(
  tx: EnvironmentTransaction,
  { id: messageId, retention }: Pick<MessageWork, 'id' | 'retention'>,
  worker: string,
): Promise<StartedAttempt> {
  const { rows } = await tx.raw<{ rows: { number: number }[] }>(
    `WITH begun AS (${beginAttempt()} RETURNING attempts, url, subscription_id) ${INSERT_ATTEMPT}`,
    { messageId, retention, worker },
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`no attempt of message ${messageId} could be started`);
  return row;
}
