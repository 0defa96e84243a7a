import { describe, expect, it } from 'vitest';
import { actionRoutes } from '../../../api/actions/routes.ts';
import { secretRoutes } from '../../../api/secrets/routes.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { startTestApi, type CallResult } from '../harness/test-api.ts';
import { importedBy } from './import/support.ts';
import { checkEachReply } from '../harness/reply-schemas.ts';

/** What is certainly wrong with a definition is refused when it is written; what may be wrong is a warning. */

const api = await startTestApi({ routes: [...actionRoutes, ...secretRoutes] });
const { key } = await api.createKey(api.database.tenants.development);
checkEachReply(api);

const INPUT_SCHEMA = {
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
  additionalProperties: false,
};
const CONFIG = { method: 'POST', url: 'https://api.example.com/{{input.id}}' };
const bodyOf = (config: JsonObject) => ({
  adapter: { type: 'http.request', config: { ...CONFIG, ...config } },
  inputSchema: INPUT_SCHEMA,
});
const create = (name: string, config: JsonObject, more: JsonObject = {}): Promise<CallResult> =>
  api.call('POST', '/api/v2/actions', { key, body: { name, ...bodyOf(config), ...more } });
const patch = (ref: string, body: unknown): Promise<CallResult> =>
  api.call('PATCH', `/api/v2/actions/${ref}`, { key, body });
const warningsIn = (reply: CallResult): unknown => (reply.json as { data: { warnings: unknown } }).data.warnings;

function expectIssue(reply: CallResult, path: string, message: RegExp): void {
  expect(reply.status, reply.text).toBe(400);
  expect(reply.json).toMatchObject({
    error: {
      code: 'VALIDATION_ERROR',
      details: { issues: [{ path, message: expect.stringMatching(message) as string }] },
    },
  });
}

describe('a definition that cannot be true', () => {
  const query = (q: string): JsonObject => ({ query: { q } });
  it.each<[string, JsonObject, RegExp]>([
    ['refers to what a closed schema has not', query('{{input.ids}}'), /did you mean input\.id\?/],
    ['writes a reference in single braces', query('${input.id}'), /write \{\{input\.id\}\}/],
    ['holds a credential', query(`sk_live_${'a1'.repeat(12)}`), /PUT \/api\/v2\/secrets\/NAME/],
  ])('is refused where it %s, by POST and by PATCH', async (_what, config, message) => {
    expectIssue(await create('liar', config), 'body.adapter.config.query.q', message);
    const made = await create(`honest-${Math.random().toString(36).slice(2)}`, {});
    const { name } = (made.json as { data: { name: string } }).data;
    expectIssue(await patch(name, { adapter: bodyOf(config).adapter }), 'body.adapter.config.query.q', message);
    expect((await api.call('GET', '/api/v2/actions/liar', { key })).status).toBe(404);
  });

  it('is refused where a new schema takes away what it refers to', async () => {
    expect((await create('narrowed', {})).status).toBe(201);
    const inputSchema = { type: 'object', properties: { ident: { type: 'string' } }, additionalProperties: false };
    expectIssue(await patch('narrowed', { inputSchema }), 'body.adapter.config.url', /input has ident/);
  });
});

describe('warnings', () => {
  it('name closed objects that refuse each other, in POST, PATCH and an import', async () => {
    const closed = (name: string): JsonObject => ({
      type: 'object',
      properties: { [name]: { type: 'string' } },
      additionalProperties: false,
    });
    const body = { allOf: [closed('a'), closed('b')] };
    const inputSchema = { ...INPUT_SCHEMA, properties: { ...INPUT_SCHEMA.properties, body } };
    const told = [
      {
        path: 'inputSchema.properties.body',
        code: 'schema_takes_no_member',
        message: expect.stringContaining('takes no member') as string,
      },
    ];
    expect(warningsIn(await create('closed-out', {}, { inputSchema }))).toEqual(told);
    expect(warningsIn(await create('closed-later', {}))).toEqual([]);
    expect(warningsIn(await patch('closed-later', { inputSchema }))).toEqual(told);
    const document = {
      openapi: '3.1.0',
      info: { title: 'closed', version: '1' },
      servers: [{ url: 'https://api.example.com' }],
      paths: {
        '/c': { post: { operationId: 'c', requestBody: { content: { 'application/json': { schema: body } } } } },
      },
    };
    const [row] = importedBy(await api.call('POST', '/api/v2/actions/import', { key, body: { document } }));
    expect(row).toMatchObject({ status: 'created', warnings: told });
  });

  it('are none of a definition that is in order', async () => {
    const reply = await create('in-order', {});
    expect([reply.status, warningsIn(reply)]).toEqual([201, []]);
  });

  it('name a missing secret until it is there, and a blocked address, in POST and PATCH', async () => {
    const reply = await create('warned', {
      url: 'http://10.1.2.3/{{input.id}}',
      headers: { 'X-Key': '{{secret:LATER}}' },
    });
    const blocked = { path: 'adapter.config.url', code: 'destination_blocked', message: expect.any(String) as string };
    const missing = {
      path: 'adapter.config.headers.X-Key',
      code: 'secret_missing',
      message: expect.any(String) as string,
    };
    expect([reply.status, warningsIn(reply)]).toEqual([201, [blocked, missing]]);
    expect((await api.call('PUT', '/api/v2/secrets/LATER', { key, body: { value: 'v' } })).status).toBeLessThan(300);
    expect(warningsIn(await patch('warned', { timeoutMs: 5_000 }))).toEqual([blocked]);
    expect(warningsIn(await patch('warned', { timeoutMs: 5_000 }))).toEqual([blocked]);
  });

  it('do not name the loopback where it is allowed', async () => {
    expect(warningsIn(await create('loopback', { url: 'http://127.0.0.1:9/{{input.id}}' }))).toEqual([]);
    expect(warningsIn(await create('localhost', { url: 'http://localhost:9/{{input.id}}' }))).toEqual([]);
  });

  it('name an input that an open schema does not describe, or does not require', async () => {
    const reply = await create(
      'open',
      { query: { a: '{{input.a}}', b: '{{input.b}}' } },
      { inputSchema: { type: 'object', properties: { id: {}, a: {} }, required: ['id'] } },
    );
    expect(warningsIn(reply)).toMatchObject([
      { path: 'adapter.config.query.a', code: 'input_may_be_missing' },
      { path: 'adapter.config.query.b', code: 'input_not_described' },
    ]);
  });

  it('are said of each operation that an import writes', async () => {
    const document = {
      openapi: '3.1.0',
      info: { title: 'Warned import', version: '1' },
      servers: [{ url: 'http://10.9.8.7' }],
      security: [{ token: [] }],
      components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
      paths: { '/things/{id}': { post: { operationId: 'warned.import', responses: {} } } },
    };
    const importing = () =>
      api.call('POST', '/api/v2/actions/import', { key, body: { document, secret: 'NOT_THERE' } });
    const [created] = importedBy(await importing());
    expect(created).toMatchObject({
      status: 'created',
      warnings: [
        { code: 'destination_blocked' },
        { code: 'secret_missing', path: 'adapter.config.headers.Authorization' },
      ],
    });
    const [unchanged] = importedBy(await importing());
    expect(unchanged).not.toHaveProperty('warnings');
  });

  it('an update by import is skipped where what the owner declared no longer fits', async () => {
    const documentOf = (member: string) => ({
      openapi: '3.1.0',
      info: { title: 'Narrowing', version: '1' },
      servers: [{ url: 'https://api.example.com' }],
      paths: {
        '/pay': {
          post: {
            operationId: 'narrowing.pay',
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: {
                    type: 'object',
                    properties: { [member]: { type: 'integer' } },
                    required: [member],
                    additionalProperties: false,
                  },
                },
              },
            },
            responses: {},
          },
        },
      },
    });
    const importing = (member: string) =>
      api.call('POST', '/api/v2/actions/import', { key, body: { document: documentOf(member) } });
    importedBy(await importing('amount'));
    const impact = [{ dimension: 'money', currency: 'usd', amount: { path: 'input.body.amount' }, bound: 'exact' }];
    expect((await patch('narrowing.pay', { impact })).status).toBe(200);
    const [skipped] = importedBy(await importing('amounts'));
    expect(skipped).toMatchObject({
      status: 'skipped',
      reason: expect.stringContaining('did you mean input.body.amounts?') as string,
    });
  });
});
