import type { Stripe } from 'stripe';
import { judgeRefundReply } from '../../../domain/adapters/stripe-refund-judgement.ts';
import { modeMismatch, stripeConfigOf, stripeRefundDescriptor } from '../../../domain/adapters/stripe-refund.ts';
import type { Adapter, DispatchInput, DispatchResult, InspectInput, Inspection } from '../adapter.ts';
import { callProvider, dispatchResult, type ProviderOptions } from '../call-provider.ts';
import { redactText } from '../http-request/redaction.ts';
import { inspectPayment } from './inspect-payment.ts';
import { readRefundBack } from './read-refund-back.ts';
import { carriedBy, stripeReader } from './stripe-reader.ts';
import { onlyAgreed, StripeTransport, stripeSdk } from './stripe-transport.ts';

/** The half of `stripe.refund` that does I/O. Stripe's SDK makes each request, and we send it. */
export function createStripeRefundAdapter(options: ProviderOptions): Adapter {
  return {
    descriptor: stripeRefundDescriptor,
    dispatch: (input) => dispatch(options, input),
    readBack: (input) => readRefundBack(stripeReader(options, input), input),
    inspect: (input) => inspect(options, input),
  };
}

async function dispatch(options: ProviderOptions, input: DispatchInput): Promise<DispatchResult> {
  const { definition, request, secrets, kind = 'dispatch' } = input;
  const { mode, secret } = stripeConfigOf(definition);
  const credential = secrets.get(secret) ?? '';
  const mismatch = modeMismatch(mode, credential);
  if (mismatch !== null) return { kind: 'refused', refusal: mismatch };
  const transport = new StripeTransport(onlyAgreed(request), (agreed) => callProvider(options, agreed, secrets, input));
  const effectId = request.headers['Idempotency-Key'] ?? '';
  const params = refundParams(request.body ?? '');
  const carried = await carriedBy(transport, () =>
    stripeSdk(credential, transport).refunds.create(params, { idempotencyKey: effectId }),
  );
  if (carried.kind === 'withheld') {
    const message = redactText(carried.reason, secrets.values());
    return { kind: 'refused', refusal: { code: 'digest_mismatch', message } };
  }
  return dispatchResult('Stripe', carried, (response) => {
    const { refundId, ...judgement } = judgeRefundReply(response, { effectId, kind });
    const named = refundId === null ? {} : { refund: refundId };
    return { ...judgement, providerReference: refundId, providerIds: named };
  });
}

/** The parameters of the approved body. The body that the SDK makes of them must equal the approved one. */
function refundParams(body: string): Stripe.RefundCreateParams {
  const form = new URLSearchParams(body);
  const reason = form.get('reason');
  return {
    payment_intent: form.get('payment_intent') ?? '',
    amount: Number(form.get('amount')),
    ...(reason === null ? {} : { reason }),
    metadata: { effect_id: form.get('metadata[effect_id]') ?? '' },
  };
}

/** A credential of the other mode is not used even for a read. */
async function inspect(options: ProviderOptions, input: InspectInput): Promise<Inspection> {
  const { mode, secret } = stripeConfigOf(input.definition);
  const refusal = modeMismatch(mode, input.secrets.get(secret) ?? '');
  if (refusal === null) return inspectPayment(stripeReader(options, input), input);
  return {
    kind: 'inspected',
    preconditions: {},
    blocks: [],
    summary: refusal.message,
    refusal,
    observedAt: new Date(),
  };
}
