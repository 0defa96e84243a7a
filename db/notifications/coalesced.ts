import type { NotificationDraft } from '../../domain/notifications/notifications.ts';
import type { EnvironmentTransaction } from '../client.ts';

/** A notification that was there already, whose count was raised, and who has heard of it. */
export interface CoalescedNotification extends Pick<NotificationDraft, 'type' | 'title' | 'body' | 'subject'> {
  id: string;
  /** `alertWebhookSetAt` when the alert webhook was told of it; null where it was told of by none. */
  alertedAsOf: Date | null;
  /** The recipients of an e-mail of it. */
  recipients: string[];
}

export async function findCoalesced(
  tx: EnvironmentTransaction,
  coalesceKeys: readonly string[],
): Promise<CoalescedNotification[]> {
  if (coalesceKeys.length === 0) return [];
  const { rows } = await tx.raw<{ rows: CoalescedNotification[] }>(
    `SELECT n.id, n.type, n.title, n.body, json_build_object('type', n.subject_type, 'id', n.subject_id) AS subject,
       n.alerted_as_of AS "alertedAsOf",
       ARRAY(SELECT e.recipient FROM notification_emails e WHERE e.notification_id = n.id) AS recipients
     FROM notifications n WHERE n.environment_id = current_environment_id() AND n.coalesce_key = ANY (:coalesceKeys) ORDER BY n.id`,
    { coalesceKeys: [...coalesceKeys] },
  );
  return rows;
}

/** Records which alert webhook was told of these notifications: the one that was set at that time. */
export async function noteAlerted(
  tx: EnvironmentTransaction,
  notificationIds: readonly string[],
  alertWebhookSetAt: Date,
): Promise<void> {
  if (notificationIds.length === 0) return;
  await tx.raw('UPDATE notifications SET alerted_as_of = :alertWebhookSetAt WHERE id = ANY (:ids)', {
    ids: [...notificationIds],
    alertWebhookSetAt,
  });
}
