import { describe, expect, it } from 'vitest';
import { digestOf } from '../../domain/canonical-json.ts';
import { httpRequestDescriptor } from '../../domain/adapters/http-request.ts';
import type { Json, JsonObject } from '../../domain/json.ts';
import { bodyOf, configIssues, definitionOf, faults, IDENTITY, prepare, prepared } from './http-request-fixtures.ts';

describe('what a template becomes', () => {
  it('keeps the JSON type of a leaf that is one template and nothing else', () => {
    const body = {
      number: '{{input.n}}',
      flag: '{{ input.flag }}',
      none: '{{input.none}}',
      list: '{{input.list}}',
      object: '{{input.object}}',
      item: '{{input.list[1].id}}',
      whole: ['{{input}}'],
    };
    const input = { n: 12.5, flag: false, none: null, list: [1, { id: 'b' }], object: { a: { b: [] } } };
    expect(bodyOf({ body }, input)).toEqual({
      number: 12.5,
      flag: false,
      none: null,
      list: [1, { id: 'b' }],
      object: { a: { b: [] } },
      item: 'b',
      whole: [input],
    });
  });

  it('is text within a longer string and in headers', () => {
    const config = { body: { text: 'n={{input.n}}, f={{input.flag}}' }, headers: { 'X-Count': '{{input.n}}' } };
    const request = prepared(config, { n: 3, flag: true });
    expect(request.body).toBe('{"text":"n=3, f=true"}');
    expect(request.headers['X-Count']).toBe('3');
  });

  it.each([
    ['an object', { v: { a: 1 } }],
    ['an array', { v: [1] }],
    ['null', { v: null }],
  ])('refuses %s where text is needed', (_, input: JsonObject) => {
    expect(faults({ body: 'x {{input.v}}' }, input)[0]).toMatch(
      /^input\.v: is (an object|an array|null), which cannot/,
    );
    expect(faults({ headers: { 'X-V': '{{input.v}}' } }, input)[0]).toMatch(/^input\.v: /);
    expect(faults({ url: 'https://h.example/{{input.v}}' }, input)[0]).toMatch(/^input\.v: /);
    expect(faults({ query: { v: '{{input.v}}' } }, input)[0]).toMatch(/^input\.v: /);
  });

  it('names what is missing by its path', () => {
    expect(faults({ body: { id: '{{input.customer.id}}' } }, { customer: {} })).toEqual([
      'input.customer.id: is missing; adapter.config.body.id needs it',
    ]);
    expect(faults({ url: 'https://h.example/{{input.a[2]}}' }, { a: [1, 2] })[0]).toMatch(/^input\.a\[2\]: is missing/);
  });

  it('never finds what a prototype holds', () => {
    for (const path of ['constructor', '__proto__', 'toString', 'constructor.name', 'text.length', 'list.length']) {
      expect(faults({ body: `{{input.${path}}}` }, { text: 'abc', list: [1] })).toHaveLength(1);
    }
    const input = JSON.parse('{"__proto__":{"x":"own"}}') as JsonObject;
    expect(bodyOf({ body: '{{input.__proto__.x}}' }, input)).toBe('own');
    expect(prepared({ body: { all: '{{input}}' } }, input).body).toBe('{"all":{"__proto__":{"x":"own"}}}');
  });

  it('carries the ids of the request', () => {
    const body = ['{{invocation.id}}', '{{effect.id}}', '{{operationKey}}'];
    expect(bodyOf({ body })).toEqual(['inv_1', 'eff_1', 'op key/1']);
    expect(prepared({ idempotencyHeader: 'Idempotency-Key' }).headers).toEqual({ 'Idempotency-Key': 'eff_1' });
  });
});

describe('what a value contains is never read as a template', () => {
  const config = {
    headers: { 'X-Note': '{{input.note}}' },
    query: { note: '{{input.note}}' },
    body: { whole: '{{input.note}}', part: '({{input.note}})', deep: '{{input.deep}}' },
    secrets: ['KEY'],
  };
  const note = '{{secret:KEY}} {{input.other}} {{';
  const input = { note, other: 'no', deep: { '{{input.other}}': ['{{secret:KEY}}'] } };

  it('stays text without and with secrets at hand', () => {
    const shown = prepared(config, input);
    const sent = prepared(config, input, { KEY: 'sk_live_1' });
    expect(sent).toEqual(shown);
    expect(JSON.stringify(sent)).not.toContain('sk_live_1');
    expect(sent.headers['X-Note']).toBe(note);
    expect(sent.url).toContain('note=%7B%7Bsecret%3AKEY%7D%7D');
    expect(JSON.parse(sent.body ?? '')).toEqual({ whole: note, part: `(${note})`, deep: input.deep });
  });

  it('cannot borrow the place of a real secret: only the template of the action is filled', () => {
    const both = { headers: { A: '{{input.a}}{{secret:KEY}}{{input.b}}' } };
    const first = prepared(both, { a: '{{secret:KEY}}', b: '' }, { KEY: 's3cr' });
    const last = prepared(both, { a: '', b: '{{secret:KEY}}' }, { KEY: 's3cr' });
    expect(first.headers['A']).toBe('{{secret:KEY}}s3cr');
    expect(last.headers['A']).toBe('s3cr{{secret:KEY}}');
  });

  it('does not read a secret that looks like a template', () => {
    const request = prepared({ headers: { A: '{{secret:KEY}}' } }, {}, { KEY: '{{secret:OTHER}}{{input.x}}' });
    expect(request.headers['A']).toBe('{{secret:OTHER}}{{input.x}}');
  });
});

describe('secrets', () => {
  const config = {
    headers: { Authorization: 'Bearer {{secret:API_KEY}}' },
    query: { key: '{{secret:q.key}}' },
    body: { token: '{{secret:API_KEY}}', text: 'a {{secret:API_KEY}} b' },
  };

  it('stand as placeholders until the dispatch, and are filled there', () => {
    expect(prepared(config)).toMatchObject({
      url: 'https://api.example.com/orders?key={{secret:q.key}}',
      headers: { Authorization: 'Bearer {{secret:API_KEY}}' },
      body: '{"text":"a {{secret:API_KEY}} b","token":"{{secret:API_KEY}}"}',
    });
    expect(prepared(config, {}, { API_KEY: 'k"1', 'q.key': 'a&b=c d' })).toMatchObject({
      url: 'https://api.example.com/orders?key=a%26b%3Dc%20d',
      headers: { Authorization: 'Bearer k"1' },
      body: '{"text":"a k\\"1 b","token":"k\\"1"}',
    });
    expect(httpRequestDescriptor.secretNames(definitionOf(config))).toEqual(['API_KEY', 'q.key']);
  });

  it('that have no value refuse, and the refusal shows none of the others', () => {
    const preparation = prepare(config, {}, { API_KEY: 'sk_live_1' });
    expect(preparation).toMatchObject({ kind: 'refused', refusal: { code: 'secret_missing' } });
    expect(JSON.stringify(preparation)).not.toContain('sk_live_1');
  });

  it('that a header cannot carry are named, not shown', () => {
    const text = faults({ headers: { A: '{{secret:KEY}}' } }, {}, { KEY: 'line1\r\nX-Evil: sk_live_1' }).join();
    expect(text).toContain('adapter.config.headers.A');
    expect(text).not.toContain('sk_live_1');
  });

  it('are legal in header, query and body only', () => {
    expect(configIssues({ url: 'https://h.example/{{secret:K}}' })).toMatchObject([{ path: 'url' }]);
    expect(configIssues({ url: 'https://h.example/?k={{secret:K}}' })).toMatchObject([{ path: 'url' }]);
    expect(configIssues({ headers: { A: '{{secret:1bad}}' } })).toMatchObject([{ path: 'headers.A' }]);
  });

  it('must be in the list where there is one', () => {
    expect(configIssues({ ...config, secrets: ['API_KEY'] })).toEqual([
      { path: 'secrets', message: 'must list q.key, which a template refers to' },
    ]);
    expect(configIssues({ ...config, secrets: ['API_KEY', 'q.key', 'spare'] })).toEqual([]);
  });
});

describe('URLs', () => {
  const at = (url: string, input: JsonObject) => prepared({ method: 'GET', url }, input).url;

  it('percent-encodes values, so that they change no part of the URL but their own', () => {
    expect(at('https://h.example/a/{{input.v}}/b?x={{input.v}}', { v: 'é/?#&=%2e @:\\"\n\'' })).toBe(
      'https://h.example/a/%C3%A9%2F%3F%23%26%3D%252e%20%40%3A%5C%22%0A%27/b' +
        '?x=%C3%A9%2F%3F%23%26%3D%252e%20%40%3A%5C%22%0A%27',
    );
    expect(
      prepared({ url: 'https://h.example/?a=1', query: { 'b c': '{{input.v}}', n: 5, t: true } }, { v: '&z=1' }).url,
    ).toBe('https://h.example/?a=1&b%20c=%26z%3D1&n=5&t=true');
  });

  it.each(['.', '..', ''])('refuses a value that makes a whole path segment %j', (v) => {
    for (const url of [
      'https://h.example/a/{{input.v}}',
      'https://h.example/a/{{input.v}}/b',
      'https://h.example/{{input.v}}?q=1',
    ]) {
      expect(faults({ method: 'DELETE', url }, { v })[0]).toMatch(/^adapter\.config\.url: has a path segment/);
    }
  });

  it('refuses dot segments that are put together', () => {
    expect(faults({ url: 'https://h.example/a/{{input.v}}{{input.v}}/b' }, { v: '.' })).toHaveLength(1);
    expect(faults({ url: 'https://h.example/a/.{{input.v}}/b' }, { v: '.' })).toHaveLength(1);
    expect(faults({ url: 'https://h.example/a/%2E{{input.v}}/b' }, { v: '.' })).toHaveLength(1);
    expect(at('https://h.example/a/v{{input.v}}', { v: '..' })).toBe('https://h.example/a/v..');
  });

  it('refuses what is not http, carries credentials or is not absolute; drops the fragment', () => {
    for (const url of [
      'ftp://h.example/',
      'file:///etc/passwd',
      '/orders',
      'https://u:p@h.example/',
      'https://u@h.example/',
      'https:/x',
      'https://h.example\\@evil/',
      'https://h.example/a b',
      'javascript:alert(1)',
    ]) {
      expect(configIssues({ url }), url).toMatchObject([{ path: 'url' }]);
    }
    expect(at('https://h.example/a#frag-{{input.missing}}', {})).toBe('https://h.example/a');
    expect(at('HTTPS://H.example:443/a', {})).toBe('https://h.example/a');
  });

  it('needs allowedHosts for a templated host, and holds the final host to it', () => {
    expect(configIssues({ url: 'https://{{input.host}}/x' })).toMatchObject([{ path: 'allowedHosts' }]);
    expect(configIssues({ url: '{{input.scheme}}://h.example/x' })).toMatchObject([{ path: 'allowedHosts' }]);
    const config = {
      url: 'https://{{input.host}}/x',
      allowedHosts: ['api.example.com', '*.svc.example', 'localhost:8080'],
    };
    const kind = (host: string) => prepare(config, { host }).kind;
    expect(kind('api.example.com')).toBe('ready');
    expect(kind('API.EXAMPLE.COM')).toBe('ready');
    expect(kind('a.b.svc.example')).toBe('ready');
    for (const host of [
      'evil.com',
      'svc.example',
      'evil-api.example.com',
      'api.example.com.evil.com',
      'localhost',
      '127.1',
    ]) {
      expect(prepare(config, { host }), host).toMatchObject({
        kind: 'refused',
        refusal: { code: 'destination_blocked' },
      });
    }
    for (const host of ['evil.com/api.example.com', 'evil.com#.svc.example', 'u@evil.com', 'evil.com:1', 'a b', '']) {
      expect(kind(host), host).toBe('invalid');
    }
    expect(
      prepare({ url: 'https://{{input.s}}.svc.example/', allowedHosts: ['*.svc.example'] }, { s: 'evil.com/' }).kind,
    ).toBe('invalid');
    expect(prepare({ url: 'https://other.example/', allowedHosts: ['api.example.com'] }).kind).toBe('refused');
  });

  it('keeps a refused request for the receipt, without its secrets', () => {
    const config = { url: 'https://other.example/', allowedHosts: ['api.example.com'], headers: { A: '{{secret:K}}' } };
    expect(prepare(config, {}, { K: 'sk_live_1' })).toMatchObject({
      kind: 'refused',
      request: { url: 'https://other.example/', headers: { A: '{{secret:K}}' } },
      target: { method: 'POST', host: 'other.example', path: '/' },
    });
  });
});

describe('headers and bodies', () => {
  it('refuses line breaks and control characters in a header', () => {
    for (const v of ['a\r\nX-Evil: 1', 'a\nb', 'a\u0000', 'a\u007f', 'a\u0085b', 'snow ☃']) {
      expect(faults({ headers: { A: '{{input.v}}' } }, { v })).toHaveLength(1);
    }
    expect(prepared({ headers: { A: '{{input.v}}' } }, { v: 'ok\té' }).headers['A']).toBe('ok\té');
  });

  it.each([
    'Host',
    'content-length',
    'Transfer-Encoding',
    'connection',
    'upgrade',
    'TE',
    'trailer',
    'expect',
    'proxy-authorization',
    'accept-encoding',
    'bad name',
    'a:b',
  ])('refuses the header %s', (name) => {
    expect(configIssues({ headers: { [name]: 'x' } })).toMatchObject([{ path: `headers.${name}` }]);
    expect(configIssues({ idempotencyHeader: name })).toMatchObject([{ path: 'idempotencyHeader' }]);
  });

  it('refuses one header twice', () => {
    expect(configIssues({ headers: { 'X-A': '1', 'x-a': '2' } })).toHaveLength(1);
    expect(configIssues({ headers: { 'idempotency-key': '1' }, idempotencyHeader: 'Idempotency-Key' })).toHaveLength(1);
  });

  it('writes JSON unless another content type is declared', () => {
    expect(prepared({ body: 'text' })).toMatchObject({
      body: '"text"',
      headers: { 'content-type': 'application/json' },
    });
    const merge = prepared({ body: { a: 1 }, headers: { 'Content-Type': 'application/merge-patch+json' } });
    expect(merge).toMatchObject({ body: '{"a":1}', headers: { 'Content-Type': 'application/merge-patch+json' } });
    const text = prepared(
      { body: 'a={{input.v}}', headers: { 'content-type': 'text/plain; charset=utf-8' } },
      { v: 'b&c' },
    );
    expect(text.body).toBe('a=b&c');
    expect(configIssues({ body: { a: 1 }, headers: { 'content-type': 'text/plain' } })).toMatchObject([
      { path: 'body' },
    ]);
    expect(configIssues({ body: 'x', headers: { 'content-type': '{{input.v}}' } })).toMatchObject([
      { path: 'headers.content-type' },
    ]);
    expect(configIssues({ method: 'GET', body: {} })).toMatchObject([{ path: 'body' }]);
  });

  it('encodes values in a form, so that they add no parameter', () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(
      prepared({ body: 'amount={{input.a}}&note={{input.n}}', headers: form }, { a: 5, n: 'x&amount=9' }).body,
    ).toBe('amount=5&note=x%26amount%3D9');
    expect(prepared({ body: '{{input.raw}}', headers: form }, { raw: 'a=1&b=2' }).body).toBe('a=1&b=2');
  });

  it('bounds what a small input can become', () => {
    const body = Array.from({ length: 3000 }, () => '{{input.big}}');
    expect(faults({ body }, { big: 'x'.repeat(100_000) })).toEqual([
      'input: makes a request of more than 4194304 characters',
    ]);
    expect(faults({ body }, { big: [{ a: 'x'.repeat(100_000) }] })).toHaveLength(1);
  });
});

describe('a config', () => {
  it('names every unknown member', () => {
    expect(
      configIssues({ urll: 1, retries: 2, success: { statuses: [200], x: 1 } })
        .map((issue) => issue.path)
        .sort(),
    ).toEqual(['retries', 'success.x', 'urll']);
  });

  it.each<[string, Json, string]>([
    ['success', { statuses: [400] }, 'success.statuses[0]'],
    ['success', { statuses: ['5xx'] }, 'success.statuses[0]'],
    ['success', { statuses: [] }, 'success.statuses'],
    ['failure', { statuses: [500] }, 'failure.statuses[0]'],
    ['failure', { statuses: ['2xx'] }, 'failure.statuses[0]'],
    ['maxResponseBytes', 10_485_761, 'maxResponseBytes'],
    ['maxResponseBytes', 0, 'maxResponseBytes'],
    ['method', 'TRACE', 'method'],
    ['allowedHosts', ['https://x'], 'allowedHosts[0]'],
    ['body', { a: ['{{input.x}'] }, 'body.a[0]'],
    ['body', { a: '{{nothing.x}}' }, 'body.a'],
    ['body', { a: '{{response.body}}' }, 'body.a'],
    ['body', { a: '{{input..x}}' }, 'body.a'],
    ['body', { a: '{{}}' }, 'body.a'],
    ['body', { '{{input.x}}': 1 }, 'body.{{input.x}}'],
    ['query', { '{{input.x}}': 1 }, 'query.{{input.x}}'],
  ])('refuses %s %j', (member, value, path) => {
    expect(configIssues({ [member]: value }).map((issue) => issue.path)).toContain(path);
  });

  it('refuses a status that is listed twice over', () => {
    expect(configIssues({ success: { statuses: [302, '2xx'] }, failure: { statuses: [302] } })).toHaveLength(1);
  });

  it('parses to the same again, with its defaults', () => {
    const { config } = definitionOf({ body: null }).adapter;
    expect(config).toEqual({
      method: 'POST',
      url: 'https://api.example.com/orders',
      body: null,
      maxResponseBytes: 1_048_576,
    });
    expect(httpRequestDescriptor.parseConfig(config)).toEqual({ ok: true, config });
  });

  it('tells what it can promise', () => {
    expect(httpRequestDescriptor.capabilitiesFor(definitionOf({}))).toMatchObject({
      idempotent: false,
      lookup: 'none',
    });
    const verify = {
      request: { method: 'GET' as const, url: 'https://h.example/' },
      expect: [{ path: 'body', op: 'exists' as const }],
    };
    expect(httpRequestDescriptor.capabilitiesFor(definitionOf({ idempotencyHeader: 'K' }, verify))).toMatchObject({
      idempotent: true,
      lookup: 'by_id',
    });
  });
});

it('makes the same bytes whatever order a database gave to members', () => {
  const shuffled = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([name, member]) => [name, shuffled(member)]),
    );
  };
  const definition = definitionOf({
    headers: { B: '1', A: '2' },
    query: { z: '1', a: '2' },
    body: { z: '{{input}}', a: [{ y: 1, b: 2 }] },
  });
  const input = { z: 1, a: { y: 2, b: 3 } };
  const one = httpRequestDescriptor.prepare({ definition, input, identity: IDENTITY });
  const other = httpRequestDescriptor.prepare({
    definition: {
      ...definition,
      adapter: { ...definition.adapter, config: shuffled(definition.adapter.config) as JsonObject },
    },
    input: shuffled(input) as JsonObject,
    identity: IDENTITY,
  });
  expect(JSON.stringify(other)).toBe(JSON.stringify(one));
  expect(digestOf(other as unknown as Json)).toBe(digestOf(one as unknown as Json));
});
