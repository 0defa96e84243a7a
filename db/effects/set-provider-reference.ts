import type { EnvironmentTransaction } from '../client.ts';

/**
 * Stores the provider's own id of the effect. The first id is kept. After a read found more than one record, none is stored: which
 * of them is ours is for a person to say, even where a later read finds only one.
 */
export async function setProviderReference(
  tx: EnvironmentTransaction,
  effectId: string,
  reference: string,
): Promise<void> {
  await tx.raw(
    `UPDATE effects SET provider_reference = ?, updated_at = now()
     WHERE id = ? AND provider_reference IS NULL AND NOT is_ambiguous(id)`,
    [reference, effectId],
  );
}
