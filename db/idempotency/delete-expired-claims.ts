import type { Database } from '../client.ts';

/** Deletes at most `most` claims, of all environments, whose retention is over. Returns how many. */
export async function deleteExpiredClaims(db: Database, most: number): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_expired_idempotency_claims(?) AS deleted',
    [most],
  );
  return rows[0]?.deleted ?? 0;
}
