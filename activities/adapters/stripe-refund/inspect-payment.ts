import { readPaymentIntent, type StripePaymentIntent } from '../../../domain/adapters/stripe-refund-judgement.ts';
import { stripeConfigOf, type StripeRefundInput } from '../../../domain/adapters/stripe-refund.ts';
import { moneyText } from '../../../domain/money.ts';
import type { Refusal } from '../../../domain/refusals.ts';
import type { PreviewBlock } from '../../../domain/adapters/preview-block.ts';
import type { InspectInput, Inspection } from '../adapter.ts';
import type { StripeReader } from './stripe-reader.ts';

/** Reads the payment intent to be refunded: what must not change before the refund is sent, and what a person should see. */
export async function inspectPayment(read: StripeReader, input: InspectInput): Promise<Inspection> {
  const { payment_intent, amount } = input.input as unknown as StripeRefundInput;
  const observedAt = new Date();
  const answer = await read((stripe) => stripe.paymentIntents.retrieve(payment_intent, { expand: ['latest_charge'] }));
  if (!answer.ok) return { kind: 'unavailable', reason: `${payment_intent} could not be read: ${answer.reason}` };
  const payment = readPaymentIntent(answer.response.body);
  if (payment === null || payment.id !== payment_intent) {
    return { kind: 'unavailable', reason: `what Stripe answered is not ${payment_intent}` };
  }
  const refunded = payment.latest_charge?.amount_refunded ?? 0;
  return {
    kind: 'inspected',
    preconditions: {
      paymentIntent: payment.id,
      amountReceived: payment.amount_received,
      amountRefunded: refunded,
      currency: payment.currency,
      status: payment.status,
      livemode: payment.livemode,
    },
    blocks: blocksOf(payment, refunded, amount),
    summary: `${payment.id} received ${payment.amount_received} ${payment.currency}, of which ${refunded} are refunded`,
    refusal: refusalOf(payment, stripeConfigOf(input.definition).mode),
    observedAt,
  };
}

function refusalOf(payment: StripePaymentIntent, mode: string): Refusal | null {
  const found = payment.livemode ? 'live' : 'test';
  if (found === mode) return null;
  return { code: 'mode_mismatch', message: `the action is of mode ${mode} and ${payment.id} of mode ${found}` };
}

function blocksOf(payment: StripePaymentIntent, refunded: number, amount: number): PreviewBlock[] {
  const left = payment.amount_received - refunded;
  const money = (minor: number): string => moneyText(minor, payment.currency);
  const fields = [
    { label: 'Received', value: money(payment.amount_received) },
    { label: 'Refunded already', value: money(refunded) },
    { label: 'Left after this refund', value: money(Math.max(0, left - amount)) },
    { label: 'Status', value: payment.status },
  ];
  const blocks: PreviewBlock[] = [{ type: 'fields', title: 'The payment at Stripe', fields }];
  if (amount <= left && payment.status === 'succeeded') return blocks;
  const text =
    amount > left
      ? `It asks for ${money(amount)} and ${money(left)} are left: Stripe will reject it.`
      : `The payment is ${payment.status}: Stripe will reject a refund of it.`;
  return [...blocks, { type: 'limitations', title: 'What stands in the way', items: [{ kind: 'unsupported', text }] }];
}
