import type { EnvironmentTransaction } from '../client.ts';
import { type Batch, type BatchInput, rewrapOrTell, type Rewrapping } from './rewrap-batch.ts';
import type { SealedSecret, SecretContext } from './vault.ts';

/** A table whose rows are sealed; every name is of this code, never of a caller. */
export interface SealedTable {
  table: 'message_contents' | 'schedules' | 'integrations' | 'event_subscriptions' | 'event_subscription_secrets';
  /** Its column with the id that the rows are sealed with. */
  idColumn: 'id' | 'message_id';
  associatedDataOf: (id: string) => SecretContext;
}

type Row = { id: string } & SealedSecret;

/** Rewraps the next sealed rows of one environment under the newest master key. A row that does not open stays as it is. */
export async function rewrapRows(
  tx: EnvironmentTransaction,
  vault: Rewrapping,
  { table, idColumn, associatedDataOf }: SealedTable,
  { after, most, onUnopened }: BatchInput,
): Promise<Batch> {
  const { rows } = await tx.raw<{ rows: Row[] }>(
    `SELECT ${idColumn} AS id, master_key_version AS "masterKeyVersion", wrapped_data_key AS "wrappedDataKey",
       sealed_value AS "sealedValue"
     FROM ${table} WHERE master_key_version IS NOT NULL AND master_key_version <> ? AND ${idColumn} > ?
     ORDER BY ${idColumn} LIMIT ? FOR UPDATE`,
    [vault.newestMasterKeyVersion, after.id, most],
  );
  let rewrapped = 0;
  for (const row of rows) {
    const { id } = row;
    const sealed = rewrapOrTell(vault, associatedDataOf(id), row, (reason) => onUnopened({ table, id, reason }));
    if (sealed === null) continue;
    await tx.raw(`UPDATE ${table} SET master_key_version = ?, wrapped_data_key = ? WHERE ${idColumn} = ?`, [
      sealed.masterKeyVersion,
      sealed.wrappedDataKey,
      id,
    ]);
    rewrapped++;
  }
  const last = rows.at(-1);
  return { rewrapped, last: last === undefined ? null : { id: last.id, version: 0 } };
}
