import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import { resolved } from '../reference/describe-with-examples.ts';

export interface SchemaMember {
  /** Such as `adapter.config.url`, `rules[].id`. */
  path: string;
  /** In words, such as `string, 1 to 255 characters`. */
  type: string;
  required: boolean;
  description: string;
}

interface Walk {
  document: JsonObject;
  members: Map<string, SchemaMember>;
  /** Named schemas above the current one, so that a recursive one is followed once. */
  around: readonly string[];
  depth: number;
}

const COMPONENT_REF = '#/components/schemas/';
const DEPTH_MAX = 3;
const VALUES_SHOWN_MAX = 12;
const SHORT_NAMES: Readonly<Record<string, string>> = {
  DateTime: 'time (RFC 3339)',
  DateTimeWithOffset: 'time (RFC 3339)',
  Integer: 'integer',
  JsonValue: 'any JSON',
  Uuid: 'UUID',
};
/** Placeholder of a long value in a list: docs/api.md, "Replies". */
const IN_PLACE_OF_OTHERS = 'Shortened';

/** Members of an object or of a list's entries, three levels deep. Alternative forms are listed together. */
export function membersOf(schema: JsonObject, document: JsonObject): SchemaMember[] {
  const members = new Map<string, SchemaMember>();
  visit(schema, '', { document, members, around: [], depth: 0 });
  return [...members.values()];
}

function visit(schema: JsonObject, path: string, walk: Walk): void {
  const name = refName(schema);
  if (name !== null) {
    if (name in SHORT_NAMES || name === IN_PLACE_OF_OTHERS || walk.around.includes(name)) return;
    return visit(resolved(walk.document, schema), path, { ...walk, around: [...walk.around, name] });
  }
  for (const form of formsOf(schema)) visit(form, path, walk);
  const { items, properties, required } = schema;
  if (isJsonObject(items)) visit(items, `${path}[]`, walk);
  if (!isJsonObject(properties) || walk.depth >= DEPTH_MAX) return;
  for (const [key, member] of Object.entries(properties)) {
    if (!isJsonObject(member)) continue;
    const at = path === '' ? key : `${path}.${key}`;
    keep(walk, at, member, Array.isArray(required) && required.includes(key));
    visit(member, at, { ...walk, depth: walk.depth + 1 });
  }
}

function keep({ document, members }: Walk, path: string, schema: JsonObject, required: boolean): void {
  const type = typeOf(schema, document);
  const description = descriptionOf(schema, document);
  const known = members.get(path);
  if (known === undefined) {
    members.set(path, { path, type, required, description });
    return;
  }
  known.type = [...new Set([...known.type.split(' or '), ...type.split(' or ')])].join(' or ');
  known.required &&= required;
  if (known.description === '') known.description = description;
}

function descriptionOf(schema: JsonObject, document: JsonObject): string {
  const own =
    schema['description'] ?? (refName(schema) === null ? undefined : resolved(document, schema)['description']);
  return typeof own === 'string' ? own : '';
}

export function typeOf(schema: JsonObject, document: JsonObject): string {
  const name = refName(schema);
  if (name !== null) return SHORT_NAMES[name] ?? typeOf(resolved(document, schema), document);
  if (schema['const'] !== undefined) return `\`${JSON.stringify(schema['const'])}\``;
  if (Array.isArray(schema['enum'])) return valuesText(schema['enum']);
  const forms = formsOf(schema).filter((form) => refName(form) !== IN_PLACE_OF_OTHERS);
  if (forms.length > 0) return [...new Set(forms.flatMap((form) => typeOf(form, document).split(' or ')))].join(' or ');
  const { type, items } = schema;
  const types = Array.isArray(type) ? type.map(String) : [typeof type === 'string' ? type : 'any JSON'];
  const words = types.map((one) => {
    if (one !== 'array') return `${one}${boundsText(schema, one)}`;
    const of = isJsonObject(items) ? ` of ${typeOf(items, document)}` : '';
    return `list${of}${boundsText(schema, one)}`;
  });
  return words.join(' or ');
}

function valuesText(values: readonly Json[]): string {
  const shown = values.slice(0, VALUES_SHOWN_MAX).map((value) => `\`${JSON.stringify(value)}\``);
  return values.length > VALUES_SHOWN_MAX ? `${shown.join(', ')} …` : shown.join(', ');
}

const BOUNDS: Readonly<Record<string, readonly [least: string, most: string, of: string]>> = {
  string: ['minLength', 'maxLength', ' characters'],
  array: ['minItems', 'maxItems', ' entries'],
  integer: ['minimum', 'maximum', ''],
  number: ['minimum', 'maximum', ''],
};

function boundsText(schema: JsonObject, type: string): string {
  const [least = '', most = '', of = ''] = BOUNDS[type] ?? [];
  const [from, to] = [boundAt(schema, least), boundAt(schema, most)];
  if (from !== null && to !== null) return from === to ? `, ${to}${of}` : `, ${from} to ${to}${of}`;
  if (to !== null) return `, at most ${to}${of}`;
  return from === null || (from === 0 && of !== '') ? '' : `, at least ${from}${of}`;
}

function boundAt(schema: JsonObject, name: string): number | null {
  const bound = schema[name];
  return typeof bound === 'number' && Number.isSafeInteger(bound) && Math.abs(bound) < Number.MAX_SAFE_INTEGER
    ? bound
    : null;
}

/** Alternatives and parts of a schema. */
function formsOf(schema: JsonObject): JsonObject[] {
  const { anyOf, oneOf, allOf } = schema;
  return [anyOf, oneOf, allOf].flatMap((forms) => (Array.isArray(forms) ? forms.filter(isJsonObject) : []));
}

function refName({ $ref }: JsonObject): string | null {
  return typeof $ref === 'string' && $ref.startsWith(COMPONENT_REF) ? $ref.slice(COMPONENT_REF.length) : null;
}
