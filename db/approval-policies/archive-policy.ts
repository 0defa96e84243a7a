import type { EnvironmentTransaction } from '../client.ts';

/**
 * Takes a policy out of force for good: its name is free again, its history stays readable by id. Call `lockPolicies` first, and
 * only for one that is not archived yet: the database keeps those as they are.
 */
export async function archivePolicy(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw('UPDATE approval_policies SET archived_at = now(), updated_at = now() WHERE id = ?', [id]);
}
