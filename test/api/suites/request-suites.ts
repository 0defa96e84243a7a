import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { z } from 'zod';
import type { AnyRoute } from '../../../api/http/define-route.ts';
import { BODY_BYTES_MAX } from '../../../api/http/bodies.ts';
import { expectError, pathsOf, rowsOf, type Suite } from './suite.ts';
import type { FixtureRequest, World } from './world.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const takesBody = (route: AnyRoute): boolean => route.method !== 'GET';

/** One finding unless the reply is a VALIDATION_ERROR with an issue at this path or below. */
async function expectIssue(
  world: World,
  route: AnyRoute,
  request: FixtureRequest,
  what: string,
  path: string,
): Promise<string[]> {
  const reply = await world.sendAllowed(route, request);
  const findings = expectError(what, reply, 400, 'VALIDATION_ERROR');
  if (findings.length > 0 || pathsOf(reply).some((found) => found.startsWith(path))) return findings;
  return [`${what}: no issue has the path ${path}: ${reply.text}`];
}

const unknownFields: Suite = {
  name: 'unknownFields',
  title: 'answers 400 to fields that it does not know, each by its path',
  covers: () => true,
  async check(world, route) {
    const request = await world.requestFor(route);
    const query = { ...request, query: { ...request.query, unexpected: '1' } };
    const findings = await expectIssue(world, route, query, 'an unknown query field', 'query.unexpected');
    if (!takesBody(route)) return findings;
    const body = { ...request, body: { ...request.body, unexpected: 1 } };
    return [...findings, ...(await expectIssue(world, route, body, 'an unknown body field', 'body.unexpected'))];
  },
};

/** One value of each JSON type; the values that a field's schema refuses are its wrong values. */
const OF_EACH_TYPE: readonly unknown[] = [null, true, 1.5, -1, 'text', '', [], [1], {}, { unexpected: 1 }];
const NO_NUMBER_NOR_NAME = 'not\u00a0a value';

function propertiesOf(schema: z.ZodType | undefined): [string, object][] {
  if (schema === undefined) return [];
  const { properties = {}, $defs } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, property]) => [name, { $defs, ...(property as object) }]);
}

const wrongTypes: Suite = {
  name: 'wrongTypes',
  title: 'answers 400 to a value of the wrong type, by its path',
  covers: (route) => route.request.body !== undefined || route.request.query !== undefined,
  async check(world, route) {
    const ajv = new Ajv2020({ strict: false, validateFormats: true });
    addFormats.default(ajv);
    const request = await world.requestFor(route);
    const findings: string[] = [];
    for (const [name, schema] of propertiesOf(route.request.body)) {
      const isRight = ajv.compile(schema);
      for (const value of OF_EACH_TYPE.filter((candidate) => !isRight(candidate))) {
        const wrong = { ...request, body: { ...request.body, [name]: value } };
        const what = `body.${name} = ${JSON.stringify(value)}`;
        findings.push(...(await expectIssue(world, route, wrong, what, `body.${name}`)));
      }
    }
    for (const [name, schema] of propertiesOf(route.request.query)) {
      if (ajv.compile(schema)(NO_NUMBER_NOR_NAME)) continue;
      const wrong = { ...request, query: { ...request.query, [name]: NO_NUMBER_NOR_NAME } };
      findings.push(...(await expectIssue(world, route, wrong, `query.${name} of another type`, `query.${name}`)));
    }
    return findings;
  },
};

const bodies: Suite = {
  name: 'bodies',
  title:
    'answers 413 over what it takes (1 MiB, or less on public routes), 400 to what is no JSON, 415 to another media type',
  covers: takesBody,
  async check(world, route) {
    const { body: _, ...bare } = await world.requestFor(route);
    const bytesMax = route.bodyBytesMax ?? BODY_BYTES_MAX;
    const oversize = `{"unexpected":"${'x'.repeat(bytesMax)}"}`;
    const [large, malformed, plain] = [
      await world.sendAllowed(route, bare, { raw: oversize }),
      await world.sendAllowed(route, bare, { raw: '{"a":' }),
      await world.sendAllowed(route, bare, { raw: '{}', headers: { 'Content-Type': 'text/plain' } }),
    ];
    return [
      ...(route.of === 'public' && bytesMax > 8_192 ? [`a public route takes ${bytesMax} bytes`] : []),
      ...expectError('too large', large, 413, 'PAYLOAD_TOO_LARGE'),
      ...expectError('no JSON', malformed, 400, 'VALIDATION_ERROR'),
      ...(malformed.text.includes('line 1, column 6') ? [] : ['it does not say where the JSON is broken']),
      ...expectError('text/plain', plain, 415, 'UNSUPPORTED_MEDIA_TYPE'),
    ];
  },
};

interface Page {
  data: unknown;
  pagination: { total: number; page: number; limit: number; totalPages: number; hasMore: boolean };
}

const pagination: Suite = {
  name: 'pagination',
  title: 'pages within its bounds, and its totals agree',
  covers: (route) => route.paginated === true,
  async check(world, route) {
    const request = await world.requestFor(route);
    for (let row = 0; row < 2; row++) await world.plantRow(route, request);
    const findings: string[] = [];
    for (const [name, values] of Object.entries({
      limit: ['0', '-1', '101', '1.5', 'x', ''],
      page: ['0', '-1', 'x'],
    })) {
      for (const value of values) {
        const wrong = { ...request, query: { ...request.query, [name]: value } };
        findings.push(...(await expectIssue(world, route, wrong, `${name}=${value}`, `query.${name}`)));
      }
    }
    const read = async (query: Record<string, string>): Promise<Page> =>
      (await world.sendAllowed(route, { ...request, query: { ...request.query, ...query } })).json as Page;
    const [all, first, second] = [
      await read({ limit: '100' }),
      await read({ limit: '1' }),
      await read({ limit: '1', page: '2' }),
    ];
    const { total } = all.pagination ?? {};
    if (total === undefined || total < 2) return [...findings, `it lists ${total} rows where two were planted`];
    const beyond = await read({ limit: '1', page: String(total + 1) });
    const expected = (page: number, limit: number): Page['pagination'] => {
      const totalPages = Math.ceil(total / limit);
      return { total, page, limit, totalPages, hasMore: page < totalPages };
    };
    const rows = rowsOf(all.data);
    const pages: [Page, unknown[], Page['pagination']][] = [
      [first, rows.slice(0, 1), expected(1, 1)],
      [second, rows.slice(1, 2), expected(2, 1)],
      [beyond, [], expected(total + 1, 1)],
    ];
    if (rows.length !== Math.min(total, 100)) findings.push(`limit=100 gives ${rows.length} of ${total}`);
    for (const [page, data, described] of pages) {
      if (JSON.stringify([rowsOf(page.data), sorted(page.pagination)]) !== JSON.stringify([data, sorted(described)])) {
        findings.push(`page ${described.page} of one row is ${JSON.stringify(page).slice(0, 300)}`);
      }
    }
    return findings;
  },
};

const sorted = (record: object): [string, unknown][] => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));

/** Routes that share a path are checked together, and each must pass. */
export function methodSuite(routes: readonly AnyRoute[]): Suite {
  return {
    name: 'methods',
    title: 'answers 405 with Allow to the methods that its path does not have, and 404 below it',
    covers: () => true,
    async check(world, route) {
      const declared = routes.filter(({ path }) => path === route.path).map(({ method }) => method);
      const path = route.path.replaceAll(/\{(\w+)\}/g, '$1');
      const headers = await world.credentialHeaders(route);
      const findings: string[] = [];
      for (const method of METHODS.filter((candidate) => !declared.includes(candidate))) {
        const reply = await world.api.call(method, path, { headers });
        findings.push(...expectError(method, reply, 405, 'METHOD_NOT_ALLOWED'));
        const allow = reply.headers.get('Allow')?.split(', ') ?? [];
        if (!declared.every((one) => allow.includes(one))) findings.push(`${method}: Allow is "${allow.join(', ')}"`);
        const { error } = reply.json as { error?: { details?: { allowed?: unknown } } };
        if (JSON.stringify(error?.details?.allowed) !== JSON.stringify(allow))
          findings.push(`${method}: ${reply.text}`);
      }
      const below = await world.api.call('GET', `${path}/nowhere/else/at/all`, { headers });
      return [...findings, ...expectError('a path below it', below, 404, 'NOT_FOUND')];
    },
  };
}

export const REQUEST_SUITES: readonly Suite[] = [unknownFields, wrongTypes, bodies, pagination];
