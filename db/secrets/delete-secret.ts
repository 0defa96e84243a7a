import type { EnvironmentTransaction } from '../client.ts';

/**
 * Destroys every sealed version of a secret. The name's row stays with its counter, so that a later secret of that name does
 * not use a version number again. Answers its id; null where there is no such live secret.
 */
export async function deleteSecret(tx: EnvironmentTransaction, name: string): Promise<string | null> {
  const rows = await tx('secrets')
    .where({ name })
    .whereNull('deleted_at')
    .update({ deleted_at: tx.fn.now(), description: null })
    .returning<{ id: string }[]>('id');
  const deleted = rows[0];
  if (deleted === undefined) return null;
  await tx('secret_versions').where({ secret_id: deleted.id }).delete();
  return deleted.id;
}
