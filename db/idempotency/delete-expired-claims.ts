import type { Database } from '../client.ts';

/** Deletes these claims, unless a new request has taken one meanwhile. Returns how many. */
export async function deleteExpiredClaims(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_expired_idempotency_claims(?::text[]) AS deleted',
    [[...ids]],
  );
  return rows[0]?.deleted ?? 0;
}
