import { LRUCache } from 'lru-cache';
import { INTEGER_FORMATS } from '../json-schema/digits.ts';
import { compilePattern } from '../json-schema/patterns.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';

const TYPES: readonly Json[] = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
const COUNTS: readonly string[] = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
];
const BOUNDS: readonly string[] = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const FLAGS: readonly string[] = ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'];
const TEXTS: readonly string[] = ['format', 'contentEncoding', 'contentMediaType'];
const DEFAULT_CHARACTERS_MAX = 1_000;
const ENUM_CHARACTERS_MAX = 16_000;

/** A keyword is kept, or dropped because JSON Schema lacks it or it changes nothing, or left out although it would matter. */
export type Kept = { value: Json } | 'ignored' | 'dropped';

/** Converts a plain keyword to 2020-12. What no validator takes is left out, and the notes say so. */
export function keptKeyword(keyword: string, value: Json): Kept {
  if (COUNTS.includes(keyword)) return when(typeof value === 'number' && Number.isInteger(value) && value >= 0, value);
  if (BOUNDS.includes(keyword)) return when(typeof value === 'number', value);
  if (FLAGS.includes(keyword)) return when(typeof value === 'boolean', value);
  if (TEXTS.includes(keyword)) return when(typeof value === 'string', value);
  switch (keyword) {
    case 'type':
      return keptType(value);
    case 'multipleOf':
      return when(typeof value === 'number' && value > 0, value);
    case 'pattern':
      return when(typeof value === 'string' && isLinear(value), value);
    case 'enum':
      return keptEnum(value);
    case 'const':
      return when(JSON.stringify(value).length <= ENUM_CHARACTERS_MAX && isExact(value), value);
    case 'default':
      return JSON.stringify(value).length <= DEFAULT_CHARACTERS_MAX ? { value } : 'ignored';
    case 'required':
      return keptNames(value);
    case 'dependentRequired':
      return keptDependencies(value);
    default:
      return 'ignored';
  }
}

function when(isValid: boolean, value: Json): Kept {
  return isValid ? { value } : 'dropped';
}

function keptType(value: Json): Kept {
  if (!Array.isArray(value)) return when(TYPES.includes(value), value);
  const types = [...new Set(value.filter((type) => TYPES.includes(type)))];
  return types.length === value.length && types.length > 0 ? { value: types } : 'dropped';
}

function keptEnum(value: Json): Kept {
  if (!Array.isArray(value) || value.length === 0) return 'dropped';
  return when(JSON.stringify(value).length <= ENUM_CHARACTERS_MAX && value.every(isExact), value);
}

/** An integer beyond 2^53 was rounded when the document was read: it is not the one that the author wrote. */
function isExact(value: Json): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value);
}

function keptNames(value: Json): Kept {
  if (!Array.isArray(value)) return 'dropped'; // `required: true` on a property, as on OpenAPI's parameters
  return { value: [...new Set(value.filter((name) => typeof name === 'string'))] };
}

function keptDependencies(value: Json): Kept {
  if (!isJsonObject(value)) return 'dropped';
  const entries = Object.entries(value).filter(([, names]) => Array.isArray(names));
  return { value: Object.fromEntries(entries.map(([name, names]) => [name, (names as Json[]).filter(isText)])) };
}

function isText(value: Json): value is string {
  return typeof value === 'string';
}

const linear = new LRUCache<string, boolean>({ max: 5_000 });

/** Whether a pattern can be run in linear time, as our validator does. */
export function isLinear(pattern: string): boolean {
  const known = linear.get(pattern);
  if (known !== undefined) return known;
  let compiles = true;
  try {
    compilePattern(pattern);
  } catch {
    compiles = false; // whatever the engine dislikes, the pattern cannot be used
  }
  linear.set(pattern, compiles);
  return compiles;
}

/** OpenAPI 3.0 follows an old draft of JSON Schema: a separate flag makes a bound exclusive. */
export function fromVersion30(schema: JsonObject): JsonObject {
  const converted: JsonObject = { ...schema };
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[flag] !== 'boolean') continue;
    delete converted[flag];
    if (!schema[flag] || typeof schema[bound] !== 'number') continue;
    converted[flag] = schema[bound];
    delete converted[bound];
  }
  return converted;
}

/** A schema that takes null as well. */
export function orNull(schema: JsonObject): JsonObject {
  const { type, enum: values } = schema;
  const list = Array.isArray(values) && !values.includes(null) ? { enum: [...values, null] } : {};
  if (typeof type === 'string') return { ...schema, type: type === 'null' ? type : [type, 'null'], ...list };
  if (Array.isArray(type)) return { ...schema, type: type.includes('null') ? type : [...type, 'null'], ...list };
  const isBound = ['$ref', 'allOf', 'anyOf', 'oneOf', 'enum', 'const', 'not'].some((name) =>
    Object.hasOwn(schema, name),
  );
  return isBound ? { anyOf: [schema, { type: 'null' }] } : schema;
}

/** Lets an integer of 64 bits be sent as digits too (domain/json-schema/digits.ts). True where it was changed. */
export function takeDigits(schema: JsonObject): boolean {
  const { type, format } = schema;
  if (!INTEGER_FORMATS.includes(typeof format === 'string' ? format : '') || type === undefined) return false;
  const types = Array.isArray(type) ? type : [type];
  if (!types.some((one) => one === 'integer' || one === 'number')) return false;
  if (types.includes('string')) delete schema['format'];
  else if (Object.hasOwn(schema, 'enum') || Object.hasOwn(schema, 'const')) return false;
  else schema['type'] = [...types, 'string'];
  return true;
}

/** A schema may have both keywords, and `oneOf` may become `anyOf`: both hold. */
export function addTo(converted: JsonObject, keyword: string, branches: Json[]): void {
  if (!Object.hasOwn(converted, keyword)) converted[keyword] = branches;
  else {
    const { allOf } = converted;
    converted['allOf'] = [...(Array.isArray(allOf) ? allOf : []), { [keyword]: branches }];
  }
}

/** A text cut to so many characters, never in the midst of one. */
export function shortened(text: string, charactersMax: number): string {
  const characters = Array.from(text.slice(0, charactersMax * 2));
  if (characters.length <= charactersMax && text.length <= charactersMax * 2) return text;
  return `${characters.slice(0, charactersMax - 1).join('')}…`;
}

/** Whether a pattern of names cannot be run: any further member may be one that it describes. */
export function hasUnusablePattern({ patternProperties: patterns }: JsonObject): boolean {
  return isJsonObject(patterns) && Object.keys(patterns).some((name) => !isLinear(name));
}
