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
  const $defs = Object.keys(others).length === 0 ? {} : { $defs: opened(others) };
  return { ...opened(named), ...$defs, type: 'object' };
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
