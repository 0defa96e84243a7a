import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { compileSchema } from '../../../domain/json-schema/json-schema.ts';
import { action, describing, planned, refused, skipped } from './support.ts';

const text = { type: 'string' };
const withParameters = (path: string, ...parameters: JsonObject[]): JsonObject =>
  describing({}, { paths: { [path]: { get: { operationId: 'x', parameters, responses: {} } } } });

describe('an operation', () => {
  it('becomes an http.request whose input has a member for each place', () => {
    const { config, inputSchema, description } = action(
      describing(
        {},
        {
          paths: {
            '/things/{id}/parts/{p.q}': {
              parameters: [{ name: 'id', in: 'path', required: true, schema: text, description: 'Which' }],
              put: {
                operationId: 'parts.put',
                summary: 'Put a part',
                description: 'Longer.',
                parameters: [
                  { name: 'dry', in: 'query', schema: { type: 'boolean' } },
                  { name: 'ids', in: 'query', explode: false, required: true, schema: { type: 'array', items: text } },
                  { name: 'X-Trace', in: 'header', schema: text },
                  { name: 'c', in: 'cookie', schema: text },
                  { name: 'Authorization', in: 'header', schema: text },
                  { name: 'Idempotency-Key', in: 'header', schema: text },
                ],
                requestBody: { content: { 'application/json': { schema: { type: 'object' } } } },
                responses: { 201: { content: { 'application/json': {} } } },
              },
            },
          },
        },
      ),
    );
    expect(description).toBe('Put a part\n\nLonger.');
    expect(config).toEqual({
      method: 'PUT',
      url: 'https://api.example.com/v1/things/{{input.path.id}}/parts/{{input.path["p.q"]}}',
      headers: { Accept: 'application/json', 'User-Agent': 'agent-action-runtime' },
      parameters: [
        { in: 'query', name: 'dry', value: '{{input.query.dry}}' },
        { in: 'query', name: 'ids', value: '{{input.query.ids}}', explode: false },
        { in: 'header', name: 'X-Trace', value: '{{input.headers.X-Trace}}' },
        { in: 'cookie', name: 'c', value: '{{input.cookies.c}}' },
      ],
      body: '{{input.body}}',
      bodyOptional: true,
      idempotencyHeader: 'Idempotency-Key',
    });
    const schema = compileSchema(inputSchema);
    const good = { path: { id: 'a', 'p.q': 'b' }, query: { ids: ['x'] } };
    expect(schema.validate(good)).toEqual([]);
    expect(schema.validate({ ...good, more: 1 })).toMatchObject([{ path: 'input.more' }]);
    expect(schema.validate({ ...good, query: { ids: ['x'], unknown: 1 } })).toMatchObject([
      { path: 'input.query.unknown' },
    ]);
    expect(schema.validate({ path: good.path })).toMatchObject([{ path: 'input.query' }]);
    expect(schema.validate({ ...good, body: 'no object' })).toMatchObject([{ path: 'input.body' }]);
  });

  it('takes its own parameters over those of its path', () => {
    const paths = {
      '/things': {
        parameters: [{ name: 'a', in: 'query', required: true, schema: text }],
        get: { parameters: [{ name: 'a', in: 'query', schema: { type: 'integer' } }], responses: {} },
      },
    };
    const { inputSchema, operationId, name } = action(describing({}, { paths }));
    expect(compileSchema(inputSchema).validate({ query: { a: 1 } })).toEqual([]);
    expect(compileSchema(inputSchema).validate({})).toEqual([]);
    expect([operationId, name]).toEqual(['GET /things', 'get.things']);
  });

  it('never sends a fragment, and has no parameter of one', () => {
    const link = { name: 'fields', in: 'query', required: true, schema: text };
    const paths = {
      '/files/{id}': { get: { operationId: 'get' } },
      '/files/{id}#link{no}': { get: { operationId: 'link', parameters: [link] } },
      '/#top': { get: { operationId: 'top' } },
    };
    const servers = [{ url: 'https://api.example.com/v1#here' }];
    const all = planned(describing({}, { paths, servers })).map((one) => (one.kind === 'action' ? one.config : one));
    expect(all).toMatchObject([
      { url: 'https://api.example.com/v1/files/{{input.path.id}}' },
      { url: 'https://api.example.com/v1/files/{{input.path.id}}' },
      { url: 'https://api.example.com/v1/' },
    ]);
  });

  it('writes a parameter with content by its media type', () => {
    const typed = (name: string, type: string): JsonObject => ({
      name,
      in: 'query',
      content: { [type]: { schema: text } },
    });
    const { config, notes } = action(
      withParameters(
        '/a',
        typed('j', 'application/vnd.x+json'),
        typed('t', 'text/plain'),
        typed('x', 'application/xml'),
      ),
    );
    expect(config['parameters']).toEqual([
      { in: 'query', name: 'j', value: '{{input.query.j}}', style: 'json' },
      { in: 'query', name: 't', value: '{{input.query.t}}' },
    ]);
    expect(notes).toEqual(['the query parameter x is application/xml and was left out']);
  });

  it.each([
    [
      'a list in the path that may be null',
      withParameters('/{a}', { name: 'a', in: 'path', schema: { type: ['array', 'null'] } }),
      /within the path/,
    ],
    [
      'a list in the path',
      withParameters('/{a}', { name: 'a', in: 'path', schema: { type: 'array' } }),
      /within the path/,
    ],
    ['a matrix', withParameters('/{a}', { name: 'a', in: 'path', style: 'matrix', schema: text }), /the style matrix/],
    ['a required querystring', withParameters('/a', { name: 'q', in: 'querystring', required: true }), /not supported/],
    [
      'a place of every object',
      withParameters('/a', { name: 'q', in: 'constructor', required: true }),
      /a place that is/,
    ],
    ['a header of the connection', withParameters('/a', { name: 'Host', in: 'header', required: true }), /sets itself/],
    ['a parameter elsewhere', withParameters('/a', { $ref: 'other.yaml#/a' }), /outside of the document/],
    ['a reference to nowhere', withParameters('/a', { $ref: '#/components/parameters/a' }), /does not exist/],
    [
      'a path elsewhere',
      describing({}, { paths: { '/a': { $ref: 'https://x.example/a' } } }),
      /outside of the document/,
    ],
    ['another method', describing({}, { paths: { '/a': { trace: { responses: {} } } } }), /the method TRACE/],
    ['OpenAPI 3.2’s own method', describing({}, { paths: { '/a': { additionalOperations: { COPY: {} } } } }), /COPY/],
    [
      'a body of a GET',
      describing({}, { paths: { '/a': { get: { requestBody: { required: true } } } } }),
      /not sent with GET/,
    ],
    ['an upload', describing({ requestBody: { required: true, content: { 'multipart/form-data': {} } } }), /multipart/],
    ['no server', describing({}, { servers: [{ url: '/v1' }] }), /no server with an absolute/],
    ['a server with a password', describing({}, { servers: [{ url: 'https://a:b@x.example' }] }), /no server/],
    [
      'digest',
      describing(
        { security: [{ d: [] }] },
        { components: { securitySchemes: { d: { type: 'http', scheme: 'digest' } } } },
      ),
      /digest/,
    ],
    ['an undeclared scheme', describing({ security: [{ d: [] }] }), /d is not declared/],
  ] as [string, JsonObject, RegExp][])('is skipped, with the reason: %s', (_what, document, reason) => {
    expect(skipped(document)).toMatch(reason);
  });

  it('says what was left out of it', () => {
    const { notes, config } = action(
      describing({
        parameters: [{ name: 'Host', in: 'header', schema: text }],
        requestBody: { content: { 'application/octet-stream': {} } },
      }),
    );
    expect(notes.join('\n')).toMatch(/Host is a header.*left out\n.*octet-stream.*left out/);
    expect(config).not.toHaveProperty('body');
  });

  it('writes forms, with the encoding that the document says', () => {
    const schema = {
      type: 'object',
      properties: {
        amount: { type: 'integer' },
        items: { type: 'array' },
        meta: { type: 'object' },
        tags: { type: 'array' },
      },
    };
    const form = (encoding: JsonObject): unknown =>
      action(describing({ requestBody: { content: { 'application/x-www-form-urlencoded': { schema, encoding } } } }))
        .config['bodyForm'];
    const deep = { style: 'deepObject', explode: true };
    expect(form({ items: deep, meta: deep, tags: deep })).toEqual({ style: 'deepObject' });
    expect(form({ items: deep, meta: deep })).toEqual({ style: 'deepObject', properties: { tags: { style: 'form' } } });
    expect(form({})).toEqual({ properties: { meta: { style: 'json' } } });
  });
});

describe('a server', () => {
  const urlOf = (servers: JsonObject[], baseUrl: string | null = null): unknown =>
    action(describing({}, { servers }), { baseUrl }).config['url'];

  it.each([
    [
      [{ url: 'https://{region}.x.example/{v}/', variables: { region: { default: 'eu' }, v: { default: '2' } } }],
      null,
      'https://eu.x.example/2/things',
    ],
    [[{ url: 'ftp://x.example' }, { url: 'http://y.example' }], null, 'http://y.example/things'],
    [[{ url: '/v2' }], 'https://docs.example/openapi.json', 'https://docs.example/v2/things'],
    [[{ url: '../v3' }], 'https://docs.example/a/b/openapi.json', 'https://docs.example/a/v3/things'],
    [[{ url: 'https://x.example/{{secret:A}}' }, { url: 'https://y.example' }], null, 'https://y.example/things'],
  ] as [JsonObject[], string | null, string][])('%j', (servers, baseUrl, url) => {
    expect(urlOf(servers, baseUrl)).toBe(url);
  });

  it('never makes a template of the document’s braces', () => {
    const paths = { '/a{{secret:KEY}}/}b': { get: { responses: {} } } };
    expect(action(describing({}, { paths })).config['url']).toBe(
      'https://api.example.com/v1/a%7B{{input.path.secret:KEY}}%7D/%7Db',
    );
  });
});

describe('credentials', () => {
  const schemes = {
    key: { type: 'apiKey', in: 'header', name: 'X-Key' },
    inQuery: { type: 'apiKey', in: 'query', name: 'key' },
    inCookie: { type: 'apiKey', in: 'cookie', name: 'session' },
    basic: { type: 'http', scheme: 'Basic' },
    bearer: { type: 'http', scheme: 'bearer' },
    oauth: { type: 'oauth2', flows: {} },
  };
  const configOf = (security: JsonObject[] | undefined, secret: string | null = null): JsonObject =>
    action(describing(security === undefined ? {} : { security }, { components: { securitySchemes: schemes } }), {
      secret,
    }).config;

  it.each([
    [[{ key: [] }], { headers: { 'X-Key': '{{secret:api.example.com.key}}' } }],
    [[{ inQuery: [] }], { query: { key: '{{secret:api.example.com.inQuery}}' } }],
    [
      [{ inCookie: [] }],
      { parameters: [{ in: 'cookie', name: 'session', value: '{{secret:api.example.com.inCookie}}' }] },
    ],
    [[{ oauth: ['a:b'] }], { headers: { Authorization: 'Bearer {{secret:api.example.com.oauth}}' } }],
    [[{ basic: [] }, { bearer: [] }], { headers: { Authorization: 'Bearer {{secret:api.example.com.bearer}}' } }],
    [[{ basic: [] }], { headers: { Authorization: 'Basic {{secret:api.example.com.basic}}' } }],
  ] as [JsonObject[], JsonObject][])('%j', (security, expected) => {
    expect(configOf(security)).toMatchObject(expected);
  });

  it('take the name that the caller gives, and one for each of several schemes', () => {
    expect(configOf([{ bearer: [] }], 'MINE')).toMatchObject({ headers: { Authorization: 'Bearer {{secret:MINE}}' } });
    expect(configOf([{ key: [], bearer: [] }], 'MINE')).toMatchObject({
      headers: { 'X-Key': '{{secret:MINE_key}}', Authorization: 'Bearer {{secret:MINE_bearer}}' },
    });
  });

  it('are none where the document allows none, unless the caller names a secret', () => {
    expect(JSON.stringify(configOf([{}, { bearer: [] }]))).not.toContain('secret');
    expect(configOf([{}, { bearer: [] }], 'MINE')).toMatchObject({
      headers: { Authorization: 'Bearer {{secret:MINE}}' },
    });
    expect(JSON.stringify(configOf([], 'MINE'))).not.toContain('secret');
  });

  it('are a bearer token where the document is silent and the caller names a secret', () => {
    expect(action(describing({}), { secret: 'GH' }).config['headers']).toMatchObject({
      Authorization: 'Bearer {{secret:GH}}',
    });
  });

  it('never have the derived name of another host’s', () => {
    const scheme = (name: string, url: string): string =>
      JSON.stringify(
        action(
          describing(
            { security: [{ [name]: [] }] },
            { servers: [{ url }], components: { securitySchemes: { [name]: schemes.bearer } } },
          ),
        ).config['headers'],
      );
    expect(scheme('com.bearer', 'https://api.example')).not.toBe(scheme('bearer', 'https://api.example.com'));
    expect(scheme('bearer', 'https://api.example.com')).toContain('secret:api.example.com.bearer');
    expect(scheme('bearer', 'https://api.example.com:8443')).toContain('secret:api.example.com_8443.bearer');
    expect(scheme('b'.repeat(100), 'https://api.example.com')).not.toBe(
      scheme('b'.repeat(101), 'https://api.example.com'),
    );
  });
});

describe('names', () => {
  const namesOf = (ids: string[], namePrefix = ''): Record<string, string> => {
    const paths = Object.fromEntries(ids.map((operationId, index) => [`/p${index}`, { get: { operationId } }]));
    return Object.fromEntries(
      planned(describing({}, { paths }), { namePrefix }).map(({ operationId, name }) => [operationId, name]),
    );
  };

  it.each([
    ['PostPaymentIntents', 'post-payment-intents'],
    ['issues/list-comments', 'issues.list-comments'],
    ['getHTTPStatus', 'get-http-status'],
    ['Créer un objet', 'creer.un.objet'],
    ['emails_send', 'emails_send'],
    ['123', 'operation'],
    ['--x--', 'x'],
  ])('%s becomes %s', (id, name) => {
    expect(namesOf([id])[id]).toBe(name);
  });

  it('are the same whatever the order, and differ where operationIds do', () => {
    const ids = ['getUser', 'get-user', 'GetUser', 'a'.repeat(80), `${'a'.repeat(80)}b`, 'import'];
    const names = namesOf(ids, '');
    expect(namesOf(ids.toReversed(), '')).toEqual(names);
    expect(new Set(Object.values(names)).size).toBe(ids.length);
    expect(names['get-user']).toBe('get-user');
    for (const name of Object.values(names)) expect(name).toMatch(/^[a-z][a-z0-9_.-]{0,63}$/);
    expect(names['import']).toMatch(/^import-[0-9a-f]{8}$/);
  });

  it('do not change with a selection, and carry the prefix', () => {
    const document = describing(
      {},
      { paths: { '/a': { get: { operationId: 'getUser' } }, '/b': { get: { operationId: 'GetUser' } } } },
    );
    const all = planned(document, { namePrefix: 'p.' });
    for (const { operationId, name } of all) {
      expect(name).toMatch(/^p\.get-user/);
      expect(planned(document, { namePrefix: 'p.', operations: [operationId] }).map((one) => one.name)).toEqual([name]);
    }
    expect(refused(document, { operations: ['getUser', 'nope'] })).toEqual([
      { path: 'body.operations[1]', message: 'is not an operationId of the document' },
    ]);
  });
});
