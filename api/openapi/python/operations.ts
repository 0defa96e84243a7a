import { isJsonObject, type Json, type JsonObject, textOf } from '../../../domain/json.ts';
import { docstring, literal, pascalCase, snakeCase } from './names.ts';
import type { PythonTypes } from './types.ts';

const JSON_TYPE = 'application/json';
const PAGE_REF = '#/components/schemas/Page';
const KEY_REF = '#/components/parameters/Idempotency-Key';

interface Parameter {
  name: string;
  argument: string;
  type: string;
  isRequired: boolean;
}

/** An operation that an API key may call, with JSON in both directions. */
export interface PythonOperation {
  /** Part of the id before the first dot; the client's attribute. */
  area: string;
  method: string;
  path: string;
  name: string;
  text: string;
  pathParameters: Parameter[];
  query: Parameter[];
  body: { type: string; isRequired: boolean } | null;
  takesKey: boolean;
  isPaged: boolean;
  result: string;
}

/** Describes each operation for Python and adds the types that it needs to `types`. */
export function pythonOperations(document: JsonObject, types: PythonTypes): PythonOperation[] {
  const found: PythonOperation[] = [];
  for (const { method, path, operation } of operationsOf(document)) {
    const made = operationOf(document, types, method, path, operation);
    if (made !== null) found.push(made);
  }
  return found;
}

export function keyedOperations(document: JsonObject): string[] {
  return operationsOf(document)
    .filter(({ operation }) => takesKey(operation))
    .map(({ method, path }) => `(${literal(method)}, ${literal(path)})`)
    .toSorted();
}

function operationsOf(document: JsonObject): { method: string; path: string; operation: JsonObject }[] {
  return Object.entries(isJsonObject(document['paths']) ? document['paths'] : {}).flatMap(([path, methods]) =>
    Object.entries(isJsonObject(methods) ? methods : {}).flatMap(([method, operation]) =>
      isJsonObject(operation) ? [{ method: method.toUpperCase(), path, operation }] : [],
    ),
  );
}

function operationOf(
  document: JsonObject,
  types: PythonTypes,
  method: string,
  path: string,
  operation: JsonObject,
): PythonOperation | null {
  const id = textOf(operation, 'operationId');
  const reply = replyOf(document, types, operation, pascalCase(id));
  const body = bodyOf(types, operation, pascalCase(id));
  if (!listOf(operation['security']).some((scheme) => isJsonObject(scheme) && 'apiKey' in scheme)) return null;
  if (reply === null || body === undefined) return null;
  const [area = id, ...rest] = id.split('.');
  const parameters = parametersOf(document, types, operation);
  const scope = operation['x-scope'];
  const summary = textOf(operation, 'summary');
  return {
    area: snakeCase(area),
    method,
    path,
    name: snakeCase(rest.join('_')),
    text: typeof scope === 'string' ? `${summary}. Scope: ${scope}.` : `${summary}.`,
    pathParameters: parameters.filter(({ place }) => place === 'path'),
    query: parameters.filter(({ place }) => place === 'query'),
    body,
    takesKey: takesKey(operation),
    ...reply,
  };
}

function takesKey(operation: JsonObject): boolean {
  return listOf(operation['parameters']).some((each) => isJsonObject(each) && each['$ref'] === KEY_REF);
}

function parametersOf(
  document: JsonObject,
  types: PythonTypes,
  operation: JsonObject,
): (Parameter & { place: string })[] {
  return listOf(operation['parameters']).map((each) => {
    const parameter = resolved(document, each);
    const name = textOf(parameter, 'name');
    return {
      name,
      argument: snakeCase(name),
      place: textOf(parameter, 'in'),
      type: switchAsBool(types.typeOf(parameter['schema'], pascalCase(name))),
      isRequired: parameter['required'] === true,
    };
  });
}

/** Query booleans are texts. */
function switchAsBool(type: string): string {
  return type === 'Literal["true", "false"]' ? 'bool' : type;
}

/** Returns null for no body, undefined for one that is not JSON. */
function bodyOf(types: PythonTypes, operation: JsonObject, name: string): PythonOperation['body'] | undefined {
  const request = operation['requestBody'];
  if (!isJsonObject(request)) return null;
  const schema = jsonSchemaOf(request);
  return schema === null
    ? undefined
    : { type: types.typeOf(schema, `${name}Body`), isRequired: request['required'] === true };
}

/** `data` of every success. Returns null when one is not JSON. */
function replyOf(
  document: JsonObject,
  types: PythonTypes,
  operation: JsonObject,
  name: string,
): { isPaged: boolean; result: string } | null {
  const responses = isJsonObject(operation['responses']) ? operation['responses'] : {};
  const results = new Set<string>();
  let isPaged = false;
  for (const [status, response] of Object.entries(responses)) {
    if (!status.startsWith('2')) continue;
    const schema = jsonSchemaOf(resolved(document, response));
    const parts = schema === null ? [] : listOf(schema['allOf']);
    const data = parts.map((part) => (isJsonObject(part) ? part['properties'] : undefined)).find(isJsonObject)?.[
      'data'
    ];
    if (data === undefined) return null;
    isPaged ||= parts.some((part) => isJsonObject(part) && part['$ref'] === PAGE_REF);
    for (const one of alternatives(types.typeOf(data, `${name}Reply`))) results.add(one);
  }
  const all = [...results];
  const result = all.length > 1 ? `Union[${all.join(', ')}]` : (all[0] ?? 'None');
  return { isPaged, result: isPaged ? `Page[${result}]` : result };
}

function alternatives(type: string): string[] {
  const members = /^Union\[([\w, ]+)\]$/.exec(type)?.[1];
  return members === undefined ? [type] : members.split(', ');
}

function jsonSchemaOf(holder: JsonObject): JsonObject | null {
  const content = holder['content'];
  const json = isJsonObject(content) ? content[JSON_TYPE] : undefined;
  const schema = isJsonObject(json) ? json['schema'] : undefined;
  return isJsonObject(schema) ? schema : null;
}

function resolved(document: JsonObject, value: Json | undefined): JsonObject {
  if (!isJsonObject(value)) return {};
  const ref = value['$ref'];
  if (typeof ref !== 'string') return value;
  let found: Json | undefined = document;
  for (const part of ref.slice('#/'.length).split('/')) found = isJsonObject(found) ? found[part] : undefined;
  return isJsonObject(found) ? found : {};
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** `waits` is `await ` in the asynchronous class. */
export function methodText(operation: PythonOperation, isAsync: boolean): string {
  const { method, path, body, query, pathParameters, isPaged } = operation;
  const positional = pathParameters.map(({ argument, type }) => `${argument}: ${type}`);
  if (body !== null) positional.push(body.isRequired ? `body: ${body.type}` : `body: Optional[${body.type}] = None`);
  const named = query.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired)).map(argumentText);
  if (operation.takesKey) named.push('idempotency_key: Optional[str] = None');
  const signature = ['self', ...positional, ...(named.length > 0 ? ['*', ...named] : [])];
  const table = (some: readonly Parameter[]): string =>
    `{${some.map(({ name, argument }) => `${literal(name)}: ${argument}`).join(', ')}}`;
  const handed = [
    ...(isPaged ? [] : [literal(method)]),
    literal(path),
    ...(pathParameters.length > 0 ? [`path_params=${table(pathParameters)}`] : []),
    ...(query.length > 0 ? [`query=${table(query)}`] : []),
    ...(body === null ? [] : ['body=body']),
    ...(operation.takesKey ? ['idempotency_key=idempotency_key'] : []),
  ];
  const called = `self._caller.${isPaged ? 'call_page' : 'call'}(${handed.join(', ')})`;
  return [
    `    ${isAsync ? 'async def' : 'def'} ${operation.name}(${signature.join(', ')}) -> ${operation.result}:`,
    ...docstring(operation.text, '        '),
    `        return ${isAsync ? 'await ' : ''}${called}`,
  ].join('\n');
}

function argumentText({ argument, type, isRequired }: Parameter): string {
  return isRequired ? `${argument}: ${type}` : `${argument}: ${optional(type)} = None`;
}

function optional(type: string): string {
  return type === 'Any' || type.startsWith('Optional[') ? type : `Optional[${type}]`;
}
