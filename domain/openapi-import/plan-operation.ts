import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { USER_AGENT } from '../product.ts';
import { isJsonMediaType, mediaTypeOf } from '../adapters/media-types.ts';
import { planBody, type PlannedBody } from './bodies.ts';
import type { OpenApiDocument } from './document.ts';
import { fitSchema } from './fitting.ts';
import type { Operation } from './operations.ts';
import { inputReference, PLACES, placeSchema, planParameters, type PlannedParameters } from './parameters.ts';
import { NotImportable, resolveObject } from './references.ts';
import type { Charge, SchemaConversion } from './schema-conversion.ts';
import { credentialsOf, type Credentials } from './security.ts';
import { serverUrl } from './servers.ts';

export interface PlannedAction {
  description: string | null;
  config: JsonObject;
  inputSchema: JsonObject;
  notes: string[];
}

const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const DESCRIPTION_CHARACTERS_MAX = 2_000;

/** @throws {NotImportable} where the operation cannot be written as an `http.request`. */
export function planOperation(
  document: OpenApiDocument,
  operation: Operation,
  options: { secret: string | null; baseUrl: string | null },
  charge: Charge,
): PlannedAction {
  if (operation.fault !== null) throw new NotImportable(operation.fault);
  if (!METHODS.includes(operation.method)) {
    throw new NotImportable(`has the method ${operation.method.slice(0, 20)}, which http.request does not send`);
  }
  const { root } = document;
  const own = operation.operation;
  const server = serverUrl([own['servers'], operation.pathItem['servers'], root['servers']], options.baseUrl);
  const credentials = credentialsOf(root, own, { secret: options.secret, host: new URL(server).host });
  const parameters = planParameters(document, operation, namesOfCredentials(credentials));
  const { body, notes } = planBody(document, operation);
  const undeclared = undeclaredPathParameters(operation.path, parameters);
  const withUndeclared = { ...parameters, inputs: [...parameters.inputs, ...undeclared] };
  const fitted = fitSchema(document, (conversion) => inputSchemaOf(withUndeclared, body, conversion), charge);
  return {
    description: describe(own, operation.pathItem),
    config: configOf(operation, server, credentials, parameters, body, acceptOf(root, own)),
    inputSchema: fitted.schema,
    notes: [...operation.notes, ...parameters.notes, ...notes, ...fitted.notes],
  };
}

function namesOfCredentials({ headers, query, cookies }: Credentials): ReadonlySet<string> {
  return new Set([
    ...Object.keys(headers).map((name) => `header ${name.toLowerCase()}`),
    ...Object.keys(query).map((name) => `query ${name}`),
    ...Object.keys(cookies).map((name) => `cookie ${name}`),
  ]);
}

function undeclaredPathParameters(path: string, { inputs }: PlannedParameters): PlannedParameters['inputs'] {
  const declared = new Set(inputs.flatMap(({ place, name }) => (place === 'path' ? [name] : [])));
  const names = [...new Set([...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name ?? ''))];
  return names
    .filter((name) => !declared.has(name))
    .map((name) => ({ place: 'path', name, required: true, description: null, schema: { type: 'string' } }));
}

/** `{path, query, headers, cookies, body}`, as far as the operation has them. */
function inputSchemaOf(
  parameters: PlannedParameters,
  body: PlannedBody | null,
  conversion: SchemaConversion,
): JsonObject {
  const properties: [string, Json][] = [];
  const required: string[] = [];
  for (const place of PLACES) {
    const part = placeSchema(place, parameters.inputs, conversion);
    if (part === null) continue;
    properties.push([place, part.schema]);
    if (part.required) required.push(place);
  }
  if (body !== null) {
    properties.push(['body', conversion.convert(body.schema, 1)]);
    if (body.required) required.push('body');
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

function configOf(
  { method, path }: Operation,
  server: string,
  credentials: Credentials,
  { config: parameters, idempotencyHeader }: PlannedParameters,
  body: PlannedBody | null,
  accept: string | null,
): JsonObject {
  const taken = new Set(parameters.filter((one) => one.in === 'header').map(({ name }) => name.toLowerCase()));
  const headers: Record<string, string> = {
    ...(accept === null ? {} : { Accept: accept }),
    ...(taken.has('user-agent') ? {} : { 'User-Agent': USER_AGENT }),
    ...(body === null || body.contentType === null ? {} : { 'Content-Type': body.contentType }),
    ...credentials.headers,
  };
  const cookies = Object.entries(credentials.cookies).map(([name, value]) => ({ in: 'cookie', name, value }));
  const all = [...parameters, ...cookies] as JsonObject[];
  return {
    method,
    url: `${server}${templatedPath(path)}`,
    headers,
    ...(Object.keys(credentials.query).length > 0 ? { query: credentials.query } : {}),
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(body === null ? {} : { body: '{{input.body}}' }),
    ...(body === null || body.form === null ? {} : { bodyForm: body.form as unknown as JsonObject }),
    ...(body === null || body.required ? {} : { bodyOptional: true }),
    ...(idempotencyHeader === null ? {} : { idempotencyHeader }),
  };
}

/** Percent-encodes a blank, and a brace of the path that encloses no parameter. */
function templatedPath(path: string): string {
  return path
    .split(/(\{[^{}]+\})/)
    .map((piece, index) => {
      if (index % 2 === 1) return inputReference('path', piece.slice(1, -1));
      return piece.replaceAll(/[{}\s\\]/g, (character) => encodeURIComponent(character));
    })
    .join('');
}

/** The JSON that a success is answered with, where one is declared. */
function acceptOf(root: JsonObject, operation: JsonObject): string | null {
  const responses = isJsonObject(operation['responses']) ? operation['responses'] : {};
  for (const [status, declared] of Object.entries(responses)) {
    if (!/^2(?:\d\d|XX)$/i.test(status)) continue;
    let response: JsonObject | null;
    try {
      response = resolveObject(root, declared);
    } catch (error) {
      if (!(error instanceof NotImportable)) throw error;
      continue; // the output schema is not needed to send the request
    }
    const types = isJsonObject(response?.['content']) ? Object.keys(response['content']) : [];
    const json = types.map(mediaTypeOf).find(isJsonMediaType);
    if (json !== undefined) return json;
  }
  return null;
}

function describe(operation: JsonObject, pathItem: JsonObject): string | null {
  const [summary, description] = ['summary', 'description'].map((member) => {
    const text = operation[member] ?? pathItem[member];
    return typeof text === 'string' ? text.trim() : '';
  });
  const text = summary === description ? summary : [summary, description].filter((part) => part !== '').join('\n\n');
  if (text === undefined || text === '') return null;
  // Not in the midst of a character.
  return text.slice(0, DESCRIPTION_CHARACTERS_MAX).replace(/[\uD800-\uDBFF]$/, '');
}
