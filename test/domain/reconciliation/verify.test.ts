import { describe, expect, it } from 'vitest';
import type { Expectation, VerifyDeclaration } from '../../../domain/actions.ts';
import type { ProviderResponse } from '../../../domain/adapters/adapter-descriptor.ts';
import { issuesOfZod } from '../../../domain/adapters/http-request-rules.ts';
import { parsePath, readPath } from '../../../domain/json-path.ts';
import type { Json } from '../../../domain/json.ts';
import { expectationHolds, judgeReadBack } from '../../../domain/reconciliation/read-back.ts';
import { compileVerify, renderVerify, verifySchema } from '../../../domain/adapters/http-request-verify.ts';
import { REDACTED } from '../../../domain/redacted.ts';
import { IDENTITY } from '../http-request-fixtures.ts';

const declaration = (changes: Record<string, unknown> = {}): unknown => ({
  request: { method: 'GET', url: 'https://h.example/orders/{{effect.id}}' },
  expect: [{ path: 'body.id', op: 'exists' }],
  ...changes,
});

function issuePaths(changes: Record<string, unknown>): string[] {
  const parsed = verifySchema.safeParse(declaration(changes));
  return parsed.success ? [] : issuesOfZod(parsed.error).map((issue) => issue.path);
}

const answer = (body: Json, status = 200, headers: Record<string, string> = {}): ProviderResponse => ({
  status,
  headers,
  body,
  bodyEncoding: 'json',
});

describe('a path', () => {
  it.each([
    ['body', ['body']],
    ['body.items[0].state', ['body', 'items', 0, 'state']],
    ['body[0][1]', ['body', 0, 1]],
    ['headers.x-request-id', ['headers', 'x-request-id']],
  ])('%s is read', (text, steps) => {
    expect(parsePath(text)).toEqual(steps);
  });

  it.each([
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    'a[',
    'a[]',
    'a[-1]',
    'a[01]',
    '[0]',
    'a b',
    'a]',
    'a[0]b',
    'a[1e3]',
    'x.'.repeat(40) + 'x',
  ])('%j is none', (text) => {
    expect(parsePath(text)).toBeNull();
  });

  it('finds own members and elements only', () => {
    const value = { list: [1, { a: null }], text: 'abc' };
    expect(readPath(value, ['list', 1, 'a'])).toEqual({ found: true, value: null });
    for (const steps of [
      ['list', 2],
      ['list', 'length'],
      ['text', 'length'],
      ['text', 0],
      ['constructor'],
      ['list', 1, 'a', 'b'],
    ]) {
      expect(readPath(value, steps)).toEqual({ found: false });
    }
  });
});

describe('a declaration', () => {
  it('is accepted with templates in URL, query, headers and values', () => {
    const parsed = verifySchema.safeParse(
      declaration({
        request: {
          method: 'GET',
          url: 'https://h.example/{{response.body.id}}?key={{secret:Q}}&r={{response.headers.X-Id}}',
          headers: { Authorization: 'Bearer {{secret:K}}' },
        },
        pending: [{ path: 'body.state', op: 'in', value: ['{{input.state}}', 'queued'] }],
        failed: [{ path: 'status', op: 'eq', value: '{{response.status}}' }],
        absenceProves: { minAgeSeconds: 60, reads: 2 },
      }),
    );
    expect(parsed.success).toBe(true);
    expect(compileVerify(parsed.data as VerifyDeclaration).secretNames).toEqual(['K', 'Q']);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['another method', { request: { method: 'POST', url: 'https://h.example/' } }, 'request.method'],
    ['a secret in the path', { request: { method: 'GET', url: 'https://h.example/{{secret:K}}?a=1' } }, 'request.url'],
    ['a templated host', { request: { method: 'GET', url: 'https://{{input.h}}/' } }, 'request.url'],
    [
      'a forbidden header',
      { request: { method: 'GET', url: 'https://h.example/', headers: { Host: 'x' } } },
      'request.headers.Host',
    ],
    [
      'a broken template',
      { request: { method: 'GET', url: 'https://h.example/', headers: { A: '{{x' } } },
      'request.headers.A',
    ],
    ['no expectation', { expect: [] }, 'expect'],
    ['an empty list of pending', { pending: [] }, 'pending'],
    ['a path over nothing', { expect: [{ path: 'data.id', op: 'exists' }] }, 'expect[0].path'],
    ['eq without a value', { expect: [{ path: 'body', op: 'eq' }] }, 'expect[0].value'],
    ['exists with a value', { expect: [{ path: 'body', op: 'exists', value: true }] }, 'expect[0].value'],
    ['in without an array', { expect: [{ path: 'body', op: 'in', value: 3 }] }, 'expect[0].value'],
    ['a secret in a value', { expect: [{ path: 'body', op: 'eq', value: '{{secret:K}}' }] }, 'expect[0].value'],
    ['an unknown operation', { expect: [{ path: 'body', op: 'gt', value: 1 }] }, 'expect[0].op'],
    ['an unknown member', { retry: 1 }, 'retry'],
  ])('is refused with %s', (_, changes, path) => {
    expect(issuePaths(changes)).toContain(path);
  });
});

describe('rendering', () => {
  const scope = { input: { n: 5, state: 'open' }, identity: IDENTITY };
  const verify = verifySchema.parse(
    declaration({
      request: {
        method: 'GET',
        url: 'https://h.example/{{response.body.id}}?k={{secret:K}}',
        headers: { R: '{{response.headers.X-Id}}' },
      },
      expect: [{ path: 'body', op: 'eq', value: { n: '{{input.n}}', text: 'n={{input.n}}' } }],
    }),
  ) as VerifyDeclaration;

  it('reads the response of the dispatch and keeps the type of a sole template', () => {
    const rendered = renderVerify(verify, {
      ...scope,
      response: answer({ id: 'a/b' }, 201, { 'x-id': 'r1' }),
      secrets: new Map([['K', 'a b']]),
    });
    expect(rendered).toEqual({
      kind: 'ready',
      url: 'https://h.example/a%2Fb?k=a%20b',
      headers: { R: 'r1' },
      lists: { expect: [{ path: 'body', op: 'eq', value: { n: 5, text: 'n=5' } }] },
    });
  });

  it('is unreadable where the response never came, a secret is missing or the host is not allowed', () => {
    const secrets = new Map([['K', 'x']]);
    const response = answer({ id: '1' }, 200, { 'x-id': '1' });
    expect(renderVerify(verify, { ...scope, response: null, secrets }).kind).toBe('unreadable');
    expect(renderVerify(verify, { ...scope, response, secrets: new Map() }).kind).toBe('unreadable');
    expect(renderVerify(verify, { ...scope, response, secrets }, ['other.example']).kind).toBe('unreadable');
    expect(renderVerify(verify, { ...scope, response, secrets }, ['h.example']).kind).toBe('ready');
  });

  describe('of what the answer held and the record does not', () => {
    const reading = (changes: Partial<VerifyDeclaration>): VerifyDeclaration => ({
      request: { method: 'GET', url: 'https://h.example/orders' },
      expect: [{ path: 'body.id', op: 'exists' }],
      ...changes,
    });
    const expecting = (value: Json) => reading({ expect: [{ path: 'body', op: 'eq', value }] });
    const at = (url: string) => reading({ request: { method: 'GET', url: `https://h.example/${url}` } });
    const rendered = (verify: VerifyDeclaration, length = 1_024) => {
      const headers = { 'x-long': 'x'.repeat(length) };
      const body = { account: `acct-${REDACTED}`, list: [{ key: REDACTED }], [REDACTED]: 1, id: 'o1' };
      return renderVerify(verify, { ...scope, input: { text: REDACTED }, response: answer(body, 200, headers) });
    };

    it.each<[string, VerifyDeclaration]>([
      ['response.body.account', at('{{response.body.account}}')],
      ['response.body.account', at('orders?of={{response.body.account}}')],
      ['response.body.list[0].key', expecting({ key: '{{response.body.list[0].key}}' })],
      ['response.body.list', expecting('{{response.body.list}}')],
      ['response.body', expecting('{{response.body}}')],
      ['response.headers.X-Long', at('{{response.headers.X-Long}}')],
      ['response.headers', expecting('{{response.headers}}')],
    ])('is unreadable: %s', (path, verify) => {
      expect(rendered(verify)).toEqual({
        kind: 'unreadable',
        summary: expect.stringContaining(`: ${path} `) as unknown,
      });
    });

    it('leaves what is whole: the rest of that answer, a header that was not cut, an input that spells the mark', () => {
      const whole = at('{{response.body.id}}/{{response.headers.x-long}}/{{input.text}}');
      expect(rendered(whole, 1_023)).toMatchObject({ kind: 'ready', lists: {} });
    });
  });
});

describe('an expectation', () => {
  it.each<[Expectation, boolean]>([
    [{ path: 'status', op: 'eq', value: 200 }, true],
    [{ path: 'status', op: 'eq', value: '200' }, false],
    [{ path: 'body.o', op: 'eq', value: { b: 2, a: 1 } }, true],
    [{ path: 'body.o', op: 'eq', value: { a: 1 } }, false],
    [{ path: 'body.list[1]', op: 'in', value: ['x', 'y'] }, true],
    [{ path: 'body.list[1]', op: 'in', value: ['x'] }, false],
    [{ path: 'body.none', op: 'exists' }, true],
    [{ path: 'body.none', op: 'eq', value: null }, true],
    [{ path: 'body.absent', op: 'exists' }, false],
    [{ path: 'body.absent', op: 'eq', value: null }, false],
    [{ path: 'body.toString', op: 'exists' }, false],
    [{ path: 'headers.X-State', op: 'eq', value: 'done' }, true],
  ])('%j is %s', (expectation, holds) => {
    const response = answer({ o: { a: 1, b: 2 }, list: ['x', 'y'], none: null }, 200, { 'x-state': 'done' });
    expect(expectationHolds(expectation, response)).toBe(holds);
  });
});

describe('the judgement of a read-back', () => {
  const state = (value: string): Expectation[] => [{ path: 'body.state', op: 'eq', value }];
  const lists = { expect: state('done'), pending: state('open'), failed: state('broken') };

  it.each([
    ['done', 'succeeded'],
    ['open', 'pending'],
    ['broken', 'failed'],
  ])('%s is %s', (value, outcome) => {
    expect(judgeReadBack(lists, answer({ state: value }))).toMatchObject({ kind: 'matched', outcome });
  });

  it('says nothing of what it does not know, and nothing where it contradicts itself', () => {
    expect(judgeReadBack(lists, answer({ state: 'odd' })).kind).toBe('inconclusive');
    expect(judgeReadBack({ expect: state('done'), failed: state('done') }, answer({ state: 'done' })).kind).toBe(
      'inconclusive',
    );
  });

  it('takes 404 for absence, and no other status for anything', () => {
    expect(judgeReadBack(lists, answer({ state: 'done' }, 404)).kind).toBe('absent');
    for (const status of [301, 401, 403, 410, 429, 500, 503]) {
      expect(judgeReadBack(lists, answer({ state: 'done' }, status)).kind, String(status)).toBe('inconclusive');
    }
  });

  it('can confirm a deletion by its 404', () => {
    const gone = { expect: [{ path: 'status', op: 'eq' as const, value: 404 }] };
    expect(judgeReadBack(gone, answer({}, 404))).toMatchObject({ kind: 'matched', outcome: 'succeeded' });
  });
});
