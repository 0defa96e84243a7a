import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface StartedAttempt {
  id: string;
  /** From 1. */
  number: number;
}

/** Starts an attempt. From here on the message cannot be cancelled. The caller holds the row's lock. */
export async function startAttempt(tx: EnvironmentTransaction, messageId: string): Promise<StartedAttempt> {
  const id = newId('attempt');
  const { rows } = await tx.raw<{ rows: { number: number }[] }>(
    `WITH begun AS (
       UPDATE messages SET status = 'processing', attempts = attempts + 1, begun_at = COALESCE(begun_at, now()), held_at = NULL,
         updated_at = now()
       WHERE id = :messageId RETURNING attempts)
     INSERT INTO message_attempts (id, environment_id, message_id, number)
     SELECT :id, current_environment_id(), :messageId, attempts FROM begun RETURNING number`,
    { id, messageId },
  );
  const row = rows[0];
  if (row === undefined) throw new Error(`no attempt of message ${messageId} could be started`);
  return { id, number: row.number };
}
