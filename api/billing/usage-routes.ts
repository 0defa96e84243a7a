import type { z } from 'zod';
import { type MonthSoFar, readEstimate, readSubscription } from '../../db/billing/month-facts.ts';
import { type EnvironmentUsage, readQuotaFacts, readUsageByEnvironment } from '../../db/billing/usage.ts';
import { ESTIMATE_EXCLUDES } from '../../domain/billing/estimate.ts';
import { PRICE_LIST } from '../../domain/billing/price-list.ts';
import { isoPeriod } from '../../domain/billing/periods.ts';
import { METERS } from '../../domain/billing/pricing-policy.ts';
import { quotasOf } from '../../domain/billing/quotas.ts';
import type { PlanName } from '../../domain/plans.ts';
import { defineRoute } from '../http/define-route.ts';
import { costEstimateSchema, currentUsageSchema, quotaListSchema } from './usage-schemas.ts';

export const quotaRoute = defineRoute({
  of: 'environment',
  id: 'billing.quota',
  method: 'GET',
  path: '/api/v2/billing/quota',
  summary: 'Get what is left of each quota',
  description:
    'The allowances of the month, storage and environments of the workspace, then what this environment may hold at once. Egress is known ' +
    'only when it is spent, so a month may end above its limit.',
  scope: 'billing:read',
  role: 'admin',
  response: { 200: quotaListSchema },
  async read(tx) {
    const facts = await readQuotaFacts(tx);
    return { resetsAt: facts.resetsAt.toISOString(), quotas: quotasOf(facts) };
  },
});

export const currentUsageRoute = defineRoute({
  of: 'environment',
  id: 'billing.usageCurrent',
  method: 'GET',
  path: '/api/v2/billing/usage/current',
  summary: 'Get what the workspace has used this month',
  description:
    'Each meter of the UTC month, in total and by environment. An execution counts at its admission; it is billable once it has settled as ' +
    'succeeded, confirmed or acknowledged.',
  scope: 'billing:read',
  role: 'admin',
  response: { 200: currentUsageSchema },
  async read(tx) {
    const [{ plan }, environments] = await tx.inOrder(
      () => readSubscription(tx),
      () => readUsageByEnvironment(tx),
    );
    return presentUsage(plan, environments, await readEstimate(tx, PRICE_LIST));
  },
});

export const costEstimateRoute = defineRoute({
  of: 'environment',
  id: 'billing.costEstimate',
  method: 'GET',
  path: '/api/v2/billing/cost-estimate',
  summary: 'Estimate what this month costs',
  description:
    'The lines that the invoice would have if the month ended now, and a projection of the whole month. Taxes, bills of providers and credits ' +
    'are left out. On a plan without charges there are no lines, and `reason` says so.',
  scope: 'billing:read',
  role: 'admin',
  response: { 200: costEstimateSchema },
  read: async (tx) => presentEstimate(await readEstimate(tx, PRICE_LIST)),
});

function presentUsage(
  plan: PlanName,
  environments: readonly EnvironmentUsage[],
  { period, asOf, lines }: MonthSoFar,
): z.input<typeof currentUsageSchema> {
  const { included } = PRICE_LIST.pricesOf(plan);
  return {
    period: isoPeriod(period),
    asOf: asOf.toISOString(),
    items: METERS.map(({ id: meter, unit }) => {
      const byEnvironment = environments.map(({ environmentId, name, used }) => ({
        environmentId,
        name,
        quantity: used[meter] ?? 0,
      }));
      const billable = lines.flatMap((line) => (line.meter === meter ? [line.billableQuantity ?? 0] : []));
      return {
        meter,
        unit,
        quantity: byEnvironment.reduce((sum, { quantity }) => sum + quantity, 0),
        included: included[meter],
        billable: Math.max(
          0,
          billable.reduce((sum, quantity) => sum + quantity, 0),
        ),
        byEnvironment,
      };
    }),
  };
}

function presentEstimate(estimate: MonthSoFar): z.input<typeof costEstimateSchema> {
  const { period, asOf, lines, subtotal, projected, reason } = estimate;
  return {
    period: isoPeriod(period),
    asOf: asOf.toISOString(),
    currency: PRICE_LIST.currency,
    lines: lines.map((line, index) => ({ id: `line_${index + 1}`, ...line })),
    monthToDate: { subtotal },
    projected,
    priceListVersion: PRICE_LIST.version,
    isEstimate: true,
    excludes: [...ESTIMATE_EXCLUDES],
    reason,
  };
}
