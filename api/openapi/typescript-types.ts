import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';

/**
 * The TypeScript SDK's types for `openapi-fetch`. Our own generator, because others need the compiler API that TypeScript 7 dropped. It
 * fails on unknown JSON Schema rather than emit a type that is too wide.
 */
const HEADER = ['// Generated from the routes of the service by `npm run openapi`. Do not edit.', ''];
const SCHEMA_REF = '#/components/schemas/';
const INDENT = '  ';
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;
/** Constrains values, not types. */
const WITHOUT_TYPE = new Set(
  (
    'description default examples example title format pattern minimum maximum exclusiveMinimum exclusiveMaximum multipleOf ' +
    'minLength maxLength minItems maxItems uniqueItems minProperties maxProperties propertyNames contains ' +
    'deprecated readOnly writeOnly contentEncoding contentMediaType'
  ).split(' '),
);

const OF_TYPE = new Set([
  'type',
  'const',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'prefixItems',
]);

export function typescriptTypes(document: JsonObject): string {
  const components = document['components'] as Record<string, Record<string, JsonObject>>;
  const paths = document['paths'] as Record<string, Record<string, JsonObject>>;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    METHODS.flatMap((method) => {
      const operation = methods[method];
      return operation === undefined ? [] : [{ path, method, operation }];
    }),
  );
  return [
    ...HEADER,
    'export interface schemas {',
    ...Object.entries(components['schemas'] ?? {}).flatMap(([name, schema]) => member(name, schema, INDENT)),
    '}',
    '',
    'export interface operations {',
    ...operations.flatMap(({ operation }) => operationType(operation, components)),
    '}',
    '',
    'export interface paths {',
    ...Object.entries(paths).flatMap(([path, methods]) => [
      `${INDENT}${JSON.stringify(path)}: {`,
      ...METHODS.flatMap((method) => {
        const id = methods[method]?.['operationId'];
        return id === undefined ? [] : [`${INDENT.repeat(2)}${method}: operations[${JSON.stringify(id)}];`];
      }),
      `${INDENT}};`,
    ]),
    '}',
    '',
  ].join('\n');
}

function operationType(operation: JsonObject, components: Record<string, Record<string, JsonObject>>): string[] {
  const [one, two, three] = [1, 2, 3].map((depth) => INDENT.repeat(depth)) as [string, string, string];
  const parameters = ((operation['parameters'] ?? []) as JsonObject[]).map((one) => resolved(one, components));
  const body = operation['requestBody'];
  const responses = Object.entries(operation['responses'] as Record<string, JsonObject>).filter(([status]) =>
    status.startsWith('2'),
  );
  return [
    ...comment(operation['summary'], one),
    `${one}${JSON.stringify(operation['operationId'])}: {`,
    `${two}parameters: {`,
    ...(['path', 'query', 'header'] as const).flatMap((place) => parameterType(place, parameters, three)),
    `${three}cookie?: never;`,
    `${two}};`,
    isJsonObject(body)
      ? `${two}requestBody${body['required'] === true ? '' : '?'}: { content: ${contentType(body, two)} };`
      : `${two}requestBody?: never;`,
    `${two}responses: {`,
    ...responses.map(
      ([status, response]) => `${three}${status}: ${responseType(resolved(response, components), three)};`,
    ),
    `${two}};`,
    `${one}};`,
  ];
}

function resolved(part: JsonObject, components: Record<string, Record<string, JsonObject>>): JsonObject {
  const ref = part['$ref'];
  if (typeof ref !== 'string') return part;
  const [kind = '', name = ''] = ref.slice('#/components/'.length).split('/');
  const found = components[kind]?.[name];
  if (found === undefined) throw new Error(`there is no ${ref}`);
  return found;
}

function parameterType(place: 'path' | 'query' | 'header', all: readonly JsonObject[], indent: string): string[] {
  const parameters = all.filter((parameter) => parameter['in'] === place);
  if (parameters.length === 0) return [`${indent}${place}?: never;`];
  const isRequired = parameters.some(({ required }) => required === true);
  return [
    `${indent}${place}${isRequired ? '' : '?'}: {`,
    ...parameters.flatMap(({ name, schema, description, required }) =>
      member(
        name as string,
        { ...(schema as JsonObject), ...(description === undefined ? {} : { description }) },
        indent + INDENT,
        {
          isOptional: required !== true,
        },
      ),
    ),
    `${indent}};`,
  ];
}

function responseType(response: JsonObject, indent: string): string {
  if (!isJsonObject(response['content'])) return '{ content?: never }';
  return `{ content: ${contentType(response, indent)} }`;
}

function contentType({ content }: JsonObject, indent: string): string {
  const kinds = Object.entries(content as Record<string, JsonObject>).map(
    ([kind, { schema }]) =>
      `${JSON.stringify(kind)}: ${kind.includes('json') ? typeOf(schema, indent) : binaryType(kind)}`,
  );
  return `{ ${kinds.join('; ')} }`;
}

function binaryType(kind: string): string {
  return kind === 'multipart/form-data' ? 'FormData' : 'Blob';
}

function member(name: string, schema: Json, indent: string, { isOptional = false } = {}): string[] {
  const description = isJsonObject(schema) ? schema['description'] : undefined;
  const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
  return [...comment(description, indent), `${indent}${key}${isOptional ? '?' : ''}: ${typeOf(schema, indent)};`];
}

function comment(text: Json | undefined, indent: string): string[] {
  if (typeof text !== 'string' || text === '') return [];
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return [`${indent}/** ${lines[0]} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

/** @throws {Error} for an unknown schema. */
function typeOf(schema: Json | undefined, indent: string): string {
  if (schema === undefined || schema === true) return 'unknown';
  if (!isJsonObject(schema)) throw new Error(`no schema: ${JSON.stringify(schema)}`);
  const parts = Object.entries(schema).filter(([keyword]) => !WITHOUT_TYPE.has(keyword));
  const { $ref: ref, allOf, anyOf, oneOf, ...rest } = Object.fromEntries(parts);
  const own = Object.keys(rest).length === 0 ? [] : [ownType(rest, indent)];
  const all = [
    ...(typeof ref === 'string' ? [refType(ref)] : []),
    ...(Array.isArray(allOf) ? [envelopeType(allOf, indent)] : []),
    ...[anyOf, oneOf].flatMap((any) => (Array.isArray(any) ? [unionOf(any.map((one) => typeOf(one, indent)))] : [])),
    ...own,
  ];
  return all.length === 0 ? 'unknown' : all.map((type) => (all.length > 1 ? `(${type})` : type)).join(' & ');
}

function refType(ref: string): string {
  if (!ref.startsWith(SCHEMA_REF)) throw new Error(`a reference out of the schemas: ${ref}`);
  return `schemas[${JSON.stringify(ref.slice(SCHEMA_REF.length))}]`;
}

/** The envelope leaves `data` open; an operation's own part narrows it. */
function envelopeType(parts: readonly Json[], indent: string): string {
  return parts
    .map((part, index) => {
      const isNarrowing =
        index > 0 && isJsonObject(part) && isJsonObject(part['properties']) && part['type'] === undefined;
      if (!isNarrowing) return typeOf(part, indent);
      const names = Object.keys(part['properties'] as JsonObject);
      return objectType({ ...part, type: 'object', required: names, additionalProperties: false }, indent);
    })
    .join(' & ');
}

function ownType(schema: JsonObject, indent: string): string {
  if (JSON.stringify(schema) === '{"not":{}}') return 'never';
  const unknown = Object.keys(schema).find((keyword) => !OF_TYPE.has(keyword));
  if (unknown !== undefined)
    throw new Error(`no type for the keyword ${unknown}: ${JSON.stringify(schema).slice(0, 300)}`);
  if ('const' in schema) return JSON.stringify(schema['const']);
  if (Array.isArray(schema['enum'])) return unionOf(schema['enum'].map((value) => JSON.stringify(value)));
  const { type } = schema;
  if (Array.isArray(type)) return unionOf(type.map((one) => ownType({ ...schema, type: one }, indent)));
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return arrayType(schema, indent);
    case 'object':
      return objectType(schema, indent);
    default:
      if (type === undefined && isJsonObject(schema['properties'])) return objectType(schema, indent);
  }
  throw new Error(`no type for ${JSON.stringify(schema).slice(0, 300)}`);
}

function arrayType({ items, prefixItems }: JsonObject, indent: string): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map((item) => typeOf(item, indent)).join(', ')}]`;
  const item = typeOf(items, indent);
  return /[&|]/.test(item) && !/^(\{[\s\S]*\}|schemas\["\w+"\])$/.test(item) ? `(${item})[]` : `Array<${item}>`;
}

function objectType({ properties, required, additionalProperties }: JsonObject, indent: string): string {
  const names = new Set((required ?? []) as string[]);
  const members = Object.entries((properties ?? {}) as JsonObject).flatMap(([name, schema]) =>
    member(name, schema, indent + INDENT, { isOptional: !names.has(name) }),
  );
  const others = isJsonObject(additionalProperties) ? typeOf(additionalProperties, indent + INDENT) : null;
  if (members.length === 0) return others === null ? 'Record<string, unknown>' : `Record<string, ${others}>`;
  const fixed = `{\n${members.join('\n')}\n${indent}}`;
  return others === null ? fixed : `${fixed} & Record<string, ${others}>`;
}

function unionOf(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}
