import { randomBytes } from 'node:crypto';
import { DemoError } from '../http.ts';
import type { Journal } from '../journal.ts';

/** Amounts are integers in the currency's smallest unit. */
export interface Payment {
  id: string;
  amount: number;
  currency: string;
  customer: string;
  refunded: number;
}

export interface Refund {
  id: string;
  payment: string;
  amount: number;
  currency: string;
  reason: string | null;
  state: 'succeeded';
  idempotencyKey: string | null;
  createdAt: string;
}

/** The payments that exist on the first day. */
const PAYMENTS: readonly Omit<Payment, 'refunded'>[] = [
  { id: 'pay_1001', amount: 12_500, currency: 'usd', customer: 'Ada Lovelace' },
  { id: 'pay_1002', amount: 80_000, currency: 'usd', customer: 'Grace Hopper' },
  { id: 'pay_1003', amount: 4_200, currency: 'eur', customer: 'Alan Turing' },
  { id: 'pay_1004', amount: 250_000, currency: 'usd', customer: 'Katherine Johnson' },
];

/** Payments and what was paid back of them. A refund is on file before it is answered. */
export class Ledger {
  readonly #journal: Journal<Refund>;
  readonly #payments = new Map<string, Payment>(PAYMENTS.map((one) => [one.id, { ...one, refunded: 0 }]));
  readonly #refunds = new Map<string, Refund>();
  readonly #byKey = new Map<string, Refund>();

  constructor(journal: Journal<Refund>) {
    this.#journal = journal;
    const refunds = journal.read();
    journal.rewrite(refunds);
    for (const refund of refunds) this.#keep(refund);
  }

  payments(): Payment[] {
    return [...this.#payments.values()];
  }

  payment(id: string): Payment {
    const payment = this.#payments.get(id);
    if (payment === undefined) throw new DemoError(404, 'no_such_payment', `There is no payment ${id}.`);
    return payment;
  }

  refunds(): Refund[] {
    return [...this.#refunds.values()];
  }

  refund(id: string): Refund {
    const refund = this.#refunds.get(id);
    if (refund === undefined) throw new DemoError(404, 'no_such_refund', `There is no refund ${id}.`);
    return refund;
  }

  /** The refund that was made under an Idempotency-Key. */
  refundOf(key: string): Refund {
    const refund = this.#byKey.get(key);
    if (refund === undefined) throw new DemoError(404, 'no_such_refund', `No refund was made under the key ${key}.`);
    return refund;
  }

  /** Pays back a part of a payment, once for each Idempotency-Key. */
  makeRefund(wanted: { payment: string; amount: number; reason: string | null }, key: string | null): Refund {
    const known = key === null ? undefined : this.#byKey.get(key);
    if (known !== undefined) {
      if (known.payment === wanted.payment && known.amount === wanted.amount) return known;
      throw new DemoError(409, 'key_reused', 'Another refund was made under this Idempotency-Key.');
    }
    const { amount, refunded, currency } = this.payment(wanted.payment);
    const left = amount - refunded;
    if (wanted.amount > left) {
      throw new DemoError(422, 'too_large', `${wanted.payment} has ${left} ${currency} left to refund.`);
    }
    const refund: Refund = {
      id: `re_${randomBytes(8).toString('hex')}`,
      ...wanted,
      currency,
      state: 'succeeded',
      idempotencyKey: key,
      createdAt: new Date().toISOString(),
    };
    this.#journal.append(refund);
    this.#keep(refund);
    return refund;
  }

  #keep(refund: Refund): void {
    this.#refunds.set(refund.id, refund);
    if (refund.idempotencyKey !== null) this.#byKey.set(refund.idempotencyKey, refund);
    this.payment(refund.payment).refunded += refund.amount;
  }
}
