import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { SealedSecret, Vault } from './vault.ts';

type Row = { secretId: string; name: string; version: number } & SealedSecret;

/**
 * Wraps up to `most` secret versions of one environment under the newest master key and says how many it did; 0 when none is
 * left. The rows are locked, so that a rewrap beside this one waits and then finds them done. Throws, and changes nothing,
 * where a version does not open.
 */
export async function rewrapSecrets(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const rows = await tx('secret_versions')
    .join('secrets', 'secrets.id', 'secret_versions.secret_id')
    .whereNot('secret_versions.master_key_version', vault.newestMasterKeyVersion)
    .orderBy([{ column: 'secret_versions.secret_id' }, { column: 'secret_versions.version' }])
    .limit(most)
    .forUpdate('secret_versions')
    .select<Row[]>({
      secretId: 'secret_versions.secret_id',
      name: 'secrets.name',
      version: 'secret_versions.version',
      masterKeyVersion: 'secret_versions.master_key_version',
      wrappedDataKey: 'secret_versions.wrapped_data_key',
      sealedValue: 'secret_versions.sealed_value',
    });
  for (const row of rows) {
    const rewrapped = vault.rewrap({ ...tenant, name: row.name, version: row.version }, row);
    await tx('secret_versions')
      .where({ secret_id: row.secretId, version: row.version })
      .update({ master_key_version: rewrapped.masterKeyVersion, wrapped_data_key: rewrapped.wrappedDataKey });
  }
  return rows.length;
}
