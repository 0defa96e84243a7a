import type { PriceList } from '../../../domain/billing/price-list.ts';
import type { PlanName } from '../../../domain/plans.ts';

const PRICE: Partial<Record<PlanName, number>> = { production: 4_900, growth: 19_900 };

/** Prices that nobody has published, for tests and for the worked example of docs/billing.md. A cent for 10 executions and 1,000 messages. */
export const PRICES: PriceList = {
  version: 'test',
  currency: 'usd',
  pricesOf(plan) {
    const amount = PRICE[plan] ?? 0;
    const included = {
      executions: plan === 'free' ? 1_000 : 100_000,
      messages: 1_000_000,
      egress: 'unlimited' as const,
      memory_processing: 'unlimited' as const,
      notification_emails: 'unlimited' as const,
    };
    if (amount === 0) return { price: { amount: 0, currency: 'usd' }, rates: [], included };
    return {
      price: { amount, currency: 'usd' },
      rates: [
        { meter: 'executions', unitPrice: { amount: 100, currency: 'usd', per: 1_000 } },
        { meter: 'messages', unitPrice: { amount: 100, currency: 'usd', per: 100_000 } },
      ],
      included,
    };
  },
};
