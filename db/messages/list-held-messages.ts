import type { EnvironmentTransaction } from '../client.ts';

/** Ids, in order, of the messages of this environment whose attempt its halt has put off. */
export async function listHeldMessages(tx: EnvironmentTransaction, afterId: string, limit: number): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM messages WHERE environment_id = current_environment_id() AND held_at IS NOT NULL AND id > ? ORDER BY id LIMIT ?`,
    [afterId, limit],
  );
  return rows.map((row) => row.id);
}
