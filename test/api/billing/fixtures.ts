import { nothing, type RouteFixtures } from '../suites/fixture.ts';

export const fixtures: RouteFixtures = {
  'billing.plan': { request: nothing },
  'billing.plans': { request: nothing },
  'billing.usageHistory': { request: nothing },
  'billing.stripeConfig': { request: nothing },
  'billing.pricingPolicy': { request: nothing },
};
