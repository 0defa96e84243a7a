import { newId } from '../../domain/ids.ts';
import type { NotificationDraft } from '../../domain/notifications/notifications.ts';
import type { EnvironmentTransaction } from '../client.ts';

/**
 * Notifies the members of an environment, in the transaction of the reported change. Returns the id of a new notification; null if one
 * with the same key was there, whose count is raised. If a transaction raises several, it does so in the order of their keys: the row of
 * a key stays locked until the commit.
 */
export async function raiseNotification(
  tx: EnvironmentTransaction,
  environmentId: string,
  { type, title, body, subject, coalesceKey }: NotificationDraft,
  count = 1,
): Promise<string | null> {
  const id = newId('notification');
  const { rows } = await tx.raw<{ rows: { id: string }[] }>(
    `INSERT INTO notifications AS n (id, environment_id, type, title, body, subject_type, subject_id, coalesce_key, count)
     VALUES (:id, :environmentId, :type, :title, :body, :subjectType, :subjectId, :coalesceKey, :count)
     ON CONFLICT (environment_id, coalesce_key) DO UPDATE SET count = n.count + excluded.count, updated_at = now() RETURNING n.id`,
    { id, environmentId, type, title, body, subjectType: subject.type, subjectId: subject.id, coalesceKey, count },
  );
  return rows[0]?.id === id ? id : null;
}
