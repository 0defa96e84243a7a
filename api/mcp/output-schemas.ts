import type { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { SchemaComponents } from '../openapi/schemas.ts';

/** A JSON Schema in the list of tools. */
export interface ListedSchema {
  type: 'object';
  [keyword: string]: unknown;
}

const COMPONENT_REF = '#/components/schemas/';
const DEFINITION_REF = '#/$defs/';

/**
 * The JSON Schema of what a tool answers, from the schema of its record. It is open: clients check a result by a list of tools that they read
 * earlier, and what a later service adds, a member or a grade, must not cost them the receipt of what was done.
 */
export function outputSchemaOf(record: z.ZodType): ListedSchema {
  const components = new SchemaComponents();
  const { $ref, ...root } = components.schemaOf(record, 'output');
  const name = typeof $ref === 'string' ? $ref.slice(COMPONENT_REF.length) : null;
  const { [name ?? '']: named = root, ...others } = components.schemas;
  return { ...inlined({ ...opened(named), $defs: opened(others) }), type: 'object' };
}

/**
 * The schema with each reference replaced by its definition. Clients of version 1.22 of the official package drop `$defs` and then throw at
 * each reference, so that the agent has no tool at all; other hosts read no `$ref`. What contains itself may be any value there.
 */
export function inlined({ $defs = {}, ...root }: JsonObject): JsonObject {
  const definitions = $defs as Readonly<Record<string, JsonObject>>;
  const within = (value: unknown, open: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item) => within(item, open));
    if (!isJsonObject(value)) return value;
    const { $ref: ref, ...beside } = value;
    if (typeof ref !== 'string') {
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, within(member, open)]));
    }
    const name = ref.slice(DEFINITION_REF.length);
    if (open.includes(name)) return beside;
    return { ...(within(definitions[name], [...open, name]) as JsonObject), ...beside };
  };
  return within(root, []) as JsonObject;
}

function opened(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema), (key: string, value: unknown) => {
    if (key === '$ref' && typeof value === 'string') return value.replace(COMPONENT_REF, DEFINITION_REF);
    return isJsonObject(value) ? openedNode(value) : value;
  }) as JsonObject;
}

/** Without what forbids other members, and with listed texts as examples of a text. A format is said once, by its name. */
function openedNode(schema: JsonObject): JsonObject {
  const node = { ...schema };
  if (node['additionalProperties'] === false) delete node['additionalProperties'];
  if (typeof node['format'] === 'string') delete node['pattern'];
  const { enum: values, const: value, ...others } = node;
  const texts = typeof value === 'string' ? [value] : values;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) return node;
  return { ...others, type: 'string', examples: texts };
}
