import type { z } from 'zod';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { SchemaComponents } from '../openapi/schemas.ts';

export interface ListedSchema {
  type: 'object';
  [keyword: string]: unknown;
}

const COMPONENT_REF = '#/components/schemas/';
const DEFINITION_REF = '#/$defs/';

/**
 * JSON Schema of a tool's output. It is open: clients check results by an earlier list of tools, and members or grades added later must not
 * cost them a receipt.
 */
export function outputSchemaOf(record: z.ZodType): ListedSchema {
  const components = new SchemaComponents();
  const { $ref, ...root } = components.schemaOf(record, 'output');
  const name = typeof $ref === 'string' ? $ref.slice(COMPONENT_REF.length) : null;
  const { [name ?? '']: named = root, ...others } = components.schemas;
  return { ...inlined({ ...opened(named), $defs: opened(others) }), type: 'object' };
}

/**
 * Replaces each reference by its definition: clients of the official package 1.22 drop `$defs` and then throw, and other hosts read no
 * `$ref`. A recursive part becomes any value.
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

/** Allows other members, and turns enumerated texts into examples. */
function openedNode(schema: JsonObject): JsonObject {
  const node = { ...schema };
  if (node['additionalProperties'] === false) delete node['additionalProperties'];
  if (typeof node['format'] === 'string') delete node['pattern'];
  const { enum: values, const: value, ...others } = node;
  const texts = typeof value === 'string' ? [value] : values;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string')) return node;
  return { ...others, type: 'string', examples: texts };
}
