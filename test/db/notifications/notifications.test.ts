import { expect, test } from 'vitest';
import { raiseNotification } from '../../../db/notifications/alerts.ts';
import type { NotificationDraft } from '../../../domain/notifications/notifications.ts';
import { createTestDatabase } from '../../harness/database.ts';

const database = await createTestDatabase();

const DRAFT: NotificationDraft = {
  type: 'message.failed',
  title: 'Messages failed for good',
  body: 'See the dead letters.',
  subject: { type: 'message', id: 'msg_1' },
  coalesceKey: 'message.failed/1',
};

function raise(): Promise<string | null> {
  const { tenant, db } = database;
  return db.withEnvironment(tenant, (tx) => raiseNotification(tx, tenant.environmentId, DRAFT));
}

test('a notification says for good what it said, and its count only grows', async () => {
  const id = await raise();
  for (const change of [`title = 'Other'`, `subject_id = 'msg_2'`, `coalesce_key = 'other'`, 'count = count - 1']) {
    await expect(database.asOwner(`UPDATE notifications SET ${change} WHERE id = $1`, [id]), change).rejects.toThrow(
      /says what it said|notifications_count_check/,
    );
  }
});

test('many at once with one key are one row that counts them all', async () => {
  const [first] = await database.asOwner<{ before: number }>('SELECT sum(count)::int AS before FROM notifications');
  const raised = await Promise.all(Array.from({ length: 20 }, raise));
  expect(raised).toEqual(Array.from({ length: 20 }, () => null));
  expect(await database.asOwner('SELECT count FROM notifications')).toEqual([{ count: (first?.before ?? 0) + 20 }]);
});
