import { z } from 'zod';
import type { ListedSubscription, SubscriptionRecord } from '../../db/events/subscriptions.ts';
import type { TopicRecord } from '../../db/events/topics.ts';
import {
  EVENT_TYPE_PATTERN,
  EVENT_TYPES_PER_SUBSCRIPTION_MAX,
  TOPIC_DESCRIPTION_CHARACTERS_MAX,
  TOPIC_NAME_CHARACTERS_MAX,
  topicNameIssue,
} from '../../domain/events/topics.ts';
import { orShortened } from '../http/common-fields.ts';
import { destinationUrl, headersSchema } from '../messages/body-schemas.ts';

const dateTime = z.iso.datetime();

const topicName = z
  .string()
  .superRefine((text, context) => {
    const message = topicNameIssue(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .meta({ minLength: 1, maxLength: TOPIC_NAME_CHARACTERS_MAX })
  .describe('Unique in its environment. Letters, digits, `_`, `.` and `-`.');

const topicDescription = z.string().max(TOPIC_DESCRIPTION_CHARACTERS_MAX).nullable();

export const createTopicBody = z.strictObject({ name: topicName, description: topicDescription.default(null) });
export const updateTopicBody = z.strictObject({
  name: topicName.optional(),
  description: topicDescription.optional(),
});

export const topicParams = z.strictObject({
  ref: z.string().min(1).max(TOPIC_NAME_CHARACTERS_MAX).describe('The id of the topic, `top_…`, or its name.'),
});

export const listTopicsQuery = z.strictObject({
  name: z.string().min(1).max(TOPIC_NAME_CHARACTERS_MAX).optional().describe('The name, exactly.'),
});

export const topicSchema = z
  .strictObject({
    id: z.string().regex(/^top_/),
    name: z.string(),
    description: z.string().nullable(),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: 'EventTopic' });

export function presentTopic({ createdAt, updatedAt, ...rest }: TopicRecord): z.input<typeof topicSchema> {
  return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

const eventTypes = z
  .array(
    z
      .string()
      .regex(EVENT_TYPE_PATTERN, 'must be an event type, "*", or a prefix and ".*" such as "order.*"')
      .meta({
        id: 'EventTypePattern',
        description: 'An event type, `*` for every type, or a prefix and `.*` for all types below it.',
        examples: ['order.*'],
      }),
  )
  .min(1)
  .max(EVENT_TYPES_PER_SUBSCRIPTION_MAX);

const eventHeaders = headersSchema.meta({
  id: 'EventHeaders',
  description:
    'Sent with every delivery. Headers of the connection and those that the service sets are refused. Values of credentials are ' +
    'sealed at rest and shown as `[REDACTED]`.',
});

export const createSubscriptionBody = z.strictObject({
  url: destinationUrl.describe('Where events are delivered to: http or https.'),
  eventTypes: eventTypes.default(['*']),
  enabled: z
    .boolean()
    .default(true)
    .describe('False: it gets no events until it is enabled. Events of that time are not delivered later.'),
  generateSecret: z
    .boolean()
    .default(false)
    .describe('Makes a signing secret for this subscription alone, in place of the keys of the workspace.'),
  headers: eventHeaders.nullable().optional(),
});

export const updateSubscriptionBody = z.strictObject({
  url: destinationUrl.optional().describe('Deliveries that are under way still go to the earlier one.'),
  eventTypes: eventTypes.optional(),
  enabled: z.boolean().optional(),
  headers: eventHeaders.nullable().optional().describe('All of them. `[REDACTED]` keeps a sealed value. Null: none.'),
});

export const subscriptionParams = z.strictObject({
  subscriptionId: z.string().min(1).max(100).describe('Id of the subscription, `sub_…`.'),
});

const subscriptionFields = {
  id: z.string().regex(/^sub_/),
  topicId: z.string().regex(/^top_/),
  url: z.string().meta({ format: 'uri' }),
  eventTypes: z.array(z.string()),
  enabled: z.boolean(),
  hasCustomSecret: z.boolean().describe('False: its deliveries are signed with the keys of the workspace.'),
  headers: eventHeaders.nullable(),
  disabledAt: dateTime.nullable().describe('When the service disabled it, because it kept failing.'),
  createdAt: dateTime,
  updatedAt: dateTime,
};

export const subscriptionSchema = z.strictObject(subscriptionFields).meta({ id: 'EventSubscription' });

export const listedSubscriptionSchema = subscriptionSchema
  .extend({ headers: orShortened(eventHeaders).nullable() })
  .meta({ id: 'ListedEventSubscription' });

const secret = z.string().describe('`whsec_` and the base64 of 32 bytes.');

export const createdSubscriptionSchema = z
  .strictObject({
    ...subscriptionFields,
    secret: secret.optional().describe('The signing secret, where `generateSecret` is true. It is shown here, once.'),
  })
  .meta({ id: 'EventSubscriptionCreated' });

export const rotatedSecretSchema = z
  .strictObject({
    subscriptionId: z.string().regex(/^sub_/),
    secret: secret.describe('The new signing secret. It is shown here, once.'),
    previousSignsUntil: dateTime
      .nullable()
      .describe('Until when what signed before signs beside it. Null: it does not sign any more.'),
  })
  .meta({ id: 'RotatedSubscriptionSecret' });

export const deletedSchema = z.strictObject({ deleted: z.literal(true) });

export function presentSubscription(subscription: SubscriptionRecord): z.input<typeof subscriptionSchema> {
  return presentWith(subscription, subscription.headers);
}

export function presentListedSubscription(subscription: ListedSubscription): z.input<typeof listedSubscriptionSchema> {
  return presentWith(subscription, subscription.headers);
}

function presentWith<Headers>(subscription: Omit<SubscriptionRecord, 'headers'>, headers: Headers) {
  const { id, topicId, url, eventTypes: types, enabled, hasCustomSecret } = subscription;
  return {
    id,
    topicId,
    url,
    eventTypes: types,
    enabled,
    hasCustomSecret,
    headers,
    disabledAt: subscription.disabledAt?.toISOString() ?? null,
    createdAt: subscription.createdAt.toISOString(),
    updatedAt: subscription.updatedAt.toISOString(),
  };
}
