import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../sdk/typescript/src/api-error.ts';
import {
  canonicalText,
  checkScopes,
  createClient,
  SdkError,
  verifyDelivery,
  verifyReceipt,
  type Client,
} from '../../sdk/typescript/src/index.ts';
import { readVectors, type DeliveryVector, type ExchangeVector } from './vectors.ts';

/** The TypeScript SDK against sdk/vectors: what every SDK must answer to what. */

const API_KEY = 'service_live_abcdefghijklmnopqrstuvwxyz012345';
const BASE_URL = 'https://service.example';

type Outcome = { value: unknown } | { error: unknown };

function outcomeOf(work: () => Promise<unknown>): Promise<Outcome> {
  return work().then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
}

async function failureOf(work: () => Promise<unknown>): Promise<unknown> {
  const outcome = await outcomeOf(work);
  if ('error' in outcome) return outcome.error;
  throw new Error('it did not fail');
}

describe('verifyDelivery', () => {
  const verify = ({ headers, now, options, ...vector }: DeliveryVector) => {
    const { body = Uint8Array.from(Buffer.from(vector.bodyBase64 ?? '', 'base64')), secret, environmentId } = vector;
    return verifyDelivery(headers, body, { secret, environmentId, now: () => now * 1_000, ...options });
  };
  const { deliveries } = readVectors('deliveries');

  test.each(deliveries)('$name', async (vector) => {
    const { valid, ...expected } = vector.expect;
    const error = { name: 'DeliveryVerificationError', ...expected };
    expect(await outcomeOf(() => verify(vector))).toMatchObject(valid ? { value: expected } : { error });
  });

  test('takes the headers of a Request, and of Node’s http with their lists', async () => {
    const [vector] = deliveries;
    if (vector === undefined || !vector.expect.valid) throw new Error('the first vector is a good one');
    const { valid: _, ...expected } = vector.expect;
    const headers = new Headers(vector.headers);
    const body = vector.body ?? '';
    const options = { secret: vector.secret, environmentId: vector.environmentId, now: () => vector.now * 1_000 };
    expect(await verifyDelivery(headers, body, options)).toEqual(expected);
    const lists = Object.fromEntries(Object.entries(vector.headers).map(([name, value]) => [name, [value]]));
    expect(await verifyDelivery(lists, new TextEncoder().encode(body), options)).toEqual(expected);
    const twice = { ...lists, 'webhook-id': ['one', 'two'] };
    expect(await failureOf(() => verifyDelivery(twice, body, options))).toMatchObject({ reason: 'missing_header' });
  });
});

describe('verifyReceipt', () => {
  const { canonicalTexts, receipts, malformed } = readVectors('receipts');
  test.each(canonicalTexts)('hashes the text of $name', ({ value, text }) => {
    expect(canonicalText(value)).toBe(text);
  });
  test.each(receipts)('$name', async ({ effect, keptHead, expect: expected }) => {
    expect(await verifyReceipt(effect, keptHead)).toEqual(expected);
  });
  test.each(malformed)('is no effect: $name', async ({ effect }) => {
    expect(await failureOf(() => verifyReceipt(effect))).toBeInstanceOf(TypeError);
  });
});

describe('requireScopes', () => {
  test.each(readVectors('scopes').checks)('$name', async ({ reply, required, forbidden, expect: expected }) => {
    const { client } = play([{ status: 200, body: reply }]);
    const { passes, ...lists } = expected;
    const outcome = passes ? { value: undefined } : { error: { name: 'MissingScopesError', ...lists } };
    expect(await outcomeOf(() => client.requireScopes(required, forbidden))).toMatchObject(outcome);
    expect(await outcomeOf(async () => checkScopes(reply, required, forbidden))).toMatchObject(outcome);
  });

  test('says that the key is refused, and not that a scope is missing', async () => {
    const error = { code: 'AUTHENTICATION_ERROR', message: 'Authentication failed.' };
    const { client } = play([{ status: 401, body: { success: false, error, requestId: 'r' } }]);
    expect(await failureOf(() => client.requireScopes([]))).toMatchObject({ name: 'AuthenticationError' });
  });
});

describe('errors', () => {
  test.each(readVectors('errors').replies)(
    '$name',
    async ({ status, headers, body, expect: { type, ...expected } }) => {
      const { client, sent } = play([{ status, headers, body }]);
      const reconcile = client.call('POST', '/api/v2/actions/effects/{id}/reconcile', { path: { id: 'eff_1' } });
      const error = await failureOf(() => reconcile);
      expect(error).toBeInstanceOf(SdkError);
      expect(error instanceof ApiError).toBe(type !== 'UnexpectedReplyError');
      expect(error).toMatchObject({ name: type, ...expected });
      expect(sent).toHaveLength(1);
    },
  );

  test('no error, and nothing that a client shows of itself, holds the key', async () => {
    const { client } = play([{ fails: 'connection' }, { fails: 'connection' }, { fails: 'connection' }]);
    const error = await failureOf(() => client.identity());
    const { inspect } = await import('node:util');
    for (const value of [error, client]) expect(inspect(value, { depth: 9, showHidden: true })).not.toContain(API_KEY);
    expect(JSON.stringify(client)).not.toContain(API_KEY);
  });
});

describe('exchanges', () => {
  const keys = new Set<string>();
  test.each(readVectors('exchanges').exchanges)('$section: $name', async (vector) => {
    const { client, sent } = play(vector.replies);
    const outcome = await outcomeOf(() => perform(client, vector));
    expect(wrongRequests(vector, sent, keys)).toEqual([]);
    expect(outcome).toMatchObject(expectedOutcome(vector, sent));
  });

  test.each(readVectors('exchanges').idempotencyKeys)('the key is $name', async ({ key, valid }) => {
    const { client, sent } = play([{ status: 200, body: { success: true, data: { status: 'succeeded' } } }]);
    const outcome = await outcomeOf(() => client.invoke('a', {}, { idempotencyKey: key }));
    expect('error' in outcome && outcome.error instanceof TypeError).toBe(!valid);
    expect(sent.map((request) => request.key)).toEqual(valid ? [key] : []);
  });

  test.each(readVectors('exchanges').pathSegments)('a part of a path: $name', async ({ segment, path }) => {
    const { client, sent } = play([{ status: 200, body: { success: true, data: { status: 'succeeded' } } }]);
    const outcome = await outcomeOf(() => client.invoke(segment, {}));
    expect('error' in outcome && outcome.error instanceof TypeError).toBe(path === null);
    expect(sent.map(({ url }) => url.pathname)).toEqual(path === null ? [] : [path]);
  });
});

interface Sent {
  method: string;
  url: URL;
  key: string | null;
  authorization: string | null;
  body: string | null;
}

/** A client whose transport answers these replies in order, and what it sent. Pauses take no time. */
function play(replies: ExchangeVector['replies']): { client: Client; sent: Sent[] } {
  const sent: Sent[] = [];
  const left = [...replies];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { headers } = request;
    sent.push({
      method: request.method,
      url: new URL(request.url),
      key: headers.get('Idempotency-Key'),
      authorization: headers.get('Authorization'),
      body: request.body === null ? null : await request.text(),
    });
    const reply = left.shift();
    if (reply === undefined) throw new Error('no further request was expected');
    if ('fails' in reply) throw new TypeError('fetch failed', { cause: new Error('read ECONNRESET') });
    const { status, headers: given = { 'Content-Type': 'application/json' }, body } = reply;
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers: given });
  };
  return { client: createClient({ baseUrl: BASE_URL, apiKey: API_KEY, fetch, pause: async () => undefined }), sent };
}

async function perform(client: Client, { call }: ExchangeVector): Promise<unknown> {
  const { operation, method, path, pathParams, query, body, id, seconds, action, input, options, take } = call;
  const init = { ...(pathParams === undefined ? {} : { path: pathParams }), query, body };
  switch (operation) {
    case 'call':
      return client.call(method as never, path as never, init as never);
    case 'invoke':
      return client.invoke(action as string, input as never, options as never);
    case 'waitForInvocation':
      return client.waitForInvocation(id as string, { seconds: seconds as number });
    case 'waitForApproval':
      return client.waitForApproval(id as string, { seconds: seconds as number });
    case 'pages': {
      const items: unknown[] = [];
      for await (const item of client.pages(path as never, init as never)) {
        items.push(item);
        if (items.length === take) break;
      }
      return items;
    }
    default:
      throw new Error(`no runner for ${operation}`);
  }
}

function expectedOutcome({ expect: { result, items, error } }: ExchangeVector, sent: readonly Sent[]): object {
  if (error === undefined)
    return {
      value: items === undefined ? result : items.map((item) => (typeof item === 'string' ? { id: item } : item)),
    };
  const { type, cause, idempotencyKey, ...members } = error;
  const key = idempotencyKey === 'same' ? { idempotencyKey: sent[0]?.key } : {};
  return { error: { name: type, ...members, ...key, ...(cause === undefined ? {} : { cause: { name: cause } }) } };
}

/** What differs from the requests that may be sent, in words. */
function wrongRequests({ requests }: ExchangeVector, sent: readonly Sent[], keys: Set<string>): string[] {
  const lines = sent.map(({ method, url }) => `${method} ${url.pathname}`);
  const wanted = requests.map(({ method, path }) => `${method} ${path}`);
  if (!isDeepStrictEqual(lines, wanted)) return [`sent ${lines.join(', ')}, not ${wanted.join(', ')}`];
  return sent.flatMap((request, index) => {
    const wish = requests[index];
    return wish === undefined
      ? []
      : wrongParts(request, wish, sent[index - 1], keys).map((what) => `request ${index + 1}: ${what}`);
  });
}

function wrongParts(
  request: Sent,
  wish: ExchangeVector['requests'][number],
  before: Sent | undefined,
  keys: Set<string>,
): string[] {
  const parameters = Object.fromEntries(request.url.searchParams);
  const parts: [string, boolean][] = [
    [`origin ${request.url.origin}`, request.url.origin === BASE_URL],
    ['authorization', request.authorization === `Bearer ${API_KEY}`],
    [`query ${JSON.stringify(parameters)}`, wish.query === undefined || isDeepStrictEqual(parameters, wish.query)],
    [`query ${JSON.stringify(parameters)}`, (wish.queryNames ?? []).every((name) => name in parameters)],
    [
      `body ${request.body}`,
      wish.body === undefined || isDeepStrictEqual(JSON.parse(request.body ?? 'null'), wish.body),
    ],
    [`key ${request.key}`, isKeyRight(request, wish.idempotencyKey, before, keys)],
  ];
  return parts.flatMap(([what, isRight]) => (isRight ? [] : [what]));
}

function isKeyRight({ key, body }: Sent, wish: string, before: Sent | undefined, keys: Set<string>): boolean {
  if (wish === 'none') return key === null;
  if (wish === 'same') return key === before?.key && body === before.body;
  if (wish !== 'fresh') return key === wish;
  const isNew = key !== null && /^[\x21-\x7e]{16,255}$/.test(key) && !keys.has(key);
  keys.add(key ?? '');
  return isNew;
}
