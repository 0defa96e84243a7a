import type { Database } from '../client.ts';

const KEPT_DAYS = 90;

/** Notifications of all environments that were last counted more than 90 days ago, in id order. */
export async function findOldNotifications(db: Database, page: { afterId: string; limit: number }): Promise<string[]> {
  const rows = await db.directory.rows<{ id: string }>(
    'find_old_notifications',
    'SELECT id FROM find_old_notifications(make_interval(days => ?), ?, ?)',
    [KEPT_DAYS, page.afterId, page.limit],
  );
  return rows.map(({ id }) => id);
}

/** Deletes these, except where one has been counted on meanwhile. */
export async function deleteOldNotifications(db: Database, ids: readonly string[]): Promise<void> {
  await db.directory.raw(
    'delete_old_notifications',
    'SELECT delete_old_notifications(make_interval(days => ?), ?::text[])',
    [KEPT_DAYS, [...ids]],
  );
}
