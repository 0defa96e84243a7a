import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { SealedSecret, Vault } from '../secrets/vault.ts';
import { messagePlace } from './message-content.ts';

type Row = { id: string } & SealedSecret;

/**
 * Wraps the sealed contents of up to `most` messages of one environment under the newest master key and says how many it did;
 * 0 when none is left. Throws, and changes nothing, where one does not open.
 */
export async function rewrapMessages(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
  tenant: Tenant,
  most: number,
): Promise<number> {
  const rows = await tx('messages')
    .whereNotNull('master_key_version')
    .whereNot('master_key_version', vault.newestMasterKeyVersion)
    .orderBy('id')
    .limit(most)
    .forUpdate()
    .select<Row[]>({
      id: 'id',
      masterKeyVersion: 'master_key_version',
      wrappedDataKey: 'wrapped_data_key',
      sealedValue: 'sealed_value',
    });
  for (const row of rows) {
    const rewrapped = vault.rewrap(messagePlace(tenant, row.id), row);
    await tx('messages')
      .where({ id: row.id })
      .update({ master_key_version: rewrapped.masterKeyVersion, wrapped_data_key: rewrapped.wrappedDataKey });
  }
  return rows.length;
}
