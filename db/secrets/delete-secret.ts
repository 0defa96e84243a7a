import type { EnvironmentTransaction } from '../client.ts';

/**
 * Destroys every sealed version of a secret. The name's row stays with its counter, so that a later secret with the name does not
 * reuse a version number. Returns its id; null where there is no such live secret.
 */
export async function deleteSecret(tx: EnvironmentTransaction, name: string): Promise<string | null> {
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    'UPDATE secrets SET deleted_at = now(), description = NULL WHERE name = ? AND deleted_at IS NULL RETURNING id',
    [name],
  );
  const deleted = rows[0];
  if (deleted === undefined) return null;
  await tx.raw('DELETE FROM secret_versions WHERE secret_id = ?', [deleted.id]);
  return deleted.id;
}
