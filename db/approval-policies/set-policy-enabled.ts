import type { EnvironmentTransaction } from '../client.ts';

/** Puts a policy in force or out of it; the database moves the revision. Call `lockPolicies` first. */
export async function setPolicyEnabled(tx: EnvironmentTransaction, id: string, enabled: boolean): Promise<void> {
  await tx.raw('UPDATE approval_policies SET enabled = ?, updated_at = now() WHERE id = ?', [enabled, id]);
}
