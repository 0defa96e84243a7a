import type { EnvironmentTransaction } from '../client.ts';

/** The callbacks of a message whose workflows have not begun. */
export async function findUnbegunCallbacks(tx: EnvironmentTransaction, messageId: string): Promise<string[]> {
  const rows = await tx('messages')
    .where({ callback_of: messageId })
    .whereNull('begun_at')
    .orderBy('id')
    .select<{ id: string }[]>('id');
  return rows.map((row) => row.id);
}
