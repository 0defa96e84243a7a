import type { AnyRoute } from '../http/define-route.ts';
import { getBillingBudgetRoute, putBillingBudgetRoute } from './budget-routes.ts';
import { listInvoicesRoute } from './list-invoices.ts';
import { getPlanRoute, getStripeConfigRoute, listPlansRoute } from './plan-routes.ts';
import { getPricingPolicyRoute } from './pricing-policy.ts';
import { upgradeRoute } from './upgrade.ts';
import { usageHistoryRoute } from './usage-history.ts';
import { costEstimateRoute, currentUsageRoute, quotaRoute } from './usage-routes.ts';

export const billingRoutes: AnyRoute[] = [
  getPlanRoute,
  listPlansRoute,
  quotaRoute,
  currentUsageRoute,
  usageHistoryRoute,
  costEstimateRoute,
  listInvoicesRoute,
  getBillingBudgetRoute,
  putBillingBudgetRoute,
  upgradeRoute,
  getStripeConfigRoute,
  getPricingPolicyRoute,
];
