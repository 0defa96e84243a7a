import { readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '../../domain/json.ts';
import type { AnyRoute } from '../http/define-route.ts';
import { buildOpenApi } from '../openapi/build.ts';

/** A recorded request with its reply (`npm run openapi:examples`). */
export interface OperationExample {
  request: { params?: Record<string, string>; query?: Record<string, string>; body?: JsonObject | string };
  /** Text when the body is not JSON. */
  response: { status: number; body: JsonObject | string };
}

/** By route id. The build copies the file beside the compiled module. */
export const EXAMPLES_FILE = new URL('./examples.json', import.meta.url);

/**
 * Adds an example of each request and reply, for the reference page. /api/v2/openapi.json has none: generators and agents read it whole,
 * and examples would double it.
 */
export function describeWithExamples(routes: readonly AnyRoute[]): JsonObject {
  const document = buildOpenApi(routes);
  const examples = JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')) as Record<string, OperationExample>;
  for (const { id, path, method } of routes) {
    const operation = memberAt(document, 'paths', path, method.toLowerCase());
    const example = examples[id];
    if (example !== undefined) addExample(document, operation, example);
  }
  return document;
}

function addExample(document: JsonObject, operation: JsonObject, { request, response }: OperationExample): void {
  const values = { ...request.params, ...request.query };
  operation['parameters'] = (operation['parameters'] as Json[]).map((part) => {
    const parameter = resolved(document, part);
    const { name } = parameter;
    const value = typeof name === 'string' && parameter['in'] !== 'header' ? values[name] : undefined;
    return value === undefined ? part : { ...parameter, example: value };
  });
  const { requestBody } = operation;
  if (isJsonObject(requestBody) && request.body !== undefined) {
    contentOf(requestBody)['example'] = request.body;
  }
  const responses = memberAt(operation, 'responses');
  const status = String(response.status);
  // Inlines a shared reply, because the example is this operation's own.
  const reply = structuredClone(resolved(document, responses[status] ?? {}));
  contentOf(reply)['example'] = response.body;
  responses[status] = reply;
}

function contentOf(part: JsonObject): JsonObject {
  const [mediaType = ''] = Object.keys(memberAt(part, 'content'));
  return memberAt(part, 'content', mediaType);
}

/** Resolves a reference; returns anything else unchanged. Throws when it leads to no object. */
export function resolved(document: JsonObject, part: Json): JsonObject {
  if (!isJsonObject(part)) throw new Error(`the OpenAPI document has ${JSON.stringify(part)} where an object belongs`);
  const { $ref } = part;
  return typeof $ref === 'string' ? memberAt(document, ...$ref.slice(2).split('/')) : part;
}

function memberAt(node: JsonObject, ...names: readonly string[]): JsonObject {
  return names.reduce<JsonObject>((parent, name) => {
    const member = parent[name];
    if (!isJsonObject(member)) throw new Error(`the OpenAPI document has no object ${names.join(' › ')}`);
    return member;
  }, node);
}
