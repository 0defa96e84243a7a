import type { Json, JsonObject } from '../../../../../domain/json.ts';

/**
 * Small descriptions with the habits of real ones (GitHub, Stripe, Kubernetes, Slack, Twilio, Box, Jira and others), by hand. Each has one
 * operation that matters, the input that it is invoked with, and what must become of it.
 */
export interface Habit {
  what: string;
  document: JsonObject | string;
  input?: JsonObject;
  /** What the target must see. The URL is path and query; only the headers that are named are compared. */
  sent?: { url?: string; method?: string; body?: string; headers?: Record<string, string | undefined> };
  /** Why the operation is skipped. */
  skipped?: RegExp;
  /** The input that is a 400, and what it says. */
  refused?: [JsonObject, RegExp];
  /** What the row of the import says was left out. */
  told?: RegExp;
}

type Version = '3.0.3' | '3.1.0' | '3.2.0';

export const TEXT = { type: 'string' };
export const INT64 = { type: 'integer', format: 'int64' };
export const json = (schema: Json, type = 'application/json'): JsonObject => ({
  requestBody: { required: true, content: { [type]: { schema } } },
});
export const query = (name: string, more: JsonObject): JsonObject => ({ name, in: 'query', ...more });

/** A description of one operation at `path`, of the method that stands before it. */
export function describing(version: Version, place: string, operation: JsonObject, more: JsonObject = {}): JsonObject {
  const [method = '', path = ''] = place.split(' ');
  return {
    openapi: version,
    info: { title: 'habit', version: '1' },
    servers: [{ url: '{target}' }],
    paths: { [path]: { [method]: { operationId: 'habit', responses: { 200: { description: 'ok' } }, ...operation } } },
    ...more,
  };
}

/** The linter takes an object with a literal `then` for a promise. */
export const conditional = (...parts: JsonObject[]): JsonObject =>
  Object.fromEntries(parts.map((part, index) => [['if', 'then', 'else'][index] ?? '', part]));
