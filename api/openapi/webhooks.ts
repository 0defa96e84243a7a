import { z } from 'zod';
import { SERVICE_TOPIC } from '../../domain/events/events.ts';
import { PLATFORM_EVENTS, type PlatformEventDeclaration } from '../../domain/events/platform-events.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { SchemaComponents } from './schemas.ts';
import type { SharedComponents } from './shared-components.ts';

/** The document's `webhooks`: what a subscription to the reserved topic receives, by type. */
export function webhooksOf(schemas: SchemaComponents, parameters: SharedComponents): JsonObject {
  return Object.fromEntries(
    Object.entries(PLATFORM_EVENTS).map(([type, declaration]) => [
      type,
      { post: webhookOf(type, declaration, schemas, parameters) },
    ]),
  );
}

/** `EventBody` of domain/events/events.ts. */
export function deliveredSchema(type: string, data: z.ZodType): z.ZodObject {
  return z.strictObject({
    id: z.string(),
    type: z.literal(type),
    timestamp: z.iso.datetime(),
    topic: z.literal(SERVICE_TOPIC),
    environmentId: z.uuid(),
    data,
  });
}

function webhookOf(
  type: string,
  { raisedWhen, data }: PlatformEventDeclaration,
  schemas: SchemaComponents,
  parameters: SharedComponents,
): JsonObject {
  const schema = schemas.schemaOf(deliveredSchema(type, data), 'output');
  return {
    operationId: `webhook.${type}`,
    tags: ['events'],
    summary: `Raised when ${raisedWhen}`,
    parameters: HEADERS.map(({ name, description }) =>
      parameters.refTo({ name, in: 'header', required: true, description, schema: { type: 'string' } }, name),
    ),
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { '2XX': { description: 'Delivered. Any other status is retried, but 410 and 489, which end it.' } },
  };
}

const HEADERS: readonly { name: string; description: string }[] = [
  { name: 'webhook-id', description: 'The delivery: the same at every attempt.' },
  { name: 'webhook-timestamp', description: 'When this attempt was signed, in Unix seconds.' },
  {
    name: 'webhook-signature',
    description: 'Signatures as Standard Webhooks has them, separated by spaces: `v1,…` and `v2,…` of each secret.',
  },
];
