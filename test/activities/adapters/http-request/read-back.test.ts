import { beforeEach, describe, expect, it } from 'vitest';
import { createAdapters } from '../../../../activities/adapters/index.ts';
import type { VerifyDeclaration } from '../../../../domain/actions.ts';
import { startTarget } from '../../../harness/target.ts';
import { answered, dispatch, LOOPBACK, readBack } from './calls.ts';

const target = await startTarget();
beforeEach(() => target.reset());

const orders = (path = '/orders/{{effect.id}}'): VerifyDeclaration => ({
  request: { method: 'GET', url: `${target.baseUrl}${path}`, headers: { Authorization: 'Bearer {{secret:K}}' } },
  expect: [
    { path: 'body.state', op: 'eq', value: 'done' },
    { path: 'body.fields.amount', op: 'eq', value: '{{input.amount}}' },
  ],
  pending: [{ path: 'body.state', op: 'in', value: ['open', 'queued'] }],
  failed: [{ path: 'body.state', op: 'eq', value: 'broken' }],
});
const call = { input: { amount: 5 }, secrets: { K: 'sk_live_51HxQz' } };
const create = (query: string) =>
  dispatch({
    config: {
      url: `${target.baseUrl}/orders?${query}`,
      body: { amount: '{{input.amount}}' },
      idempotencyHeader: 'Idempotency-Key',
    },
    input: { amount: 5 },
    timeoutMs: 2_000,
  });

describe('what the provider’s own record says', () => {
  it.each([
    ['done', 'succeeded'],
    ['queued', 'pending'],
    ['broken', 'failed'],
  ])('%s: %s, after a response that was lost', async (state, outcome) => {
    expect((await create(`answer=reset&state=${state}`)).kind).toBe('no_answer');
    expect(await readBack(orders(), call)).toMatchObject({ kind: 'matched', outcome, response: { status: 200 } });
    const seen = await target.requests('/orders/eff_1');
    expect(seen.map(({ method, headers }) => [method, headers['authorization']])).toEqual([
      ['GET', 'Bearer sk_live_51HxQz'],
    ]);
  });

  it('another amount: inconclusive', async () => {
    await create('answer=reset');
    expect(await readBack(orders(), { ...call, input: { amount: 6 } })).toMatchObject({ kind: 'inconclusive' });
  });

  it('nothing there: absent, also while it is not visible yet', async () => {
    expect(await readBack(orders(), call)).toMatchObject({ kind: 'absent', response: { status: 404 } });
    await create('answer=500&visibleAfterMs=400');
    expect(await readBack(orders(), call)).toMatchObject({ kind: 'absent' });
    await expect.poll(async () => (await readBack(orders(), call)).kind).toBe('matched');
  });

  it('takes values from the response of the dispatch', async () => {
    const { response } = await answered({
      config: { url: `${target.baseUrl}/orders`, body: { id: 'o/1', amount: 5 } },
    });
    expect(await readBack(orders('/orders/{{response.body.id}}'), { ...call, response })).toMatchObject({
      kind: 'matched',
    });
  });

  describe('under an id that a number would round', () => {
    const raw = (json: string): string => `/raw?type=application/json&base64=${Buffer.from(json).toString('base64')}`;
    const create = async (id: string, state: string) => {
      const url = `${target.baseUrl}/orders?state=${state}`;
      await answered({ config: { url, body: { id, amount: 5 } } });
    };
    const answeredWith = async (json: string) =>
      (await answered({ config: { url: target.baseUrl + raw(json) } })).response;

    it('reads the record of that id, and not the one beside it', async () => {
      await create('9007199254740992', 'broken');
      await create('9007199254740993', 'done');
      const response = await answeredWith('{"id": 9007199254740993}');
      const read = await readBack(orders('/orders/{{response.body.id}}'), { ...call, response });
      expect(await target.requests('/orders/9007199254740992')).toEqual([]);
      expect(await target.requests('/orders/9007199254740993')).toHaveLength(1);
      expect(read).toMatchObject({ kind: 'matched', outcome: 'succeeded' });
    });

    it.each([
      ['9007199254740993', 'matched'],
      ['9007199254740992', 'inconclusive'],
    ])('a record of %s is %s', async (id, kind) => {
      const response = await answeredWith('{"id": 9007199254740993}');
      const verify: VerifyDeclaration = {
        request: { method: 'GET', url: target.baseUrl + raw(`{"id": ${id}}`) },
        expect: [{ path: 'body.id', op: 'eq', value: '{{response.body.id}}' }],
      };
      expect(await readBack(verify, { response })).toMatchObject({ kind });
    });
  });
});

describe('a read that proves nothing', () => {
  it.each([
    '/reset',
    '/hang',
    '/truncated',
    '/oversize?bytes=2000000',
    '/malformed',
    '/redirect',
    '/status?status=500',
    '/status?status=403',
  ])('%s: inconclusive', async (path) => {
    expect(await readBack(orders(path), { ...call, timeoutMs: 1_500 })).toMatchObject({ kind: 'inconclusive' });
  });

  it('a refused connection: inconclusive', async () => {
    const verify = orders();
    const away = { ...verify, request: { method: 'GET' as const, url: 'http://127.0.0.1:1/' } };
    expect(await readBack(away, call)).toMatchObject({ kind: 'inconclusive', response: null });
  });

  it('no declaration, a response that never came, a secret without a value: unreadable, and nothing is sent', async () => {
    expect((await readBack(null, call)).kind).toBe('unreadable');
    expect((await readBack(orders('/orders/{{response.body.id}}'), call)).kind).toBe('unreadable');
    expect((await readBack(orders(), { input: { amount: 5 } })).kind).toBe('unreadable');
    expect(await target.requests()).toEqual([]);
  });

  it('a credential in the place of the id: unreadable, and not absent, because nothing is sent', async () => {
    const { response } = await answered({
      config: { url: `${target.baseUrl}/echo`, body: { id: '{{secret:K}}' } },
      secrets: call.secrets,
    });
    await target.reset();
    const verify = orders('/orders/{{response.body.body}}');
    expect(await readBack(verify, { ...call, response })).toMatchObject({
      kind: 'unreadable',
      summary: expect.stringContaining('response.body.body') as unknown,
    });
    expect(await target.requests()).toEqual([]);
  });
});

it('removes the credentials from what it read', async () => {
  const verify: VerifyDeclaration = {
    ...orders('/echo?k={{secret:K}}'),
    expect: [{ path: 'body.method', op: 'eq', value: 'GET' }],
  };
  const result = await readBack(verify, call);
  expect(result).toMatchObject({ kind: 'matched', outcome: 'succeeded' });
  expect(JSON.stringify(result)).not.toContain('sk_live_51HxQz');
});

it('is found by type and version, and nothing else is', () => {
  const adapterFor = createAdapters({ egressAllow: LOOPBACK });
  expect(adapterFor({ type: 'http.request', version: '1' }).descriptor.type).toBe('http.request');
  expect(() => adapterFor({ type: 'http.request', version: '2' })).toThrow('no adapter http.request of version 2');
});
