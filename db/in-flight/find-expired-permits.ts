import type { Database } from '../client.ts';

/**
 * Permits, of all environments, whose holder died or no longer waits, as `<environment>/<kind>/<holder>` and in this order.
 */
export async function findExpiredPermits(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string }[] }>('SELECT id FROM find_expired_permits(?, ?)', [
    page.afterId,
    page.limit,
  ]);
  return rows.map(({ id }) => id);
}
