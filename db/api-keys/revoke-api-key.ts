import type { WorkspaceTransaction } from '../client.ts';

/**
 * Revokes a key of the transaction's workspace permanently. Every request looks its key up, so the next request with it fails on
 * every process. Returns the key's environment, or null where there is no such key. A second call keeps the first timestamp.
 */
export async function revokeApiKey(
  tx: WorkspaceTransaction,
  keyId: string,
): Promise<{ environmentId: string; name: string; isNew: boolean } | null> {
  const { rows } = await tx.raw<{ rows: { environmentId: string; name: string; wasRevoked: boolean }[] }>(
    `WITH held AS (SELECT id, revoked_at FROM api_keys WHERE id = :keyId FOR NO KEY UPDATE)
     UPDATE api_keys k SET revoked_at = COALESCE(k.revoked_at, now()) FROM held WHERE k.id = held.id
     RETURNING k.environment_id AS "environmentId", k.name, held.revoked_at IS NOT NULL AS "wasRevoked"`,
    { keyId },
  );
  const row = rows[0];
  return row === undefined ? null : { environmentId: row.environmentId, name: row.name, isNew: !row.wasRevoked };
}
