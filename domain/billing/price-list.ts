import { type Allowance, PLAN_TABLE, type PlanName } from '../plans.ts';
import { type Cap, offerOf, type UnitPrice } from './plan-terms.ts';
import { PRICE_LIST_VERSION } from './pricing-policy.ts';

/** Minor units of a currency. */
export interface Money {
  amount: number;
  currency: string;
}

export interface PlanPrices {
  /** For a whole month. Null when no price is published; then none is charged. */
  price: Money | null;
  rates: readonly { meter: Allowance; unitPrice: UnitPrice }[];
  included: Readonly<Record<Allowance, Cap>>;
}

/** All prices are in one currency. */
export interface PriceList {
  version: string;
  currency: string;
  pricesOf(plan: PlanName): PlanPrices;
}

/** The published prices, from the one table of plans. */
export const PRICE_LIST: PriceList = {
  version: PRICE_LIST_VERSION,
  currency: 'usd',
  pricesOf(plan) {
    const { price, rates } = offerOf(plan);
    const { executions, messages, egress, memory_processing, notification_emails } = PLAN_TABLE[plan].allowances;
    return {
      price,
      rates,
      included: {
        executions: executions ?? 'unlimited',
        messages: messages ?? 'unlimited',
        egress: egress ?? 'unlimited',
        memory_processing: memory_processing ?? 'unlimited',
        notification_emails: notification_emails ?? 'unlimited',
      },
    };
  },
};

export function hasCharges({ price, rates }: PlanPrices): boolean {
  return (price?.amount ?? 0) > 0 || rates.some(({ unitPrice }) => unitPrice.amount > 0);
}
