import type { NotificationType } from '../../domain/notifications/notifications.ts';
import type { EnvironmentTransaction } from '../client.ts';

export interface NotificationSettings {
  alertWebhookUrl: string | null;
  emailRecipients: string[];
}

export async function readSettings(tx: EnvironmentTransaction): Promise<NotificationSettings> {
  const rows = await tx.rows<NotificationSettings>(
    'read_settings',
    `SELECT alert_webhook_url AS "alertWebhookUrl", email_recipients AS "emailRecipients" FROM notification_settings WHERE workspace_id = current_workspace_id()`,
    [],
  );
  return rows[0] ?? { alertWebhookUrl: null, emailRecipients: [] };
}

/** The settings with the time at which the alert webhook last changed. */
export async function readChannels(
  tx: EnvironmentTransaction,
): Promise<NotificationSettings & { alertWebhookSetAt: Date }> {
  const rows = await tx.rows<NotificationSettings & { alertWebhookSetAt: Date }>(
    'read_channels',
    `SELECT alert_webhook_url AS "alertWebhookUrl", alert_webhook_set_at AS "alertWebhookSetAt", email_recipients AS "emailRecipients"
     FROM notification_settings WHERE workspace_id = current_workspace_id()`,
    [],
  );
  return rows[0] ?? { alertWebhookUrl: null, alertWebhookSetAt: new Date(0), emailRecipients: [] };
}

/** Locks them until the commit, so that two changes, each of a part, do not undo each other. */
export async function lockSettings(tx: EnvironmentTransaction): Promise<NotificationSettings> {
  await tx.raw(
    'lock_settings',
    `INSERT INTO notification_settings (workspace_id) VALUES (current_workspace_id())
     ON CONFLICT (workspace_id) DO UPDATE SET updated_at = notification_settings.updated_at`,
  );
  return readSettings(tx);
}

export async function putSettings(
  tx: EnvironmentTransaction,
  { alertWebhookUrl, emailRecipients }: NotificationSettings,
): Promise<void> {
  await tx.raw(
    'put_settings',
    `INSERT INTO notification_settings (workspace_id, alert_webhook_url, email_recipients)
     VALUES (current_workspace_id(), :alertWebhookUrl, CAST(:emailRecipients AS text[]))
     ON CONFLICT (workspace_id) DO UPDATE SET alert_webhook_url = excluded.alert_webhook_url,
       alert_webhook_set_at = CASE WHEN notification_settings.alert_webhook_url IS DISTINCT FROM excluded.alert_webhook_url
         THEN clock_timestamp() ELSE notification_settings.alert_webhook_set_at END,
       email_recipients = excluded.email_recipients, updated_at = now()`,
    { alertWebhookUrl, emailRecipients },
  );
}

/** What this member has muted, in the order in which it is stored. */
export async function readMutedTypes(tx: EnvironmentTransaction, userId: string): Promise<NotificationType[]> {
  const row = await tx.row<{ types: NotificationType[] }>(
    'read_muted_types',
    'SELECT types FROM notification_mutes WHERE workspace_id = current_workspace_id() AND user_id = ?',
    [userId],
  );
  return row?.types ?? [];
}

export async function putMutedTypes(
  tx: EnvironmentTransaction,
  userId: string,
  types: readonly NotificationType[],
): Promise<void> {
  await tx.raw(
    'put_muted_types',
    `INSERT INTO notification_mutes (workspace_id, user_id, types) VALUES (current_workspace_id(), ?, CAST(? AS text[]))
     ON CONFLICT (workspace_id, user_id) DO UPDATE SET types = excluded.types, updated_at = now()`,
    [userId, [...types]],
  );
}
