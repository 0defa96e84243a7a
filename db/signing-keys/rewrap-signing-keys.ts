import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { Vault } from '../secrets/vault.ts';
import { SEALED_COLUMNS, type SealedSigningKey, signingKeyPlace } from './records.ts';

/** Wraps the workspace's signing keys (a handful) under the newest master key and says how many it did. */
export async function rewrapSigningKeys(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
  { workspaceId }: Tenant,
): Promise<number> {
  const rows = await tx('signing_keys')
    .whereNot('master_key_version', vault.newestMasterKeyVersion)
    .orderBy('id')
    .forUpdate()
    .select<SealedSigningKey[]>({ id: 'id', ...SEALED_COLUMNS });
  for (const row of rows) {
    const rewrapped = vault.rewrap(signingKeyPlace(workspaceId, row.id), row);
    await tx('signing_keys')
      .where({ id: row.id })
      .update({ master_key_version: rewrapped.masterKeyVersion, wrapped_data_key: rewrapped.wrappedDataKey });
  }
  return rows.length;
}
