import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it } from 'vitest';
import { startTarget } from '../../../harness/target.ts';
import { answered, dispatch } from './calls.ts';

const target = await startTarget();
beforeEach(() => target.reset());

const at = (path: string): string => `${target.baseUrl}${path}`;

describe('what is sent', () => {
  it('is the prepared request, byte for byte, with the service’s own headers beside it', async () => {
    const result = await answered({
      config: {
        method: 'PUT',
        url: at('/echo/../echo?a={{input.v}}'),
        query: { key: '{{secret:K}}' },
        headers: { 'X-Case': 'kept', Authorization: 'Bearer {{secret:K}}' },
        body: { v: '{{input.v}}', k: '{{secret:K}}' },
        idempotencyHeader: 'Idempotency-Key',
      },
      input: { v: 'é&☃' },
      secrets: { K: 'sk_live_12345' },
    });
    expect(result).toMatchObject({ outcome: 'succeeded', partialEffect: 'none', providerReference: null });
    const [seen, ...others] = await target.requests();
    expect(others).toEqual([]);
    expect(seen).toMatchObject({
      method: 'PUT',
      url: '/echo?a=%C3%A9%26%E2%98%83&key=sk_live_12345',
      body: '{"k":"sk_live_12345","v":"é&☃"}',
    });
    expect(seen?.headers).toEqual({
      authorization: 'Bearer sk_live_12345',
      'x-case': 'kept',
      'content-type': 'application/json',
      'idempotency-key': 'eff_1',
      host: target.host,
      'accept-encoding': 'identity',
      'content-length': '34',
      connection: 'close',
    });
    expect(JSON.stringify(result)).not.toContain('sk_live_12345');
  });

  it('has a length where a body is usual and none is given', async () => {
    await answered({ config: { method: 'POST', url: at('/ok') } });
    await answered({ config: { method: 'DELETE', url: at('/ok') } });
    const [post, remove] = await target.requests();
    expect(post?.headers['content-length']).toBe('0');
    expect(remove?.headers).not.toHaveProperty('content-length');
  });

  it('goes over a new connection each time', async () => {
    const before = await target.connections();
    for (let n = 0; n < 3; n++) await answered({ config: { url: at('/ok') } });
    expect(await target.connections()).toBe(before + 4);
  });

  it('takes no proxy from the environment', async () => {
    const names = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : 'http://127.0.0.1:9';
    try {
      expect((await answered({ config: { url: at('/ok') } })).outcome).toBe('succeeded');
    } finally {
      names.forEach((name, index) => {
        const value = before[index];
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      });
    }
  });
});

describe('an answer is judged by its status', () => {
  it.each([
    [200, 'succeeded', 'none'],
    [201, 'succeeded', 'none'],
    [400, 'failed', 'none'],
    [404, 'failed', 'none'],
    [429, 'failed', 'none'],
    [408, 'unknown', 'possible'],
    [409, 'unknown', 'possible'],
    [500, 'unknown', 'possible'],
    [503, 'unknown', 'possible'],
  ])('%i: %s, partial effect %s', async (status, outcome, partialEffect) => {
    const result = await answered({ config: { url: at(`/status?status=${status}`) } });
    expect(result).toMatchObject({
      outcome,
      partialEffect,
      response: { status, body: { status }, bodyEncoding: 'json' },
    });
  });

  it('by the lists of the action where it has some', async () => {
    const lists = { success: { statuses: [202] }, failure: { statuses: [409] } };
    const outcome = async (status: number): Promise<string> =>
      (await answered({ config: { url: at(`/status?status=${status}`), ...lists } })).outcome;
    expect([await outcome(202), await outcome(200), await outcome(409), await outcome(400)]).toEqual([
      'succeeded',
      'unknown',
      'failed',
      'unknown',
    ]);
  });

  it('and a redirect is not followed', async () => {
    const result = await answered({ config: { url: at('/redirect?to=/ok') } });
    expect(result).toMatchObject({
      outcome: 'unknown',
      partialEffect: 'possible',
      response: { status: 302, headers: { location: '/ok' } },
    });
    expect((await target.requests()).map((seen) => seen.path)).toEqual(['/redirect']);
  });

  it('an empty one too', async () => {
    const result = await answered({ config: { url: at('/empty') } });
    expect(result).toMatchObject({ outcome: 'succeeded', response: { status: 204, body: '', bodyEncoding: 'utf8' } });
    expect((await answered({ config: { method: 'HEAD', url: at('/ok') } })).outcome).toBe('succeeded');
  });
});

describe('an answer that cannot be read proves nothing', () => {
  it.each([
    ['malformed JSON', '/malformed'],
    ['malformed JSON with a rejection', '/malformed?status=400'],
    ['a compressed body', '/gzip'],
    ['JSON that is not UTF-8', '/raw?type=application/json&base64=IsMoIg=='],
    [
      'JSON that nests without end',
      `/raw?type=application/json&base64=${Buffer.from('['.repeat(300) + ']'.repeat(300)).toString('base64')}`,
    ],
  ])('%s', async (_, path) => {
    const result = await answered({ config: { url: at(path) } });
    expect(result).toMatchObject({ outcome: 'unknown', partialEffect: 'possible' });
  });

  it.each([
    ['reset before the response', '/reset'],
    ['closed without a word', '/close'],
    ['reset in the middle', '/reset-mid-response'],
    ['truncated', '/truncated'],
    ['larger than the cap', '/oversize?bytes=5000'],
    ['larger than the cap, length untold', '/oversize?bytes=5000&chunked=1'],
    ['not HTTP', '/garbage'],
  ])('%s', async (_, path) => {
    const result = await dispatch({ config: { url: at(path), maxResponseBytes: 4_999 } });
    expect(result.kind).toBe('no_answer');
    expect(await target.requests()).toHaveLength(1);
  });

  it('and one just within the cap is read', async () => {
    const result = await answered({ config: { url: at('/oversize?bytes=5000'), maxResponseBytes: 5_000 } });
    expect(result.response.body).toBe('x'.repeat(5_000));
  });
});

describe('the time-out covers everything', () => {
  it.each([
    ['no response', '/hang'],
    ['a body that never ends', '/slow-body?everyMs=20'],
  ])('%s: no answer', async (_, path) => {
    const startedAt = performance.now();
    const result = await dispatch({ config: { url: at(path) }, timeoutMs: 1_500 });
    expect(result).toMatchObject({ kind: 'no_answer' });
    expect(performance.now() - startedAt).toBeLessThan(20_000); // without it the call never ends
    expect(await target.requests()).toHaveLength(1);
  });

  it('a stop of the process: no answer', async () => {
    const stopping = new AbortController();
    const result = dispatch({ config: { url: at('/hang') }, signal: stopping.signal });
    await expect.poll(async () => (await target.requests('/hang')).length).toBe(1);
    stopping.abort(new Error('the worker stops'));
    expect(await result).toEqual({ kind: 'no_answer', reason: 'the worker stops' });
  });

  it('a stop before the request: not sent', async () => {
    const result = await dispatch({
      config: { url: at('/ok') },
      signal: AbortSignal.abort(new Error('the worker stops')),
    });
    expect(result.kind).toBe('not_sent');
    expect(await target.requests()).toEqual([]);
  });
});

describe('an effect that was made and not acknowledged', () => {
  it.each(['500', 'reset', 'hang', 'malformed', 'truncated'])('answers %s: never called failed', async (answer) => {
    const result = await dispatch({
      config: { url: at(`/orders?answer=${answer}`), body: { id: answer } },
      timeoutMs: 1_500,
    });
    const order = await answered({ config: { method: 'GET', url: at(`/orders/${answer}`) } });
    expect(order.response.body).toMatchObject({ id: answer, copies: 1 });
    expect(result.kind === 'answered' ? result.outcome : result.kind).toBe(
      answer === '500' || answer === 'malformed' ? 'unknown' : 'no_answer',
    );
  });
});

describe('what is kept of a response', () => {
  it('text, and bytes as base64', async () => {
    const kept = async (type: string, bytes: Buffer) => {
      const query = `type=${encodeURIComponent(type)}&base64=${encodeURIComponent(bytes.toString('base64'))}`;
      const { response } = await answered({ config: { url: at(`/raw?${query}`) } });
      return [response.bodyEncoding, response.body];
    };
    expect(await kept('text/plain', Buffer.from('grün'))).toEqual(['utf8', 'grün']);
    expect(await kept('image/png', Buffer.from([0x89, 0x50, 0xff]))).toEqual(['base64', 'iVD/']);
    expect(await kept('text/plain', Buffer.from('a\u0000b'))).toEqual(['base64', 'YQBi']);
    expect(await kept('application/problem+json; charset=utf-8', Buffer.from('{"a":"\\u0000\\ud800"}'))).toEqual([
      'json',
      { a: '\uFFFD\uFFFD' },
    ]);
  });

  it('a bounded set of headers, none of which opens a session', async () => {
    const many = Array.from({ length: 80 }, (_, n) => `header=x-${n}:%20v`).join('&');
    const { response, providerIds } = await answered({
      config: {
        url: at(
          `/raw?header=set-cookie:%20s=1&header=x-request-id:%20req-7&header=a-long:%20${'l'.repeat(1_500)}&${many}`,
        ),
      },
    });
    expect(Object.keys(response.headers).length).toBeLessThanOrEqual(50);
    expect(response.headers).not.toHaveProperty('set-cookie');
    expect(response.headers['a-long']).toHaveLength(1_024);
    expect(providerIds).toEqual({ requestId: 'req-7' });
  });
});

it('survives a target that answers before it has read the body', async () => {
  const early = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end('HTTP/1.1 413 Too Large\r\ncontent-length: 2\r\nconnection: close\r\n\r\nno'));
  });
  await new Promise<void>((resolve) => early.listen(0, '127.0.0.1', resolve));
  const { port } = early.address() as AddressInfo;
  const result = await dispatch({
    config: { url: `http://127.0.0.1:${port}/`, body: { big: '{{input.big}}' } },
    input: { big: 'x'.repeat(3_000_000) },
  });
  early.close();
  // Whether the answer or the broken pipe is seen first is a race; what must never come out is "not sent" or a crash.
  expect(result.kind === 'answered' ? result.outcome : result.kind).toMatch(/^(failed|no_answer)$/);
});
