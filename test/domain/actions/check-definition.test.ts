import { describe, expect, it } from 'vitest';
import { checkDefinition } from '../../../domain/actions/check-definition.ts';
import type { ActionDefinition } from '../../../domain/actions.ts';
import { httpRequestDescriptor } from '../../../domain/adapters/http-request.ts';
import type { JsonObject } from '../../../domain/json.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    customer: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
    amount: { type: 'integer' },
    note: { type: 'string' },
  },
  required: ['customer', 'amount'],
  additionalProperties: false,
};

const definitionOf = (config: JsonObject, more: Partial<ActionDefinition> = {}): ActionDefinition => ({
  adapter: {
    type: 'http.request',
    version: '1',
    config: { method: 'POST', url: 'https://api.example.com/x', ...config },
  },
  inputSchema: SCHEMA,
  outputSchema: null,
  governed: false,
  impact: [],
  verify: null,
  approval: { required: false, tag: null },
  timeoutMs: 1_000,
  ...more,
});
const check = (config: JsonObject, more: Partial<ActionDefinition> = {}) =>
  checkDefinition(definitionOf(config, more), httpRequestDescriptor);
const issuesOf = (config: JsonObject, more: Partial<ActionDefinition> = {}) =>
  check(config, more).issues.map(({ path, message }) => `${path} ${message}`);
const warningsOf = (config: JsonObject, more: Partial<ActionDefinition> = {}) =>
  check(config, more).warnings.map(({ path, code }) => [path, code]);

describe('what a definition refers to', () => {
  it('is in order where the schema has it', () => {
    const found = check(
      { url: 'https://api.example.com/{{input.customer.id}}', body: { amount: '{{input.amount}}', all: '{{input}}' } },
      { impact: [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }] },
    );
    expect(found).toEqual({ issues: [], warnings: [], addresses: [], secretPaths: {} });
  });

  const closed = 'which the inputSchema does not allow';
  it.each<[string, JsonObject, string]>([
    [
      'the URL',
      { url: 'https://x.example/{{input.custmer.id}}' },
      `adapter.config.url refers to input.custmer.id, ${closed}; did you mean input.customer.id?`,
    ],
    [
      'the query',
      { query: { q: '{{input.amonut}}' } },
      `adapter.config.query.q refers to input.amonut, ${closed}; did you mean input.amount?`,
    ],
    [
      'a header',
      { headers: { 'X-Id': '{{input.customer.name}}' } },
      `adapter.config.headers.X-Id refers to input.customer.name, ${closed}; input.customer has id`,
    ],
    [
      'the body',
      { body: { a: ['{{input.zzzzzzz}}'] } },
      `adapter.config.body.a[0] refers to input.zzzzzzz, ${closed}; input has customer, amount, note`,
    ],
    [
      'a parameter',
      { parameters: [{ in: 'query', name: 'n', value: '{{input.nots}}' }] },
      `adapter.config.parameters[0].value refers to input.nots, ${closed}; did you mean input.note?`,
    ],
    [
      'a member of a number',
      { body: '{{input.amount.value}}' },
      'adapter.config.body refers to input.amount.value, and by the inputSchema input.amount is no object',
    ],
  ])('is refused in %s where a closed schema has no such member, with the near name', (_where, config, issue) => {
    expect(issuesOf(config)).toEqual([issue]);
  });

  it('is refused in impact and verify too', () => {
    const impact = [
      { dimension: 'money', currency: 'usd', amount: { path: 'input.amoun' }, bound: 'exact' as const },
      { dimension: 'units', amount: { path: 'input.note' }, bound: 'exact' as const },
    ];
    const verify: ActionDefinition['verify'] = {
      request: {
        method: 'GET',
        url: 'https://api.example.com/{{response.body.id}}',
        headers: { A: '{{input.notes}}' },
      },
      expect: [{ path: 'body.amount', op: 'eq', value: ['{{input.amounts}}'] }],
    };
    expect(issuesOf({}, { impact, verify })).toEqual([
      `verify.request.headers.A refers to input.notes, ${closed}; did you mean input.note?`,
      `verify.expect[0].value[0] refers to input.amounts, ${closed}; did you mean input.amount?`,
      `impact[0].amount.path refers to input.amoun, ${closed}; did you mean input.amount?`,
      'impact[1].amount.path leads to input.note, which the inputSchema makes string; an amount is a whole number',
    ]);
  });

  it('is a warning where the schema is open, or does not require it', () => {
    const config = { query: { known: '{{input.note}}', unknown: '{{input.other}}' } };
    const open = { ...SCHEMA, additionalProperties: true };
    expect(warningsOf(config, { inputSchema: open })).toEqual([
      ['adapter.config.query.known', 'input_may_be_missing'],
      ['adapter.config.query.unknown', 'input_not_described'],
    ]);
    const leftOut = {
      parameters: [{ in: 'query', name: 'note', value: '{{input.note}}' }],
      body: '{{input.note}}',
      bodyOptional: true,
    };
    expect(warningsOf(leftOut)).toEqual([]);
  });
});

describe('what an impact observes in the response', () => {
  const OUTPUT: JsonObject = {
    type: 'object',
    properties: {
      body: {
        type: 'object',
        properties: { charged: { type: 'integer' }, id: { type: 'string' }, usage: { type: 'object' } },
        additionalProperties: false,
      },
    },
  };
  const observing = (path: string, outputSchema: JsonObject | null = OUTPUT): Partial<ActionDefinition> => ({
    outputSchema,
    impact: [{ dimension: 'units', amount: { path: 'input.amount' }, bound: 'upper_bound', observed: { path } }],
  });

  it.each(['body.charged', 'headers.x-used', 'headers["X-Used"]', 'status', 'body.usage.units'])(
    '%s is in order',
    (path) => {
      expect(issuesOf({}, observing(path))).toEqual([]);
    },
  );

  const refused = 'which the outputSchema does not allow';
  it.each([
    ['body.chraged', `refers to body.chraged, ${refused}; did you mean body.charged?`],
    ['body.zzzzzz', `refers to body.zzzzzz, ${refused}; body has charged, id, usage`],
    ['body.charged.value', 'refers to body.charged.value, and by the outputSchema body.charged is no object'],
    ['body.id', 'leads to body.id, which the outputSchema makes string; an amount is a whole number'],
    ['status.code', 'refers to status.code, and the status is a number'],
    ['headers', 'leads to all headers; name one, such as headers.x-used'],
    ['headers.x-used.value', 'refers to headers.x-used.value, and a header is a text'],
  ])('%s is refused', (path, message) => {
    expect(issuesOf({}, observing(path))).toEqual([`impact[0].observed.path ${message}`]);
  });

  it('is not looked up where nothing describes the result, and is a warning where that leaves it open', () => {
    expect(check({}, observing('body.anything', null))).toMatchObject({ issues: [], warnings: [] });
    expect(warningsOf({}, observing('body.anything', { type: 'object' }))).toEqual([
      ['impact[0].observed.path', 'output_not_described'],
    ]);
  });

  it('and what a read-back takes from the response, too', () => {
    const verify = (url: string): Partial<ActionDefinition> => ({
      outputSchema: OUTPUT,
      verify: { request: { method: 'GET', url }, expect: [{ path: 'status', op: 'eq', value: 200 }] },
    });
    expect(issuesOf({}, verify('https://x.example/{{response.body.id}}/{{response.headers.Location}}'))).toEqual([]);
    expect(issuesOf({}, verify('https://x.example/{{response.body.di}}'))).toEqual([
      `verify.request.url refers to response.body.di, ${refused}; did you mean response.body.id?`,
    ]);
  });
});

describe('a reference in single braces', () => {
  it.each([
    ['{input.note}', '{{input.note}}'],
    ['${input.note}', '{{input.note}}'],
    ['a { input.customer.id } b', '{{input.customer.id}}'],
    ['{secret:KEY}', '{{secret:KEY}}'],
    ['${operationKey}', '{{operationKey}}'],
    ['{effect.id}', '{{effect.id}}'],
  ])('%s is refused with %s', (text, right) => {
    const [issue] = issuesOf({ body: { a: text } });
    expect(issue).toMatch(/^adapter\.config\.body\.a has .*, which is sent as it stands; write /);
    expect(issue?.endsWith(right)).toBe(true);
  });

  it.each([
    '${{input.amount}}',
    '{ "a": 1 }',
    'mutation($input: T!) { make(input: $input) { input } }',
    '{}',
    '{inputs.x}',
  ])('%s is none', (text) => {
    expect(issuesOf({ body: { a: text } })).toEqual([]);
  });
});

describe('a literal credential', () => {
  const STRIPE = `sk_live_${'a1'.repeat(12)}`;
  it.each<[string, JsonObject]>([
    ['a bearer header', { headers: { Authorization: 'Bearer abc' } }],
    ['any literal in a header of that name', { headers: { 'X-API-Key': 'abc' } }],
    ['a known prefix in another header', { headers: { 'X-Whatever': STRIPE } }],
    ['a known prefix in the query', { query: { k: `ghp_${'a'.repeat(36)}` } }],
    ['a parameter of that name', { query: { api_key: 'abc' } }],
    ['the query of the URL', { url: 'https://x.example/?a=1&access_token=abc' }],
    ['a known prefix in the body', { body: { deep: [{ token: `AKIA${'A'.repeat(16)}` }] } }],
    ['a bearer token in the body', { body: { h: 'Bearer abcdefghijklmnop' } }],
    ['a known prefix beside a reference', { headers: { A: `${STRIPE} {{input.note}}` } }],
    ['a private key', { body: { pem: '-----BEGIN RSA PRIVATE KEY-----\nMIIE' } }],
  ])('is refused in %s, with the vault, and is not repeated', (_where, config) => {
    const issues = issuesOf(config);
    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatch(/store it by PUT \/api\/v2\/secrets\/NAME and write \{\{secret:NAME\}\}/);
    for (const literal of ['abc', STRIPE, 'MIIE']) expect(issues[0]).not.toContain(literal);
  });

  it.each<[string, JsonObject]>([
    [
      'a reference to the vault',
      { headers: { Authorization: 'Bearer {{secret:KEY}}' }, query: { api_key: '{{secret:KEY}}' } },
    ],
    ['an input as credential', { headers: { 'X-API-Key': '{{input.note}}' } }],
    ['words', { body: { text: 'Bearer of good news', plan: 'basic plan for everybody', re: 're_order' } }],
    ['an ordinary header', { headers: { Accept: 'application/json', 'X-Plan': 'Basic tier' } }],
  ])('is not %s', (_what, config) => {
    expect(issuesOf(config)).toEqual([]);
  });
});

it('knows literal addresses and where secrets are referred to', () => {
  const headers = { A: '{{secret:TWO}}', B: '{{secret:TWO}}' };
  const found = check({ url: 'http://[::1]:80/x', query: { q: '{{secret:ONE}}' }, headers });
  expect(found.addresses).toEqual([{ path: 'adapter.config.url', host: '::1' }]);
  expect(found.secretPaths).toEqual({ ONE: 'adapter.config.query.q', TWO: 'adapter.config.headers.A' });
  for (const host of ['10.0.0.1', 'localhost', 'api.localhost']) {
    expect(check({ url: `http://${host}/` }).addresses).toEqual([{ path: 'adapter.config.url', host }]);
  }
  expect(check({ url: 'https://api.example.com/' }).addresses).toEqual([]);
});
