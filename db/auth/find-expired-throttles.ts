import type { Database } from '../client.ts';
import { FORGOTTEN_AFTER_DAYS, HOME_DAYS } from './sign-in-throttle.ts';

/** Expired counters of failed sign-ins, as the hexadecimal form of their keys, in key order. */
export async function findExpiredThrottles(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const { rows } = await db.directory.raw<{ rows: { id: string }[] }>(
    'SELECT id FROM find_expired_sign_in_throttles(make_interval(days => ?), make_interval(days => ?), ?, ?)',
    [FORGOTTEN_AFTER_DAYS, HOME_DAYS, page.afterId, page.limit],
  );
  return rows.map(({ id }) => id);
}
