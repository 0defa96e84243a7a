import { newId } from '../../domain/ids.ts';
import type { NotificationDraft } from '../../domain/notifications/notifications.ts';
import { recordChanged } from '../announcements/changed-records.ts';
import type { EnvironmentTransaction, Tenant } from '../client.ts';
import { insertMessages, type NewMessage, ownMessage } from '../messages/insert-messages.ts';
import { messageAssociatedData, sealContent } from '../messages/records.ts';
import type { Vault } from '../secrets/vault.ts';
import { ensureSigningKey } from '../signing-keys/signing-keys.ts';

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
  const row = await tx.row<{ id: string }>(
    'raise_notification',
    `INSERT INTO notifications AS n (id, environment_id, type, title, body, subject_type, subject_id, coalesce_key, count)
     VALUES (:id, :environmentId, :type, :title, :body, :subjectType, :subjectId, :coalesceKey, :count)
     ON CONFLICT (environment_id, coalesce_key) DO UPDATE SET count = n.count + excluded.count, updated_at = now() RETURNING n.id`,
    { id, environmentId, type, title, body, subjectType: subject.type, subjectId: subject.id, coalesceKey, count },
  );
  const { workspaceId } = tx.tenant;
  recordChanged(tx, { workspaceId, environmentId, topic: 'notifications', id: row?.id ?? null });
  return row?.id === id ? id : null;
}

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
  return tx.rows<CoalescedNotification>(
    'find_coalesced',
    `SELECT n.id, n.type, n.title, n.body, json_build_object('type', n.subject_type, 'id', n.subject_id) AS subject,
       n.alerted_as_of AS "alertedAsOf",
       ARRAY(SELECT e.recipient FROM notification_emails e WHERE e.notification_id = n.id) AS recipients
     FROM notifications n WHERE n.environment_id = current_environment_id() AND n.coalesce_key = ANY (:coalesceKeys) ORDER BY n.id`,
    { coalesceKeys: [...coalesceKeys] },
  );
}

/** Records which alert webhook was told of these notifications: the one that was set at that time. */
export async function noteAlerted(
  tx: EnvironmentTransaction,
  notificationIds: readonly string[],
  alertWebhookSetAt: Date,
): Promise<void> {
  if (notificationIds.length === 0) return;
  await tx.raw('note_alerted', 'UPDATE notifications SET alerted_as_of = :alertWebhookSetAt WHERE id = ANY (:ids)', {
    ids: [...notificationIds],
    alertWebhookSetAt,
  });
}

/** The body of an alert: docs/notifications.md, "The alert webhook". */
export interface Alert {
  type: string;
  title: string;
  body: string;
  subject: { type: string; id: string };
  url: string | null;
}

/**
 * Accepts the message to the alert webhook, and returns its id. It is not a caller's message: no budget and no allowance is charged, and
 * a halt does not hold it, so that the alert of a halt arrives.
 */
export async function acceptAlert(
  tx: EnvironmentTransaction,
  vault: Pick<Vault, 'seal' | 'digests'>,
  {
    tenant,
    alertWebhookUrl: url,
    publishedBy,
    alert,
  }: { tenant: Tenant; alertWebhookUrl: string; publishedBy: NewMessage['publishedBy']; alert: Alert },
): Promise<string> {
  await ensureSigningKey(tx, vault, tenant.workspaceId);
  const id = newId('message');
  const text = JSON.stringify({ ...alert, environmentId: tenant.environmentId });
  const content = { headers: null, body: { kind: 'json', text } as const };
  const sealed = sealContent(vault, messageAssociatedData(tenant, id), content, null);
  const message = { id, kind: 'alert', url, content: sealed, redact: null, callbackOf: null, publishedBy } as const;
  await insertMessages(tx, [ownMessage(message)]);
  return id;
}
