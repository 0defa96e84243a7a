import type { EnvironmentTransaction } from '../client.ts';

/** Keeps the provider's own id of what an effect made. The first one stays. */
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
