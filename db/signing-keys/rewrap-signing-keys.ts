import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { selected } from '../columns.ts';
import type { Vault } from '../secrets/vault.ts';
import { SEALED_COLUMNS, type SealedSigningKey, signingKeyAssociatedData } from './records.ts';

/** Rewraps the workspace's signing keys (a handful) under the newest master key. Returns how many. */
export async function rewrapSigningKeys(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
  { workspaceId }: Tenant,
): Promise<number> {
  const { rows } = await tx.raw<{ rows: SealedSigningKey[] }>(
    `SELECT id, ${selected(SEALED_COLUMNS)} FROM signing_keys WHERE master_key_version <> ? ORDER BY id FOR UPDATE`,
    [vault.newestMasterKeyVersion],
  );
  for (const row of rows) {
    const rewrapped = vault.rewrap(signingKeyAssociatedData(workspaceId, row.id), row);
    await tx.raw('UPDATE signing_keys SET master_key_version = ?, wrapped_data_key = ? WHERE id = ?', [
      rewrapped.masterKeyVersion,
      rewrapped.wrappedDataKey,
      row.id,
    ]);
  }
  return rows.length;
}
