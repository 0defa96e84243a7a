import { z } from 'zod';
import type { Published } from '../../db/messages/accept/accept-messages.ts';
import type { ListedMessageRecord, MessageRecord } from '../../db/messages/records.ts';
import type { Json } from '../../domain/json.ts';
import { MESSAGE_METHODS, MESSAGE_STATUSES } from '../../domain/messages/messages.ts';
import { REDACTED } from '../../domain/redacted.ts';
import { LABEL_CHARACTERS_MAX } from './body-schemas.ts';
import { anyJson, filterInstant, orShortened, queryBoolean } from '../http/common-fields.ts';

const headersSchema = z.record(z.string(), z.string());

/** A message as requests and replies show it: docs/messages.md. */
export const messageSchema = z
  .strictObject({
    messageId: z.string().regex(/^msg_/),
    url: z.string().meta({ format: 'uri' }),
    method: z.enum(MESSAGE_METHODS),
    headers: headersSchema.nullable().describe('Authorization, cookie and API key values are `[REDACTED]`.'),
    body: anyJson.nullable(),
    scheduledFor: z.iso.datetime().nullable(),
    status: z.enum(MESSAGE_STATUSES),
    attempts: z.int().min(0).nullable(),
    maxRetries: z.int().min(0).nullable(),
    responseStatus: z.int().min(100).max(599).nullable(),
    responseBody: z.string().nullable().describe('At most 8 KiB of it, credentials that were sent removed.'),
    errorMessage: z.string().nullable().describe('Why the newest attempt failed.'),
    deliveredAt: z.iso.datetime().nullable(),
    failedAt: z.iso.datetime().nullable(),
    callbackUrl: z.string().meta({ format: 'uri' }).nullable(),
    failureCallbackUrl: z.string().meta({ format: 'uri' }).nullable(),
    flowControlKey: z.string().nullable(),
    retryOf: z
      .string()
      .regex(/^msg_/)
      .nullable()
      .describe('The failed message that this one is a retry of, from the DLQ.'),
    label: z.string().nullable().describe('As it was published.'),
    scheduleId: z.string().nullable().describe('The schedule that published it.'),
    urlGroupId: z.string().nullable().describe('The URL group that it was published to.'),
    nextAttemptAt: z.iso
      .datetime()
      .nullable()
      .describe(
        'When the next attempt is due. It begins later where the message queues, where its flow-control key or a halt holds it. ' +
          'While an attempt is under way: when that one was due. Null once the message has ended.',
      ),
    contentExpired: z
      .boolean()
      .describe(
        'True: headers, body and attempts had their time after the end and are gone. The record is kept longer.',
      ),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'PublicMessage' });

/** As a list shows it. */
export const listedMessageSchema = messageSchema
  .extend({ headers: orShortened(headersSchema).nullable(), body: orShortened(messageSchema.shape.body) })
  .meta({ id: 'ListedMessage' });

export const publishedSchema = z
  .strictObject({
    messageId: z.string().regex(/^msg_/),
    status: z.enum(MESSAGE_STATUSES),
    deduplicated: z.boolean().describe('True: `messageId` is an earlier message, and nothing new was accepted.'),
  })
  .meta({ id: 'PublishedMessage' });

export const publishedToTopicSchema = z
  .strictObject({
    eventId: z.string().regex(/^evt_/),
    status: z.enum(['fanning_out', 'fanned_out', 'failed']),
    deduplicated: z.boolean(),
  })
  .meta({ id: 'PublishedToTopic', description: 'The event: `GET /events/{eventId}` shows its deliveries.' });

/** What a publish answers: for a URL group one for each endpoint, in the order of the group. */
export const publishResultSchema = z.union([publishedSchema, z.array(publishedSchema), publishedToTopicSchema]).meta({
  id: 'PublishResult',
  description: 'One message; for a URL group an array, one for each endpoint; for a topic the event.',
});

export function presentPublished({ messageId, status, deduplicated }: Published): z.input<typeof publishedSchema> {
  return { messageId, status, deduplicated };
}

export const batchResultSchema = z
  .union([
    publishedSchema,
    z.array(publishedSchema),
    publishedToTopicSchema,
    z.strictObject({
      error: z.strictObject({
        code: z.string(),
        message: z.string(),
        details: z.record(z.string(), anyJson).optional(),
      }),
    }),
  ])
  .meta({
    id: 'BatchResult',
    description:
      'As publish answers (for a URL group an array, for a topic the event), or why this one was not accepted.',
  });

export const messageParams = z.strictObject({ messageId: z.string().min(1).max(100) });

export const listMessagesQuery = z.strictObject({
  status: z.enum(MESSAGE_STATUSES).optional(),
  startDate: filterInstant.optional().describe('Messages created after.'),
  endDate: filterInstant.optional().describe('Messages created before.'),
  url: z.string().optional().describe('The destination, exactly as it was published.'),
  label: z.string().min(1).max(LABEL_CHARACTERS_MAX).optional().describe('The label, exactly as it was published.'),
  scheduleId: z.string().min(1).max(100).optional().describe('Messages that this schedule published.'),
  includeEventDeliveries: queryBoolean
    .default(false)
    .describe('Deliveries of events are messages too; hidden by default.'),
});

export function presentMessage(message: MessageRecord): z.input<typeof messageSchema> {
  return {
    messageId: message.id,
    url: message.url,
    method: message.method,
    headers: message.headers,
    body: bodyOf(message),
    scheduledFor: message.scheduledFor?.toISOString() ?? null,
    status: message.status,
    attempts: message.attempts,
    maxRetries: message.maxRetries,
    responseStatus: message.responseStatus,
    responseBody: textOf(message.responseBody),
    errorMessage: message.errorMessage,
    deliveredAt: message.deliveredAt?.toISOString() ?? null,
    failedAt: message.failedAt?.toISOString() ?? null,
    callbackUrl: message.callbackUrl,
    failureCallbackUrl: message.failureCallbackUrl,
    flowControlKey: message.flowControlKey,
    retryOf: message.retryOf,
    label: message.label,
    scheduleId: message.scheduleId,
    urlGroupId: message.urlGroupId,
    nextAttemptAt: message.nextAttemptAt?.toISOString() ?? null,
    contentExpired: message.bodyKind === null,
    createdAt: message.createdAt.toISOString(),
    updatedAt: message.updatedAt.toISOString(),
  };
}

/** A response's body as text, without the character that PostgreSQL's and other texts cannot hold. */
export function textOf(body: Buffer | null): string | null {
  return body?.toString('utf8').replaceAll('\0', '\uFFFD') ?? null;
}

export function presentListedMessage({
  shortenedBody,
  headers,
  ...message
}: ListedMessageRecord): z.input<typeof listedMessageSchema> {
  const shown = { ...presentMessage({ ...message, headers: null }), headers };
  return shortenedBody === null ? shown : { ...shown, body: shortenedBody };
}

function bodyOf({ body, bodyKind, bodySealed }: MessageRecord): Json {
  if (bodySealed) return REDACTED;
  if (body === null || bodyKind === null || bodyKind === 'none') return null;
  return bodyKind === 'json' ? (JSON.parse(body) as Json) : body;
}
