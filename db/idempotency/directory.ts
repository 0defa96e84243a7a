import type { Database } from '../client.ts';

/** Claims of all environments whose retention is over, as `<environment>/<key>`, in that order. */
export async function findExpiredClaims(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const rows = await db.directory.rows<{ id: string }>(
    'find_expired_claims',
    'SELECT id FROM find_expired_idempotency_claims(?, ?)',
    [page.afterId, page.limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes these claims, except where a new request has taken one meanwhile. Returns the number deleted. */
export async function deleteExpiredClaims(db: Database, ids: readonly string[]): Promise<number> {
  const row = await db.directory.row<{ deleted: number }>(
    'delete_expired_claims',
    'SELECT delete_expired_idempotency_claims(?::text[]) AS deleted',
    [[...ids]],
  );
  return row?.deleted ?? 0;
}
