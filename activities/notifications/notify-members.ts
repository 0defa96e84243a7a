import type { EnvironmentTransaction, Tenant } from '../../db/client.ts';
import type { RaisedEvent } from '../../db/events/events.ts';
import { listAdminEmails } from '../../db/members/members.ts';
import { acceptAlert, findCoalesced, noteAlerted, raiseNotification } from '../../db/notifications/alerts.ts';
import { queueEmails } from '../../db/notifications/emails.ts';
import { type NotificationSettings, readChannels } from '../../db/notifications/settings.ts';
import { draftOfEvent } from '../../domain/notifications/draft-of-event.ts';
import { linkOfSubject, type NotificationDraft, SECURITY_TYPES } from '../../domain/notifications/notifications.ts';
import type { FollowUp, RelayDependencies } from '../relay-consumer.ts';

/** Makes notifications in the transaction that deletes their events. The sweep starts what a crash left. */
export async function notifyMembers(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  raised: readonly RaisedEvent[],
  deps: Pick<RelayDependencies, 'vault' | 'pagesUrl' | 'logger'>,
): Promise<FollowUp[]> {
  const { told: raisedNow, countedOn } = await raiseAll(tx, tenant, raised);
  const told = raisedNow.filter(({ listedOnly }) => listedOnly !== true);
  if (told.length === 0 && countedOn.length === 0) return [];
  const channels = await readChannels(tx);
  const { alertWebhookUrl, alertWebhookSetAt, emailRecipients } = channels;
  // A channel that was set since the first of them was new has heard of none yet.
  const known = alertWebhookUrl === null && emailRecipients.length === 0 ? [] : await findCoalesced(tx, countedOn);
  const alerting = [...told, ...known.filter((one) => one.alertedAsOf?.getTime() !== alertWebhookSetAt.getTime())];
  await acceptAlerts(tx, tenant, { alerting, channels }, deps);
  if (alertWebhookUrl !== null) {
    const ids = alerting.map(({ id }) => id);
    await noteAlerted(tx, ids, alertWebhookSetAt);
  }
  const unheard = known.map(({ id, recipients }) => ({
    id,
    recipients: emailRecipients.filter((recipient) => !recipients.includes(recipient)),
  }));
  const emails = await queueEmails(tx, [...(await withRecipients(tx, told, channels)), ...unheard]);
  const { workspaceId, environmentId } = tenant;
  if (emails.refused > 0) {
    const refused = { workspaceId, environmentId, emails: emails.refused };
    deps.logger.warn(refused, 'e-mails of notifications were refused: the allowance of the month is used up');
  }
  return emails.queued.map((emailId): FollowUp => {
    const ids = { emailId, workspaceId, environmentId };
    return { ids, start: ({ sendEmail }) => sendEmail(ids) };
  });
}

type Told = Pick<NotificationDraft, 'type' | 'title' | 'body' | 'subject' | 'listedOnly' | 'removed'> & { id: string };

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

/** The admins and the removed recipients hear of a change of what protects the workspace too. Nobody gets two e-mails of one notification. */
async function withRecipients(
  tx: EnvironmentTransaction,
  told: readonly Told[],
  { emailRecipients }: NotificationSettings,
): Promise<{ id: string; recipients: string[] }[]> {
  const isSecurity = told.some(({ type }) => SECURITY_TYPES.has(type));
  const admins = isSecurity ? await listAdminEmails(tx) : [];
  return told.map(({ id, type, removed }) => {
    const others = SECURITY_TYPES.has(type) ? [...(removed?.emailRecipients ?? []), ...admins] : [];
    const byAddress = new Map([...emailRecipients, ...others].map((address) => [address.toLowerCase(), address]));
    return { id, recipients: [...byAddress.values()] };
  });
}

/** A webhook that a change removed hears of that change. */
async function acceptAlerts(
  tx: EnvironmentTransaction,
  tenant: Tenant,
  { alerting, channels }: { alerting: readonly Told[]; channels: NotificationSettings },
  { vault, pagesUrl }: Pick<RelayDependencies, 'vault' | 'pagesUrl'>,
): Promise<void> {
  for (const { type, title, body, subject, removed } of alerting) {
    const url = linkOfSubject(pagesUrl, tenant.environmentId, subject);
    const alert = { type, title, body, subject, url };
    const publishedBy = { type: 'service', id: null };
    for (const alertWebhookUrl of [channels.alertWebhookUrl, removed?.alertWebhookUrl ?? null]) {
      if (alertWebhookUrl === null) continue;
      await acceptAlert(tx, vault, { tenant, alertWebhookUrl, publishedBy, alert });
    }
  }
}
