import { newId } from '../../domain/ids.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import type { SecretRecord } from './records.ts';
import type { Vault } from './vault.ts';

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
  const { rows } = await tx.raw<{ rows: SecretRecord[] }>(
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
  const secret = rows[0];
  if (secret === undefined) throw new Error('the upsert of a secret returned no row');
  const sealed = vault.seal({ ...tenant, name, version: secret.version }, input.value);
  await tx.raw(
    `INSERT INTO secret_versions (environment_id, secret_id, version, master_key_version, wrapped_data_key, sealed_value)
     VALUES (:environmentId, :secretId, :version, :masterKeyVersion, :wrappedDataKey, :sealedValue)`,
    { ...sealed, environmentId: tenant.environmentId, secretId: secret.id, version: secret.version },
  );
  return { secret, created: secret.rotatedAt === null };
}
