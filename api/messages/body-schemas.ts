import { z } from 'zod';
import {
  BATCH_ITEMS_MAX,
  MAX_RETRIES_DEFAULT,
  MAX_RETRIES_MAX,
  MESSAGE_METHODS,
  TIMEOUT_SECONDS_DEFAULT,
  TIMEOUT_SECONDS_MAX,
} from '../../domain/messages/messages.ts';
import {
  DELAY_SECONDS_MAX,
  destinationUrlIssue,
  headerIssues,
  HEADERS_MAX,
  parseDelaySeconds,
} from '../../domain/messages/request.ts';
import type { Json } from '../../domain/json.ts';
import { ExpressionError } from '../../domain/cel/tree.ts';
import {
  dataBytesIssue,
  EVENT_TYPE,
  EVENT_TYPE_DEFAULT,
  TOPIC_NAME_CHARACTERS_MAX,
} from '../../domain/events/topics.ts';
import { flowControlSchema } from '../flow-control/schemas.ts';
import { anyJson, nearestInstant } from '../http/common-fields.ts';
import { RETRY_EXPRESSION_CHARACTERS_MAX, retryDelaysMs } from '../../domain/messages/retry-expression.ts';
import { GROUP_NAME_CHARACTERS_MAX } from '../../domain/url-groups/url-groups.ts';

const DEDUPLICATION_ID_CHARACTERS_MAX = 255;
export const LABEL_CHARACTERS_MAX = 200;
/** Lists show the names that a schedule redacts. */
const REDACTED_NAME_CHARACTERS_MAX = 256;

export const destinationUrl = z
  .string()
  .superRefine((text, context) => {
    const message = destinationUrlIssue(text);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .meta({ format: 'uri', maxLength: 2_048 });

export const headersSchema = z.record(z.string(), z.string()).superRefine((headers, context) => {
  if (Object.keys(headers).length > HEADERS_MAX) {
    context.addIssue({ code: 'custom', message: `holds more than ${HEADERS_MAX} headers` });
  }
  for (const { name, message } of headerIssues(headers)) {
    context.addIssue({ code: 'custom', path: [name], message });
  }
});

const delaySchema = z.union([
  z.int().min(0).max(DELAY_SECONDS_MAX),
  z.string().refine((text) => parseDelaySeconds(text) !== null, 'must be a duration such as 1d10h30m, up to a year'),
]);

/** The members of a request that makes messages. */
export const publishFields = z.strictObject({
  url: destinationUrl.optional().describe('Where it is delivered to: http or https. Either this or `urlGroup`.'),
  urlGroup: z
    .string()
    .min(1)
    .max(GROUP_NAME_CHARACTERS_MAX)
    .optional()
    .describe('The id or the name of a URL group: one message for each of its endpoints, and the answer is an array.'),
  method: z.enum(MESSAGE_METHODS).optional().describe('POST where it is left out.'),
  headers: headersSchema
    .optional()
    .describe('Sent with every attempt. Credentials are delivered, sealed at rest, and shown as `[REDACTED]`.'),
  body: anyJson.optional().describe('A string is sent as it is; anything else as JSON. Null: none.'),
  delay: delaySchema.optional().describe('Seconds, or a duration such as `1d10h30m`. At most a year.'),
  scheduledFor: nearestInstant.optional().describe('Not with `delay`. Past: at once. At most a year.'),
  maxRetries: z.int().min(0).max(MAX_RETRIES_MAX).optional().describe(`${MAX_RETRIES_DEFAULT} where it is left out.`),
  retryDelay: z
    .string()
    .min(1)
    .max(RETRY_EXPRESSION_CHARACTERS_MAX)
    .optional()
    .describe(
      'CEL over `retried` (from 0), in milliseconds, with pow, exp, min and max; capped at 24 hours. ' +
        'Below a second: about a second. ' +
        'Left out: min(24 h, e^(2.5 n) s) ±20 % before retry n.',
    )
    .meta({ examples: ['1000 * pow(2, retried)'] }),
  timeoutSeconds: z
    .int()
    .min(1)
    .max(TIMEOUT_SECONDS_MAX)
    .optional()
    .describe(`For one attempt. ${TIMEOUT_SECONDS_DEFAULT} where it is left out.`),
  callbackUrl: destinationUrl.optional().describe('Told of the end, whichever it is.'),
  failureCallbackUrl: destinationUrl.optional().describe('Told of a failure.'),
  deduplicationId: z
    .string()
    .min(1)
    .max(DEDUPLICATION_ID_CHARACTERS_MAX)
    .optional()
    .describe('A second message with this id within 10 minutes is not accepted: the first one is answered.'),
  contentBasedDeduplication: z
    .boolean()
    .optional()
    .describe('The same for messages of equal url, method, headers and body. Not with `deduplicationId`.'),
  flowControl: flowControlSchema
    .optional()
    .describe('Its key, and the limits that the key has from now on. What is over them waits, in order.'),
  label: z.string().min(1).max(LABEL_CHARACTERS_MAX).optional(),
  redact: z
    .strictObject({
      body: z.boolean().optional(),
      headers: z
        .union([z.boolean(), z.array(z.string().min(1).max(REDACTED_NAME_CHARACTERS_MAX)).max(HEADERS_MAX)])
        .optional(),
    })
    .meta({
      id: 'MessageRedaction',
      description: 'What else is sealed at rest and shown as `[REDACTED]`: the body; all headers, or these.',
    })
    .optional(),
});

type PublishFields = Pick<
  z.output<typeof publishFields>,
  'delay' | 'scheduledFor' | 'deduplicationId' | 'contentBasedDeduplication' | 'method' | 'body'
> & { retryDelay?: string | null | undefined };

/** Rules across members. */
function checkTogether(fields: PublishFields, context: z.RefinementCtx): void {
  const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  if (fields.delay !== undefined && fields.scheduledFor !== undefined)
    refuse('delay', 'cannot stand beside scheduledFor');
  const latestMs = Date.now() + DELAY_SECONDS_MAX * 1_000;
  if (fields.scheduledFor !== undefined && Date.parse(fields.scheduledFor) > latestMs) {
    refuse('scheduledFor', 'is more than a year away');
  }
  if (fields.deduplicationId !== undefined && fields.contentBasedDeduplication === true) {
    refuse('contentBasedDeduplication', 'cannot stand beside deduplicationId');
  }
  if (fields.method === 'GET' && (fields.body ?? null) !== null) refuse('body', 'cannot be sent with GET');
  if (fields.retryDelay === undefined || fields.retryDelay === null) return;
  try {
    retryDelaysMs(fields.retryDelay, MAX_RETRIES_MAX);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    refuse('retryDelay', error.message);
  }
}

/** A request to a URL or a URL group. */
export const publishBody = publishFields.superRefine((fields, context) => {
  const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  if (fields.url === undefined && fields.urlGroup === undefined) refuse('url', 'is needed, or urlGroup in its place');
  if (fields.url !== undefined && fields.urlGroup !== undefined) refuse('urlGroup', 'cannot stand beside url');
  checkTogether(fields, context);
});

/** What a request to a topic may hold: the subscriptions of the topic say everything else. */
const OF_TOPIC: readonly string[] = ['topic', 'eventType', 'body'];

/** The members of a request that also goes to a topic, which makes an event. */
export const publishMessageFields = z.strictObject({
  ...publishFields.shape,
  topic: z
    .string()
    .min(1)
    .max(TOPIC_NAME_CHARACTERS_MAX)
    .optional()
    .describe(
      'The id or the name of a topic: publishes an event whose data is the body, as `POST /events` does. With `eventType` and `body` alone.',
    ),
  eventType: z
    .string()
    .regex(EVENT_TYPE, 'must be 1 to 128 letters, digits, "_", "." and "-"')
    .optional()
    .describe(`The type of the event. \`${EVENT_TYPE_DEFAULT}\` where it is left out. With \`topic\` alone.`),
});

export type PublishMessageBody = z.output<typeof publishMessageFields>;

/** Rules across members, those of a topic among them. */
function checkDestination(fields: PublishMessageBody, context: z.RefinementCtx): void {
  const refuse = (path: string, message: string): void => context.addIssue({ code: 'custom', path: [path], message });
  const to = [fields.url, fields.urlGroup, fields.topic].filter((destination) => destination !== undefined);
  if (to.length === 0) refuse('url', 'is needed, or urlGroup or topic in its place');
  if (fields.topic === undefined) {
    if (to.length > 1) refuse('urlGroup', 'cannot stand beside url');
    if (fields.eventType !== undefined) refuse('eventType', 'is of an event: it needs a topic');
    checkTogether(fields, context);
    return;
  }
  const others = Object.entries(fields).filter(([name, value]) => value !== undefined && !OF_TOPIC.includes(name));
  for (const [name] of others)
    refuse(name, 'cannot stand beside topic: its subscriptions say how they are delivered to');
  const message = dataBytesIssue(fields.body ?? null);
  if (message !== null) refuse('body', message);
}

/** The body of publish, and the destination of a schedule. */
export const publishMessageBody = publishMessageFields
  .superRefine(checkDestination)
  .meta({ id: 'PublishMessageRequest' });

/** That an item of a batch is JSON is known from its parsing; to look through a thousand bodies again doubled their check. */
const knownJson: z.ZodType<Json> = z.any();

/** An item of a batch: the same as the body of publish. */
export const batchItem = publishMessageFields.extend({ body: knownJson.optional() }).superRefine(checkDestination);

/** For the retry of a message: a member that is given takes the place of the original's, null removes it. */
export const retryOverrides = publishFields
  .omit({ urlGroup: true, deduplicationId: true, contentBasedDeduplication: true })
  .extend({
    url: destinationUrl.optional(),
    headers: headersSchema
      .nullable()
      .optional()
      .describe('All of them. `[REDACTED]` keeps the value of a sealed one. Null: none.'),
    retryDelay: publishFields.shape.retryDelay.unwrap().nullable().optional(),
    callbackUrl: destinationUrl.nullable().optional(),
    failureCallbackUrl: destinationUrl.nullable().optional(),
    label: publishFields.shape.label.unwrap().nullable().optional(),
    flowControl: publishFields.shape.flowControl.unwrap().nullable().optional(),
  })
  .superRefine(checkTogether)
  .meta({ id: 'RetryMessageRequest' });

/** For the path of a URL group, which says where to. */
export const publishToGroupBody = publishFields
  .omit({ url: true, urlGroup: true })
  .superRefine(checkTogether)
  .meta({ id: 'PublishToUrlGroupRequest' });

export const batchBody = z
  .strictObject({
    messages: z
      // Each is checked by itself. That it is JSON is known, and looking through a thousand for it took longer than to accept them.
      .array(z.unknown())
      .min(1)
      .max(BATCH_ITEMS_MAX)
      .describe(
        'Each as the body of publish. One that is not valid has its error in the reply; the others are accepted.',
      ),
  })
  .meta({ id: 'PublishBatchRequest' });
