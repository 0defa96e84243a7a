import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../domain/json.ts';
import { effectIn, errorOf, invocationIn, invoke } from '../../api/invocations/support.ts';
import { STRIPE_FAULTS, startFakeStripe } from '../../harness/providers/fake-stripe.ts';
import { EFFECTS_MIN, runSeeds, type ProviderUnderTest } from './provider-runs.ts';
import { COMMON_FAULTS, startProviderWorld } from './provider-world.ts';

const stripe = await startFakeStripe();
const { service, createAction, limitOn } = await startProviderWorld(
  { stripeBaseUrl: stripe.baseUrl },
  { STRIPE_TEST: stripe.testKey },
);

const testRefunds = (overrides: JsonObject = {}): Promise<string> =>
  createAction('stripe.refund', { mode: 'test', secret: 'STRIPE_TEST' }, overrides);

const action = await testRefunds();
const provider: ProviderUnderTest<(typeof STRIPE_FAULTS)[number]> = {
  server: stripe,
  action,
  limitId: await limitOn(action, { dimension: 'money', currency: 'usd' }),
  amount: 1_250,
  input: () => ({ payment_intent: stripe.pay({ amountReceived: 100_000 }), amount: 1_250 }),
  truthOf(effectId) {
    const [refund, ...others] = stripe.refundsOf(effectId);
    const status = refund?.status ?? 'succeeded';
    const state = status === 'succeeded' ? 'succeeded' : ['failed', 'canceled'].includes(status) ? 'failed' : 'pending';
    return { made: (refund === undefined ? 0 : 1) + others.length, state };
  },
  isWriteFor: ({ headers }, effectId) => headers['idempotency-key'] === effectId,
  copies: (fault) => (fault === 'two_matches' ? 1 : 0),
  replays: true,
};

describe('stripe.refund', () => {
  test.each([...COMMON_FAULTS, ...STRIPE_FAULTS])(
    '%s: at most one refund for a key, and nothing is guessed',
    async (fault) => {
      expect(await runSeeds(service, provider, fault)).toBeGreaterThanOrEqual(EFFECTS_MIN);
    },
  );

  test('a reply that was lost is found by the effect id, and confirmed', async () => {
    stripe.failNext('lose_reply');
    const { invocation } = await invoke(service, provider.action, { input: provider.input() });
    expect(invocation).toMatchObject({ status: 'unknown', grade: 'unknown' });
    const reply = await service.post(`/api/v2/actions/effects/${invocation.effectId}/reconcile`, undefined);
    expect(effectIn(reply)).toMatchObject({
      grade: 'confirmed',
      providerReference: stripe.refundsOf(invocation.effectId ?? '')[0]?.id,
    });
  });

  test('two matches stay unknown', async () => {
    stripe.failNext('two_matches');
    const { invocation } = await invoke(service, provider.action, { input: provider.input() });
    const reply = await service.post(`/api/v2/actions/effects/${invocation.effectId}/reconcile`, undefined);
    expect(effectIn(reply)).toMatchObject({ grade: 'unknown', partialEffect: 'possible', unresolvedExposure: true });
  });

  test('two equal refunds of one payment under two keys are two; the same key twice is one', async () => {
    const input = provider.input();
    const first = await invoke(service, provider.action, { input, operationKey: 'refund-a' });
    const second = await invoke(service, provider.action, { input, operationKey: 'refund-b' });
    const again = await invoke(service, provider.action, { input, operationKey: 'refund-a' });
    expect(first.invocation).toMatchObject({ status: 'succeeded', grade: 'confirmed' });
    expect(second.invocation).toMatchObject({ status: 'succeeded', grade: 'confirmed' });
    expect(again.invocation.id).toBe(first.invocation.id);
    expect(stripe.refunds.filter(({ paymentIntent }) => paymentIntent === input['payment_intent'])).toHaveLength(2);
  });

  test('its impact is money in the currency of the payment', async () => {
    const input = { payment_intent: stripe.pay({ currency: 'eur' }), amount: 700 };
    const { invocation } = await invoke(service, await testRefunds(), { input });
    const effect = effectIn(await service.get(`/api/v2/actions/effects/${invocation.effectId}`));
    expect(effect.impact).toEqual([{ dimension: 'money', currency: 'eur', amount: 700, bound: 'exact' }]);
    expect(effect.capabilities).toMatchObject({ lookup: 'by_key', replay: true, reversible: true });
  });

  test('an upper bound settles to the amount that Stripe says it refunded', async () => {
    const bound = { dimension: 'money', currency: 'usd', amount: { const: 5_000 }, bound: 'upper_bound' };
    const action = await testRefunds({ impact: [bound] });
    const limitId = await limitOn(action, { dimension: 'money', currency: 'usd' });
    const { invocation } = await invoke(service, action, { input: provider.input() });
    const settled = effectIn(await service.get(`/api/v2/actions/effects/${invocation.effectId}`));
    expect(settled).toMatchObject({
      grade: 'confirmed',
      impact: [{ amount: 5_000, bound: 'upper_bound' }],
      reservations: [{ limitId, amount: 5_000, state: 'settled', settled: 1_250, released: 3_750 }],
    });

    // Found by a read-back alone, nothing says how much the request itself was answered to have used.
    stripe.failNext('lose_reply');
    const lost = await invoke(service, action, { input: provider.input() });
    const reply = await service.post(`/api/v2/actions/effects/${lost.invocation.effectId}/reconcile`, undefined);
    expect(effectIn(reply)).toMatchObject({
      grade: 'confirmed',
      reservations: [{ limitId, amount: 5_000, state: 'settled', settled: 5_000, released: 0 }],
    });
  });

  describe('is refused, and no refund is asked for', () => {
    const refused = async (action: string, input: JsonObject): Promise<string> => {
      const before = stripe.writes().length;
      const { invocation } = await invoke(service, action, { input });
      expect(stripe.writes()).toHaveLength(before);
      expect(invocation).toMatchObject({ status: 'refused', grade: 'refused' });
      return invocation.error ?? '';
    };

    test.each([
      ['test', 'sk_live_51OfNoOther'],
      ['live', 'rk_test_51OfNoOther'],
    ])('of mode %s with %s: nothing carries that credential', async (mode, value) => {
      const secret = `OF_${mode}`;
      await service.call('PUT', `/api/v2/secrets/${secret}`, { key: service.key, body: { value } });
      const action = await createAction('stripe.refund', { mode, secret });
      expect(await refused(action, provider.input())).toContain('dispatch refused (mode_mismatch)');
      expect(stripe.requests.filter(({ headers }) => headers.authorization?.includes(value))).toEqual([]);
    });

    test('a payment of the other mode', async () => {
      const payment = stripe.pay({ livemode: true, showsToAnyKey: true });
      const error = await refused(provider.action, { payment_intent: payment, amount: 1 });
      expect(error).toContain('dispatch refused (mode_mismatch)');
    });

    test('where the action declares another currency than the payment has', async () => {
      const action = await testRefunds({
        impact: [{ dimension: 'money', currency: 'eur', amount: { path: 'input.amount' }, bound: 'exact' }],
      });
      expect(await refused(action, provider.input())).toContain('dispatch refused (currency_mismatch)');
    });

    test('a payment that cannot be read', async () => {
      const error = await refused(provider.action, { payment_intent: 'pi_none', amount: 1 });
      expect(error).toContain('dispatch refused (precondition_changed)');
    });
  });
});

describe('an action of a provider', () => {
  test('is governed, brings its schema, and takes no read-back', async () => {
    const name = await testRefunds();
    const reply = await service.get(`/api/v2/actions/${name}`);
    expect((reply.json as { data: JsonObject }).data).toMatchObject({
      governed: true,
      inputSchema: { required: ['payment_intent', 'amount'] },
      adapter: { type: 'stripe.refund', version: '1', config: { mode: 'test', secret: 'STRIPE_TEST' } },
    });
    const plain = { name: `${name}-x`, adapter: { type: 'stripe.refund', config: { mode: 'test', secret: 'S' } } };
    const ungoverned = await service.post('/api/v2/actions', { ...plain, governed: false });
    expect(errorOf(ungoverned)).toMatchObject({ code: 'VALIDATION_ERROR' });
    const verify = { request: { method: 'GET', url: 'https://x.example' }, expect: [{ path: 'status', op: 'exists' }] };
    expect(errorOf(await service.post('/api/v2/actions', { ...plain, verify }))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    const bad = await service.post(`/api/v2/actions/${name}/invoke`, { input: { payment_intent: 'pi_1', amount: 0 } });
    expect(errorOf(bad)).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test('shows no credential in its receipt', async () => {
    const action = await testRefunds();
    const { invocation } = await invoke(service, action, {
      input: { payment_intent: stripe.pay(), amount: 1 },
    });
    const receipt = await service.get(`/api/v2/actions/effects/${invocation.effectId}`);
    expect(receipt.text).toContain('{{secret:STRIPE_TEST}}');
    expect(receipt.text).not.toContain(stripe.testKey);
    expect(service.workerLogLines.join('\n')).not.toContain(stripe.testKey);
    expect(invocationIn(await service.get(`/api/v2/actions/invocations/${invocation.id}`)).result).toMatchObject({});
  });
});
