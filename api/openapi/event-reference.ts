import { z } from 'zod';
import { PLATFORM_EVENTS } from '../../domain/events/platform-events.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

export function eventReference(): string {
  return [
    '# Platform events',
    '',
    'Look up here the shape of every event that the service raises by itself, such as `invocation.settled`.',
    '',
    'Each section is the `data` of one type of [platform event](../events.md#platform-events), as JSON Schema 2020-12. The',
    '`webhooks` of the [OpenAPI document](../openapi.json) have the same with the envelope around it.',
    '',
    ...Object.entries(PLATFORM_EVENTS).flatMap(([type, { raisedWhen, data }]) => [
      `## \`${type}\``,
      '',
      `Raised when ${raisedWhen}.`,
      '',
      '```json',
      JSON.stringify(schemaOf(data), null, 2),
      '```',
      '',
    ]),
    '<!-- Generated from domain/events/platform-events.ts by `npm run openapi`. -->',
    '',
  ].join('\n');
}

/** Drops what every schema repeats: dialect, format patterns, integer ranges, component ids. */
function schemaOf(data: z.ZodType): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(data, { io: 'output', reused: 'inline' }) as JsonObject;
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (!isJsonObject(value)) return value;
    const { pattern, maximum, id, ...rest } = value;
    return {
      ...rest,
      ...(pattern === undefined || rest['format'] !== undefined ? {} : { pattern }),
      ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }),
      ...(typeof id === 'string' ? {} : id === undefined ? {} : { id }),
    };
  }) as JsonObject;
}
