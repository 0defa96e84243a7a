import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { SealedSecret, Vault } from '../secrets/vault.ts';
import { schedulePlace } from './destination.ts';

type Row = { id: string } & SealedSecret;

/**
 * Rewraps the sealed destinations of up to `most` schedules of one environment under the newest master key. Returns how many; 0 when
 * none is left. Throws, and changes nothing, where one does not open.
 */
export async function rewrapSchedules(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT id, master_key_version AS "masterKeyVersion", wrapped_data_key AS "wrappedDataKey", sealed_value AS "sealedValue"
     FROM schedules WHERE master_key_version IS NOT NULL AND master_key_version <> ? ORDER BY id LIMIT ? FOR UPDATE`,
    [vault.newestMasterKeyVersion, most],
  );
  for (const row of rows) {
    const rewrapped = vault.rewrap(schedulePlace(tenant, row.id), row);
    await tx.raw('UPDATE schedules SET master_key_version = ?, wrapped_data_key = ? WHERE id = ?', [
      rewrapped.masterKeyVersion,
      rewrapped.wrappedDataKey,
      row.id,
    ]);
  }
  return rows.length;
}
