import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { isUnopened, type SealedSecret, type SecretContext, type Vault } from './vault.ts';

export type Rewrapping = Pick<Vault, 'rewrap' | 'newestMasterKeyVersion'>;

/** A row whose sealed value does not open. It says nothing of the value. */
export interface UnopenedRow {
  table: string;
  id: string;
  /** The vault's sentence: the master key is not configured, or the row is damaged. */
  reason: string;
}

/** The row behind which a batch begins. Rows that do not open stay under their old master key: without it a batch would find them again. */
export interface Place {
  id: string;
  /** The version of a secret; 0 elsewhere. */
  version: number;
}

export const FIRST_PLACE: Place = { id: '', version: 0 };

export interface BatchInput {
  tenant: Tenant;
  after: Place;
  /** How many rows at most. */
  most: number;
  onUnopened: (row: UnopenedRow) => void;
}

export interface Batch {
  rewrapped: number;
  /** The last row that was looked at; null where none was left. */
  last: Place | null;
}

/** The row under the newest master key; null, and `onUnopened` is told, where it does not open. */
export function rewrapOrTell(
  vault: Rewrapping,
  context: SecretContext,
  sealed: SealedSecret,
  onUnopened: (reason: string) => void,
): SealedSecret | null {
  try {
    return vault.rewrap(context, sealed);
  } catch (error) {
    if (!isUnopened(error)) throw error;
    onUnopened((error as Error).message);
    return null;
  }
}

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
  const rows = await tx.rows<Row>(
    { variantsOf: 'rewrap_rows' },
    `SELECT ${idColumn} AS id, master_key_version AS "masterKeyVersion", wrapped_data_key AS "wrappedDataKey",
       sealed_value AS "sealedValue"
     FROM ${table} WHERE environment_id = current_environment_id() AND master_key_version IS NOT NULL AND master_key_version <> ? AND ${idColumn} > ?
     ORDER BY ${idColumn} LIMIT ? FOR UPDATE`,
    [vault.newestMasterKeyVersion, after.id, most],
  );
  let rewrapped = 0;
  for (const row of rows) {
    const { id } = row;
    const sealed = rewrapOrTell(vault, associatedDataOf(id), row, (reason) => onUnopened({ table, id, reason }));
    if (sealed === null) continue;
    await tx.raw(
      { variantsOf: 'rewrap_rows_2' },
      `UPDATE ${table} SET master_key_version = ?, wrapped_data_key = ? WHERE ${idColumn} = ?`,
      [sealed.masterKeyVersion, sealed.wrappedDataKey, id],
    );
    rewrapped++;
  }
  const last = rows.at(-1);
  return { rewrapped, last: last === undefined ? null : { id: last.id, version: 0 } };
}
