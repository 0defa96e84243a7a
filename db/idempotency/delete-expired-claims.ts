import type { Database } from '../client.ts';

/** Deletes these claims, except where a new request has taken one meanwhile. Returns the number deleted. */
export async function deleteExpiredClaims(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_expired_idempotency_claims(?::text[]) AS deleted',
    [[...ids]],
  );
  return rows[0]?.deleted ?? 0;
}
