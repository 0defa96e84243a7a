import type { z } from 'zod';
import { ERROR_TABLE, type ErrorCode, statusOf } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { AnyRoute } from '../http/define-route.ts';
import type { SchemaComponents } from './schemas.ts';
import type { SharedComponents } from './shared-components.ts';

const REQUEST_ID_HEADER = { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } };
/** Replies to a key, an app or a session have them, except a 429 (docs/plans-and-limits.md, "Rate limits"). */
const RATE_LIMIT_HEADERS = Object.fromEntries(
  ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]),
);
const ACCEPTED_HEADERS = Object.fromEntries(
  ['Location', 'Retry-After'].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);
const REPLAY_HEADER = { 'X-Idempotent-Replay': { $ref: '#/components/headers/X-Idempotent-Replay' } };

/** Every code that a route can answer: the machinery's and its own. */
export function errorCodesOf(route: AnyRoute): ErrorCode[] {
  const codes: ErrorCode[] = ['VALIDATION_ERROR', 'NOT_ACCEPTABLE', ...credentialCodesOf(route)];
  if (route.method !== 'GET') codes.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (route.idempotent === true) codes.push('idempotency_key_reuse', 'idempotency_request_in_progress');
  if (route.feature !== undefined) codes.push('FEATURE_NOT_AVAILABLE');
  if (route.expensive === true) codes.push('EXPENSIVE_WORK_PAUSED');
  codes.push('RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE');
  return [...new Set([...codes, ...route.errors])];
}

/** What a session gets whose sign-in waits for a passkey. */
const HALF: readonly ErrorCode[] = ['SECOND_FACTOR_REQUIRED'];

/** Errors of the credential, or of the environment or workspace that it names. */
function credentialCodesOf(route: AnyRoute): ErrorCode[] {
  switch (route.of) {
    case 'public': // another site's page may not send it
      return route.method === 'GET' ? [] : ['AUTHORIZATION_ERROR'];
    case 'user': // an API key, or a request of another site
      return ['AUTHENTICATION_ERROR', 'AUTHORIZATION_ERROR', ...(route.finishesSignIn ? [] : HALF)];
    case 'workspace':
      return ['AUTHENTICATION_ERROR', 'AUTHORIZATION_ERROR', 'NOT_FOUND', ...HALF];
    case 'environment':
      return [
        'AUTHENTICATION_ERROR',
        ...(route.scope === null ? [] : ['AUTHORIZATION_ERROR' as const]),
        // For the environment that a session names.
        ...(route.role === undefined && route.environmentOptional !== true ? [] : ['NOT_FOUND' as const, ...HALF]),
      ];
  }
}

/** The operation's `responses` by status; errors are shared parts. */
export function responsesOf(route: AnyRoute, components: SchemaComponents, shared: SharedComponents): JsonObject {
  const responses: JsonObject = {};
  for (const [status, schema] of Object.entries(route.response)) {
    responses[status] = {
      description: SUCCESS_DESCRIPTIONS[status] ?? 'Success.',
      headers: {
        ...REQUEST_ID_HEADER,
        ...(route.of === 'public' ? {} : RATE_LIMIT_HEADERS),
        ...(route.idempotent === true ? REPLAY_HEADER : {}),
        ...(status === '202' ? ACCEPTED_HEADERS : {}),
      },
      content:
        route.events !== undefined
          ? { 'text/event-stream': { schema: eventsOf(route.events, components) } }
          : route.foreignReplies !== undefined
            ? route.foreignReplies.success
            : route.streamedReply === true
              ? { '*/*': { schema: { type: 'string', format: 'binary' } } } // whatever it was stored with
              : {
                  'application/json': { schema: envelopeOf(route, schema, components) },
                  ...(route.csv === true ? { 'text/csv': { schema: { type: 'string' } } } : {}),
                },
    };
  }
  const codes = errorCodesOf(route);
  for (const status of [...new Set(codes.map((code) => statusOf(code, route)))].sort((a, b) => a - b)) {
    const ofStatus = codes.filter((code) => statusOf(code, route) === status).sort();
    responses[String(status)] =
      route.foreignReplies === undefined
        ? shared.refTo(errorResponse(ofStatus), ofStatus.join('-'))
        : shared.refTo(foreignErrorResponse(ofStatus, route.foreignReplies.failure), `${route.id}.${status}`);
  }
  return responses;
}

function foreignErrorResponse(codes: readonly ErrorCode[], content: JsonObject): JsonObject {
  return { description: codes.join(', '), headers: REQUEST_ID_HEADER, content };
}

const SUCCESS_DESCRIPTIONS: Record<string, string> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted: it goes on after this reply.',
  206: 'The part that was asked for.',
};

/** A stream is a string for OpenAPI 3.1; JSON Schema can say what is in it. */
function eventsOf(events: z.ZodType, components: SchemaComponents): JsonObject {
  return { type: 'string', contentMediaType: 'application/json', contentSchema: components.schemaOf(events, 'output') };
}

function envelopeOf(route: AnyRoute, schema: z.ZodType, components: SchemaComponents): JsonObject {
  const data = components.schemaOf(schema, 'output');
  if (route.beside !== undefined) return wideEnvelopeOf(route, data, components);
  const envelope = `#/components/schemas/${route.paginated === true ? 'Page' : 'Success'}`;
  return { allOf: [{ $ref: envelope }, { properties: { data } }] };
}

/** Envelope with members beside `data`, which the shared ones do not allow. */
function wideEnvelopeOf(route: AnyRoute, data: JsonObject, components: SchemaComponents): JsonObject {
  const beside = Object.entries(route.beside ?? {}).map(([name, schema]) => [
    name,
    components.schemaOf(schema, 'output'),
  ]);
  const properties: JsonObject = {
    success: { const: true },
    data,
    ...(Object.fromEntries(beside) as JsonObject),
    ...(route.paginated === true ? { pagination: PAGINATION } : {}),
  };
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}

const PAGINATION: JsonObject = { $ref: '#/components/schemas/OffsetPagination' };

export const ENVELOPE_SCHEMAS: Record<string, JsonObject> = {
  Success: {
    type: 'object',
    required: ['success', 'data'],
    properties: { success: { const: true }, data: true },
    additionalProperties: false,
  },
  Page: {
    type: 'object',
    required: ['success', 'data', 'pagination'],
    properties: { success: { const: true }, data: true, pagination: PAGINATION },
    additionalProperties: false,
  },
};

function errorResponse(codes: readonly ErrorCode[]): JsonObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_TABLE[code].message}`).join('\n\n'),
    headers: { ...REQUEST_ID_HEADER, Link: { $ref: '#/components/headers/Link' } },
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { type: 'object', properties: { error: { type: 'object', properties: { code: { enum: [...codes] } } } } },
          ],
        },
      },
    },
  };
}

export const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  description: 'Match on `error.code`; the message is for people.',
  required: ['success', 'error', 'requestId'],
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'string' },
        message: { type: 'string' },
        details: {
          type: 'object',
          description: 'For a VALIDATION_ERROR: `issues`, each with a `path` into the request and a `message`.',
        },
      },
      additionalProperties: false,
    },
    requestId: { type: 'string', description: 'The X-Request-Id of the response.' },
  },
  additionalProperties: false,
};
