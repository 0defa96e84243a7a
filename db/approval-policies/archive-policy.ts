import type { EnvironmentTransaction } from '../client.ts';

/**
 * Takes a policy out of force permanently. Its name becomes free, and its history stays readable by id. The caller holds
 * `lockPolicies`. The policy must be live: the database refuses changes to an archived one.
 */
export async function archivePolicy(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw('UPDATE approval_policies SET archived_at = now(), updated_at = now() WHERE id = ?', [id]);
}
