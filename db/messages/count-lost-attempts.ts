import type { EnvironmentTransaction } from '../client.ts';
import type { MessageWork } from './lock-message.ts';
import { classesOf } from './retention-classes.ts';

/** How many attempts of the message were lost with their worker. */
export async function countLostAttempts(
  tx: EnvironmentTransaction,
  { id: messageId, retention }: Pick<MessageWork, 'id' | 'retention'>,
): Promise<number> {
  const { rows } = await tx.raw<{ rows: { lost: number }[] }>(
    `SELECT count(*)::int AS lost FROM message_attempts
     WHERE message_id = :messageId AND retention = ANY (:classes) AND status = 'abandoned'`,
    { messageId, classes: classesOf(retention) },
  );
  return rows[0]?.lost ?? 0;
}
