import type { EnvironmentTransaction } from '../client.ts';

/** The callbacks of a message whose workflows have not started. */
export async function findUnbegunCallbacks(tx: EnvironmentTransaction, messageId: string): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    'SELECT id FROM messages WHERE callback_of = ? AND begun_at IS NULL ORDER BY id',
    [messageId],
  );
  return rows.map((row) => row.id);
}
