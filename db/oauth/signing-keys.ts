import type { Database } from '../client.ts';
import { type BatchInput, rewrapOrTell, type Rewrapping } from '../secrets/rewrap-rows.ts';
import type { SealedSecret, SecretContext } from '../secrets/vault.ts';

export type SealedOAuthKey = { id: string } & SealedSecret;

/** The associated data of a private key. It belongs to the installation: no tenant has an empty id. */
export function oauthKeyAssociatedData(id: string): SecretContext {
  return { workspaceId: '', environmentId: '', name: `oauth-signing-key/${id}`, version: 1 };
}

/** All of them, the newest first, which signs. */
export async function listOAuthKeys(db: Database): Promise<SealedOAuthKey[]> {
  return db.directory.rows<SealedOAuthKey>(
    'list_oauth_keys',
    `SELECT id, master_key_version AS "masterKeyVersion", wrapped_data_key AS "wrappedDataKey", sealed_value AS "sealedValue"
     FROM list_oauth_signing_keys()`,
  );
}

/** False, and nothing is added, where there is one beside the `unopened`, such as one that another process has just added. */
export async function addOAuthKey(
  db: Database,
  key: SealedOAuthKey,
  unopened: readonly string[] = [],
): Promise<boolean> {
  const row = await db.directory.row<{ added: boolean }>(
    'add_oauth_key',
    'SELECT add_oauth_signing_key(?, ?, ?, ?, ?) AS added',
    [key.id, key.masterKeyVersion, key.wrappedDataKey, key.sealedValue, unopened],
  );
  return row?.added === true;
}

/**
 * Rewraps the keys under the newest master key. Returns how many; what another command has rewrapped meanwhile is not counted. A key that does
 * not open stays as it is.
 */
export async function rewrapOAuthKeys(
  db: Database,
  vault: Rewrapping,
  onUnopened: BatchInput['onUnopened'],
): Promise<number> {
  let rewrapped = 0;
  for (const key of await listOAuthKeys(db)) {
    if (key.masterKeyVersion === vault.newestMasterKeyVersion) continue;
    const sealed = rewrapOrTell(vault, oauthKeyAssociatedData(key.id), key, (reason) =>
      onUnopened({ table: 'oauth_signing_keys', id: key.id, reason }),
    );
    if (sealed === null) continue;
    const row = await db.directory.row<{ done: boolean }>(
      'rewrap_oauth_keys',
      'SELECT rewrap_oauth_signing_key(?, ?, ?, ?) AS done',
      [key.id, key.masterKeyVersion, sealed.masterKeyVersion, sealed.wrappedDataKey],
    );
    if (row?.done === true) rewrapped++;
  }
  return rewrapped;
}
