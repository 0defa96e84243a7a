import type { ParameterConfig, ParameterStyle } from '../adapters/http-request-parameters.ts';
import { headerNameIssue } from '../adapters/http-request-rules.ts';
import { isJsonMediaType, mediaTypeOf } from '../adapters/media-types.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { OpenApiDocument } from './document.ts';
import type { Operation } from './operations.ts';
import { NotImportable, resolveObject, textIn } from './references.ts';
import type { SchemaConversion } from './schema-conversion.ts';

export const PLACES = ['path', 'query', 'headers', 'cookies'] as const;
/** The members of an imported action's input beside `body`. */
export type Place = (typeof PLACES)[number];

interface InputParameter {
  place: Place;
  name: string;
  required: boolean;
  description: Json;
  schema: Json;
}

export interface PlannedParameters {
  inputs: InputParameter[];
  config: ParameterConfig[];
  /** The header by which the provider recognises a repeated request, if the operation takes one. */
  idempotencyHeader: string | null;
  notes: string[];
}

/** Maps, because the names are the document's: `constructor` is a member of every object. */
const PLACE_OF: ReadonlyMap<string, Place> = new Map([
  ['path', 'path'],
  ['query', 'query'],
  ['header', 'headers'],
  ['cookie', 'cookies'],
]);
const STYLES: ReadonlyMap<string, readonly ParameterStyle[]> = new Map([
  ['query', ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']],
  ['header', ['simple']],
  ['cookie', ['form']],
]);
/** In OpenAPI these headers follow from the bodies and the security of an operation. */
const DESCRIBED_ELSEWHERE: readonly string[] = ['accept', 'content-type', 'authorization'];
const IDEMPOTENCY_HEADER = 'idempotency-key';
const METHODS_THAT_CHANGE: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];
const PARAMETERS_MAX = 200;
const PLAIN_TYPES: readonly string[] = ['string', 'integer', 'number', 'boolean', 'null'];

/** An operation's parameters over its path's. Throws NotImportable where a required one cannot be written. */
export function planParameters(
  { root }: OpenApiDocument,
  { method, operation, pathItem, path }: Operation,
  setElsewhere: ReadonlySet<string>,
): PlannedParameters {
  const planned: PlannedParameters = { inputs: [], config: [], idempotencyHeader: null, notes: [] };
  for (const parameter of declaredParameters(root, pathItem, operation, planned.notes).values()) {
    const { name, in: place, required } = parameter as { name: string; in: string; required?: Json };
    const lower = name.toLowerCase();
    if (place === 'header' && DESCRIBED_ELSEWHERE.includes(lower)) continue;
    if (setElsewhere.has(`${place} ${place === 'header' ? lower : name}`)) continue;
    if (place === 'path' && !path.includes(`{${name}}`)) continue;
    if (place === 'header' && lower === IDEMPOTENCY_HEADER && METHODS_THAT_CHANGE.includes(method)) {
      planned.idempotencyHeader = name;
      continue;
    }
    const result = planParameter(root, parameter, name, place);
    if (typeof result === 'string') {
      const what = `the ${place.slice(0, 20)} parameter ${name.slice(0, 100)} ${result}`;
      if (required === true || place === 'path') throw new NotImportable(`${what}, and it is required`);
      planned.notes.push(`${what} and was left out`);
      continue;
    }
    planned.inputs.push(result.input);
    if (result.config !== null) planned.config.push(result.config);
  }
  if (planned.config.length > PARAMETERS_MAX) throw new NotImportable(`has more than ${PARAMETERS_MAX} parameters`);
  return planned;
}

function declaredParameters(
  root: JsonObject,
  pathItem: JsonObject,
  operation: JsonObject,
  notes: string[],
): Map<string, JsonObject> {
  const declared = new Map<string, JsonObject>();
  for (const list of [pathItem['parameters'], operation['parameters']]) {
    if (list === undefined || list === null) continue;
    if (!Array.isArray(list)) throw new NotImportable('has parameters that are no list');
    for (const entry of list) {
      const parameter = resolveObject(root, entry);
      if (parameter === null) throw new NotImportable('has a parameter that is no object');
      const { name, in: place, required } = parameter;
      if (typeof name === 'string' && typeof place === 'string') {
        declared.set(`${place} ${place === 'header' ? name.toLowerCase() : name}`, parameter);
      } else if (required === true) throw new NotImportable('requires a parameter without a name or a place');
      else notes.push('a parameter without a name or a place was left out');
    }
  }
  return declared;
}

type Planned = { input: InputParameter; config: ParameterConfig | null };

function planParameter(root: JsonObject, parameter: JsonObject, name: string, location: string): Planned | string {
  const place = PLACE_OF.get(location);
  if (place === undefined) return 'is in a place that is not supported';
  if (name === '' || name.length > 128 || /[{}]/.test(name) || name === '__proto__')
    return 'has a name that is not supported';
  if (location === 'header' && (headerNameIssue(name) !== null || name.toLowerCase() === 'cookie'))
    return 'is a header that the service sets itself';
  if (location === 'cookie' && !/^[A-Za-z0-9._~-]+$/.test(name)) return 'has a name that is not supported';
  const { schema, mediaType } = schemaOf(root, parameter);
  const isJson = mediaType !== null && isJsonMediaType(mediaType);
  if (mediaType !== null && !isJson && !mediaType.startsWith('text/')) return `is ${mediaType.slice(0, 50)}`;
  const resolved = resolveObject(root, schema) ?? {};
  const description = parameter['description'] ?? null;
  const required = parameter['required'] === true || location === 'path';
  const input: InputParameter = { place, name, required, description, schema };
  const { style, explode } = parameter;
  if (location === 'path') {
    if (typesIn(resolved).some((type) => type === 'array' || type === 'object'))
      return 'is a list or an object within the path';
    if (isJson) return 'is JSON within the path';
    if (style !== undefined && style !== 'simple') return `has the style ${textIn(style).slice(0, 20)}`;
    return { input, config: null };
  }
  const base = { in: location as ParameterConfig['in'], name, value: inputReference(place, name) };
  if (isJson) return { input, config: { ...base, style: 'json' } };
  const types = typesIn(resolved);
  const isPlain = types.length > 0 && types.every((type) => PLAIN_TYPES.includes(textIn(type)));
  if (isPlain || mediaType !== null) return { input, config: base };
  const known = STYLES.get(location)?.find((candidate) => candidate === style);
  if (style !== undefined && known === undefined) return `has the style ${textIn(style).slice(0, 20)}`;
  const encoding = {
    ...(known === undefined ? {} : { style: known }),
    ...(typeof explode === 'boolean' ? { explode } : {}),
  };
  return { input, config: { ...base, ...encoding } };
}

/** The types of a schema: OpenAPI 3.1 may list several. */
function typesIn({ type }: JsonObject): Json[] {
  if (type === undefined) return [];
  return Array.isArray(type) ? type : [type];
}

/** A parameter has a schema, or one content that is written as a text of its media type. */
function schemaOf(root: JsonObject, parameter: JsonObject): { schema: Json; mediaType: string | null } {
  const { schema, content } = parameter;
  const [first] = isJsonObject(content) ? Object.entries(content) : [];
  if (schema !== undefined || first === undefined) return { schema: schema ?? {}, mediaType: null };
  return { schema: resolveObject(root, first[1])?.['schema'] ?? {}, mediaType: mediaTypeOf(first[0]) };
}

/** `{{input.query.limit}}`, or `{{input.query["filter[state]"]}}` where a name is more than a word. */
export function inputReference(place: string, name: string): string {
  const step = /^[^\s.[\]{}"'\\]+$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
  return `{{input.${place}${step}}}`;
}

/** The input schema of one parameter location, such as `query`: its parameters and nothing else. Null if it has none. */
export function placeSchema(
  place: Place,
  inputs: readonly InputParameter[],
  conversion: SchemaConversion,
): { schema: JsonObject; required: boolean } | null {
  const own = inputs.filter((input) => input.place === place);
  if (own.length === 0) return null;
  const properties = own.map(({ name, schema, description }): [string, Json] => {
    const converted = conversion.convert(schema, 2);
    const text = conversion.describe(description, 2);
    const isDescribed = isJsonObject(converted) && (text === null || Object.hasOwn(converted, 'description'));
    if (isDescribed || typeof converted === 'boolean') return [name, converted];
    return [name, { ...(converted as JsonObject), ...(text === null ? {} : { description: text }) }];
  });
  const required = own.filter((input) => input.required).map(({ name }) => name);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    },
    required: required.length > 0,
  };
}
