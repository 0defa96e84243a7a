import type { EnvironmentTransaction } from '../client.ts';

/** Ids of the environment's effects after this one, in their order: a page for work that goes over all of them. */
export async function listEffectIds(tx: EnvironmentTransaction, afterId: string, most: number): Promise<string[]> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `SELECT id FROM effects WHERE environment_id = current_environment_id() AND id > ? ORDER BY id LIMIT ?`,
    [afterId, most],
  );
  return rows.map((row) => row.id);
}
