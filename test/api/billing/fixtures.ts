import { plantInvoice } from './support.ts';
import { nothing, type RouteFixtures } from '../suites/fixture.ts';

export const fixtures: RouteFixtures = {
  'billing.plan': { request: nothing },
  'billing.plans': { request: nothing },
  'billing.quota': { request: nothing },
  'billing.usageCurrent': { request: nothing },
  'billing.costEstimate': { request: nothing },
  'billing.invoices': { request: nothing, plantRow: ({ api }) => plantInvoice(api.database) },
  'billing.budget': { request: nothing },
  'billing.putBudget': {
    request: () => Promise.resolve({ body: { target: { amount: 50_000, currency: 'usd' }, thresholds: [50, 100] } }),
  },
  'billing.upgrade': { request: () => Promise.resolve({ body: { plan: 'growth' } }) },
  'billing.usageHistory': { request: nothing },
  'billing.stripeConfig': { request: nothing },
  'billing.pricingPolicy': { request: nothing },
};
