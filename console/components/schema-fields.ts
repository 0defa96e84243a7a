import type { Field, FieldValues } from './fields.tsx';
import { parseJson } from './parse-json.ts';
import { jsonText } from './text.ts';

/** A form for the inputs of an action, made of its JSON Schema. The service checks the input; the form only helps to write it. */

type Schema = Readonly<Record<string, unknown>>;

export interface SchemaField {
  field: Field;
  /** Where the value stands in the input; empty where the field is the input. */
  path: readonly string[];
  kind: 'text' | 'number' | 'boolean' | 'json';
}

/** Beyond it a form helps nobody: the input is written as JSON. */
const FIELDS_MAX = 40;
const DEPTH_MAX = 4;

export function fieldsOfSchema(schema: Schema): SchemaField[] {
  const fields = membersOf(schema, { root: schema, path: [], isRequired: true });
  if (fields !== null && fields.length > 0 && fields.length <= FIELDS_MAX) return fields;
  const field: Field = { name: '', label: 'Input, as JSON', kind: 'code', required: true, initial: '{}' };
  return [{ field, path: [], kind: 'json' }];
}

interface Place {
  root: Schema;
  path: readonly string[];
  isRequired: boolean;
}

/** Null where the schema names no members. */
function membersOf(given: Schema, { root, path, isRequired }: Place): SchemaField[] | null {
  const schema = resolved(given, root);
  const properties = schema['properties'];
  if (!isSchema(properties) || Object.keys(properties).length === 0 || path.length > DEPTH_MAX) return null;
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const needed = ([name]: [string, unknown]): number => (required.has(name) ? 0 : 1);
  const members = Object.entries(properties).sort((left, right) => needed(left) - needed(right));
  return members.flatMap(([name, member]) => {
    const place = { root, path: [...path, name], isRequired: isRequired && required.has(name) };
    const own = isSchema(member) ? member : {};
    return membersOf(own, place) ?? [fieldOf(resolved(own, root), place)];
  });
}

function fieldOf(schema: Schema, { path, isRequired }: Place): SchemaField {
  const common = {
    name: path.join('/'),
    label: path.join('.'),
    required: isRequired,
    ...(typeof schema['description'] === 'string' ? { hint: schema['description'] } : {}),
  };
  const preset = schema['const'] ?? schema['default'];
  const initial = preset === undefined ? {} : { initial: typeof preset === 'string' ? preset : jsonText(preset) };
  const type = typeOf(schema);
  const options = schema['enum'];
  if (Array.isArray(options) && options.every((option) => typeof option === 'string')) {
    const labelled = options.map((option) => ({ value: option, label: option }));
    return { field: { ...common, ...initial, kind: 'choice', options: labelled }, path, kind: 'text' };
  }
  if (type === 'boolean') {
    const yesNo = ['true', 'false'].map((value) => ({ value, label: value === 'true' ? 'Yes' : 'No' }));
    return { field: { ...common, ...initial, kind: 'choice', options: yesNo }, path, kind: 'boolean' };
  }
  if (type === 'integer' || type === 'number') {
    return { field: { ...common, ...initial, kind: 'number' }, path, kind: 'number' };
  }
  if (type === 'string') return { field: { ...common, ...initial }, path, kind: 'text' };
  return { field: { ...common, ...initial, label: `${common.label}, as JSON`, kind: 'area' }, path, kind: 'json' };
}

function typeOf({ type }: Schema): unknown {
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type;
}

/** Follows a reference within the document, once: a schema that refers to itself is written as JSON. */
function resolved(schema: Schema, root: Schema): Schema {
  const ref = schema['$ref'];
  if (typeof ref !== 'string' || !ref.startsWith('#/')) return schema;
  const found = ref
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (at, name) => (isSchema(at) ? at[name.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
      root,
    );
  return isSchema(found) ? found : schema;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The input that the values come to; what was left empty is left out.
 *
 * @throws {Error} in words, where a value that has to be JSON is none, or the input no object.
 */
export function inputOf(fields: readonly SchemaField[], values: FieldValues): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const { field, path, kind } of fields) {
    const text = values[field.name] ?? '';
    if (text === '') continue;
    const value = kind === 'text' ? text : parseJson(text, field.label);
    const last = path.at(-1);
    if (last === undefined) {
      if (!isSchema(value)) throw new Error('The input is a JSON object: { … }.');
      return { ...value };
    }
    let at = input;
    for (const name of path.slice(0, -1)) {
      const inner = Object.hasOwn(at, name) ? at[name] : undefined;
      const next: Record<string, unknown> = isSchema(inner) ? inner : {};
      Object.defineProperty(at, name, { value: next, enumerable: true, configurable: true, writable: true });
      at = next;
    }
    Object.defineProperty(at, last, { value, enumerable: true, configurable: true, writable: true });
  }
  return input;
}
