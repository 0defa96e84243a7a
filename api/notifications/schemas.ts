import { z } from 'zod';
import type { NotificationRecord, Reader } from '../../db/notifications/inbox.ts';
import { EMAIL_ADDRESS_CHARACTERS_MAX, EMAIL_RECIPIENTS_MAX } from '../../domain/notifications/emails.ts';
import { linkOfSubject, NOTIFICATION_TYPES, SUBJECT_TYPES } from '../../domain/notifications/notifications.ts';
import type { Caller, WorkDependencies } from '../http/define-route.ts';
import { destinationUrl } from '../messages/body-schemas.ts';

const dateTime = z.iso.datetime();
export const typeField = z.enum(NOTIFICATION_TYPES).meta({ id: 'NotificationType' });

export const notificationParams = z.strictObject({ id: z.string().min(1).max(100) });

const count = z.int().min(0);
const emailCountsSchema = z
  .strictObject({
    pending: count.describe('Waiting for their first or their next attempt.'),
    sent: count.describe('Taken by the mail server.'),
    refused: count.describe("Not sent, because the plan's monthly allowance was used up."),
    failed: count.describe('Certainly not sent: the mail server refuses them, or was away for too long.'),
    unknown: count.describe('May have arrived: the answer of the mail server was lost. They are not sent again.'),
  })
  .meta({ id: 'NotificationEmails', description: 'What became of the e-mails, by recipient.' });

export const notificationSchema = z
  .strictObject({
    id: z.string(),
    type: typeField,
    title: z.string(),
    body: z.string(),
    subject: z.strictObject({ type: z.enum(SUBJECT_TYPES), id: z.string() }).describe('What it is about.'),
    url: z.url().nullable().describe('Where a person acts on it: the page of an approval.'),
    count: z.int().min(1).describe('How many times it happened in its hour. It is unread again when this grows.'),
    emails: emailCountsSchema,
    readAt: dateTime.nullable().describe('When this reader, a member or an API key, read it.'),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: 'Notification' });

export const preferencesSchema = z
  .strictObject({
    alertWebhookUrl: z
      .string()
      .nullable()
      .meta({ format: 'uri' })
      .describe('Where each notification is delivered to as a signed message. Null: nowhere.'),
    emailRecipients: z.array(z.string()).describe('Who gets each notification by e-mail.'),
    emailAllowance: z
      .strictObject({
        used: count.describe('E-mails that were queued in this UTC month, in all environments.'),
        allowed: count.nullable().describe('What the plan allows. Null: no limit.'),
        resetsAt: dateTime,
      })
      .meta({ id: 'NotificationEmailAllowance' }),
  })
  .meta({ id: 'NotificationPreferences' });

const emailRecipients = z
  .array(z.email().max(EMAIL_ADDRESS_CHARACTERS_MAX))
  .max(EMAIL_RECIPIENTS_MAX)
  .refine((all) => new Set(all.map((each) => each.toLowerCase())).size === all.length, 'must not name anybody twice');

export const preferencesBody = z
  .strictObject({ alertWebhookUrl: destinationUrl.nullable().optional(), emailRecipients: emailRecipients.optional() })
  .refine((body) => Object.values(body).some((member) => member !== undefined), 'must change something')
  .meta({ id: 'NotificationPreferencesUpdate', minProperties: 1, description: 'What is left out stays as it is.' });

export const ownPreferencesSchema = z
  .strictObject({
    mutedTypes: z
      .array(typeField)
      .describe('What this member does not see in lists and counts. Everybody else, and every channel, still has it.'),
  })
  .meta({ id: 'OwnNotificationPreferences' });

export const ownPreferencesBody = z
  .strictObject({ mutedTypes: z.array(typeField).max(NOTIFICATION_TYPES.length) })
  .meta({ id: 'OwnNotificationPreferencesUpdate' });

export function readerOf(caller: Caller): Reader {
  return caller.type === 'api_key' ? { id: caller.keyId, userId: null } : { id: caller.userId, userId: caller.userId };
}

export function userOfCaller(caller: Caller): string {
  if (caller.type === 'api_key') throw new Error('a route that needs a user has no other caller');
  return caller.userId;
}

export function presentNotification(
  notification: NotificationRecord,
  { pagesUrl }: Pick<WorkDependencies, 'pagesUrl'>,
  { tenant }: Pick<Caller, 'tenant'>,
): z.input<typeof notificationSchema> {
  const { id, type, title, body, subject, count, emails, readAt, createdAt, updatedAt } = notification;
  const url = linkOfSubject(pagesUrl, tenant.environmentId, subject);
  return {
    id,
    type,
    title,
    body,
    subject,
    url,
    count,
    emails: {
      pending: (emails.queued ?? 0) + (emails.sending ?? 0),
      sent: emails.sent ?? 0,
      refused: emails.refused ?? 0,
      failed: emails.failed ?? 0,
      unknown: emails.unknown ?? 0,
    },
    readAt: readAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
