import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineRoute } from '../../../api/http/define-route.ts';
import { queryBoolean } from '../../../api/http/common-fields.ts';
import { startTestApi } from '../harness/test-api.ts';

const SECRET_WORDS = 'the-words-that-nobody-may-read';
const ROUTES = [
  defineRoute({
    of: 'environment',
    id: 'things.list',
    method: 'GET',
    path: '/api/v2/things',
    summary: 'List things',
    scope: 'actions:read',
    request: { query: z.strictObject({ loud: queryBoolean.optional() }) },
    response: { 200: z.array(z.strictObject({ offset: z.int(), loud: z.boolean().nullable() })) },
    list: (_tx, { query: { loud }, page: { offset } }) =>
      Promise.resolve({ items: [{ offset, loud: loud ?? null }], total: 41 }),
  }),
  defineRoute({
    of: 'environment',
    id: 'things.create',
    method: 'POST',
    path: '/api/v2/things',
    summary: 'Create a thing',
    scope: 'actions:write',
    request: {
      body: z.strictObject({
        name: z.string().min(1),
        inner: z.strictObject({ items: z.array(z.strictObject({ n: z.int() })) }).optional(),
        either: z.union([z.strictObject({ path: z.string() }), z.strictObject({ const: z.int() })]).optional(),
      }),
    },
    response: { 201: z.strictObject({ name: z.string() }) },
    change: (_tx, { body }) =>
      Promise.resolve({ reply: { status: 201, data: { name: body.name } }, audit: 'none: it is of a test' }),
  }),
  defineRoute({
    of: 'environment',
    id: 'things.optional',
    method: 'POST',
    path: '/api/v2/things/optional',
    summary: 'All members are optional',
    scope: null,
    request: { body: z.strictObject({ name: z.string().default('none') }) },
    response: { 200: z.strictObject({ name: z.string() }) },
    ownsItsTransaction: 'It is of a test, and touches no database.',
    audited: 'none: it is of a test',
    handler: ({ body }) => Promise.resolve({ status: 200, data: { name: body.name } }),
  }),
  defineRoute({
    of: 'environment',
    id: 'things.get',
    method: 'GET',
    path: '/api/v2/things/{ref}',
    summary: 'Get a thing',
    scope: null,
    request: { params: z.strictObject({ ref: z.string().max(20) }) },
    response: { 200: z.strictObject({ ref: z.string() }) },
    read: (_tx, { params }) => Promise.resolve({ ref: params.ref }),
  }),
  defineRoute({
    of: 'environment',
    id: 'things.delete',
    method: 'DELETE',
    path: '/api/v2/things/{ref}',
    summary: 'Delete a thing',
    scope: null,
    request: { params: z.strictObject({ ref: z.string() }) },
    response: { 200: z.strictObject({ deleted: z.literal(true) }) },
    ownsItsTransaction: 'It is of a test, and touches no database.',
    audited: 'none: it is of a test',
    handler: () => Promise.resolve({ status: 200, data: { deleted: true as const } }),
  }),
  defineRoute({
    of: 'environment',
    id: 'things.break',
    method: 'POST',
    path: '/api/v2/broken/{how}',
    summary: 'Break',
    scope: null,
    request: { params: z.strictObject({ how: z.enum(['code', 'database', 'statement']) }) },
    response: { 200: z.null() },
    async change(tx, { params }) {
      if (params.how === 'code') throw new Error(`broken`);
      if (params.how === 'database') throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
      await tx.raw(null, 'SELECT ?::integer', [SECRET_WORDS]);
      return { reply: { status: 200, data: null }, audit: 'none: it is of a test' };
    },
  }),
];

const api = await startTestApi({ routes: ROUTES });
const { key } = await api.createKey(api.database.tenant);

describe('the HTTP machinery', () => {
  const THINGS = '/api/v2/things';
  const issuesOf = (json: unknown): unknown =>
    (json as { error?: { details?: { issues?: unknown } } }).error?.details?.issues;
  const pathsOf = (json: unknown): string[] => (issuesOf(json) as { path: string }[]).map((issue) => issue.path);

  describe('X-Request-Id', () => {
    it.each(['a', 'trace.1:2_3-4', 'x'.repeat(128)])('echoes the safe %s', async (id) => {
      const reply = await api.call('GET', '/nowhere', { headers: { 'X-Request-Id': id } });
      expect(reply.headers.get('X-Request-Id')).toBe(id);
      expect(reply.json).toMatchObject({ requestId: id });
    });
    it.each([undefined, '', 'a b', 'x'.repeat(129), '"', 'é', '<script>'])('replaces %s', async (id) => {
      const reply = await api.call('GET', '/nowhere', { headers: id === undefined ? {} : { 'X-Request-Id': id } });
      const given = reply.headers.get('X-Request-Id');
      expect(given).toMatch(/^req_[0-9A-Za-z]{22}$/);
      expect(reply.json).toMatchObject({ requestId: given });
    });
    it('is on successes too', async () => {
      const reply = await api.call('GET', THINGS, { key, headers: { 'X-Request-Id': 'mine' } });
      expect(reply.headers.get('X-Request-Id')).toBe('mine');
    });
  });

  it('sets the security headers on every answer', async () => {
    for (const reply of [await api.call('GET', THINGS, { key }), await api.call('GET', '/nowhere')]) {
      expect(Object.fromEntries(reply.headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
      });
      expect(reply.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
      expect(reply.headers.get('Strict-Transport-Security')).toBeNull();
    }
  });

  it('answers 404 for an unknown path, with or without a key', async () => {
    for (const path of ['/api/v2', '/api/v2/nothing', '/api/v2/THINGS', '/api/v2/things/a/b']) {
      const reply = await api.call('GET', path, { key });
      expect([path, reply.status]).toEqual([path, 404]);
      expect(reply.json).toMatchObject({ success: false, error: { code: 'NOT_FOUND' } });
    }
  });

  it('answers 405 with Allow for a method that the path has not, the concrete path counting before the template', async () => {
    const put = await api.call('PUT', THINGS, { key, body: {} });
    expect([put.status, put.headers.get('Allow')]).toEqual([405, 'GET, POST, HEAD, OPTIONS']);
    expect(put.json).toMatchObject({ success: false, error: { code: 'METHOD_NOT_ALLOWED' } });
    const concrete = await api.call('DELETE', `${THINGS}/optional`, { key });
    expect([concrete.status, concrete.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS']);
    expect((await api.call('DELETE', `${THINGS}/other`, { key })).status).toBe(200);
  });

  it('answers HEAD as GET without a body, and OPTIONS with Allow', async () => {
    const head = await api.call('HEAD', THINGS, { key });
    expect([head.status, head.text]).toEqual([200, '']);
    expect((await api.call('HEAD', THINGS)).status).toBe(401);
    const options = await api.call('OPTIONS', THINGS);
    expect([options.status, options.headers.get('Allow')]).toEqual([204, 'GET, POST, HEAD, OPTIONS']);
  });

  it('pages, with defaults and bounds', async () => {
    expect((await api.call('GET', THINGS, { key })).json).toEqual({
      success: true,
      data: [{ offset: 0, loud: null }],
      pagination: { total: 41, page: 1, limit: 20, totalPages: 3, hasMore: true },
    });
    expect((await api.call('GET', `${THINGS}?page=5&limit=10&loud=true`, { key })).json).toMatchObject({
      data: [{ offset: 40, loud: true }],
      pagination: { total: 41, page: 5, limit: 10, totalPages: 5, hasMore: false },
    });
    expect(api.replyViolations).toEqual([]);
    for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=', 'limit=1.5', 'limit=1&limit=2']) {
      const reply = await api.call('GET', `${THINGS}?${query}`, { key });
      expect([query, reply.status, pathsOf(reply.json)]).toEqual([query, 400, ['query.limit']]);
    }
    expect((await api.call('GET', `${THINGS}?loud=1`, { key })).status).toBe(400);
  });

  it('names all unknown fields at once, of every part and at every level, beside what else is wrong', async () => {
    const body = { x: 1, y: 2, name: '', inner: { items: [{ n: 1, z: 3 }], w: 4 }, either: { path: 'a', v: 5 } };
    const reply = await api.call('POST', `${THINGS}?unexpected=1`, { key, body });
    const wrong = ['inner.items[0].z', 'inner.w', 'either.v', 'x', 'y', 'name'].map((path) => `body.${path}`);
    expect([reply.status, pathsOf(reply.json).toSorted()]).toEqual([400, [...wrong, 'query.unexpected'].toSorted()]);
  });

  it.each(['[::1', 'a b', 'a?page=3&x=1#'])('reads nothing out of a Host header such as %s', async (host) => {
    const { status, json } = await new Promise<{ status: number | undefined; json: unknown }>((resolve, reject) => {
      const request = httpRequest(
        `${api.baseUrl}/api/v2/things?page=2`,
        { headers: { host, authorization: `Bearer ${key}` } },
        (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          response.on('end', () => resolve({ status: response.statusCode, json: JSON.parse(text) }));
        },
      );
      request.on('error', reject).end();
    });
    expect(json).toMatchObject({ success: true, pagination: { page: 2 } });
    expect(status).toBe(200);
  });

  it('names the path of every issue, in the body, the query and the path', async () => {
    const cases: [string, string, unknown, string[]][] = [
      ['POST', THINGS, { name: '', extra: 1, more: 2 }, ['body.name', 'body.extra', 'body.more']],
      [
        'POST',
        THINGS,
        { name: 'a', inner: { items: [{ n: 1 }, { n: 'x', z: 1 }] } },
        ['body.inner.items[1].n', 'body.inner.items[1].z'],
      ],
      ['POST', THINGS, { name: 'a', either: { const: 1.5 } }, ['body.either.const']],
      ['POST', THINGS, [], ['body']],
      ['POST', `${THINGS}?a=1&b=2`, { name: 'a' }, ['query.a', 'query.b']],
      ['GET', `${THINGS}?__proto__=1`, undefined, ['query.__proto__']],
      ['GET', `${THINGS}/${'x'.repeat(21)}`, undefined, ['params.ref']],
      ['GET', `${THINGS}/a%00`, undefined, ['params.ref']],
      ['DELETE', `${THINGS}/a`, { force: true }, ['body.force']],
    ];
    for (const [method, path, body, paths] of cases) {
      const reply = await api.call(method, path, { key, ...(body === undefined ? {} : { body }) });
      expect([path, reply.status, pathsOf(reply.json)]).toEqual([path, 400, paths]);
      expect(reply.json).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
    }
  });

  it('shows no more than a hundred issues, however many there are', async () => {
    const body = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`unknown${at}`, at]));
    const { status, json, text } = await api.call('POST', THINGS, { key, body });
    expect([status, pathsOf(json).length]).toEqual([400, 100]);
    expect(text.length).toBeLessThan(JSON.stringify(body).length);
  });

  it('decodes path parameters once, and survives what cannot be decoded', async () => {
    expect((await api.call('GET', `${THINGS}/a%2Fb%2520`, { key })).json).toMatchObject({ data: { ref: 'a/b%20' } });
    expect((await api.call('GET', `${THINGS}/%E0%A4%A`, { key })).status).toBeLessThan(500);
    expect((await api.call('GET', `//${'x'.repeat(10)}`, { key })).status).toBe(404);
  });

  it('needs no body where nothing in it is needed, and says so where something is', async () => {
    expect((await api.call('POST', `${THINGS}/optional`, { key })).json).toMatchObject({ data: { name: 'none' } });
    const missing = await api.call('POST', THINGS, { key });
    expect([missing.status, issuesOf(missing.json)]).toEqual([
      400,
      [{ path: 'body', message: 'is missing: send a JSON body' }],
    ]);
  });

  it.each([
    ['malformed JSON', '{"name":', 400],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), 400],
    ['a duplicate key', '{"name":"a","name":"b"}', 400],
    ['__proto__', '{"name":"a","__proto__":{}}', 400],
    ['65 levels', '['.repeat(65) + ']'.repeat(65), 400],
  ])('refuses %s', async (_, raw, status) => {
    const reply = await api.call('POST', THINGS, { key, raw });
    expect(reply.status).toBe(status);
    expect(reply.json).toMatchObject({ success: false, error: { code: 'VALIDATION_ERROR' } });
    expect(JSON.stringify(reply.json)).not.toContain('stack');
  });

  it('never repeats the body in an error', async () => {
    const reply = await api.call('POST', THINGS, { key, raw: `{"name": ${SECRET_WORDS}` });
    expect(reply.status).toBe(400);
    expect(reply.text).not.toContain(SECRET_WORDS);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', ''])(
    'answers 415 for the content type %s',
    async (type) => {
      const reply = await api.call('POST', THINGS, { key, raw: '{"name":"a"}', headers: { 'Content-Type': type } });
      expect([reply.status, (reply.json as { error: { code: string } }).error.code]).toEqual([
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      ]);
    },
  );

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'takes the content type %s',
    async (type) => {
      const reply = await api.call('POST', THINGS, { key, raw: '{"name":"a"}', headers: { 'Content-Type': type } });
      expect(reply.status).toBe(201);
    },
  );

  it('takes a body of 1 MiB and answers 413 beyond it, whether or not its length is told', async () => {
    const bodyOf = (bytes: number): string => `{"name":"${'x'.repeat(bytes - 11)}"}`;
    expect((await api.call('POST', THINGS, { key, raw: bodyOf(1_048_576) })).status).toBe(201);
    const told = await api.call('POST', THINGS, { key, raw: bodyOf(1_048_577) });
    expect([told.status, told.json]).toMatchObject([413, { error: { code: 'PAYLOAD_TOO_LARGE' } }]);
    expect(await sendChunked(`${api.baseUrl}${THINGS}`, key, 3_000_000)).toBe(413);
  });

  it('asks for a credential before it reads the body', async () => {
    expect((await api.call('POST', THINGS, { raw: 'x'.repeat(2_000_000) })).status).toBe(401);
  });

  it('names the missing scope', async () => {
    const reader = await api.createKey(api.database.tenant, { scopes: ['actions:read'] });
    const reply = await api.call('POST', THINGS, { key: reader.key, body: { name: 'a' } });
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({ error: { code: 'AUTHORIZATION_ERROR' } });
    expect(reply.text).toContain('actions:write');
  });

  it('answers 406 to whoever takes no JSON', async () => {
    expect((await api.call('GET', THINGS, { key, headers: { Accept: 'text/html' } })).status).toBe(406);
    expect((await api.call('GET', THINGS, { key, headers: { Accept: 'application/*;q=0.5' } })).status).toBe(200);
  });

  it('answers 500 without a word of what broke, and logs it with the request id', async () => {
    api.logLines.length = 0;
    const reply = await api.call('POST', '/api/v2/broken/code', { key, headers: { 'X-Request-Id': 'broken-1' } });
    expect(reply.json).toEqual({
      success: false,
      error: {
        code: 'INTERNAL_ERROR',
        message: 'Something went wrong on our side. Quote the requestId when you report it.',
      },
      requestId: 'broken-1',
    });
    const line = api.logLines.find((candidate) => candidate.includes('request failed'));
    expect(line).toContain('broken-1');
    expect(line).toContain('machinery.test');
  });

  it('keeps what was bound to a failed statement out of the log', async () => {
    api.logLines.length = 0;
    expect((await api.call('POST', '/api/v2/broken/statement', { key })).status).toBe(500);
    expect(api.logLines.some((line) => line.includes('22P02'))).toBe(true);
    expect(api.logLines.filter((line) => line.includes(SECRET_WORDS))).toEqual([]);
  });

  it('answers 503 where a dependency is away', async () => {
    expect(await api.call('POST', '/api/v2/broken/database', { key })).toMatchObject({
      status: 503,
      json: { error: { code: 'SERVICE_UNAVAILABLE' } },
    });
  });

  it('logs one line for each request, with the route and never what was sent', async () => {
    api.logLines.length = 0;
    await api.call('POST', `${THINGS}?${SECRET_WORDS}=1`, { key, body: { [SECRET_WORDS]: 1 } });
    await api.call('GET', `/${SECRET_WORDS}`);
    const lines = api.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ msg }) => msg === 'request')).toMatchObject([
      { method: 'POST', route: THINGS, status: 400, environmentId: api.database.tenant.environmentId },
      { method: 'GET', route: null, status: 404 },
    ]);
    expect(api.logLines.join('\n')).not.toContain(SECRET_WORDS);
  });
});

function sendChunked(url: string, key: string, bytes: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const request = httpRequest(url, { method: 'POST', headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
    for (let sent = 0; sent < bytes; sent += 100_000) request.write('x'.repeat(100_000));
    request.end();
  });
}
