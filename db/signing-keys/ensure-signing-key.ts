import { newId } from '../../domain/ids.ts';
import { newSigningSecret, shownSecretPrefix } from '../../domain/messages/signing.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import type { Vault } from '../secrets/vault.ts';
import { SIGNING_KEY_COLUMNS, signingKeyAssociatedData, type SigningKeyRecord } from './records.ts';

export interface NewSigningKey {
  record: SigningKeyRecord;
  /** `whsec_` and base64. It is returned here, once, and stored sealed. */
  secret: string;
}

/** Creates the workspace's first key; null where it has one. */
export async function ensureSigningKey(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal'>,
  workspaceId: string,
): Promise<NewSigningKey | null> {
  if (await hasSigningKey(tx)) return null;
  await lockSigningKeys(tx);
  return (await hasSigningKey(tx)) ? null : insertSigningKey(tx, vault, workspaceId);
}

/** Serializes the creation of keys of one workspace. A later `hasSigningKey` sees what was committed before. */
export async function lockSigningKeys(tx: EnvironmentTransaction | WorkspaceTransaction): Promise<void> {
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('signing-keys/' || current_workspace_id(), 0))");
}

export async function hasSigningKey(tx: EnvironmentTransaction): Promise<boolean> {
  const { rows } = await tx.raw<{ rows: unknown[] }>('SELECT FROM signing_keys WHERE retires_at IS NULL', []);
  return rows.length > 0;
}

export async function insertSigningKey(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  vault: Pick<Vault, 'seal'>,
  workspaceId: string,
): Promise<NewSigningKey> {
  const id = newId('signingKey');
  const secret = newSigningSecret();
  const sealed = vault.seal(signingKeyAssociatedData(workspaceId, id), secret);
  const { rows } = await tx.raw<{ rows: SigningKeyRecord[] }>(
    `INSERT INTO signing_keys (id, workspace_id, prefix, master_key_version, wrapped_data_key, sealed_value)
     VALUES (:id, :workspaceId, :prefix, :masterKeyVersion, :wrappedDataKey, :sealedValue) RETURNING ${selected(SIGNING_KEY_COLUMNS)}`,
    { ...sealed, id, workspaceId, prefix: shownSecretPrefix(secret) },
  );
  const [record] = rows;
  if (record === undefined) throw new Error('the new signing key is not there');
  return { record, secret };
}
