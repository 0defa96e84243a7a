import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import type { RaisedEvent } from '../../db/events/records.ts';
import { acceptAlert } from '../../db/notifications/accept-alert.ts';
import { findCoalesced, noteAlerted } from '../../db/notifications/coalesced.ts';
import { queueEmails } from '../../db/notifications/queue-emails.ts';
import { raiseNotification } from '../../db/notifications/raise-notification.ts';
import { readChannels } from '../../db/notifications/settings.ts';
import { draftOfEvent } from '../../domain/notifications/draft-of-event.ts';
import { linkOfSubject, type NotificationDraft } from '../../domain/notifications/notifications.ts';
import type { FollowUp, RelayDependencies } from '../events/relay-consumer.ts';

/**
 * Makes notifications of the events that people are told of, and tells the channels of each new one. All of it commits with the
 * deletion of the events from the outbox: each event is counted once, and a crash leaves nothing or everything. What must be started
 * follows the commit; the sweep starts what a crash left.
 */
export async function notifyMembers(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  raised: readonly RaisedEvent[],
  deps: Pick<RelayDependencies, 'vault' | 'pagesUrl' | 'logger'>,
): Promise<FollowUp[]> {
  const { told, countedOn } = await raiseAll(tx, tenant, raised);
  if (told.length === 0 && countedOn.length === 0) return [];
  const { alertWebhookUrl, alertWebhookSetAt, emailRecipients } = await readChannels(tx);
  // A channel that was set since the first of them was new has heard of none yet.
  const known = alertWebhookUrl === null && emailRecipients.length === 0 ? [] : await findCoalesced(tx, countedOn);
  const alerting = [...told, ...known.filter((one) => one.alertedAsOf?.getTime() !== alertWebhookSetAt.getTime())];
  const messageIds =
    alertWebhookUrl === null ? [] : await acceptAlerts(tx, tenant, { alerting, alertWebhookUrl }, deps);
  if (alertWebhookUrl !== null)
    await noteAlerted(
      tx,
      alerting.map(({ id }) => id),
      alertWebhookSetAt,
    );
  const mails = [...told.map(({ id }) => ({ id, recipients: [] as string[] })), ...known].flatMap(
    ({ id, recipients }) =>
      emailRecipients
        .filter((recipient) => !recipients.includes(recipient))
        .map((recipient) => ({ notificationId: id, recipient })),
  );
  const emails = await queueEmails(tx, mails);
  const { workspaceId, environmentId } = tenant;
  if (emails.refused > 0) {
    const refused = { workspaceId, environmentId, emails: emails.refused };
    deps.logger.warn(refused, 'e-mails of notifications were refused: the allowance of the month is used up');
  }
  return [
    ...messageIds.map((messageId): FollowUp => {
      const ids = { messageId, workspaceId, environmentId };
      return { ids, start: ({ wakeMessage }) => wakeMessage(ids) };
    }),
    ...emails.queued.map((emailId): FollowUp => {
      const ids = { emailId, workspaceId, environmentId };
      return { ids, start: ({ sendEmail }) => sendEmail(ids) };
    }),
  ];
}

/** What an alert says of. */
type Told = Pick<NotificationDraft, 'type' | 'title' | 'body' | 'subject'> & { id: string };

/** Returns the new ones, and the keys of those that count on: they told the channels of that time when the first of them was new. */
async function raiseAll(
  tx: EnvironmentTransaction,
  { environmentId }: Tenant,
  raised: readonly RaisedEvent[],
): Promise<{ told: Told[]; countedOn: string[] }> {
  const counted = new Map<string, { draft: NotificationDraft; count: number }>();
  for (const event of raised) {
    const draft = draftOfEvent(event);
    if (draft === null) continue;
    const known = counted.get(draft.coalesceKey);
    if (known === undefined) counted.set(draft.coalesceKey, { draft, count: 1 });
    else known.count++;
  }
  const told: Told[] = [];
  const countedOn: string[] = [];
  // In the order of the keys, so that two relays never wait for each other.
  for (const [, { draft, count }] of [...counted].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const id = await raiseNotification(tx, environmentId, draft, count);
    if (id === null) countedOn.push(draft.coalesceKey);
    else told.push({ ...draft, id });
  }
  return { told, countedOn };
}

async function acceptAlerts(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  { alerting, alertWebhookUrl }: { alerting: readonly Told[]; alertWebhookUrl: string },
  { vault, pagesUrl }: Pick<RelayDependencies, 'vault' | 'pagesUrl'>,
): Promise<string[]> {
  const messageIds: string[] = [];
  for (const { type, title, body, subject } of alerting) {
    const url = linkOfSubject(pagesUrl, tenant.environmentId, subject);
    const alert = { type, title, body, subject, url };
    const publishedBy = { type: 'service', id: null };
    messageIds.push(await acceptAlert(tx, vault, { tenant, alertWebhookUrl, publishedBy, alert }));
  }
  return messageIds;
}
