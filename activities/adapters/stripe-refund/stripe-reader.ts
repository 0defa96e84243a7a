import type { Stripe } from 'stripe';
import type { ProviderResponse } from '../../../domain/adapters/adapter-descriptor.ts';
import { USER_AGENT } from '../../../domain/product.ts';
import { modeMismatch, stripeConfigOf } from '../../../domain/adapters/stripe-refund.ts';
import type { InspectInput } from '../adapter.ts';
import { callProvider, type ProviderOptions } from '../call-provider.ts';
import { onlyReads, StripeTransport, stripeSdk, type Carried } from './stripe-transport.ts';

/** Runs one call of the SDK. The SDK rejects on anything but success; what the transport saw is what counts. */
export async function carriedBy(transport: StripeTransport, call: () => Promise<unknown>): Promise<Carried> {
  try {
    await call();
  } catch (error) {
    // Any other error is a fault of ours. The transport knows what the failed request was.
    if (transport.carried === null) {
      const name = error instanceof Error ? error.name : 'an error';
      return { kind: 'not_sent', reason: `Stripe's SDK made no request of it (${name})` };
    }
  }
  return transport.carried ?? { kind: 'not_sent', reason: "Stripe's SDK made no request of it" };
}

export type StripeRead =
  { ok: true; response: ProviderResponse } | { ok: false; response: ProviderResponse | null; reason: string };

export type StripeReader = (call: (stripe: Stripe) => Promise<unknown>) => Promise<StripeRead>;

/** All reads of one reader share its time-out: a listing of many pages is one read. */
export function stripeReader(
  options: ProviderOptions,
  { definition, secrets, timeoutMs, signal }: Pick<InspectInput, 'definition' | 'secrets' | 'timeoutMs' | 'signal'>,
): StripeReader {
  const { mode, secret } = stripeConfigOf(definition);
  const credential = secrets.get(secret) ?? '';
  const mismatch = modeMismatch(mode, credential);
  const endsAt = Date.now() + timeoutMs;
  return async (call) => {
    if (mismatch !== null) return { ok: false, response: null, reason: mismatch.message };
    const leftMs = endsAt - Date.now();
    if (leftMs <= 0) return { ok: false, response: null, reason: 'the time-out was reached' };
    const transport = new StripeTransport(onlyReads(USER_AGENT), (request) =>
      callProvider(options, request, secrets, { timeoutMs: leftMs, signal }),
    );
    const carried = await carriedBy(transport, () => call(stripeSdk(credential, transport)));
    if (carried.kind !== 'response') return { ok: false, response: null, reason: carried.reason };
    const { response, unreadable } = carried;
    if (unreadable !== null)
      return { ok: false, response, reason: `Stripe answered ${response.status}, and ${unreadable}` };
    if (response.status >= 200 && response.status < 300) return { ok: true, response };
    return { ok: false, response, reason: `Stripe answered ${response.status}` };
  };
}
