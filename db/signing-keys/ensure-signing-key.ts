import { newId } from '../../domain/ids.ts';
import { newSigningSecret, shownSecretPrefix } from '../../domain/messages/signing.ts';
import type { EnvironmentTransaction } from '../client.ts';
import type { Vault } from '../secrets/vault.ts';
import { SIGNING_KEY_COLUMNS, signingKeyPlace, type SigningKeyRecord } from './records.ts';

export interface NewSigningKey {
  record: SigningKeyRecord;
  /** `whsec_` and base64. Here, once; it is stored sealed only. */
  secret: string;
}

/** Makes the workspace's first key where it has none; null where it has one. */
export async function ensureSigningKey(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal'>,
  workspaceId: string,
): Promise<NewSigningKey | null> {
  if (await hasSigningKey(tx)) return null;
  await lockSigningKeys(tx);
  return (await hasSigningKey(tx)) ? null : insertSigningKey(tx, vault, workspaceId);
}

/** Makers of keys of one workspace come one after the other; `hasSigningKey` after it sees what was committed before. */
export async function lockSigningKeys(tx: EnvironmentTransaction): Promise<void> {
  await tx.raw("SELECT pg_advisory_xact_lock(hashtextextended('signing-keys/' || current_workspace_id(), 0))");
}

async function hasSigningKey(tx: EnvironmentTransaction): Promise<boolean> {
  const rows = await tx('signing_keys').whereNull('retires_at').select<{ id: string }[]>('id');
  return rows.length > 0;
}

export async function insertSigningKey(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal'>,
  workspaceId: string,
): Promise<NewSigningKey> {
  const id = newId('signingKey');
  const secret = newSigningSecret();
  const sealed = vault.seal(signingKeyPlace(workspaceId, id), secret);
  await tx('signing_keys').insert({
    id,
    workspace_id: workspaceId,
    prefix: shownSecretPrefix(secret),
    master_key_version: sealed.masterKeyVersion,
    wrapped_data_key: sealed.wrappedDataKey,
    sealed_value: sealed.sealedValue,
  });
  const [record] = await tx('signing_keys').where({ id }).select<SigningKeyRecord[]>(SIGNING_KEY_COLUMNS);
  if (record === undefined) throw new Error('the new signing key is not there');
  return { record, secret };
}
