import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { limitSchema } from '../../../api/impact-limits/schemas.ts';
import { previewSchema } from '../../../api/previews/schemas.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, dataOf, effectIn, effectOf, invoke } from '../invocations/support.ts';
import { evidence, operatorOf } from '../reconciliation/support.ts';

/** Limits from end to end: over HTTP, through the workflow, to a target that counts its requests. */

const [service, target] = await Promise.all([startTestService(), startTarget()]);

const MONEY = { dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' };
const limitIn = (reply: Parameters<typeof dataOf>[0]) => dataOf(reply, z.object(limitSchema.shape));
let [paths, limits] = [0, 0];

/** An action that moves money and sends to a path of its own. */
async function refundAction(
  query = '',
  overrides: JsonObject = {},
): Promise<{ action: string; sent(): Promise<number> }> {
  const url = `/orders?refund=${++paths}${query}`;
  const action = await createAction(
    service,
    { url: `${target.baseUrl}${url}`, body: { id: `refund-${paths}`, amount: '{{input.amount}}' } },
    { impact: [MONEY], ...overrides },
  );
  const sent = async () => (await target.requests()).filter((request) => request.url === url).length;
  return { action, sent };
}

async function limitOn(action: string, over: JsonObject = {}): Promise<string> {
  const reply = await service.post('/api/v2/impact-limits', {
    name: `limit ${++limits} on ${action}`,
    dimension: 'money',
    currency: 'usd',
    cap: 1_000,
    period: 'lifetime',
    scope: { actions: [action] },
    ...over,
  });
  expect(reply.status, reply.text).toBe(201);
  return limitIn(reply).id;
}

const limitNow = async (id: string) => limitIn(await service.get(`/api/v2/impact-limits/${id}`));
const refund = (action: string, amount: number, body: JsonObject = {}) =>
  invoke(service, action, { input: { amount }, ...body });

describe('a limit on an action', () => {
  test('counts what succeeded, and refuses what would exceed it before anything is sent', async () => {
    const { action, sent } = await refundAction();
    const id = await limitOn(action, { name: 'Refunds', thresholds: [50] });
    const { invocation: first } = await refund(action, 600);
    expect(first).toMatchObject({ status: 'succeeded', grade: 'acknowledged' });
    expect((await effectOf(service, first)).reservations).toEqual([
      {
        limitId: id,
        name: 'Refunds',
        dimension: 'money',
        currency: 'usd',
        period: 'lifetime',
        amount: 600,
        state: 'settled',
        exposure: null,
        settled: 600,
        released: 0,
        createdAt: expect.any(String) as string,
        finishedAt: expect.any(String) as string,
      },
    ]);
    const { status, invocation: second } = await refund(action, 600);
    expect(status).toBe(200);
    expect(second).toMatchObject({
      status: 'refused',
      grade: 'refused',
      error:
        `dispatch refused (impact_limit_exceeded): the impact limit "Refunds" (${id}) has 400 of 1000 usd minor units available ` +
        'in lifetime, and 600 are needed',
    });
    expect(await effectOf(service, second)).toMatchObject({
      stage: 'rejected',
      rejectionReason: 'impact_limit_exceeded',
      reservations: [],
      attempts: [],
      unresolvedExposure: false,
    });
    expect(await sent()).toBe(1);
    expect((await refund(action, 400)).invocation.status).toBe('succeeded');
    expect(await limitNow(id)).toMatchObject({
      unit: 'minor_units',
      reserved: 0,
      settled: 1_000,
      available: 0,
      crossings: [
        { type: 'exceeded', used: 600, requested: 600, cap: 1_000 },
        { type: 'threshold', threshold: 50, used: 600 },
      ],
    });
  });

  test('gives back what was rejected by the provider, and what was never sent', async () => {
    const { action } = await refundAction('&answer=422');
    const id = await limitOn(action);
    const { invocation } = await refund(action, 600);
    expect(invocation.status).toBe('failed');
    expect((await effectOf(service, invocation)).reservations).toMatchObject([
      { state: 'released', settled: 0, released: 600 },
    ]);
    const unreachable = await refundAction('', {
      adapter: { type: 'http.request', config: { method: 'POST', url: 'http://127.0.0.1:9/orders' } },
    });
    const other = await limitOn(unreachable.action);
    const { invocation: unsent } = await refund(unreachable.action, 600);
    expect(unsent.error).toMatch(/not sent/);
    expect(await effectOf(service, unsent)).toMatchObject({
      partialEffect: 'none',
      reservations: [{ state: 'released' }],
    });
    for (const limit of [id, other])
      expect(await limitNow(limit)).toMatchObject({ reserved: 0, settled: 0, available: 1_000 });
  });

  test('holds what is unknown until a person resolves it', async () => {
    const { action, sent } = await refundAction('&answer=500');
    const id = await limitOn(action);
    const { invocation } = await refund(action, 600);
    expect(invocation.status).toBe('unknown');
    const held = await effectOf(service, invocation);
    expect(held).toMatchObject({
      unresolvedExposure: true,
      reservations: [{ state: 'reserved', exposure: 'unknown', settled: 0, released: 0, finishedAt: null }],
    });
    expect(await limitNow(id)).toMatchObject({
      reserved: 600,
      available: 400,
      exposures: { unknown: 600, pending: 0 },
    });
    expect((await refund(action, 600)).invocation.error).toMatch(/impact_limit_exceeded/);
    expect(await sent()).toBe(1);

    const operator = await operatorOf(service);
    const resolved = effectIn(
      await operator.post(`/api/v2/actions/effects/${held.id}/resolve`, {
        outcome: 'failed',
        partialEffect: 'none',
        evidence,
      }),
    );
    expect(resolved).toMatchObject({
      outcome: 'failed',
      unresolvedExposure: false,
      reservations: [{ state: 'released', exposure: null, released: 600 }],
    });
    expect(await limitNow(id)).toMatchObject({ reserved: 0, available: 1_000, exposures: { unknown: 0 } });
  });

  test('settles to what a resolution says was really used', async () => {
    const { action } = await refundAction('&answer=500', { impact: [{ ...MONEY, bound: 'upper_bound' }] });
    const id = await limitOn(action);
    const effect = await effectOf(service, (await refund(action, 600)).invocation);
    const settledImpact = [{ dimension: 'money', currency: 'usd', amount: 250, bound: 'exact' }];
    const operator = await operatorOf(service);
    const reply = await operator.post(`/api/v2/actions/effects/${effect.id}/resolve`, {
      outcome: 'succeeded',
      settledImpact,
      evidence,
    });
    expect(effectIn(reply).reservations).toMatchObject([
      { state: 'settled', amount: 600, settled: 250, released: 350 },
    ]);
    expect(await limitNow(id)).toMatchObject({ reserved: 0, settled: 250, available: 750 });
  });

  const settledBy = async (path: string, amount: number, query = '', overrides: JsonObject = {}) => {
    const impact = [{ ...MONEY, bound: 'upper_bound', observed: { path } }];
    const { action } = await refundAction(query, { impact, ...overrides });
    const id = await limitOn(action);
    const effect = await effectOf(service, (await refund(action, amount)).invocation);
    return { id, effect };
  };

  test.each([
    ['what the response says', 'body.copies', 600, 1],
    ['the whole, where it says nothing', 'body.charged', 600, 600],
    ['the whole, where it says no number', 'body.id', 600, 600],
    ['the whole, where it says more than was reserved', 'status', 100, 100],
    ['what its status says', 'status', 600, 201],
  ])('with an upper bound settles to %s', async (_what, path, amount, settled) => {
    const { id, effect } = await settledBy(path, amount);
    expect(effect).toMatchObject({
      outcome: 'succeeded',
      unresolvedExposure: false,
      reservations: [{ state: 'settled', amount, settled, released: amount - settled }],
    });
    expect(await limitNow(id)).toMatchObject({ reserved: 0, settled, available: 1_000 - settled });
  });

  test('with an upper bound settles in full where only a read-back found the effect', async () => {
    const verify = {
      request: { method: 'GET', url: `${target.baseUrl}/orders/refund-${paths + 1}` },
      expect: [{ path: 'body.copies', op: 'eq', value: 1 }],
    };
    const { effect } = await settledBy('body.copies', 600, '&answer=500', { verify });
    const reply = await service.post(`/api/v2/actions/effects/${effect.id}/reconcile`, undefined);
    expect(effectIn(reply)).toMatchObject({ outcome: 'succeeded', reservations: [{ settled: 600, released: 0 }] });
  });

  test('is settled by what reconciliation reads', async () => {
    for (const [state, expected] of [
      ['done', { state: 'settled', settled: 600, exposure: null }],
      ['declined', { state: 'released', settled: 0, exposure: null }],
      ['processing', { state: 'reserved', settled: 0, exposure: 'pending' }],
    ] as const) {
      const verify = {
        request: { method: 'GET', url: `${target.baseUrl}/orders/refund-${paths + 1}` },
        expect: [{ path: 'body.state', op: 'eq', value: 'done' }],
        pending: [{ path: 'body.state', op: 'eq', value: 'processing' }],
        failed: [{ path: 'body.state', op: 'eq', value: 'declined' }],
      };
      const { action } = await refundAction(`&answer=500&state=${state}`, { verify });
      const id = await limitOn(action);
      const { invocation } = await refund(action, 600);
      const effect = await effectOf(service, invocation);
      const reply = await service.post(`/api/v2/actions/effects/${effect.id}/reconcile`, undefined);
      const after = reply.status === 200 ? effectIn(reply) : await effectOf(service, invocation);
      expect(after.reservations, state).toMatchObject([expected]);
      expect(after.unresolvedExposure).toBe(expected.state === 'reserved');
      expect((await limitNow(id)).available).toBe(expected.state === 'released' ? 1_000 : 400);
    }
  });

  test('refuses money in another currency', async () => {
    const { action, sent } = await refundAction('', { impact: [{ ...MONEY, currency: 'eur' }] });
    const id = await limitOn(action);
    const { invocation } = await refund(action, 1);
    expect(invocation).toMatchObject({
      status: 'refused',
      error: expect.stringMatching(
        new RegExp(`^dispatch refused \\(currency_mismatch\\): .*${id}.* counts usd, this is in eur`),
      ) as string,
    });
    expect(await sent()).toBe(0);
    await limitOn(action, { currency: 'eur' });
    expect((await refund(action, 1)).invocation.status).toBe('succeeded');
  });

  test('applies to the agents and keys that its scope names', async () => {
    const { action } = await refundAction();
    await limitOn(action, { cap: 0, scope: { actions: [action], agentIds: ['spender'] } });
    await limitOn(action, { cap: 0, scope: { actions: [action], apiKeys: [`key_${'0'.repeat(22)}`] } });
    await limitOn(action, {
      cap: 0,
      scope: { actions: [action], target: { path: 'host', equals: 'elsewhere.example' } },
    });
    expect((await refund(action, 1)).invocation.status).toBe('succeeded');
    expect((await refund(action, 1, { agentId: 'saver' })).invocation.status).toBe('succeeded');
    expect((await refund(action, 1, { agentId: 'spender' })).invocation.error).toMatch(/impact_limit_exceeded/);
    await limitOn(action, { cap: 0, scope: { actions: [action], target: { path: 'host', equals: target.host } } });
    expect((await refund(action, 1)).invocation.error).toMatch(/impact_limit_exceeded/);
  });

  test('can be lowered below what is used, raised again, and archived', async () => {
    const { action } = await refundAction();
    const id = await limitOn(action);
    await refund(action, 600);
    const patch = (body: JsonObject) =>
      service.call('PATCH', `/api/v2/impact-limits/${id}`, { key: service.key, body });
    expect(limitIn(await patch({ cap: 500 }))).toMatchObject({ cap: 500, settled: 600, available: 0 });
    expect((await refund(action, 1)).invocation.error).toMatch(/has 0 of 500/);
    expect(limitIn(await patch({ cap: 601 }))).toMatchObject({ available: 1 });
    expect((await refund(action, 1)).invocation.status).toBe('succeeded');
    const archived = await service.call('DELETE', `/api/v2/impact-limits/${id}`, { key: service.key });
    expect(limitIn(archived).archivedAt).not.toBeNull();
    expect((await refund(action, 5_000)).invocation.status).toBe('succeeded');
    expect(await limitNow(id)).toMatchObject({ settled: 601 });
  });
});

test('a preview shows what the limits would allow, and says so where it is too little', async () => {
  const { action } = await refundAction();
  const id = await limitOn(action, { name: 'Previewed' });
  await refund(action, 600);
  const ask = (amount: number) => service.post(`/api/v2/actions/${action}/previews`, { input: { amount } });
  const short = await ask(500);
  expect([short.status, short.json]).toMatchObject([
    409,
    { error: { details: { refusal: { code: 'impact_limit_exceeded', details: { available: 400, requested: 500 } } } } },
  ]);
  const reply = await ask(400);
  const { allowances } = dataOf(reply, z.object({ allowances: previewSchema.shape.allowances }));
  expect(allowances).toEqual([
    {
      limitId: id,
      name: 'Previewed',
      dimension: 'money',
      currency: 'usd',
      unit: 'minor_units',
      cap: 1_000,
      period: 'lifetime',
      available: 400,
      requested: 400,
      sufficient: true,
      refusal: null,
    },
  ]);
});
