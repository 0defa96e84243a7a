import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import { typescriptTypes } from '../../api/openapi/typescript-types.ts';
import {
  createClient,
  type Client,
  type ClientOptions,
  type Effect,
  type Identity,
  type Invocation,
} from '../../sdk/typescript/src/index.ts';

/** What the TypeScript SDK does beyond the vectors: time-outs, signals, paths, files, and what the compiler knows. */

afterEach(() => {
  vi.unstubAllEnvs();
});

const INVOCATION = { id: 'inv_1', status: 'queued', grade: 'pending' };

interface Answer {
  status?: number;
  body: string;
}

/** A client whose transport answers so, and the requests that it made. An answer of null never comes, until it is aborted. */
function clientOf(
  answers: (Answer | null)[],
  options: ClientOptions = {},
): { client: Client; requests: Request[]; asked: Promise<void> } {
  const requests: Request[] = [];
  const left = [...answers];
  let tell: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (tell = resolve));
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    requests.push(new Request(input, init));
    const answer = left.shift();
    if (answer === undefined) throw new Error('no further request was expected');
    if (left.length === 0) tell();
    if (answer !== null) return new Response(answer.body, { status: answer.status ?? 200 });
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () =>
        reject(new DOMException('This operation was aborted', 'AbortError')),
      );
    });
  };
  const settings = { baseUrl: 'https://service.example/', apiKey: 'service_live_key', pause: async () => undefined };
  return { client: createClient({ ...settings, fetch, ...options }), requests, asked };
}

/** Why it fails; null if it does not. Asked for at once, so that no rejection is left to itself. */
function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

const replyOf = (data: unknown): Answer => ({ body: JSON.stringify({ success: true, data }) });

describe('a try', () => {
  test('ends after its time, and is made again under the same key', async () => {
    const { client, requests } = clientOf([null, null, null], { timeoutMs: 20 });
    await expect(client.invoke('a', {})).rejects.toMatchObject({
      name: 'ConnectionError',
      message: expect.stringContaining('none came within 20 ms') as string,
    });
    expect(new Set(requests.map(({ headers }) => headers.get('Idempotency-Key'))).size).toBe(1);
    expect(requests).toHaveLength(3);
  });

  // No reply came: an invocation is asked for again under its key, and a replay never.
  test.each([
    ['an invocation', (client: Client) => client.invoke('a', {}), 2, null],
    [
      'a replay',
      (client: Client) => client.call('POST', '/api/v2/actions/effects/{id}/replay', { path: { id: 'eff_1' } }),
      1,
      expect.objectContaining({ name: 'ConnectionError' }) as unknown,
    ],
  ])('of %s outlasts the longest time-out of an action', async (_what, ask, tries, ends) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { client, requests } = clientOf([null, replyOf(INVOCATION)]);
    const failure = failureOf(ask(client));
    let hasEnded = false;
    void failure.then(() => (hasEnded = true));
    await vi.advanceTimersByTimeAsync(311_000);
    expect([requests.length, hasEnded]).toEqual([1, false]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requests).toHaveLength(tries);
    expect(await failure).toEqual(ends);
  });

  test('that the caller aborts is not made again, and fails with the caller’s reason', async () => {
    const { client, requests, asked } = clientOf([null]);
    const controller = new AbortController();
    const failure = failureOf(client.invoke('a', {}, { signal: controller.signal }));
    await asked;
    controller.abort(new Error('enough'));
    expect(await failure).toMatchObject({ message: 'enough' });
    expect(requests).toHaveLength(1);
  });

  test('never follows a redirect: the key would go to another host', async () => {
    const { client, requests } = clientOf([replyOf({})]);
    await client.identity();
    expect(requests.map(({ redirect }) => redirect)).toEqual(['manual']);
  });
});

test('a wait that the caller aborts says what was admitted', async () => {
  const { client, asked } = clientOf([{ ...replyOf(INVOCATION), status: 202 }, null]);
  const controller = new AbortController();
  const failure = failureOf(client.invoke('a', {}, { wait: 30, signal: controller.signal }));
  await asked;
  controller.abort(new Error('enough'));
  expect(await failure).toMatchObject({
    name: 'WaitInterruptedError',
    invocation: INVOCATION,
    cause: { message: 'enough' },
  });
});

test.each(['..', '.', ''])('an action that is called “%s” would leave the path: nothing is sent', async (action) => {
  const { client, requests } = clientOf([]);
  await expect(client.invoke(action, {})).rejects.toThrow(TypeError);
  expect(requests).toEqual([]);
});

test('an operation that takes no Idempotency-Key is given none, even if the caller names one', async () => {
  const { client, requests } = clientOf([]);
  const reconcile = client.call('POST', '/api/v2/actions/effects/{id}/reconcile', {
    path: { id: 'eff_1' },
    idempotencyKey: 'mine',
  });
  await expect(reconcile).rejects.toThrow('takes no Idempotency-Key');
  expect(requests).toEqual([]);
});

test('a file is handed on as it is, and its errors are errors of the API', async () => {
  const error = { code: 'NOT_FOUND', message: 'No.' };
  const refused = { status: 404, body: JSON.stringify({ success: false, error, requestId: 'r' }) };
  const { client } = clientOf([{ body: 'bytes, and no JSON' }, refused]);
  const { data } = await client.api.GET('/api/v2/auth/identity', { parseAs: 'text' });
  expect(data).toBe('bytes, and no JSON');
  await expect(client.api.GET('/api/v2/auth/identity', { parseAs: 'text' })).rejects.toMatchObject({
    name: 'NotFoundError',
  });
});

describe('a file whose second half does not come', () => {
  /** A server that sends the first half of a file, and a reader that has it. */
  async function halfRead(signal: AbortSignal) {
    const server = createServer((_request, response) => response.writeHead(200, { 'Content-Length': 8 }).write('half'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = createClient({ baseUrl, apiKey: 'service_live_key' });
    const { data } = await client.api.GET('/api/v2/auth/identity', { parseAs: 'stream', signal });
    const reader = (data as unknown as ReadableStream<Uint8Array>).getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe('half');
    return reader;
  }

  test('is given up when the caller aborts', async () => {
    const controller = new AbortController();
    const failure = failureOf((await halfRead(controller.signal)).read());
    controller.abort();
    expect(await failure).toMatchObject({ name: 'AbortError' });
  });

  test('is given up when the caller aborts, also after the garbage of the call was collected', async () => {
    const controller = new AbortController();
    const reader = await halfRead(controller.signal);
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    // What a WeakRef was asked for stays until the turn ends.
    for (let turns = 0; turns < 5; turns++) await turn().then(collect);
    const failure = failureOf(reader.read());
    controller.abort();
    expect(await failure).toMatchObject({ name: 'AbortError' });
  });
});

test.each([
  [{ baseUrl: 'https://a.example' }, /API_KEY/],
  [{ apiKey: 'k' }, /BASE_URL/],
  [{ apiKey: 'k', baseUrl: 'ftp://a.example' }, /no http or https URL/],
  [{ apiKey: 'two words', baseUrl: 'https://a.example' }, /^The API key holds characters that no header can carry\.$/],
])('%j makes no client', (options, says) => {
  for (const name of ['BASE_URL', 'API_KEY']) vi.stubEnv(name, '');
  expect(() => createClient(options)).toThrow(says);
});

describe('the types', () => {
  test('of a call follow from its path', () => {
    const calls = (client: Client) => ({
      identity: client.call('GET', '/api/v2/auth/identity'),
      effect: client.call('GET', '/api/v2/actions/effects/{id}', { path: { id: 'eff_1' } }),
      listed: client.pages('/api/v2/actions/invocations', { query: { status: 'unknown' } }),
      // @ts-expect-error there is no such operation
      none: client.call('DELETE', '/api/v2/auth/identity'),
      // @ts-expect-error its path parameter is missing
      partial: client.call('GET', '/api/v2/actions/effects/{id}'),
      // @ts-expect-error a status that does not exist
      other: client.pages('/api/v2/actions/invocations', { query: { status: 'lost' } }),
      // @ts-expect-error this is no list
      single: client.pages('/api/v2/auth/identity'),
    });
    type Calls = ReturnType<typeof calls>;
    expectTypeOf<Calls['identity']>().resolves.toEqualTypeOf<Identity>();
    expectTypeOf<Calls['effect']>().resolves.toEqualTypeOf<Effect>();
    expectTypeOf<Calls['listed']>().toExtend<AsyncGenerator<{ id: string; status: Invocation['status'] }>>();
    expect(calls).toBeTypeOf('function');
  });

  const documentOf = (schema: object) => ({ paths: {}, components: { schemas: { Thing: schema } } }) as never;
  test.each([
    [{ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }, '{\n    a: number;\n  }'],
    [{ type: ['string', 'null'], description: 'Or */ none.' }, 'string | null'],
    [{ enum: ['a', 'b'], type: 'string' }, '"a" | "b"'],
    [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }, '(string | null)[]'],
    [{ type: 'object', additionalProperties: { type: 'boolean' } }, 'Record<string, boolean>'],
    [{}, 'unknown'],
  ])('are emitted from %j', (schema, type) => {
    const text = typescriptTypes(documentOf(schema));
    expect(text).toContain(`  Thing: ${type};\n`);
    expect(text).not.toMatch(/\*\/ none/);
  });

  test('are not emitted from a keyword that nobody has thought of: it would become a type that is too wide', () => {
    expect(() => typescriptTypes(documentOf({ type: 'string', not: { const: 'a' } }))).toThrow('no type for');
    expect(() => typescriptTypes(documentOf({ if: {} }))).toThrow('no type for');
  });
});
