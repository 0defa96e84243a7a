import { describe, expect, test } from 'vitest';
import { createAdapters } from '../../../../activities/adapters/index.ts';
import { LOOPBACK_EGRESS, parseEgressAllow } from '../../../../domain/egress.ts';
import type { JsonObject } from '../../../../domain/json.ts';
import { startFakeStripe, type StripeFault } from '../../../harness/providers/fake-stripe.ts';
import { FAULTS_AFTER_EFFECT, type CommonFault } from '../../../harness/providers/provider-server.ts';
import { callsOf, responseOf, type AdapterCalls } from '../kit.ts';

const stripe = await startFakeStripe();
const refunds = calls('test', stripe.testKey);

function calls(mode: 'live' | 'test', key: string, egress = LOOPBACK_EGRESS): AdapterCalls {
  const adapterFor = createAdapters({ egressAllow: parseEgressAllow(egress), stripeBaseUrl: stripe.baseUrl });
  return callsOf(
    adapterFor({ type: 'stripe.refund', version: '1' }),
    { mode, secret: 'STRIPE_KEY' },
    { STRIPE_KEY: key },
  );
}

let effects = 0;
const newEffect = (): string => `eff_${++effects}`;
const refundOf = (paymentIntent: string, amount = 1_250): JsonObject => ({ payment_intent: paymentIntent, amount });

test('makes one refund under the effect id, and knows it by its id', async () => {
  const effectId = newEffect();
  const payment = stripe.pay();
  const result = await refunds.dispatch({ ...refundOf(payment), reason: 'duplicate' }, effectId);
  expect(result).toMatchObject({ kind: 'answered', outcome: 'succeeded', partialEffect: 'none' });
  const [refund] = stripe.refundsOf(effectId);
  expect(refund).toMatchObject({ paymentIntent: payment, amount: 1_250, reason: 'duplicate' });
  expect(result).toMatchObject({ providerReference: refund?.id, providerIds: { requestId: 'req_fake' } });
});

test('what arrives is what was prepared, but for the credential', async () => {
  const effectId = newEffect();
  const input = { ...refundOf(stripe.pay(), 7), reason: 'requested_by_customer' };
  await refunds.dispatch(input, effectId);
  const seen = stripe.writes().at(-1);
  const shown = refunds.prepared(input, effectId);
  expect({ path: seen?.path, body: seen?.body }).toEqual({ path: '/v1/refunds', body: shown.body });
  const { host: _, 'accept-encoding': __, 'content-length': ___, connection: ____, ...headers } = seen?.headers ?? {};
  expect(headers).toEqual(
    Object.fromEntries(
      Object.entries({ ...shown.headers, Authorization: `Bearer ${stripe.testKey}` }).map(([name, value]) => [
        name.toLowerCase(),
        value,
      ]),
    ),
  );
});

describe('nothing is sent', () => {
  const untouched = async (work: () => Promise<unknown>): Promise<void> => {
    const before = stripe.connections();
    await work();
    expect(stripe.connections()).toBe(before);
  };

  test.each([
    ['test', 'liveKey'],
    ['live', 'testKey'],
  ] as const)('of mode %s with a %s', async (mode, key) => {
    const mismatched = calls(mode, stripe[key]);
    const right = calls(mode === 'live' ? 'live' : 'test', mode === 'live' ? stripe.liveKey : stripe.testKey);
    const prepared = mismatched.definition;
    await untouched(async () => {
      expect(() => mismatched.dispatch(refundOf('pi_1'), newEffect())).toThrow('mode_mismatch');
      // Also if the request was filled in elsewhere, because the adapter checks for itself.
      const { Authorization: _, ...headers } = right.prepared(refundOf('pi_1'), 'eff_x').headers;
      const adapterFor = createAdapters({
        egressAllow: parseEgressAllow(LOOPBACK_EGRESS),
        stripeBaseUrl: stripe.baseUrl,
      });
      const result = await adapterFor({ type: 'stripe.refund', version: '1' }).dispatch({
        definition: prepared,
        request: {
          ...right.prepared(refundOf('pi_1'), 'eff_x'),
          headers: { ...headers, Authorization: `Bearer ${stripe[key]}` },
        },
        secrets: new Map([['STRIPE_KEY', stripe[key]]]),
        timeoutMs: 1_000,
        signal: new AbortController().signal,
      });
      expect(result).toMatchObject({ kind: 'refused', refusal: { code: 'mode_mismatch' } });
      expect(await mismatched.inspect(refundOf('pi_1'))).toMatchObject({ refusal: { code: 'mode_mismatch' } });
    });
  });

  test.each([
    ['the body', (request: { body: string | null }) => ({ body: `${request.body}&refund_application_fee=true` })],
    ['the URL', () => ({ url: 'https://api.stripe.com/v1/payouts' })],
    [
      'a header',
      (_: unknown, headers: Record<string, string>) => ({ headers: { ...headers, 'Stripe-Account': 'acct_1' } }),
    ],
  ])('where %s that was agreed to is not what the SDK makes', async (_, changes) => {
    const payment = stripe.pay();
    await untouched(async () => {
      const result = await refunds.dispatch(refundOf(payment), newEffect(), {
        change: (request) => ({ ...request, ...changes(request, request.headers) }),
      });
      expect(result).toMatchObject({ kind: 'refused', refusal: { code: 'digest_mismatch' } });
    });
  });

  test('to an address that the egress guard blocks', async () => {
    await untouched(async () => {
      const blocked = calls('test', stripe.testKey, '');
      const result = await blocked.dispatch(refundOf('pi_1'), newEffect());
      expect(result).toMatchObject({ kind: 'refused', refusal: { code: 'destination_blocked' } });
    });
  });
});

describe('what an answer proves', () => {
  test.each<[StripeFault | CommonFault, JsonObject]>([
    ['declined', { outcome: 'failed', partialEffect: 'none' }],
    ['unauthorized', { outcome: 'failed', partialEffect: 'none' }],
    ['forbidden', { outcome: 'failed', partialEffect: 'none' }],
    ['rate_limited', { outcome: 'failed', partialEffect: 'none' }],
    ['unavailable', { outcome: 'unknown', partialEffect: 'possible' }],
    ['key_in_use', { outcome: 'unknown', partialEffect: 'possible' }],
    ['error_after_effect', { outcome: 'unknown', partialEffect: 'possible' }],
    ['malformed_reply', { outcome: 'unknown', partialEffect: 'possible' }],
    ['pending', { outcome: 'pending', partialEffect: 'possible' }],
    ['requires_action', { outcome: 'pending', partialEffect: 'possible' }],
    ['refund_failed', { outcome: 'failed', partialEffect: 'none' }],
    ['refund_canceled', { outcome: 'failed', partialEffect: 'none' }],
  ])('%s', async (fault, expected) => {
    const payment = stripe.pay();
    stripe.failNext(fault);
    expect(await refunds.dispatch(refundOf(payment), newEffect())).toMatchObject({ kind: 'answered', ...expected });
  });

  test.each(['lose_reply', 'truncated_reply', 'oversized_reply', 'reset_before_body', 'reset_after_body'] as const)(
    '%s: nothing, and it is sent once, whatever the SDK does on a broken connection',
    async (fault) => {
      const payment = stripe.pay();
      const before = stripe.writes().length;
      stripe.failNext(fault);
      expect(await refunds.dispatch(refundOf(payment), newEffect())).toMatchObject({ kind: 'no_answer' });
      expect(stripe.writes()).toHaveLength(before + 1);
    },
  );

  test('a hang: nothing, once the time is over', async () => {
    stripe.failNext('hang_after_effect');
    const result = await refunds.dispatch(refundOf(stripe.pay()), newEffect(), { timeoutMs: 2_000 });
    expect(result).toMatchObject({ kind: 'no_answer', reason: expect.stringContaining('time-out') as string });
    stripe.release();
  });

  test('no payment, and more than is left of one: failed', async () => {
    expect(await refunds.dispatch(refundOf('pi_none'), newEffect())).toMatchObject({ outcome: 'failed' });
    expect(await refunds.dispatch(refundOf(stripe.pay(), 10_001), newEffect())).toMatchObject({ outcome: 'failed' });
  });

  test('another body under a key that was used: unknown, for the one before it may have had its effect', async () => {
    const effectId = newEffect();
    const payment = stripe.pay();
    await refunds.dispatch(refundOf(payment, 100), effectId);
    expect(await refunds.dispatch(refundOf(payment, 200), effectId)).toMatchObject({
      outcome: 'unknown',
      summary: expect.stringContaining('idempotency_error') as string,
    });
    expect(stripe.refundsOf(effectId)).toHaveLength(1);
  });
});

describe('a replay', () => {
  test.each([
    ...FAULTS_AFTER_EFFECT.filter((fault) => !fault.startsWith('hang')),
    'lag',
    'declined',
    'reset_after_body',
  ] as const)('after %s makes no second refund', async (fault) => {
    const effectId = newEffect();
    const payment = stripe.pay();
    stripe.failNext(fault);
    await refunds.dispatch(refundOf(payment), effectId);
    const again = await refunds.dispatch(refundOf(payment), effectId, { kind: 'replay' });
    expect(stripe.refundsOf(effectId)).toHaveLength(fault === 'declined' ? 0 : 1);
    const outcome = { error_after_effect: 'unknown', declined: 'failed' }[fault as string] ?? 'succeeded';
    expect(again).toMatchObject({ kind: 'answered', outcome });
  });

  test.each(['rate_limited', 'unauthorized', 'forbidden'] as const)(
    'that is turned away with %s says nothing of the request before it',
    async (fault) => {
      const effectId = newEffect();
      const payment = stripe.pay();
      stripe.failNext('lose_reply');
      await refunds.dispatch(refundOf(payment), effectId);
      stripe.failNext(fault);
      const again = await refunds.dispatch(refundOf(payment), effectId, { kind: 'replay' });
      expect(again).toMatchObject({ outcome: 'unknown', partialEffect: 'possible' });
    },
  );
});

describe('the read-back', () => {
  test('by the id that was answered', async () => {
    const effectId = newEffect();
    const input = refundOf(stripe.pay());
    const response = responseOf(await refunds.dispatch(input, effectId));
    const [refund] = stripe.refundsOf(effectId);
    expect(await refunds.readBack(input, effectId, response)).toMatchObject({
      kind: 'matched',
      outcome: 'succeeded',
      providerReference: refund?.id,
    });
    expect(stripe.requests.at(-1)?.path).toBe(`/v1/refunds/${refund?.id}`);
    if (refund) refund.status = 'failed';
    expect(await refunds.readBack(input, effectId, response)).toMatchObject({ kind: 'matched', outcome: 'failed' });
    if (refund) refund.effectId = 'eff_of_another';
    expect(await refunds.readBack(input, effectId, response)).toMatchObject({ kind: 'inconclusive' });
  });

  test('without an answer: among all refunds of the payment, to the last page', async () => {
    const payment = stripe.pay();
    const lost = newEffect();
    stripe.failNext('lose_reply');
    await refunds.dispatch(refundOf(payment, 10), lost);
    for (let n = 0; n < 6; n++) await refunds.dispatch(refundOf(payment, 10), newEffect());
    stripe.pageAtMost(2);
    const before = stripe.requests.length;
    expect(await refunds.readBack(refundOf(payment, 10), lost)).toMatchObject({
      kind: 'matched',
      outcome: 'succeeded',
    });
    expect(stripe.requests.slice(before).map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'GET']);
    stripe.pageAtMost(100);
  });

  test('none: absent, which proves nothing; it shows up later', async () => {
    const effectId = newEffect();
    const input = refundOf(stripe.pay());
    stripe.failNext('lag');
    await refunds.dispatch(input, effectId);
    expect(await refunds.readBack(input, effectId)).toMatchObject({ kind: 'absent' });
    expect(await refunds.readBack(input, effectId)).toMatchObject({ kind: 'matched', outcome: 'succeeded' });
  });

  test('two: of neither', async () => {
    const effectId = newEffect();
    const input = refundOf(stripe.pay());
    stripe.failNext('two_matches');
    await refunds.dispatch(input, effectId);
    expect(await refunds.readBack(input, effectId)).toMatchObject({
      kind: 'ambiguous',
      summary: expect.stringMatching(/^2 refunds carry the effect id: re_/) as string,
    });
  });

  test.each(['unavailable', 'rate_limited', 'malformed_reply', 'reset_after_body'] as const)(
    '%s: nothing is said',
    async (fault) => {
      const effectId = newEffect();
      const input = refundOf(stripe.pay());
      await refunds.dispatch(input, effectId);
      stripe.failReads(fault);
      const read = await refunds.readBack(input, effectId);
      expect(['inconclusive', 'unreadable']).toContain(read.kind);
    },
  );
});

describe('the inspection', () => {
  test('reads what must not change, and changes nothing', async () => {
    const payment = stripe.pay({ currency: 'eur', amountReceived: 5_000 });
    await refunds.dispatch(refundOf(payment, 1_000), newEffect());
    const before = stripe.writes().length;
    const inspection = await refunds.inspect(refundOf(payment, 4_500));
    expect(inspection).toMatchObject({
      kind: 'inspected',
      refusal: null,
      preconditions: {
        paymentIntent: payment,
        amountReceived: 5_000,
        amountRefunded: 1_000,
        currency: 'eur',
        status: 'succeeded',
        livemode: false,
      },
    });
    expect(JSON.stringify(inspection)).toContain('Stripe will reject it');
    expect(JSON.stringify(inspection)).toContain('{"label":"Received","value":"50.00 EUR"}');
    expect(stripe.writes()).toHaveLength(before);
  });

  test('of a payment of the other mode: refused', async () => {
    const payment = stripe.pay({ livemode: true, showsToAnyKey: true });
    expect(await refunds.inspect(refundOf(payment))).toMatchObject({ refusal: { code: 'mode_mismatch' } });
  });

  test('that cannot read says so', async () => {
    expect(await refunds.inspect(refundOf('pi_none'))).toMatchObject({ kind: 'unavailable' });
    stripe.failReads('unavailable');
    expect(await refunds.inspect(refundOf(stripe.pay()))).toMatchObject({ kind: 'unavailable' });
  });
});
