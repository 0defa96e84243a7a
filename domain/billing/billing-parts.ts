import type { Gauges } from '../gauges.ts';
import { NO_PAYMENT_PROVIDER } from './payment-provider.ts';
import { PRICE_LIST } from './price-list.ts';

/** What a worker bills with: the published prices, nobody who collects, and the figures of its process. */
export const billingParts = ({ gauges }: { gauges: Gauges }) => ({
  prices: PRICE_LIST,
  payments: NO_PAYMENT_PROVIDER,
  gauges,
});
