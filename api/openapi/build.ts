import { OFFERED_SCOPES } from '../../domain/oauth/offered-scopes.ts';
import { OAUTH_PATHS } from '../http/oauth-places.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type Scope, SCOPES } from '../../domain/scopes.ts';
import { PRODUCT } from '../../domain/product.ts';
import type { AnyRoute } from '../http/define-route.ts';
import { IDEMPOTENCY_RETENTION_HOURS } from '../../db/idempotency/claims.ts';
import { paginationSchema } from '../http/common-fields.ts';
import { ENVELOPE_SCHEMAS, ERROR_SCHEMA, responsesOf } from './responses.ts';
import { tagOf, tagsOf } from './areas.ts';
import { SchemaComponents } from './schemas.ts';
import { SharedComponents } from './shared-components.ts';
import { webhooksOf } from './webhooks.ts';

/** Builds the OpenAPI 3.1 document from the routes' declarations. */
export function buildOpenApi(routes: readonly AnyRoute[]): JsonObject {
  const components: Components = {
    schemas: new SchemaComponents(),
    parameters: new SharedComponents('parameters'),
    responses: new SharedComponents('responses'),
  };
  components.schemas.schemaOf(paginationSchema, 'output');
  const operations = routes.map((route) => ({ route, operation: operationOf(route, components) }));
  shareReplies(operations, components.responses);
  const webhooks = webhooksOf(components.schemas, components.parameters);
  const paths: Record<string, JsonObject> = {};
  for (const { route, operation } of operations) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: PRODUCT.name,
      version: PRODUCT.version,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    ...tagsOf(new Set(routes.map(({ id }) => tagOf(id)))),
    paths,
    webhooks,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: { ...components.parameters.components, ...PARAMETERS },
      responses: components.responses.components,
      headers: HEADERS,
      schemas: Object.fromEntries(
        Object.entries({ ...components.schemas.schemas, ...ENVELOPE_SCHEMAS, Error: ERROR_SCHEMA }).sort(([a], [b]) =>
          a < b ? -1 : 1,
        ),
      ),
    },
    'x-scopes': [...SCOPES],
  };
}

const DESCRIPTION = `An execution runtime for AI agents. An agent invokes an **action**; the runtime checks policies and limits, waits for
approval where one is needed, sends the request **at most once**, and leaves a **receipt** that says what is known of the outcome.

**Authenticate** with \`Authorization: Bearer service_live_…\`. A key belongs to one environment and sees only that. Apps get a token by OAuth.

**Replies** are \`{ success: true, data }\`, with \`pagination\` for lists, or \`{ success: false, error: { code, message, details }, requestId }\`.
Match on \`error.code\`; the message is for people.

**Invoke safely.** Send an \`Idempotency-Key\` with each mutation: a repeated request gets the first reply. Read an invocation's \`status\` and
\`grade\`, not only the HTTP status: one that was refused, or whose outcome is unknown, is a 200 too. \`nextStep\` says what to do.

**Examples** of every request and reply are in \`/reference/openapi.json\`, the same document otherwise, and on the page \`/reference\`.

**Lists** take \`page\` and \`limit\` (1 to 100), newest first. Times are RFC 3339 in UTC, money is an integer of minor units.`;

interface Components {
  schemas: SchemaComponents;
  parameters: SharedComponents;
  responses: SharedComponents;
}

function operationOf(route: AnyRoute, components: Components): JsonObject {
  const responses = responsesOf(route, components.schemas, components.responses);
  return {
    operationId: route.id,
    tags: [tagOf(route.id)],
    summary: route.summary,
    description: describe(route),
    security: securityOf(route),
    ...(route.scope === null ? {} : { 'x-scope': route.scope }),
    ...(route.role === undefined ? {} : { 'x-role': route.role }),
    parameters: [
      ...parametersOf(route, 'path', components),
      ...parametersOf(route, 'query', components),
      { $ref: '#/components/parameters/X-Request-Id' },
      ...(route.idempotent === true ? [{ $ref: '#/components/parameters/Idempotency-Key' }] : []),
      ...sessionParametersOf(route),
    ],
    ...requestBodyOf(route, components),
    responses,
  };
}

function requestBodyOf(route: AnyRoute, components: Components): JsonObject {
  const { streamedBody, request } = route;
  if (streamedBody !== undefined) {
    const { mediaType, schema } = streamedBody;
    const types = [mediaType ?? 'application/octet-stream'].flat();
    return { requestBody: { required: true, content: Object.fromEntries(types.map((type) => [type, { schema }])) } };
  }
  const { body } = request;
  if (body === undefined) return {};
  const required = !body.safeParse(undefined).success && !body.safeParse({}).success;
  return {
    requestBody: { required, content: { 'application/json': { schema: components.schemas.schemaOf(body, 'input') } } },
  };
}

/** Shares a success reply that several operations have; a single one stays inline. */
function shareReplies(
  operations: readonly { route: AnyRoute; operation: JsonObject }[],
  shared: SharedComponents,
): void {
  const replies = operations.flatMap(({ route, operation: { responses } }) =>
    Object.entries(responses as JsonObject).flatMap(([status, reply]) =>
      isJsonObject(reply) && reply['$ref'] === undefined
        ? [{ name: `${route.id}.${status}`, status, reply, responses: responses as JsonObject }]
        : [],
    ),
  );
  const uses = new Map<string, number>();
  const contents = replies.map(({ reply }) => JSON.stringify(reply));
  for (const content of contents) uses.set(content, (uses.get(content) ?? 0) + 1);
  replies.forEach(({ name, status, reply, responses }, index) => {
    if ((uses.get(contents[index] ?? '') ?? 0) > 1) responses[status] = shared.refTo(reply, name);
  });
}

function describe(route: AnyRoute): string {
  const credential = credentialOf(route);
  return route.description === undefined ? credential : `${route.description}\n\n${credential}`;
}

function credentialOf(route: AnyRoute): string {
  const { of, scope, role } = route;
  if (of === 'public') return 'Needs no credential.';
  if (of === 'user') return 'Needs a session.';
  if (of === 'workspace')
    return `Needs a session of a member of the workspace with the role \`${role}\` or a higher one.`;
  const session = role === undefined ? '' : `, or a session with the role \`${role}\` or a higher one`;
  if (scope === null) return 'Any valid credential will do.';
  const needed = scopesOf(route).map((one) => `\`${one}\``);
  return `Needs the ${needed.length === 1 ? 'scope' : 'scopes'} ${needed.join(' and ')}${session}.`;
}

/** Each scheme is sufficient by itself. */
function securityOf(route: AnyRoute): JsonObject[] {
  if (route.of === 'public') return [];
  if (route.of === 'user' || route.of === 'workspace') return [{ session: [] }];
  const takesSession = route.environmentOptional === true || route.role !== undefined;
  const takesApp = route.scope === null || OFFERED_SCOPES.includes(route.scope);
  return [
    { apiKey: [] },
    ...(takesApp ? [{ oauth: scopesOf(route) }] : []),
    ...(takesSession ? [{ session: [] }] : []),
  ];
}

function scopesOf(route: AnyRoute): Scope[] {
  const also = route.of === 'environment' ? route.alsoScope : undefined;
  return [route.scope, also].filter((scope) => scope !== null && scope !== undefined);
}

/** Sent by sessions beside the cookie. Optional, because a key needs neither. */
function sessionParametersOf(route: AnyRoute): JsonObject[] {
  if (!securityOf(route).some((scheme) => 'session' in scheme)) return [];
  const namesEnvironment = route.of === 'environment' && route.environmentFromPath !== true;
  return [
    ...(namesEnvironment ? [{ $ref: '#/components/parameters/X-Environment-Id' }] : []),
    ...(route.method === 'GET' ? [] : [{ $ref: '#/components/parameters/X-CSRF-Token' }]),
  ];
}

function parametersOf(route: AnyRoute, place: 'path' | 'query', components: Components): JsonObject[] {
  const schema = place === 'path' ? route.request.params : route.request.query;
  return Object.entries(schema?.shape ?? {}).map(([name, member]) => {
    const { description = null, ...memberSchema } = components.schemas.schemaOf(member, 'input');
    const required = place === 'path' || !member.safeParse(undefined).success;
    const parameter: JsonObject = { name, in: place, required, schema: memberSchema };
    if (description !== null) parameter['description'] = description;
    return components.parameters.refTo(parameter, name, `${tagOf(route.id)}.${name}`, `${route.id}.${name}`);
  });
}

const SECURITY_SCHEMES: JsonObject = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key: `service_live_` and 32 characters. It belongs to one environment and sees only that.',
  },
  oauth: {
    type: 'oauth2',
    description:
      'An app that a member has let act for them in one environment, with the scopes that they consented to. PKCE is required. The addresses ' +
      'and the resource are in the metadata at `/.well-known/oauth-protected-resource/api/v2`.',
    flows: {
      authorizationCode: {
        authorizationUrl: OAUTH_PATHS.authorization,
        tokenUrl: OAUTH_PATHS.token,
        refreshUrl: OAUTH_PATHS.token,
        scopes: Object.fromEntries(OFFERED_SCOPES.map((scope) => [scope, ''])),
      },
    },
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-service-session',
    description:
      'Set by POST /api/v2/auth/session; on the loopback its name is `service-session`. What it does beyond reading needs the ' +
      'headers `X-CSRF-Token` and `Origin`.',
  },
};

const PARAMETERS: JsonObject = {
  'X-Request-Id': {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your correlation id. One that is unsafe or too long is replaced.',
    schema: { type: 'string', maxLength: 128 },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repeated request safe: it runs at most once, and later ones get the first reply with `X-Idempotent-Replay: true`. ' +
      `Kept for ${IDEMPOTENCY_RETENTION_HOURS} hours; a failed request frees it.`,
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  'X-Environment-Id': {
    name: 'X-Environment-Id',
    in: 'header',
    description: 'The environment that a session works in. An API key has its own, and this is not read.',
    schema: { type: 'string', format: 'uuid' },
  },
  'X-CSRF-Token': {
    name: 'X-CSRF-Token',
    in: 'header',
    description: 'For a session: the `csrfToken` of GET /api/v2/auth/session.',
    schema: { type: 'string' },
  },
};

const HEADERS: JsonObject = {
  Link: { description: 'Where the code of the error is explained, as `rel="help"`.', schema: { type: 'string' } },
  Location: { description: 'The path of the record that shows the result.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds after which a look is worth its request.', schema: { type: 'integer' } },
  'X-Request-Id': { description: 'The id of this request.', schema: { type: 'string' } },
  'X-Idempotent-Replay': {
    description: 'Present where this is the recorded reply of an earlier request with the same key.',
    schema: { const: 'true' },
  },
  'X-RateLimit-Limit': {
    description: 'Requests that the window of the rate limit admits. Absent where the plan has no limit.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': { description: 'Requests that are left in it.', schema: { type: 'integer' } },
  'X-RateLimit-Reset': {
    description: 'When the window begins anew: Unix time in milliseconds.',
    schema: { type: 'integer' },
  },
};
