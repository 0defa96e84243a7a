import type { EnvironmentTransaction } from '../client.ts';
import type { SealedSecret, SecretContext, Vault } from './vault.ts';

/** A table whose rows are sealed; every name is of this code, never of a caller. */
export interface SealedTable {
  table: 'message_contents' | 'schedules' | 'integrations' | 'event_subscriptions' | 'event_subscription_secrets';
  /** Its column with the id that the rows are sealed with. */
  idColumn: 'id' | 'message_id';
  associatedDataOf: (id: string) => SecretContext;
}

type Row = { id: string } & SealedSecret;

/**
 * Rewraps up to `most` sealed rows of one environment under the newest master key. Returns how many; 0 when none is left. Throws,
 * and changes nothing, where one does not open.
 */
export async function rewrapRows(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>,
  { table, idColumn, associatedDataOf }: SealedTable,
  most: number,
): Promise<number> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT ${idColumn} AS id, master_key_version AS "masterKeyVersion", wrapped_data_key AS "wrappedDataKey",
       sealed_value AS "sealedValue"
     FROM ${table} WHERE master_key_version IS NOT NULL AND master_key_version <> ? ORDER BY ${idColumn} LIMIT ? FOR UPDATE`,
    [vault.newestMasterKeyVersion, most],
  );
  for (const row of rows) {
    const rewrapped = vault.rewrap(associatedDataOf(row.id), row);
    await tx.raw(`UPDATE ${table} SET master_key_version = ?, wrapped_data_key = ? WHERE ${idColumn} = ?`, [
      rewrapped.masterKeyVersion,
      rewrapped.wrappedDataKey,
      row.id,
    ]);
  }
  return rows.length;
}
