import type { EnvironmentTransaction } from '../client.ts';

/** Stores the provider's own id of the effect. The first id is kept. */
export async function setProviderReference(
  tx: EnvironmentTransaction,
  effectId: string,
  reference: string,
): Promise<void> {
  await tx.raw(
    'UPDATE effects SET provider_reference = COALESCE(provider_reference, ?), updated_at = now() WHERE id = ?',
    [reference, effectId],
  );
}
