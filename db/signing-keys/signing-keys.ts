import { newId } from '../../domain/ids.ts';
import { newSigningSecret, shownSecretPrefix } from '../../domain/messages/signing.ts';
import type { SealedSecret, SecretContext, Vault } from '../secrets/vault.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { EnvironmentTransaction, WorkspaceTransaction } from '../client.ts';
import { selected } from '../columns.ts';
import { type BatchInput, rewrapOrTell, type Rewrapping } from '../secrets/rewrap-rows.ts';

/** A key as callers may see it: never its secret. */
export interface SigningKeyRecord {
  id: string;
  /** The first characters of the secret. */
  prefix: string;
  createdAt: Date;
  /** When it stops signing beside the newest key; null for the newest. */
  retiresAt: Date | null;
}

export type SealedSigningKey = { id: string } & SealedSecret;

const SIGNING_KEY_COLUMNS = {
  id: 'signing_keys.id',
  prefix: 'signing_keys.prefix',
  createdAt: 'signing_keys.created_at',
  retiresAt: 'signing_keys.retires_at',
} as const;

const SEALED_COLUMNS = {
  masterKeyVersion: 'master_key_version',
  wrappedDataKey: 'wrapped_data_key',
  sealedValue: 'sealed_value',
} as const;

/**
 * The associated data of a key's sealed secret. No secret of an environment has a name with a slash, so the two never
 * collide.
 */
export function signingKeyAssociatedData(workspaceId: string, signingKeyId: string): SecretContext {
  return { workspaceId, environmentId: '', name: `signing-key/${signingKeyId}`, version: 1 };
}

/** The signing keys of the transaction's workspace that are in use, newest first, with their total count. */
export async function listSigningKeys(tx: EnvironmentTransaction, range: Range): Promise<Page<SigningKeyRecord>> {
  return pageOf(tx, {
    name: 'list_signing_keys',
    columns: selected(SIGNING_KEY_COLUMNS),
    from: 'signing_keys',
    where: '(retires_at IS NULL OR retires_at > now())',
    order: 'created_at DESC, id DESC',
    asked: range,
  });
}

/** The signing keys in use, sealed, newest first, for a delivery to open. */
export async function readSealedSigningKeys(tx: EnvironmentTransaction): Promise<SealedSigningKey[]> {
  return tx.rows<SealedSigningKey>(
    'read_sealed_signing_keys',
    `SELECT id, ${selected(SEALED_COLUMNS)} FROM signing_keys WHERE retires_at IS NULL OR retires_at > now() ORDER BY created_at DESC, id DESC`,
    [],
  );
}

interface NewSigningKey {
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
async function lockSigningKeys(tx: EnvironmentTransaction | WorkspaceTransaction): Promise<void> {
  await tx.raw(
    'lock_signing_keys',
    "SELECT pg_advisory_xact_lock(hashtextextended('signing-keys/' || current_workspace_id(), 0))",
  );
}

export async function hasSigningKey(tx: EnvironmentTransaction): Promise<boolean> {
  const rows = await tx.rows<unknown>('has_signing_key', 'SELECT FROM signing_keys WHERE retires_at IS NULL', []);
  return rows.length > 0;
}

async function insertSigningKey(
  tx: EnvironmentTransaction | WorkspaceTransaction,
  vault: Pick<Vault, 'seal'>,
  workspaceId: string,
): Promise<NewSigningKey> {
  const id = newId('signingKey');
  const secret = newSigningSecret();
  const sealed = vault.seal(signingKeyAssociatedData(workspaceId, id), secret);
  const record = await tx.row<SigningKeyRecord>(
    'insert_signing_key',
    `INSERT INTO signing_keys (id, workspace_id, prefix, master_key_version, wrapped_data_key, sealed_value)
     VALUES (:id, :workspaceId, :prefix, :masterKeyVersion, :wrappedDataKey, :sealedValue) RETURNING ${selected(SIGNING_KEY_COLUMNS)}`,
    { ...sealed, id, workspaceId, prefix: shownSecretPrefix(secret) },
  );
  if (record === null) throw new Error('the new signing key is not there');
  return { record, secret };
}

/** Every key adds two signatures to every delivery, and receivers limit the size of headers. */
export const RETIRING_KEYS_MAX = 5;

/**
 * Creates the workspace's newest key. The previous one signs for `gracePeriodSeconds` longer; retired keys are destroyed. Returns
 * null, and changes nothing, where more than five keys would remain in use.
 */
export async function rotateSigningKey(
  tx: WorkspaceTransaction,
  vault: Pick<Vault, 'seal'>,
  workspaceId: string,
  gracePeriodSeconds: number,
): Promise<NewSigningKey | null> {
  await lockSigningKeys(tx);
  await tx.raw('rotate_signing_key', 'DELETE FROM signing_keys WHERE retires_at <= now()');
  const row = await tx.row<{ retiring: number }>(
    'rotate_signing_key_2',
    'SELECT count(*)::int AS retiring FROM signing_keys WHERE retires_at IS NOT NULL',
  );
  if (gracePeriodSeconds === 0) {
    await tx.raw('rotate_signing_key_3', 'DELETE FROM signing_keys WHERE retires_at IS NULL');
  } else {
    if ((row?.retiring ?? 0) >= RETIRING_KEYS_MAX) return null;
    await tx.raw(
      'rotate_signing_key_4',
      'UPDATE signing_keys SET retires_at = now() + make_interval(secs => ?) WHERE retires_at IS NULL',
      [gracePeriodSeconds],
    );
  }
  return insertSigningKey(tx, vault, workspaceId);
}

/** Rewraps the workspace's signing keys (a handful) under the newest master key. Returns how many; one that does not open stays as it is. */
export async function rewrapSigningKeys(
  tx: EnvironmentTransaction,
  vault: Rewrapping,
  { tenant: { workspaceId }, onUnopened }: Pick<BatchInput, 'tenant' | 'onUnopened'>,
): Promise<number> {
  const rows = await tx.rows<SealedSigningKey>(
    'rewrap_signing_keys',
    `SELECT id, ${selected(SEALED_COLUMNS)} FROM signing_keys WHERE master_key_version <> ? ORDER BY id FOR UPDATE`,
    [vault.newestMasterKeyVersion],
  );
  let rewrapped = 0;
  for (const row of rows) {
    const { id } = row;
    const sealed = rewrapOrTell(vault, signingKeyAssociatedData(workspaceId, id), row, (reason) =>
      onUnopened({ table: 'signing_keys', id, reason }),
    );
    if (sealed === null) continue;
    await tx.raw(
      'rewrap_signing_keys_2',
      'UPDATE signing_keys SET master_key_version = ?, wrapped_data_key = ? WHERE id = ?',
      [sealed.masterKeyVersion, sealed.wrappedDataKey, id],
    );
    rewrapped++;
  }
  return rewrapped;
}
