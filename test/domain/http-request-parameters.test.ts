import { describe, expect, it } from 'vitest';
import { digestOf } from '../../domain/canonical-json.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { configIssues, definitionOf, faults, prepared } from './http-request-fixtures.ts';

/** The query that a value gives as the only parameter. */
function queryOf(value: Json, encoding: JsonObject = {}): string {
  const parameters = [{ in: 'query', name: 'v', value: '{{input.v}}', ...encoding }];
  const { url } = prepared({ method: 'GET', parameters }, { v: value });
  return new URL(url).search.slice(1);
}

const paths = (config: JsonObject): string[] => configIssues(config).map(({ path }) => path);

describe('a parameter of the query', () => {
  it.each([
    ['a text', 'a b&c', {}, 'v=a%20b%26c'],
    ['a number', 1.5, {}, 'v=1.5'],
    ['null is left out', null, {}, ''],
    ['a list is repeated', ['a', 'b,c'], {}, 'v=a&v=b%2Cc'],
    ['a list in one', ['a', 'b|c d'], { explode: false }, 'v=a,b%7Cc%20d'],
    ['a list with blanks', ['a', 'b'], { style: 'spaceDelimited' }, 'v=a%20b'],
    ['a list with bars', ['a', 'b'], { style: 'pipeDelimited' }, 'v=a%7Cb'],
    ['an empty list', [], {}, ''],
    ['an object is spread, by name', { b: 1, a: 'x' }, {}, 'a=x&b=1'],
    ['an object in one', { b: 1, a: 'x' }, { explode: false }, 'v=a,x,b,1'],
    [
      'deep',
      { gte: 1, of: { x: ['p', { q: true }] } },
      { style: 'deepObject' },
      'v%5Bgte%5D=1&v%5Bof%5D%5Bx%5D%5B0%5D=p&v%5Bof%5D%5Bx%5D%5B1%5D%5Bq%5D=true',
    ],
    ['deep of a scalar', 5, { style: 'deepObject' }, 'v=5'],
    ['JSON', { b: [1], a: null }, { style: 'json' }, `v=${encodeURIComponent('{"a":null,"b":[1]}')}`],
    ['an object within a list', [{ a: 1 }], {}, `v=${encodeURIComponent('{"a":1}')}`],
  ])('%s', (_what, value, encoding, query) => {
    expect(queryOf(value as Json, encoding)).toBe(query);
  });

  it.each([
    ['a comma', ['a', 'b,c'], { explode: false }, 'input.v[1]: holds ","'],
    ['a blank', ['a b'], { style: 'spaceDelimited' }, 'input.v[0]: holds " "'],
    ['a bar', ['a', 'b|c'], { style: 'pipeDelimited' }, 'input.v[1]: holds "|"'],
    ['a comma in a style that never repeats', ['a,b'], { style: 'simple' }, 'input.v[0]: holds ","'],
    ['a member', { a: 'x,y' }, { explode: false }, 'input.v.a: holds ","'],
    ['a name', { 'a,b': 1 }, { explode: false }, 'input.v.a,b: has a name that holds ","'],
    ['a list within', [['p', 'q']], { explode: false }, 'input.v[0]: holds ","'],
    ['a bracket', { a: { 'b][c': 1 } }, { style: 'deepObject' }, 'input.v.a.b][c: has a name that holds a bracket'],
    ['a header', ['p,q'], { in: 'header' }, 'input.v[0]: holds ","'],
    ['a header of pairs', { 'a=b': 1 }, { in: 'header', explode: true }, 'input.v.a=b: has a name that holds "="'],
    ['a cookie', ['p,q'], { in: 'cookie', explode: false }, 'input.v[0]: holds ","'],
  ])('whose item holds its delimiter is refused: %s', (_what, value, encoding, fault) => {
    const parameters = [{ in: 'query', name: 'v', value: '{{input.v}}', ...encoding }];
    expect(faults({ method: 'GET', parameters }, { v: value as Json })).toEqual([expect.stringContaining(fault)]);
  });

  it('is left out where the input lacks it, and the others stay', () => {
    const parameters = ['x', 'y', 'z'].map((name) => ({ in: 'query', name, value: `{{input.query.${name}}}` }));
    const config = { method: 'GET', query: { fixed: '1' }, parameters };
    expect(prepared(config, { query: { y: 2 } }).url).toBe('https://api.example.com/orders?fixed=1&y=2');
    expect(prepared(config, {}).url).toBe('https://api.example.com/orders?fixed=1');
  });

  it('reads a name that is more than a word', () => {
    const parameters = [{ in: 'query', name: 'filter[state]', value: '{{input.query["filter[state]"]}}' }];
    expect(prepared({ method: 'GET', parameters }, { query: { 'filter[state]': 'open' } }).url).toMatch(
      /\?filter%5Bstate%5D=open$/,
    );
  });

  it('may be a secret, shown as its placeholder and encoded when it is sent', () => {
    const parameters = [{ in: 'query', name: 'key', value: '{{secret:KEY}}' }];
    expect(prepared({ method: 'GET', parameters }).url).toMatch(/\?key=\{\{secret:KEY\}\}$/);
    expect(prepared({ method: 'GET', parameters }, {}, { KEY: 'a&b' }).url).toMatch(/\?key=a%26b$/);
  });

  it('does not multiply a long name into a huge request', () => {
    const value = Array.from({ length: 3_000 }, () => 1);
    const parameters = [{ in: 'query', name: 'v', value: '{{input.v}}', style: 'deepObject' }];
    expect(faults({ method: 'GET', parameters }, { v: { ['n'.repeat(5_000)]: value } })[0]).toMatch(/^input: makes a/);
  });
});

describe('headers and cookies', () => {
  it('are left out where the input lacks them', () => {
    const parameters = [
      { in: 'header', name: 'X-List', value: '{{input.list}}' },
      { in: 'header', name: 'X-Gone', value: '{{input.gone}}' },
      { in: 'cookie', name: 'a', value: '{{input.a}}' },
      { in: 'cookie', name: 'gone', value: '{{input.gone}}' },
      { in: 'cookie', name: 's', value: '{{secret:S}}' },
    ];
    const { headers } = prepared({ method: 'GET', parameters }, { list: ['p', 'q'], a: 'x;y' });
    expect(headers).toEqual({ 'X-List': 'p,q', cookie: 'a=x%3By; s={{secret:S}}' });
  });

  it('hold no line break', () => {
    const parameters = [{ in: 'header', name: 'X-A', value: '{{input.a}}' }];
    expect(faults({ method: 'GET', parameters }, { a: 'b\r\nX-Evil: 1' })[0]).toMatch(/line break/);
  });
});

describe('a body', () => {
  const form = { body: '{{input.body}}', bodyForm: { style: 'deepObject' } };

  it('is a nested form', () => {
    const request = prepared(form, { body: { items: [{ price: 'p 1', quantity: 2 }], amount: 5, none: null } });
    expect(request.body).toBe('amount=5&items%5B0%5D%5Bprice%5D=p%201&items%5B0%5D%5Bquantity%5D=2');
    expect(request.headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  it('writes each member of a form by its own encoding', () => {
    const bodyForm = { properties: { tags: { explode: false }, meta: { style: 'json' } } };
    const body = { tags: ['a', 'b'], ids: [1, 2], meta: { k: 1 } };
    expect(prepared({ ...form, bodyForm }, { body }).body).toBe('ids=1&ids=2&meta=%7B%22k%22%3A1%7D&tags=a,b');
  });

  it('is no form where it is no object', () => {
    expect(faults(form, { body: [1] })).toEqual([
      'adapter.config.body: does not become an object, which a form is made of',
    ]);
  });

  it('may be left out, and takes its content-type along', () => {
    const optional = { body: '{{input.body}}', bodyOptional: true, headers: { 'Content-Type': 'application/x+json' } };
    expect(prepared(optional, {})).toMatchObject({ body: null, headers: {} });
    expect(prepared({ body: '{{input.body}}', bodyOptional: true }, {}).headers).toEqual({});
    expect(prepared(optional, { body: { a: 1 } })).toMatchObject({ body: '{"a":1}', headers: optional.headers });
    expect(faults({ body: '{{input.body}}' }, {})).toEqual(['input.body: is missing; adapter.config.body needs it']);
  });
});

describe('a config', () => {
  const one = (parameter: JsonObject) => ({
    method: 'GET',
    parameters: [{ in: 'query', name: 'v', value: '{{input.v}}', ...parameter }],
  });

  it.each([
    ['a value of more than a reference', one({ value: 'x{{input.v}}' }), 'parameters[0].value'],
    ['a template in a name', one({ name: '{{input.v}}' }), 'parameters[0].name'],
    ['a header that the service sets', one({ in: 'header', name: 'Host' }), 'parameters[0].name'],
    ['the content-type', one({ in: 'header', name: 'Content-Type' }), 'parameters[0].name'],
    ['a header twice', { ...one({ in: 'header', name: 'X-A' }), headers: { 'x-a': '1' } }, 'parameters[0].name'],
    ['a cookie beside the header', { ...one({ in: 'cookie' }), headers: { Cookie: 'a=1' } }, 'parameters[0].name'],
    ['a cookie with a blank', one({ in: 'cookie', name: 'a b' }), 'parameters[0].name'],
    [
      'one parameter twice',
      { ...one({}), parameters: [one({}).parameters[0], one({}).parameters[0]] },
      'parameters[1].name',
    ],
    ['an unlisted secret', { ...one({ value: '{{secret:A}}' }), secrets: [] }, 'secrets'],
    ['a form without a body', { bodyForm: {} }, 'bodyForm'],
    ['a form of another type', { body: {}, bodyForm: {}, headers: { 'Content-Type': 'application/json' } }, 'bodyForm'],
    ['an optional body of parts', { body: { a: 1 }, bodyOptional: true }, 'bodyOptional'],
  ] as [string, JsonObject, string][])('refuses %s', (_what, config, path) => {
    expect(paths(config)).toContain(path);
  });

  it('has the digest that it had before there were parameters', () => {
    const config = { method: 'POST', url: 'https://api.example.com/a', body: { a: '{{input.a}}' } };
    expect(digestOf(definitionOf(config).adapter.config)).toBe(digestOf({ ...config, maxResponseBytes: 1_048_576 }));
  });
});
