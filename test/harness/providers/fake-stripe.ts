import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../domain/json.ts';
import { startProvider, type ProviderReply, type ProviderRequest, type ProviderServer } from './provider-server.ts';

/**
 * A Stripe that refunds: `POST /v1/refunds`, `GET /v1/refunds`, `GET /v1/refunds/{id}`, `GET /v1/payment_intents/{id}`, with
 * the idempotency of the real one: the first reply of a request that ran, even a 500, is stored under its key and repeated with
 * `idempotent-replayed: true`; another body under a used key is 400 `idempotency_error`; a key in flight is 409.
 *
 * Beside the faults of provider-server.ts, for `failNext`:
 * - `declined` 402; `key_in_use` 409 although nothing else is in flight; `unauthorized` 401; `forbidden` 403
 * - `pending`, `requires_action`, `refund_failed`, `refund_canceled`: it is made, in that status
 * - `lag`: it is made, the reply is lost, and the first two listings do not show it
 * - `two_matches`: it is made twice under one effect id (someone else copied it), and the reply is lost
 */
export const STRIPE_FAULTS = [
  'declined',
  'key_in_use',
  'unauthorized',
  'forbidden',
  'pending',
  'requires_action',
  'refund_failed',
  'refund_canceled',
  'lag',
  'two_matches',
] as const;
export type StripeFault = (typeof STRIPE_FAULTS)[number];

const isStripeFault = (fault: string): fault is StripeFault => (STRIPE_FAULTS as readonly string[]).includes(fault);

export interface FakePaymentIntent {
  id: string;
  currency: string;
  amountReceived: number;
  livemode: boolean;
  status: string;
  /** If true, a key of the other mode sees it too, which the real Stripe does not allow. */
  showsToAnyKey: boolean;
}

export interface FakeRefund {
  id: string;
  paymentIntent: string;
  amount: number;
  reason: string | null;
  status: string;
  effectId: string | null;
  /** The number of listings that will not show it yet. */
  hiddenFor: number;
}

export interface FakeStripe extends ProviderServer<StripeFault> {
  testKey: string;
  liveKey: string;
  /** Makes a payment of 10000 usd in test mode by default, and returns its id. */
  pay(payment?: Partial<Omit<FakePaymentIntent, 'id'>>): string;
  refunds: FakeRefund[];
  refundsOf(effectId: string): FakeRefund[];
  /** The number of refunds on one page of a listing, regardless of the caller's limit. */
  pageAtMost(size: number): void;
}

interface Saved {
  bodyDigest: string;
  /** Null while the request is in flight. */
  reply: ProviderReply | null;
}

export async function startFakeStripe(): Promise<FakeStripe> {
  const stripe = new StripeState();
  const server = await startProvider<StripeFault>(
    {
      handle: (request, fault) => stripe.handle(request, fault),
      errorAfterEffect: (request) => stripe.saveError(request),
      begin: (request) => stripe.begin(request),
      refusal: (status) =>
        errorReply(status, status === 429 ? 'rate_limit' : 'api_error', 'Stripe has a bad day', 'api_error'),
    },
    isStripeFault,
  );
  return Object.assign(server, {
    testKey: 'sk_test_51FakeFakeFakeFake',
    liveKey: 'sk_live_51FakeFakeFakeFake',
    pay: (payment = {}) => stripe.pay(payment),
    refunds: stripe.refunds,
    refundsOf: (effectId: string) => stripe.refunds.filter((refund) => refund.effectId === effectId),
    pageAtMost: (size: number) => void (stripe.pageSize = size),
  });
}

class StripeState {
  readonly payments = new Map<string, FakePaymentIntent>();
  readonly refunds: FakeRefund[] = [];
  readonly saved = new Map<string, Saved>();
  pageSize = 100;

  pay(payment: Partial<Omit<FakePaymentIntent, 'id'>>): string {
    const id = `pi_fake${String(this.payments.size + 1).padStart(6, '0')}`;
    this.payments.set(id, {
      id,
      currency: 'usd',
      amountReceived: 10_000,
      livemode: false,
      status: 'succeeded',
      showsToAnyKey: false,
      ...payment,
    });
    return id;
  }

  handle(request: ProviderRequest & { body: string }, fault: StripeFault | null): ProviderReply {
    const key = /^Bearer ((?:sk|rk)_(live|test)_\w+)$/.exec(request.headers.authorization ?? '');
    if (key === null || fault === 'unauthorized') {
      return errorReply(401, 'invalid_request_error', 'Invalid API Key provided');
    }
    if (fault === 'forbidden') return errorReply(403, 'invalid_request_error', 'The key lacks the permission');
    const livemode = key[2] === 'live';
    const [, resource = '', id] = /^\/v1\/(\w+)(?:\/(\w+))?$/.exec(request.path) ?? [];
    switch (`${request.method} ${resource}${id === undefined ? '' : '/{id}'}`) {
      case 'POST refunds':
        return this.underKey(request, () => this.refund(request, livemode, fault), fault);
      case 'GET refunds':
        return this.list(request.query);
      case 'GET refunds/{id}':
        return this.retrieve(id ?? '');
      case 'GET payment_intents/{id}':
        return this.payment(id ?? '', livemode);
      default:
        return errorReply(404, 'invalid_request_error', `Unrecognized request URL ${request.path}`);
    }
  }

  /** Records a request in flight: its key is in use. */
  begin(request: ProviderRequest & { body: string }): void {
    const key = keyOf(request);
    if (key !== null && !this.saved.has(key)) {
      this.saved.set(key, { bodyDigest: digest(request.body), reply: null });
    }
  }

  saveError(request: ProviderRequest & { body: string }): ProviderReply {
    const reply = errorReply(500, 'api_error', 'An unknown error occurred');
    const key = keyOf(request);
    if (key !== null) this.saved.set(key, { bodyDigest: digest(request.body), reply });
    return reply;
  }

  private underKey(
    request: ProviderRequest & { body: string },
    work: () => ProviderReply,
    fault: StripeFault | null,
  ): ProviderReply {
    const inUse = errorReply(409, 'idempotency_error', 'The key is in use', 'idempotency_key_in_use');
    if (fault === 'key_in_use') return inUse;
    const key = keyOf(request);
    const saved = key === null ? undefined : this.saved.get(key);
    if (saved !== undefined) {
      if (saved.bodyDigest !== digest(request.body)) {
        return errorReply(400, 'idempotency_error', 'Keys can only be used with the same parameters');
      }
      if (saved.reply === null) return inUse;
      return { ...saved.reply, headers: { ...saved.reply.headers, 'idempotent-replayed': 'true' } };
    }
    const reply = work();
    // A fault that loses the reply still stores it. A 400 or 404 never ran, so it is not stored.
    const kept = reply.status === 0 ? this.lostReply() : reply;
    if (key !== null && ![400, 404].includes(kept.status)) {
      this.saved.set(key, { bodyDigest: digest(request.body), reply: kept });
    }
    return reply;
  }

  private lostReply(): ProviderReply {
    const last = this.refunds.at(-1);
    if (last === undefined) throw new Error('a lost reply is one to a refund that was made');
    return { status: 200, headers: REQUEST_ID, body: this.shown(last) };
  }

  private refund(request: { body: string }, livemode: boolean, fault: StripeFault | null): ProviderReply {
    const form = new URLSearchParams(request.body);
    const payment = this.visible(form.get('payment_intent') ?? '', livemode);
    if (payment === null) return noSuch('payment_intent');
    const amount = Number(form.get('amount'));
    if (!Number.isSafeInteger(amount) || amount < 1) return errorReply(400, 'invalid_request_error', 'Invalid amount');
    if (fault === 'declined')
      return errorReply(402, 'card_error', 'Your balance is insufficient', 'insufficient_funds');
    if (amount > payment.amountReceived - this.refundedOf(payment.id)) {
      return errorReply(400, 'invalid_request_error', 'Refund amount is greater than unrefunded amount');
    }
    const refund = this.add(payment.id, form, amount, fault);
    if (fault === 'two_matches') this.add(payment.id, form, amount, null);
    if (fault === 'lag' || fault === 'two_matches') return { status: 0, body: null };
    return { status: 200, headers: REQUEST_ID, body: this.shown(refund) };
  }

  private add(paymentIntent: string, form: URLSearchParams, amount: number, fault: StripeFault | null): FakeRefund {
    const refund: FakeRefund = {
      id: `re_fake${String(this.refunds.length + 1).padStart(6, '0')}`,
      paymentIntent,
      amount,
      reason: form.get('reason'),
      status: STATUS_OF[fault ?? ''] ?? 'succeeded',
      effectId: form.get('metadata[effect_id]'),
      hiddenFor: fault === 'lag' ? 2 : 0,
    };
    this.refunds.push(refund);
    return refund;
  }

  private refundedOf(paymentIntent: string): number {
    return this.refunds
      .filter((refund) => refund.paymentIntent === paymentIntent && !['failed', 'canceled'].includes(refund.status))
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  private visible(id: string, livemode: boolean): FakePaymentIntent | null {
    const payment = this.payments.get(id);
    return payment !== undefined && (payment.livemode === livemode || payment.showsToAnyKey) ? payment : null;
  }

  private shown(refund: FakeRefund): JsonObject {
    return {
      id: refund.id,
      object: 'refund',
      amount: refund.amount,
      currency: this.payments.get(refund.paymentIntent)?.currency ?? 'usd',
      payment_intent: refund.paymentIntent,
      reason: refund.reason,
      status: refund.status,
      metadata: refund.effectId === null ? {} : { effect_id: refund.effectId },
      ...(refund.status === 'failed' ? { failure_reason: 'lost_or_stolen_card' } : {}),
    };
  }

  private list(query: URLSearchParams): ProviderReply {
    const all = this.refunds.filter(({ paymentIntent }) => paymentIntent === query.get('payment_intent')).toReversed();
    const after = query.get('starting_after');
    if (after === null) for (const refund of all) if (refund.hiddenFor > 0) refund.hiddenFor--;
    const shown = all.filter(({ hiddenFor }) => hiddenFor === 0);
    const from = after === null ? 0 : shown.findIndex(({ id }) => id === after) + 1;
    const size = Math.min(Number(query.get('limit') ?? 10), this.pageSize);
    const page = shown.slice(from, from + size);
    const body = {
      object: 'list',
      url: '/v1/refunds',
      has_more: from + size < shown.length,
      data: page.map((refund) => this.shown(refund)),
    };
    return { status: 200, headers: REQUEST_ID, body };
  }

  private retrieve(id: string): ProviderReply {
    const refund = this.refunds.find((candidate) => candidate.id === id);
    return refund === undefined ? noSuch('refund') : { status: 200, headers: REQUEST_ID, body: this.shown(refund) };
  }

  private payment(id: string, livemode: boolean): ProviderReply {
    const payment = this.visible(id, livemode);
    if (payment === null) return noSuch('payment_intent');
    const { currency, amountReceived, status } = payment;
    const body = {
      id,
      object: 'payment_intent',
      amount: amountReceived,
      amount_received: amountReceived,
      currency,
      livemode: payment.livemode,
      status,
      latest_charge: { id: `ch_${id.slice(3)}`, object: 'charge', amount_refunded: this.refundedOf(id) },
    };
    return { status: 200, headers: REQUEST_ID, body };
  }
}

const REQUEST_ID = { 'request-id': 'req_fake' };

const STATUS_OF: Record<string, string> = {
  pending: 'pending',
  requires_action: 'requires_action',
  refund_failed: 'failed',
  refund_canceled: 'canceled',
};

function keyOf(request: ProviderRequest): string | null {
  const key = request.headers['idempotency-key'];
  return typeof key === 'string' ? key : null;
}

function digest(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}

const noSuch = (what: string): ProviderReply =>
  errorReply(404, 'invalid_request_error', `No such ${what}`, 'resource_missing');

function errorReply(status: number, type: string, message: string, code?: string): ProviderReply {
  return { status, headers: REQUEST_ID, body: { error: { type, message, ...(code === undefined ? {} : { code }) } } };
}
