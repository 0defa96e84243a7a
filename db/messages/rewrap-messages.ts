import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { SealedSecret, Vault } from '../secrets/vault.ts';
import { messagePlace } from './message-content.ts';

type Row = { id: string } & SealedSecret;

/**
 * Rewraps the sealed contents of up to `most` messages of one environment under the newest master key. Returns how many; 0 when
 * none is left. Throws, and changes nothing, where one does not open.
 */
export async function rewrapMessages(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT message_id AS id, master_key_version AS "masterKeyVersion", wrapped_data_key AS "wrappedDataKey", sealed_value AS "sealedValue"
     FROM message_contents WHERE master_key_version IS NOT NULL AND master_key_version <> ? ORDER BY message_id LIMIT ? FOR UPDATE`,
    [vault.newestMasterKeyVersion, most],
  );
  for (const row of rows) {
    const rewrapped = vault.rewrap(messagePlace(tenant, row.id), row);
    await tx.raw('UPDATE message_contents SET master_key_version = ?, wrapped_data_key = ? WHERE message_id = ?', [
      rewrapped.masterKeyVersion,
      rewrapped.wrappedDataKey,
      row.id,
    ]);
  }
  return rows.length;
}
