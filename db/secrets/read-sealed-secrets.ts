import type { EnvironmentTransaction } from '../client.ts';
import type { SealedSecret } from './vault.ts';

export interface SealedSecretRow {
  name: string;
  version: number;
  sealed: SealedSecret;
}

/**
 * The current version of each named secret, sealed, for the dispatch to open. One statement, so that a concurrent rotation gives
 * either the old values or the new ones. A name without a live secret is missing from the result.
 */
export async function readSealedSecrets(
  tx: EnvironmentTransaction,
  names: readonly string[],
): Promise<SealedSecretRow[]> {
  if (names.length === 0) return [];
  const { rows } = await tx.raw<{ rows: ({ name: string; version: number } & SealedSecret)[] }>(
    `SELECT s.name, v.version, v.master_key_version AS "masterKeyVersion", v.wrapped_data_key AS "wrappedDataKey",
       v.sealed_value AS "sealedValue"
     FROM secrets s JOIN secret_versions v
       ON v.secret_id = s.id AND v.version = s.current_version AND v.environment_id = s.environment_id
     WHERE s.name = ANY(?) AND s.deleted_at IS NULL`,
    [[...names]],
  );
  return rows.map(({ name, version, ...sealed }) => ({ name, version, sealed }));
}
