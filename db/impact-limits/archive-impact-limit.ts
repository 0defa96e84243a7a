import type { EnvironmentTransaction } from '../client.ts';

/**
 * From here on it counts nothing new, and its name is free; what it holds is settled as usual. For a limit that the same
 * transaction has locked and that is live.
 */
export async function archiveImpactLimit(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw('UPDATE impact_limits SET archived_at = now(), updated_at = now() WHERE id = ?', [id]);
}
