import type { EnvironmentTransaction } from '../client.ts';

/** Ids of the environment's effects after `after`, in id order: one page of a walk over all of them. */
export async function listEffectIds(tx: EnvironmentTransaction, afterId: string, most: number): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM effects WHERE environment_id = current_environment_id() AND id > ? ORDER BY id LIMIT ?`,
    [afterId, most],
  );
  return rows.map((row) => row.id);
}
