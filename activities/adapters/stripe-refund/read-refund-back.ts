import type { ProviderResponse } from '../../../domain/adapters/adapter-descriptor.ts';
import {
  outcomeOfRefund,
  readRefund,
  readRefundPage,
  type StripeRefund,
} from '../../../domain/adapters/stripe-refund-judgement.ts';
import type { StripeRefundInput } from '../../../domain/adapters/stripe-refund.ts';
import type { ReadBackInput, ReadBackResult } from '../adapter.ts';
import type { StripeRead, StripeReader } from './stripe-reader.ts';

const PAGE_SIZE = 100;
/** A payment intent with more than ten thousand refunds is not judged. */
const PAGES_MAX = 100;

/**
 * Finds the refund of an effect in Stripe's record: by its id where Stripe answered one, otherwise by the effect id in the
 * metadata of the payment intent's refunds. No match proves nothing, because a listing may lag. Two matches settle nothing.
 */
export async function readRefundBack(read: StripeReader, input: ReadBackInput): Promise<ReadBackResult> {
  const known = input.response !== null && input.response.status < 300 ? readRefund(input.response.body) : null;
  return known === null ? findByEffect(read, input) : readById(read, input, known.id);
}

async function readById(read: StripeReader, input: ReadBackInput, id: string): Promise<ReadBackResult> {
  const answer = await read((stripe) => stripe.refunds.retrieve(id));
  if (!answer.ok) return unsaid(answer);
  const refund = readRefund(answer.response.body);
  if (refund === null || refund.id !== id || !isOf(input, refund)) {
    return {
      kind: 'inconclusive',
      summary: `what Stripe holds as ${id} is no refund of this effect`,
      response: answer.response,
    };
  }
  return said(input, refund, answer.response);
}

async function findByEffect(read: StripeReader, input: ReadBackInput): Promise<ReadBackResult> {
  const { payment_intent } = input.input as unknown as StripeRefundInput;
  const found = new Map<string, StripeRefund>();
  let after: string | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const params = { payment_intent, limit: PAGE_SIZE, ...(after === undefined ? {} : { starting_after: after }) };
    const answer = await read((stripe) => stripe.refunds.list(params));
    if (!answer.ok) return unsaid(answer);
    const { response } = answer;
    const listed = readRefundPage(response.body);
    const last = listed?.data.at(-1);
    if (listed === null || (listed.has_more && (last === undefined || last.id === after))) {
      return { kind: 'inconclusive', summary: 'what Stripe answered is no page of refunds', response };
    }
    for (const refund of listed.data) if (isOf(input, refund)) found.set(refund.id, refund);
    if (!listed.has_more) return judgeFound(input, [...found.values()], response);
    after = last?.id;
  }
  return { kind: 'inconclusive', summary: `${payment_intent} has more refunds than are read`, response: null };
}

function judgeFound(input: ReadBackInput, found: StripeRefund[], response: ProviderResponse): ReadBackResult {
  const [only, ...others] = found;
  if (only === undefined) {
    return { kind: 'absent', summary: 'no refund of the payment intent carries the effect id', response };
  }
  if (others.length === 0) return said(input, only, response);
  const ids = found.map(({ id }) => id).join(', ');
  return { kind: 'ambiguous', summary: `${found.length} refunds carry the effect id: ${ids}`, response };
}

function isOf({ identity, input }: ReadBackInput, refund: StripeRefund): boolean {
  return refund.metadata?.['effect_id'] === identity.effectId && refund.payment_intent === input['payment_intent'];
}

function said({ input }: ReadBackInput, refund: StripeRefund, response: ProviderResponse): ReadBackResult {
  const outcome = outcomeOfRefund(refund);
  const summary = `refund ${refund.id} of ${refund.amount} ${refund.currency} is ${refund.status ?? 'without a status'}`;
  if (outcome === 'unknown') return { kind: 'inconclusive', summary, response };
  if (refund.amount !== input['amount']) {
    return { kind: 'inconclusive', summary: `${summary}, which is another amount than was asked for`, response };
  }
  return { kind: 'matched', outcome, summary, response, providerReference: refund.id };
}

function unsaid({ response, reason }: Extract<StripeRead, { ok: false }>): ReadBackResult {
  const summary = `the refund could not be read: ${reason}`;
  return response === null || response.status === 401 || response.status === 403
    ? { kind: 'unreadable', summary }
    : { kind: 'inconclusive', summary, response };
}
