import type { WorkspaceTransaction } from '../client.ts';
import type { Vault } from '../secrets/vault.ts';
import { insertSigningKey, lockSigningKeys, type NewSigningKey } from './ensure-signing-key.ts';

/** Every key adds two signatures to every delivery, and receivers limit the size of headers. */
export const RETIRING_KEYS_MAX = 5;

/**
 * Creates the workspace's newest key. The previous one signs for `gracePeriodSeconds` longer; retired keys are destroyed. Returns
 * null, and changes nothing, where more than five keys would remain in use.
 */
export async function rotateSigningKey(
  tx: WorkspaceTransaction,
  vault: Pick<Vault, 'seal'>,
  workspaceId: string,
  gracePeriodSeconds: number,
): Promise<NewSigningKey | null> {
  await lockSigningKeys(tx);
  await tx.raw('DELETE FROM signing_keys WHERE retires_at <= now()');
  const { rows } = await tx.raw<{ rows: { retiring: number }[] }>(
    'SELECT count(*)::int AS retiring FROM signing_keys WHERE retires_at IS NOT NULL',
  );
  if (gracePeriodSeconds === 0) {
    await tx.raw('DELETE FROM signing_keys WHERE retires_at IS NULL');
  } else {
    if ((rows[0]?.retiring ?? 0) >= RETIRING_KEYS_MAX) return null;
    await tx.raw('UPDATE signing_keys SET retires_at = now() + make_interval(secs => ?) WHERE retires_at IS NULL', [
      gracePeriodSeconds,
    ]);
  }
  return insertSigningKey(tx, vault, workspaceId);
}
