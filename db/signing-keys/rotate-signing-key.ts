import type { EnvironmentTransaction } from '../client.ts';
import type { Vault } from '../secrets/vault.ts';
import { insertSigningKey, lockSigningKeys, type NewSigningKey } from './ensure-signing-key.ts';

/** Every key adds two signatures to every delivery, and receivers bound their headers. */
export const RETIRING_KEYS_MAX = 5;

/**
 * Makes the workspace's newest key. The one before it signs for `gracePeriodSeconds` more; keys that have retired are
 * destroyed. Null, and nothing changed, where more than five would go on signing.
 */
export async function rotateSigningKey(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal'>,
  workspaceId: string,
  gracePeriodSeconds: number,
): Promise<NewSigningKey | null> {
  await lockSigningKeys(tx);
  await tx('signing_keys').whereRaw('retires_at <= now()').delete();
  const counted = await tx('signing_keys').whereNotNull('retires_at').count<{ count: string }[]>();
  const newest = tx('signing_keys').whereNull('retires_at');
  if (gracePeriodSeconds === 0) {
    await newest.delete();
  } else {
    if (Number(counted[0]?.count ?? 0) >= RETIRING_KEYS_MAX) return null;
    await newest.update({ retires_at: tx.expression('now() + make_interval(secs => ?)', [gracePeriodSeconds]) });
  }
  return insertSigningKey(tx, vault, workspaceId);
}
