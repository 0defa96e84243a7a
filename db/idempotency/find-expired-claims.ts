import type { Database } from '../client.ts';

/** Claims of all environments whose retention is over, as `<environment>/<key>`, in that order. */
export async function findExpiredClaims(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string }[] }>(
    'SELECT id FROM find_expired_idempotency_claims(?, ?)',
    [page.afterId, page.limit],
  );
  return rows.map(({ id }) => id);
}
