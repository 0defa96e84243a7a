import type { AnyRoute } from '../http/define-route.ts';
import { getPlanRoute, getStripeConfigRoute, listPlansRoute } from './plan-routes.ts';
import { getPricingPolicyRoute } from './pricing-policy.ts';
import { usageHistoryRoute } from './usage-history.ts';

export const billingRoutes: AnyRoute[] = [
  getPlanRoute,
  listPlansRoute,
  usageHistoryRoute,
  getStripeConfigRoute,
  getPricingPolicyRoute,
];
