import { z } from 'zod';
import type { EventRecord, ListedEventRecord } from '../../db/events/events.ts';
import type { Deliveries, EventDelivery } from '../../db/events/deliveries.ts';
import { dataBytesIssue, EVENT_TYPE, ownEventIdIssue, TOPIC_NAME_CHARACTERS_MAX } from '../../domain/events/topics.ts';
import { MESSAGE_STATUSES } from '../../domain/messages/messages.ts';
import {
  anyJson,
  filterInstant,
  orShortened,
  pageQuery,
  paginationOf,
  paginationSchema,
  storedInstant,
} from '../http/common-fields.ts';

const dateTime = z.iso.datetime();

const topicRef = z.string().min(1).max(TOPIC_NAME_CHARACTERS_MAX);
const ownId = z
  .string()
  .superRefine((text, context) => {
    const message = ownEventIdIssue(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .meta({ minLength: 1, maxLength: 128 });
const eventType = z
  .string()
  .regex(EVENT_TYPE, 'must be 1 to 128 letters, digits, "_", "." and "-"')
  .meta({ examples: ['order.paid'] });

export const publishEventBody = z
  .strictObject({
    topic: topicRef.describe(
      'The id of the topic, `top_…`, or its name. Not `service`, to which the service publishes.',
    ),
    type: eventType.describe('What happened. Subscriptions choose by it.'),
    data: anyJson
      .superRefine((data, context) => {
        const message = dataBytesIssue(data);
        if (message !== null) context.addIssue({ code: 'custom', message });
      })
      .describe('Delivered as it is. At most 256 KiB.'),
    id: ownId
      .optional()
      .describe('Your id for it, unique in the environment: an event that is published twice is delivered once.'),
    occurredAt: storedInstant.optional().describe('When it happened. Left out: now.'),
  })
  .meta({ id: 'PublishEventRequest' });

const actor = z.strictObject({ type: z.string(), id: z.string().nullable() });

const eventFields = {
  eventId: z.string().regex(/^evt_/).describe("The service's id for it."),
  id: z
    .string()
    .describe('What its deliveries carry as `id`: the id that its publisher gave it, or the same as `eventId`.'),
  topicId: z.string().regex(/^top_/),
  topic: z.string(),
  type: z.string(),
  data: anyJson,
  occurredAt: dateTime,
  status: z
    .enum(['fanning_out', 'fanned_out', 'failed'])
    .describe('`failed`: some of its messages could not be made, for the reason in `error`.'),
  deliveryCount: z.int().min(0).describe('Messages that were made for it, one for each subscription that it matched.'),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
  publishedBy: actor,
  createdAt: dateTime,
  fannedOutAt: dateTime.nullable(),
};

export const publishedEventSchema = z
  .strictObject({
    ...eventFields,
    deduplicated: z.boolean().describe('True: an event with this id was there, and nothing new was accepted.'),
  })
  .meta({ id: 'PublishedEvent' });

export const listedEventSchema = z
  .strictObject({ ...eventFields, data: orShortened(eventFields.data) })
  .meta({ id: 'ListedEvent' });

const attemptSchema = z
  .strictObject({
    number: z.int().min(1),
    status: z.enum(['started', 'completed', 'abandoned']),
    startedAt: dateTime,
    finishedAt: dateTime.nullable(),
    latencyMs: z.int().min(0).nullable(),
    responseStatus: z.int().min(100).max(599).nullable(),
    errorMessage: z.string().nullable(),
  })
  .meta({ id: 'EventDeliveryAttempt' });

export const deliverySchema = z
  .strictObject({
    messageId: z
      .string()
      .regex(/^msg_/)
      .describe('The message that delivers it: `GET /messages/{messageId}/attempts` shows the responses.'),
    subscriptionId: z.string().regex(/^sub_/),
    url: z.string().meta({ format: 'uri' }),
    status: z.enum(MESSAGE_STATUSES),
    attempts: z.array(attemptSchema).describe('The first one first.'),
    maxRetries: z.int().min(0),
    nextAttemptAt: dateTime.nullable().describe('Null once it has ended.'),
    deliveredAt: dateTime.nullable(),
    failedAt: dateTime.nullable(),
  })
  .meta({ id: 'EventDelivery' });

const count = z.int().min(0);

export const eventWithDeliveriesSchema = z
  .strictObject({
    ...eventFields,
    deliveries: z.array(deliverySchema).describe('The page that `page` and `limit` ask for.'),
    deliveryPagination: paginationSchema,
    deliveryStatuses: z
      .strictObject({
        pending: count,
        scheduled: count,
        processing: count,
        delivered: count,
        failed: count,
        cancelled: count,
      })
      .describe('How many of its deliveries have each status.'),
  })
  .meta({ id: 'EventWithDeliveries' });

export const eventParams = z.strictObject({
  eventId: z.string().min(1).max(128).describe('The id of the event, `evt_…`, or the one that its publisher gave it.'),
});
export const eventQuery = z.strictObject(pageQuery);

export const listEventsQuery = z.strictObject({
  topic: topicRef.optional().describe('The id of a topic, or its name.'),
  type: z.string().min(1).max(128).optional().describe('The type, exactly.'),
  status: eventFields.status.optional(),
  startDate: filterInstant.optional().describe('Events published after.'),
  endDate: filterInstant.optional().describe('Events published before.'),
});

type Fields = z.input<typeof listedEventSchema>;

export function presentListedEvent(event: ListedEventRecord): Fields {
  const { id: eventId, publicId: id, topicId, topic, type, status, deliveryCount, error, publishedBy } = event;
  return {
    eventId,
    id,
    topicId,
    topic,
    type,
    data: event.data,
    occurredAt: event.occurredAt.toISOString(),
    status,
    deliveryCount,
    error,
    publishedBy,
    createdAt: event.createdAt.toISOString(),
    fannedOutAt: event.fannedOutAt?.toISOString() ?? null,
  };
}

export function presentPublishedEvent(event: EventRecord, deduplicated: boolean): z.input<typeof publishedEventSchema> {
  return { ...presentListedEvent(event), data: event.data, deduplicated };
}

export function presentEventWithDeliveries(
  event: EventRecord,
  { items, total, byStatus }: Deliveries,
  { page, limit }: { page: number; limit: number },
): z.input<typeof eventWithDeliveriesSchema> {
  return {
    ...presentListedEvent(event),
    data: event.data,
    deliveries: items.map(presentDelivery),
    deliveryPagination: paginationOf(total, page, limit),
    deliveryStatuses: byStatus,
  };
}

function presentDelivery(delivery: EventDelivery): z.input<typeof deliverySchema> {
  const { nextAttemptAt, deliveredAt, failedAt, ...rest } = delivery;
  return {
    ...rest,
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    deliveredAt: deliveredAt?.toISOString() ?? null,
    failedAt: failedAt?.toISOString() ?? null,
  };
}
