import { expect, it } from 'vitest';
import { OFFERS } from '../../../domain/billing/plan-terms.ts';
import { PRICE_LIST } from '../../../domain/billing/price-list.ts';
import { PRICING_POLICY } from '../../../domain/billing/pricing-policy.ts';
import { PLAN_TABLE, PLANS } from '../../../domain/plans.ts';

/** A change of a figure shows here in every reply that it changes. Raise the version of the policy with it (docs/billing.md). */
it('is what plan, plans, quota, pricing policy and the price list are made of', () => {
  expect({ version: PRICING_POLICY.version, PLAN_TABLE, OFFERS }).toMatchSnapshot();
  for (const plan of PLANS) {
    const { allowances } = PLAN_TABLE[plan];
    const { included, price, rates } = PRICE_LIST.pricesOf(plan);
    for (const [meter, limit] of Object.entries(included))
      expect([plan, meter, limit]).toEqual([plan, meter, allowances[meter as keyof typeof allowances] ?? 'unlimited']);
    const offer = OFFERS.find(({ id }) => id === plan);
    expect([price, rates]).toEqual([offer?.price, offer?.rates]);
  }
});
