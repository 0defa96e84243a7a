import { isJsonObject, type Json, type JsonObject } from '../json.ts';

const MEMBERS_SHOWN = 4;
const DEPTH_SHOWN = 2;
const TEXT_CHARACTERS_MAX = 160;

/**
 * For "must be an object such as …": the required members, else the first two. Null where the schema has no members.
 */
export function exampleShape(schema: unknown): string | null {
  const example = exampleOf(schema, DEPTH_SHOWN);
  if (!isJsonObject(example) || Object.keys(example).length === 0) return null;
  const text = JSON.stringify(example);
  return text.length <= TEXT_CHARACTERS_MAX ? text : JSON.stringify(exampleOf(schema, 1)).slice(0, TEXT_CHARACTERS_MAX);
}

function exampleOf(schema: unknown, depth: number): Json {
  if (!isJsonObject(schema)) return '…';
  const { const: only, enum: values, type } = schema;
  if (only !== undefined) return only;
  if (Array.isArray(values) && values[0] !== undefined) return values[0];
  const [kind] = Array.isArray(type) ? type : [type];
  if (kind === 'object' || isJsonObject(schema['properties'])) return depth === 0 ? {} : exampleObject(schema, depth);
  switch (kind) {
    case 'integer':
    case 'number':
      return typeof schema['minimum'] === 'number' ? schema['minimum'] : 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'null':
      return null;
    default:
      return '…';
  }
}

function exampleObject(schema: JsonObject, depth: number): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required'])
    ? schema['required'].filter((name) => typeof name === 'string')
    : [];
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 2);
  return Object.fromEntries(
    names
      .filter((name) => Object.hasOwn(properties, name))
      .slice(0, MEMBERS_SHOWN)
      .map((name) => [name, exampleOf(properties[name], depth - 1)]),
  );
}
