import { NO_PAYMENT_PROVIDER } from './payment-provider.ts';
import { PRICE_LIST } from './price-list.ts';

/** What a worker bills with: the published prices, and nobody who collects. */
export const BILLING_PARTS = { prices: PRICE_LIST, payments: NO_PAYMENT_PROVIDER } as const;
