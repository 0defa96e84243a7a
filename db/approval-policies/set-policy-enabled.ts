import type { EnvironmentTransaction } from '../client.ts';

/** Enables or disables a policy; a trigger increments the revision. The caller holds `lockPolicies`. */
export async function setPolicyEnabled(tx: EnvironmentTransaction, id: string, enabled: boolean): Promise<void> {
  await tx.raw('UPDATE approval_policies SET enabled = ?, updated_at = now() WHERE id = ?', [enabled, id]);
}
