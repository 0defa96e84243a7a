import type { EnvironmentTransaction } from '../client.ts';

/**
 * Archives a limit: it counts nothing new, and its name is free. Its open reservations are settled as usual. The caller has
 * locked the limit, which must be live.
 */
export async function archiveImpactLimit(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw('UPDATE impact_limits SET archived_at = now(), updated_at = now() WHERE id = ?', [id]);
}
