import { describe, expect, test } from 'vitest';
import { startTestService } from '../../harness/service.ts';
import { startTarget } from '../../harness/target.ts';
import { createAction, effectOf, invocationIn, invoke } from './support.ts';
import { closedPort } from '../harness/closed-port.ts';

const [service, target] = await Promise.all([startTestService(), startTarget()]);

const plain = { governed: false };

describe('the grade of an invocation', () => {
  test('a 2xx is acknowledged', async () => {
    const action = await createAction(service, {
      url: `${target.baseUrl}/orders`,
      body: { id: 'accepted', amount: '{{input.amount}}' },
    });
    const { status, invocation } = await invoke(service, action, { input: { amount: 500 } });
    expect(status).toBe(200);
    expect(invocation).toMatchObject({
      status: 'succeeded',
      grade: 'acknowledged',
      error: null,
      result: { status: 201, body: { id: 'accepted' } },
    });
    expect(invocation.settledAt).not.toBeNull();
    expect(await effectOf(service, invocation)).toMatchObject({
      stage: 'settled',
      outcome: 'succeeded',
      grade: 'acknowledged',
      verification: 'unverified',
      partialEffect: 'none',
      unresolvedExposure: false,
      invocationId: invocation.id,
      attempts: [{ number: 1, kind: 'dispatch', status: 'completed', observedOutcome: 'succeeded', error: null }],
      evidence: [{ source: 'provider_response', impliedOutcome: 'succeeded', actor: { type: 'service', id: null } }],
      reservations: [],
      preview: null,
    });
  });

  test('a connection that is refused has failed, and nothing was sent', async () => {
    const action = await createAction(service, { url: `http://127.0.0.1:${await closedPort()}/` });
    const { status, invocation } = await invoke(service, action);
    expect(status).toBe(200);
    expect(invocation).toMatchObject({ status: 'failed', grade: 'failed' });
    expect(invocation.error).toMatch(/^not sent: /);
    expect(await effectOf(service, invocation)).toMatchObject({
      outcome: 'failed',
      partialEffect: 'none',
      verification: 'not_dispatched',
      unresolvedExposure: false,
    });
  });

  test('a destination that hangs is unknown, held, and handed to reconciliation', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/hang` }, { timeoutMs: 2_000 });
    const { status, invocation } = await invoke(service, action);
    expect(status).toBe(200);
    expect(invocation).toMatchObject({ status: 'unknown', grade: 'unknown', settledAt: null });
    const effect = await effectOf(service, invocation);
    expect(effect).toMatchObject({
      stage: 'reconciling',
      outcome: 'unknown',
      grade: 'unknown',
      partialEffect: 'possible',
      unresolvedExposure: false,
      reconciliation: { exhausted: false },
    });
    // The reply does not wait until the reconciliation has started.
    const reconciliation = service.client.workflow.getHandle(`reconcile/${effect.id}`);
    await expect.poll(async () => (await reconciliation.describe()).status.name).toBe('RUNNING');
    expect(await target.requests('/hang')).toHaveLength(1);
  });

  test.each([
    ['a 5xx, even after the effect', '/orders?answer=500', 'unknown'],
    ['a reset', '/orders?answer=reset', 'unknown'],
    ['an answer that breaks off', '/truncated', 'unknown'],
    ['an answer that is not what it says it is', '/malformed', 'unknown'],
    ['an answer over the cap', '/oversize?bytes=2000000', 'unknown'],
    ['a 4xx that proves nothing', '/status?status=409', 'unknown'],
    ['a 4xx that is a rejection', '/status?status=422', 'failed'],
  ])('%s is %s → %s', async (_, path, grade) => {
    const action = await createAction(service, { url: `${target.baseUrl}${path}` });
    const { invocation } = await invoke(service, action);
    expect(invocation).toMatchObject({ status: grade, grade });
    expect((await effectOf(service, invocation)).partialEffect).toBe(grade === 'unknown' ? 'possible' : 'none');
  });

  test('a 4xx that the action lists has failed, one that it leaves out is unknown', async () => {
    const config = { url: `${target.baseUrl}/status?status={{input.status}}`, failure: { statuses: [418] } };
    const action = await createAction(service, config, plain);
    expect((await invoke(service, action, { input: { status: 418 } })).invocation.grade).toBe('failed');
    expect((await invoke(service, action, { input: { status: 422 } })).invocation.grade).toBe('unknown');
  });

  test('a redirect is not followed', async () => {
    await target.reset();
    const action = await createAction(service, { url: `${target.baseUrl}/redirect?to=/secret-place` });
    const { invocation } = await invoke(service, action);
    expect(invocation).toMatchObject({ grade: 'unknown', result: { status: 302 } });
    expect((await target.requests()).map((request) => request.path)).toEqual(['/redirect']);
  });

  test('a plain action has the same grades and no effect', async () => {
    const action = await createAction(service, { url: `${target.baseUrl}/status?status={{input.status}}` }, plain);
    for (const [status, grade] of [
      [200, 'acknowledged'],
      [503, 'unknown'],
      [404, 'failed'],
    ] as const) {
      const { invocation } = await invoke(service, action, { input: { status } });
      expect(invocation).toMatchObject({ grade, effectId: null });
    }
  });

  test('one that outlives the wait answers 202, and its end is read later', async () => {
    // The reply waits for the action's time-out and ten seconds more; a worker that never polls outlasts both.
    const idle = await startTestService({ worker: false });
    try {
      const action = await createAction(idle, { url: `${target.baseUrl}/ok` }, { timeoutMs: 1 });
      const { status, invocation } = await invoke(idle, action);
      expect(status).toBe(202);
      expect(invocation).toMatchObject({ status: 'queued', grade: 'pending' });
    } finally {
      await idle.close();
    }
  });
});

describe('what is refused before anything is sent', () => {
  test('a destination in a blocked range', async () => {
    const guarded = await startTestService({ egressAllow: '' });
    try {
      await target.reset();
      const action = await createAction(guarded, { url: `${target.baseUrl}/ok` });
      const { status, invocation } = await invoke(guarded, action);
      expect(status).toBe(200);
      expect(invocation).toMatchObject({ status: 'refused', grade: 'refused' });
      expect(invocation.error).toMatch(/^dispatch refused \(destination_blocked\): /);
      expect(await effectOf(guarded, invocation)).toMatchObject({
        stage: 'rejected',
        outcome: 'not_dispatched',
        grade: 'refused',
        verification: 'not_dispatched',
        rejectionReason: 'destination_blocked',
        partialEffect: 'none',
        unresolvedExposure: false,
      });
      expect(await target.requests()).toEqual([]);
    } finally {
      await guarded.close();
    }
  });

  test('a secret that does not exist', async () => {
    await target.reset();
    const action = await createAction(service, {
      url: `${target.baseUrl}/ok`,
      headers: { 'x-key': '{{secret:NOT_THERE}}' },
    });
    const { invocation } = await invoke(service, action);
    expect(invocation.error).toMatch(/^dispatch refused \(secret_missing\): .*NOT_THERE/);
    expect(await target.requests()).toEqual([]);
  });

  test.each([
    ['missing', {}],
    ['negative', { amount: -1 }],
    ['fractional', { amount: 1.5 }],
    ['not a number', { amount: '12' }],
  ])('an impact whose amount is %s', async (_, input) => {
    await target.reset();
    const impact = [{ dimension: 'money', currency: 'usd', amount: { path: 'input.amount' }, bound: 'exact' }];
    const action = await createAction(service, { url: `${target.baseUrl}/ok` }, { impact });
    const { invocation } = await invoke(service, action, { input });
    expect(invocation.error).toMatch(/^dispatch refused \(impact_unbounded\): /);
    expect((await effectOf(service, invocation)).rejectionReason).toBe('impact_unbounded');
    expect(await target.requests()).toEqual([]);
  });
});

describe('what is read back', () => {
  const verify = (overrides: object = {}) => ({
    request: { method: 'GET', url: `${target.baseUrl}/orders/{{input.id}}` },
    expect: [{ path: 'body.state', op: 'eq', value: 'done' }],
    ...overrides,
  });
  const creating = (query: string) => ({ url: `${target.baseUrl}/orders?${query}`, body: { id: '{{input.id}}' } });

  test('a read-back that matches confirms', async () => {
    const action = await createAction(service, creating(''), { verify: verify() });
    const { invocation } = await invoke(service, action, { input: { id: 'confirmed-1' } });
    expect(invocation).toMatchObject({ status: 'succeeded', grade: 'confirmed' });
    const effect = await effectOf(service, invocation);
    expect(effect).toMatchObject({ grade: 'confirmed', verification: 'provider' });
    expect(effect.evidence.map((evidence) => evidence.source)).toEqual(['provider_response', 'provider_lookup']);
  });

  test('one that becomes visible a little later confirms too', async () => {
    const action = await createAction(service, creating('visibleAfterMs=300'), { verify: verify() });
    const { invocation } = await invoke(service, action, { input: { id: 'late-1' } });
    expect(invocation.grade).toBe('confirmed');
  });

  test('one that says neither leaves it acknowledged', async () => {
    const action = await createAction(service, creating('state=odd'), { verify: verify() });
    const { invocation } = await invoke(service, action, { input: { id: 'odd-1' } });
    expect(invocation.grade).toBe('acknowledged');
  });

  test("the provider's word that it failed outweighs its 2xx", async () => {
    const failed = [{ path: 'body.state', op: 'in', value: ['failed', 'canceled'] }];
    const action = await createAction(service, creating('state=failed'), { verify: verify({ failed }) });
    const { invocation } = await invoke(service, action, { input: { id: 'failed-1' } });
    expect(invocation).toMatchObject({ status: 'failed', grade: 'failed' });
    expect((await effectOf(service, invocation)).verification).toBe('provider');
  });

  test('a reply that was lost after the effect is found by reading, and never sent again', async () => {
    await target.reset();
    const action = await createAction(service, creating('answer=reset'), { verify: verify() });
    const { invocation } = await invoke(service, action, { input: { id: 'lost-1' } });
    expect(invocation.grade).toBe('unknown');
    const reading = () => service.get(`/api/v2/actions/invocations/${invocation.id}`);
    const grade = async () => invocationIn(await reading()).grade;
    await expect.poll(grade, { interval: 200 }).toBe('confirmed');
    const settled = invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}`));
    expect(settled).toMatchObject({ status: 'succeeded', grade: 'confirmed' });
    expect(await effectOf(service, settled)).toMatchObject({
      stage: 'settled',
      unresolvedExposure: false,
      attempts: [{ kind: 'dispatch' }, { kind: 'reconcile', status: 'completed', observedOutcome: 'succeeded' }],
    });
    expect((await target.requests('/orders')).filter((request) => request.method === 'POST')).toHaveLength(1);
  });
});

test('every reply of this file conformed to its route', () => {
  expect(service.replyViolations).toEqual([]);
});
