import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { selected } from '../columns.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { SealedSecret, Vault } from './vault.ts';

/** A secret as callers may see it: never its value. */
export interface SecretRecord {
  id: string;
  name: string;
  /** The version that dispatches use now. */
  version: number;
  description: string | null;
  createdAt: Date;
  /** When the current value replaced an earlier one; null for a first value. */
  rotatedAt: Date | null;
}

const SECRET_COLUMNS = {
  id: 'secrets.id',
  name: 'secrets.name',
  version: 'secrets.current_version',
  description: 'secrets.description',
  createdAt: 'secrets.created_at',
  rotatedAt: 'secrets.rotated_at',
} as const;

export async function getSecret(tx: EnvironmentTransaction, name: string): Promise<SecretRecord | null> {
  return tx.row<SecretRecord>(
    'get_secret',
    `SELECT ${selected(SECRET_COLUMNS)} FROM secrets WHERE name = ? AND deleted_at IS NULL`,
    [name],
  );
}

/** One page of the live secrets, newest first, with the total count. */
export async function listSecrets(tx: EnvironmentTransaction, range: Range): Promise<Page<SecretRecord>> {
  return pageOf(tx, {
    name: 'list_secrets',
    columns: selected(SECRET_COLUMNS),
    from: 'secrets',
    where: 'environment_id = current_environment_id() AND deleted_at IS NULL',
    order: 'created_at DESC, id DESC',
    asked: range,
  });
}

export interface PutSecretInput {
  tenant: Tenant;
  name: string;
  value: string;
  /** Omitted: a rotation keeps the current one. */
  description?: string | null;
}

/**
 * Creates a secret or rotates it. The upsert locks the name's row and increments its version: concurrent rotations are
 * serialized, and a version number is never reused, even after a deletion. `created` is true for a name that is new or was
 * deleted.
 */
export async function putSecret(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal'>,
  input: PutSecretInput,
): Promise<{ secret: SecretRecord; created: boolean }> {
  const { tenant, name } = input;
  const secret = await tx.row<SecretRecord>(
    'put_secret',
    `INSERT INTO secrets (id, environment_id, name, description, current_version) VALUES (:id, :environmentId, :name, :description, 1)
     ON CONFLICT (environment_id, name) DO UPDATE SET
       current_version = secrets.current_version + 1,
       description = CASE WHEN :describes THEN excluded.description ELSE secrets.description END,
       created_at = CASE WHEN secrets.deleted_at IS NULL THEN secrets.created_at ELSE now() END,
       rotated_at = CASE WHEN secrets.deleted_at IS NULL THEN now() END,
       deleted_at = NULL
     RETURNING id, name, current_version AS version, description, created_at AS "createdAt", rotated_at AS "rotatedAt"`,
    {
      id: newId('secret'),
      environmentId: tenant.environmentId,
      name,
      description: input.description ?? null,
      describes: input.description !== undefined,
    },
  );
  if (secret === null) throw new Error('the upsert of a secret returned no row');
  const sealed = vault.seal({ ...tenant, name, version: secret.version }, input.value);
  await tx.raw(
    'put_secret_2',
    `INSERT INTO secret_versions (environment_id, secret_id, version, master_key_version, wrapped_data_key, sealed_value)
     VALUES (:environmentId, :secretId, :version, :masterKeyVersion, :wrappedDataKey, :sealedValue)`,
    { ...sealed, environmentId: tenant.environmentId, secretId: secret.id, version: secret.version },
  );
  return { secret, created: secret.rotatedAt === null };
}

/**
 * Destroys every sealed version of a secret. The name's row stays with its counter, so that a later secret with the name does not
 * reuse a version number. Returns its id; null where there is no such live secret.
 */
export async function deleteSecret(tx: EnvironmentTransaction, name: string): Promise<string | null> {
  const deleted = await tx.row<{ id: string }>(
    'delete_secret',
    'UPDATE secrets SET deleted_at = now(), description = NULL WHERE name = ? AND deleted_at IS NULL RETURNING id',
    [name],
  );
  if (deleted === null) return null;
  await tx.raw('delete_secret_2', 'DELETE FROM secret_versions WHERE secret_id = ?', [deleted.id]);
  return deleted.id;
}

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
  const rows = await tx.rows<{ name: string; version: number } & SealedSecret>(
    'read_sealed_secrets',
    `SELECT s.name, v.version, v.master_key_version AS "masterKeyVersion", v.wrapped_data_key AS "wrappedDataKey",
       v.sealed_value AS "sealedValue"
     FROM secrets s JOIN secret_versions v
       ON v.secret_id = s.id AND v.version = s.current_version AND v.environment_id = s.environment_id
     WHERE s.name = ANY(?) AND s.deleted_at IS NULL`,
    [[...names]],
  );
  return rows.map(({ name, version, ...sealed }) => ({ name, version, sealed }));
}

/** The current version of each named secret by its name; 0 where no live secret has the name. Nothing is opened. */
export async function readSecretVersions(
  tx: EnvironmentTransaction,
  names: readonly string[],
): Promise<Record<string, number>> {
  if (names.length === 0) return {};
  const rows = await tx.rows<{ name: string; version: number }>(
    'read_secret_versions',
    'SELECT name, current_version AS version FROM secrets WHERE name = ANY(?) AND deleted_at IS NULL',
    [[...names]],
  );
  return versionsOf(names, rows);
}

/** The version of each name; 0 where no row has the name. */
export function versionsOf(
  names: readonly string[],
  rows: readonly { name: string; version: number }[],
): Record<string, number> {
  const versions = new Map(rows.map(({ name, version }) => [name, version]));
  return Object.fromEntries(names.map((name) => [name, versions.get(name) ?? 0]));
}
