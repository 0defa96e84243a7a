import type { OperationExample } from '../../../api/reference/describe-with-examples.ts';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import type { Json, JsonObject } from '../../../domain/json.ts';
import { isJsonObject } from '../../../domain/json.ts';
import { violationsOf } from '../harness/reply-schemas.ts';
import { fixtureOf } from '../suites/fixtures.ts';
import type { FixtureRequest, World } from '../suites/world.ts';
import { StableExample } from './stable-example.ts';

/** As many rows of a list say what it looks like. */
const ROWS_MAX = 2;
const TEXT_CHARACTERS_MAX = 400;

/** The successful request of each route's fixture and its reply, without what differs from run to run. */
export async function recordExamples(
  world: World,
  routes: readonly AnyRoute[],
): Promise<Record<string, OperationExample>> {
  const examples: Record<string, OperationExample> = {};
  for (const route of routes) examples[route.id] = await recordExample(world, route);
  return examples;
}

async function recordExample(world: World, route: AnyRoute): Promise<OperationExample> {
  const { example } = fixtureOf(route);
  const fixture = await (example === undefined ? world.requestFor(route) : example(world));
  if (route.paginated === true && example === undefined)
    for (let row = 0; row < ROWS_MAX; row++) await world.plantRow(route, fixture);
  const request =
    route.paginated === true ? { ...fixture, query: { ...fixture.query, limit: String(ROWS_MAX) } } : fixture;
  if (route.events !== undefined)
    return { request: {}, response: { status: 200, body: await firstEventOf(world, route) } };
  const { status, json, text } = await world.sendAllowed(route, request);
  const stable = new StableExample(Date.now());
  if (route.streamedReply === true) {
    return { request: stable.of(requestOf(request)), response: { status, body: text } };
  }
  if ((status >= 300 && !mayRefuse(route)) || !isJsonObject(json))
    throw new Error(`${route.id} answered its fixture with ${status} ${text}`);
  return {
    request: stable.of(requestOf(request)),
    response: { status, body: short(stable.of(withoutCounts(json))) as JsonObject },
  };
}

/** Reads no further: the stream does not end. */
async function firstEventOf(world: World, route: AnyRoute): Promise<string> {
  const reply = await fetch(`${world.api.baseUrl}${route.path}`, { headers: await world.credentialHeaders(route) });
  const reader = reply.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return Buffer.from((first?.value as Uint8Array | undefined) ?? []).toString();
}

/** A route that has no success to conform to. Its example is how it refuses. */
function mayRefuse(route: AnyRoute): boolean {
  return route.exempt?.['conformance'] !== undefined;
}

function requestOf({ params, query, body, raw }: FixtureRequest): OperationExample['request'] & JsonObject {
  return {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body: body as JsonObject }),
    // The boundary of a multipart body is random.
    ...(raw === undefined
      ? {}
      : {
          body: Buffer.from(raw)
            .toString()
            .replaceAll(/----test-[0-9a-f-]{36}/g, '----boundary'),
        }),
  };
}

/** How many rows a list has depends on which routes were recorded before it. */
function withoutCounts(reply: JsonObject): JsonObject {
  const { pagination, data } = reply;
  if (!isJsonObject(pagination) || !Array.isArray(data)) return reply;
  return { ...reply, pagination: { ...pagination, total: data.length, totalPages: 1, hasMore: false } };
}

/** A text is cut where a reader has seen what it is. */
function short(value: Json): Json {
  if (Array.isArray(value)) return value.map(short);
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, short(item)]));
  if (typeof value !== 'string' || value.length <= TEXT_CHARACTERS_MAX) return value;
  return `${value.slice(0, TEXT_CHARACTERS_MAX)} …`;
}

/** How an example differs from what its route declares; a route without one is a finding too. */
export function exampleFindings(route: AnyRoute, example: OperationExample | undefined): string[] {
  const again = `${route.id}: run npm run openapi:examples`;
  if (example === undefined) return [`${again}; it has no example`];
  const { params, query, body } = example.request;
  const parts = [
    { part: 'params', schema: route.request.params, value: params ?? {} },
    { part: 'query', schema: route.request.query, value: query ?? {} },
    ...(route.streamedBody === undefined ? [{ part: 'body', schema: route.request.body, value: body ?? {} }] : []),
  ];
  const { status, body: reply } = example.response;
  const {
    data,
    pagination,
    success: _,
    ...beside
  } = (typeof reply === 'string' ? { data: null } : reply) as { data: unknown; pagination?: never; success?: true };
  return [
    ...parts.flatMap(({ part, schema, value }) => {
      if (schema === undefined) {
        return Object.keys(value).length === 0 ? [] : [`${again}; the route takes no ${part}`];
      }
      const result = schema.safeParse(value);
      return (result.error?.issues ?? []).map(
        ({ path, message }) => `${again}; ${part}.${path.map(String).join('.')} ${message}`,
      );
    }),
    ...(status >= 300 && mayRefuse(route)
      ? []
      : violationsOf(route, { status, data, beside, ...(pagination === undefined ? {} : { pagination }) })
    ).map((violation) => `${again}; ${violation}`),
  ];
}
