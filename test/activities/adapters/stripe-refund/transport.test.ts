import { describe, expect, test } from 'vitest';
import type { ProviderCall } from '../../../../activities/adapters/call-provider.ts';
import {
  type Admit,
  onlyReads,
  StripeTransport,
  stripeSdk,
} from '../../../../activities/adapters/stripe-refund/stripe-transport.ts';

const KEY = 'sk_test_51FakeFakeFakeFake';
const asItIs: Admit = (handed) => ({ ...handed, bodyEncoding: 'utf8' });

/** A transport whose requests end as the test specifies, and the number of requests it carried. */
function transportThat(end: () => Promise<ProviderCall>, admit: Admit = asItIs) {
  const carried: string[] = [];
  const transport = new StripeTransport(admit, ({ method, url }) => {
    carried.push(`${method} ${url}`);
    return end();
  });
  return { transport, carried };
}

const refund = (transport: StripeTransport): Promise<unknown> =>
  stripeSdk(KEY, transport).refunds.create({ payment_intent: 'pi_1', amount: 1 }, { idempotencyKey: 'eff_1' });

describe('one call of the SDK is one request', () => {
  test.each(['ECONNRESET', 'EPIPE'])(
    'also where the connection breaks (%s), after which it sends again',
    async (code) => {
      const { transport, carried } = transportThat(() => Promise.reject(Object.assign(new Error(code), { code })));
      await expect(refund(transport)).rejects.toBeInstanceOf(Error);
      expect(carried).toEqual(['POST https://api.stripe.com/v1/refunds']);
      expect(transport.carried).toEqual({ kind: 'no_answer', reason: 'the call broke off on our side' });
    },
  );

  test.each([409, 429, 500, 503])('also where Stripe answers %s', async (status) => {
    const body = { error: { type: 'api_error' } };
    const response = { status, headers: { 'stripe-should-retry': 'true' }, body, bodyEncoding: 'json' } as const;
    const { transport, carried } = transportThat(() =>
      Promise.resolve({ kind: 'response', response, unreadable: null }),
    );
    await expect(refund(transport)).rejects.toBeInstanceOf(Error);
    expect(carried).toHaveLength(1);
  });

  test('and a read is no write', async () => {
    const { transport, carried } = transportThat(() => Promise.reject(new Error('unused')), onlyReads('tests'));
    await expect(refund(transport)).rejects.toBeInstanceOf(Error);
    expect(carried).toEqual([]);
    expect(transport.carried).toEqual({ kind: 'withheld', reason: 'a read is no POST' });
  });
});
