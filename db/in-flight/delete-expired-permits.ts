import type { Database } from '../client.ts';

/** Deletes these permits, unless they were acquired again meanwhile. Returns how many. */
export async function deleteExpiredPermits(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_expired_permits(?::text[]) AS deleted',
    [[...ids]],
  );
  return rows[0]?.deleted ?? 0;
}
