import { plantInvoice } from './support.ts';
import { nothing, type RouteFixture, type RouteFixtures } from '../suites/fixture.ts';

/** Shown for a workspace in which no other fixture makes anything, so that its numbers are the same each time. */
const counted: RouteFixture = {
  request: nothing,
  example: async ({ api, otherKey, otherTenant }) => {
    await api.database.asOwner(`UPDATE workspaces SET plan = 'early_beta_access' WHERE id = $1`, [
      otherTenant.workspaceId,
    ]);
    return { headers: { Authorization: `Bearer ${otherKey}` } };
  },
};

export const fixtures: RouteFixtures = {
  'billing.plan': counted,
  'billing.plans': counted,
  'billing.quota': counted,
  'billing.usageCurrent': counted,
  // A plan without charges: a projection depends on the time of the month.
  'billing.costEstimate': { request: nothing },
  'billing.invoices': { request: nothing, plantRow: ({ api }) => plantInvoice(api.database) },
  'billing.budget': { request: nothing },
  'billing.putBudget': {
    request: () => Promise.resolve({ body: { target: { amount: 50_000, currency: 'usd' }, thresholds: [50, 100] } }),
  },
  'billing.upgrade': { request: () => Promise.resolve({ body: { plan: 'growth' } }) },
  'billing.usageHistory': counted,
  'billing.stripeConfig': { request: nothing },
  'billing.pricingPolicy': { request: nothing },
};
