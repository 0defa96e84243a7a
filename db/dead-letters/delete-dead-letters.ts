import type { EnvironmentTransaction } from '../client.ts';

/**
 * Deletes dead letters and answers the ids of those that this transaction deleted: among several that delete a record at once, one
 * has it. Their messages stay as they are.
 */
export async function deleteDeadLetters(tx: EnvironmentTransaction, messageIds: readonly string[]): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { messageId: string }[] }>(
    `DELETE FROM dead_letters WHERE message_id = ANY(?) RETURNING message_id AS "messageId"`,
    [messageIds],
  );
  return rows.map((row) => row.messageId);
}
