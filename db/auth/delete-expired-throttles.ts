import type { Database } from '../client.ts';
import { FORGOTTEN_AFTER_DAYS, HOME_DAYS } from './sign-in-throttle.ts';

/** Deletes these counters, except where an attempt has renewed one meanwhile. Returns the number deleted. */
export async function deleteExpiredThrottles(db: Database, ids: readonly string[]): Promise<number> {
  const { rows } = await db.directory.raw<{ rows: { deleted: number }[] }>(
    'SELECT delete_expired_sign_in_throttles(make_interval(days => ?), make_interval(days => ?), ?::text[]) AS deleted',
    [FORGOTTEN_AFTER_DAYS, HOME_DAYS, [...ids]],
  );
  return rows[0]?.deleted ?? 0;
}
