import type { EnvironmentTransaction } from '../client.ts';
import { type Batch, type BatchInput, rewrapOrTell, type Rewrapping } from './rewrap-rows.ts';
import type { SealedSecret } from './vault.ts';

type Row = { secretId: string; name: string; version: number; isCurrent: boolean } & SealedSecret;

/**
 * Rewraps the next secret versions of one environment under the newest master key. The rows are locked, so that a concurrent rewrap waits
 * and then finds them done. A version that does not open stays as it is.
 */
export async function rewrapSecrets(
  tx: EnvironmentTransaction,
  vault: Rewrapping,
  { tenant, after, most, onUnopened }: BatchInput,
): Promise<Batch> {
  const rows = await tx.rows<Row>(
    'rewrap_secrets',
    `SELECT v.secret_id AS "secretId", s.name, v.version, v.version = s.current_version AS "isCurrent",
       v.master_key_version AS "masterKeyVersion", v.wrapped_data_key AS "wrappedDataKey", v.sealed_value AS "sealedValue"
     FROM secret_versions v JOIN secrets s ON s.id = v.secret_id
     WHERE v.master_key_version <> :newest AND (v.secret_id, v.version) > (:id, :version)
     ORDER BY v.secret_id, v.version LIMIT :most FOR UPDATE OF v`,
    { newest: vault.newestMasterKeyVersion, ...after, most },
  );
  let rewrapped = 0;
  for (const row of rows) {
    const { secretId, name, version } = row;
    const rank = row.isCurrent ? '' : ', an earlier one that nothing uses';
    const id = `${secretId} (${name}, version ${version}${rank})`;
    const sealed = rewrapOrTell(vault, { ...tenant, name, version }, row, (reason) =>
      onUnopened({ table: 'secret_versions', id, reason }),
    );
    if (sealed === null) continue;
    const { masterKeyVersion, wrappedDataKey } = sealed;
    await tx.raw(
      'rewrap_secrets_2',
      'UPDATE secret_versions SET master_key_version = :masterKeyVersion, wrapped_data_key = :wrappedDataKey WHERE secret_id = :secretId AND version = :version',
      { masterKeyVersion, wrappedDataKey, secretId, version },
    );
    rewrapped++;
  }
  const last = rows.at(-1);
  return { rewrapped, last: last === undefined ? null : { id: last.secretId, version: last.version } };
}
