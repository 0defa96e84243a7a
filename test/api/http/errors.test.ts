import { describe, expect, test } from 'vitest';
import { findJsonFault } from '../../../api/http/json-position.ts';
import { nearNames } from '../../../domain/near-names.ts';
import { type CallResult, startTestApi } from '../harness/test-api.ts';

const api = await startTestApi();
const { key } = await api.createKey(api.database.tenants.development);
const adapter = { type: 'http.request', config: { method: 'POST', url: 'https://api.example.com/refunds' } };
for (const name of ['refund.create', 'refund.cancel', 'unrelated']) {
  const made = await api.call('POST', '/api/v2/actions', { key, body: { name, adapter } });
  if (made.status !== 201) throw new Error(made.text);
}
await api.call('PUT', '/api/v2/secrets/PAYMENTS_KEY', { key, body: { value: 'a-value-of-its-own' } });

const said = (reply: CallResult): { message: string; details?: unknown } =>
  (reply.json as { error: { message: string; details?: unknown } }).error;

describe('a 404', () => {
  test('names the environment that the key is bound to, and near names', async () => {
    const reply = await api.call('GET', '/api/v2/actions/refund.craete', { key });
    expect([reply.status, said(reply).message]).toEqual([
      404,
      'No such action in environment Development (development), which this key is bound to. Did you mean refund.create?',
    ]);
    const secret = await api.call('GET', '/api/v2/secrets/PAYMENT_KEY', { key });
    expect(said(secret).message).toMatch(/No such secret in environment Development.*Did you mean PAYMENTS_KEY\?$/);
  });

  test.each([
    ['a dry run', '/api/v2/actions/refund.craete/invoke', { input: {}, dryRun: true }],
    ['an evaluation of policies', '/api/v2/approval-policies/evaluate', { action: 'refund.craete', input: {} }],
  ])('says so of %s too', async (_what, path, body) => {
    const reply = await api.call('POST', path, { key, body });
    expect([reply.status, said(reply).message]).toEqual([404, expect.stringContaining('Did you mean refund.create?')]);
  });

  test('of a name that is far from all suggests none', async () => {
    const reply = await api.call('GET', '/api/v2/actions/shipment.open', { key });
    expect(said(reply).message).toMatch(/which this key is bound to\.$/);
  });

  test('says nothing of an action of another environment of the workspace', async () => {
    const other = await api.createKey(api.database.tenants.staging);
    for (const ref of ['refund.create', 'refund.craete']) {
      const reply = await api.call('GET', `/api/v2/actions/${ref}`, { key: other.key });
      expect([reply.status, said(reply).message]).toEqual([
        404,
        'No such action in environment Staging (staging), which this key is bound to.',
      ]);
    }
  });

  test('suggests no name to a key that may not list them', async () => {
    const invoker = await api.createKey(api.database.tenants.development, { scopes: ['actions:invoke'] });
    const body = { input: {} };
    const reply = await api.call('POST', '/api/v2/actions/refund.craete/invoke', { key: invoker.key, body });
    expect([reply.status, said(reply).message]).toEqual([404, expect.stringMatching(/which this key is bound to\.$/)]);
    const both = await api.createKey(api.database.tenants.development, { scopes: ['actions:invoke', 'actions:read'] });
    const told = await api.call('POST', '/api/v2/actions/refund.craete/invoke', { key: both.key, body });
    expect(said(told).message).toContain('Did you mean refund.create?');
  });
});

test('a 405 lists what the path answers, in its body too', async () => {
  const reply = await api.call('PUT', '/api/v2/actions/refund.create', { key, body: {} });
  expect([reply.status, said(reply).message, said(reply).details, reply.headers.get('Allow')]).toEqual([
    405,
    'This path answers GET, PATCH, DELETE, HEAD and OPTIONS, not PUT.',
    { allowed: ['GET', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] },
    'GET, PATCH, DELETE, HEAD, OPTIONS',
  ]);
});

describe('the page of a code', () => {
  test('is served by the API itself without a credential', async () => {
    const page = await api.call('GET', '/docs/reference/errors/NOT_FOUND');
    expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.text).toContain('<h1 id="not_found">NOT_FOUND</h1>');
  });

  test.each([
    ['/api/v2/nowhere', 404, 'NOT_FOUND'],
    ['/api/v2/actions', 401, 'AUTHENTICATION_ERROR'],
    ['/api/v2/actions?limit=0', 400, 'VALIDATION_ERROR'],
  ])('is where the error of %s links to', async (path, status, code) => {
    const reply = await api.call('GET', path, status === 401 ? {} : { key });
    expect([reply.status, reply.headers.get('Link')]).toEqual([status, `</docs/reference/errors/${code}>; rel="help"`]);
    const members = Object.keys((reply.json as { error: object }).error);
    expect(members.every((name) => ['code', 'message', 'details'].includes(name))).toBe(true);
  });
});

describe('broken JSON', () => {
  test.each([
    ['{"a":', 1, 6, 'a value'],
    ['{\n  "a": 1,\n}', 3, 1, 'a name in double quotes'],
    ['{"a" 1}', 1, 6, 'a colon'],
    ['[1 2]', 1, 4, 'a comma or the closing bracket'],
    ['{"a": tru}', 1, 7, 'a value'],
    ['["x', 1, 4, 'the closing double quote'],
    ['"a\tb"', 1, 3, 'an escaped control character, such as \\n'],
    ['"\\q"', 1, 2, 'an escape such as \\n or \\u00e9'],
    ['{} {}', 1, 4, 'the end'],
    ['01', 1, 2, 'the end'],
    ['{"a":1}]', 1, 8, 'the end'],
  ])('%j is broken at line %i, column %i, where %s was expected', (text, line, column, expected) => {
    expect(findJsonFault(text)).toEqual({ line, column, expected });
  });

  test('is found exactly where the parser refuses it, over many mutations; and depth costs no stack', () => {
    const sound = JSON.stringify({ a: [1, -2.5e3, true, null, 'x\n"é'], b: { c: {}, d: [] }, e: '' });
    let broken = 0;
    for (let at = 0; at <= sound.length; at++) {
      for (const inserted of ['', '"', '{', ']', ',', ':', '0', '\\', ' ', 'n', '\n']) {
        for (const removed of [0, 1]) {
          const text = sound.slice(0, at) + inserted + sound.slice(at + removed);
          const fault = findJsonFault(text);
          expect(fault === null, text).toBe(parses(text));
          if (fault !== null) broken++;
        }
      }
    }
    expect(broken).toBeGreaterThan(500);
    expect(findJsonFault('['.repeat(500_000))).toMatchObject({ line: 1, column: 500_001 });
    expect(findJsonFault(`"${'x'.repeat(1_000_000)}`)).toMatchObject({ column: 1_000_002 });
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('near names are few, the nearest first, and none that is far', () => {
  const names = ['refund.create', 'refund.created', 'refund.crate', 'refunds.create', 'ticket.open', 'a'];
  expect(nearNames('refund.creat', names)).toEqual(['refund.create', 'refund.crate', 'refund.created']);
  expect(nearNames('REFUND.CREATE', names)[0]).toBe('refund.create');
  expect(nearNames('b', ['a', 'bc', 'xyz'])).toEqual(['a', 'bc']);
  expect(nearNames('something.else', names)).toEqual([]);
});
