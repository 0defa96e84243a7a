import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { SealedSecret, Vault } from './vault.ts';

type Row = { secretId: string; name: string; version: number } & SealedSecret;

/**
 * Rewraps up to `most` secret versions of one environment under the newest master key. Returns how many; 0 when none is left. The
 * rows are locked, so that a concurrent rewrap waits and then finds them done. Throws, and changes nothing, where a version does
 * not open.
 */
export async function rewrapSecrets(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT v.secret_id AS "secretId", s.name, v.version, v.master_key_version AS "masterKeyVersion",
       v.wrapped_data_key AS "wrappedDataKey", v.sealed_value AS "sealedValue"
     FROM secret_versions v JOIN secrets s ON s.id = v.secret_id WHERE v.master_key_version <> ?
     ORDER BY v.secret_id, v.version LIMIT ? FOR UPDATE OF v`,
    [vault.newestMasterKeyVersion, most],
  );
  for (const row of rows) {
    const rewrapped = vault.rewrap({ ...tenant, name: row.name, version: row.version }, row);
    await tx.raw(
      'UPDATE secret_versions SET master_key_version = :masterKeyVersion, wrapped_data_key = :wrappedDataKey WHERE secret_id = :secretId AND version = :version',
      {
        masterKeyVersion: rewrapped.masterKeyVersion,
        wrappedDataKey: rewrapped.wrappedDataKey,
        secretId: row.secretId,
        version: row.version,
      },
    );
  }
  return rows.length;
}
