import type { z } from 'zod';
import { type PendingChange, readPendingChange } from '../../db/billing/subscription.ts';
import { readSubscription, type Subscription } from '../../db/billing/month-facts.ts';
import { OFFERS, PAID_PLANS_OPEN, termsOf } from '../../domain/billing/plan-terms.ts';
import { usageResetsAt } from '../../domain/plans.ts';
import { defineRoute } from '../http/define-route.ts';
import { planListSchema, planSchema, stripeConfigSchema } from './schemas.ts';

export const getPlanRoute = defineRoute({
  of: 'environment',
  id: 'billing.plan',
  method: 'GET',
  path: '/api/v2/billing/plan',
  summary: "Get the workspace's plan",
  description:
    'What the plan includes, since when the workspace has it, and when its monthly allowances begin again. Every limit is a ' +
    'number or `unlimited`.',
  scope: 'billing:read',
  role: 'admin',
  response: { 200: planSchema },
  read: async (tx) => presentPlan(await readSubscription(tx), await readPendingChange(tx)),
});

export const listPlansRoute = defineRoute({
  of: 'environment',
  id: 'billing.plans',
  method: 'GET',
  path: '/api/v2/billing/plans',
  summary: 'List the plans',
  description: 'All plans, the smallest first, each with what it includes and whether it can be had today.',
  scope: 'billing:read',
  role: 'admin',
  response: { 200: planListSchema },
  async read(tx) {
    const { plan } = await readSubscription(tx);
    return OFFERS.map((offer) => ({ ...offer, isCurrent: offer.id === plan }));
  },
});

export const getStripeConfigRoute = defineRoute({
  of: 'environment',
  id: 'billing.stripeConfig',
  method: 'GET',
  path: '/api/v2/billing/stripe-config',
  summary: "Get the payment provider's configuration for a browser",
  description: 'Holds nothing secret. `enabled` is false until paid plans open.',
  scope: 'billing:read',
  role: 'admin',
  response: { 200: stripeConfigSchema },
  read: (_tx, { deps }) => {
    const { publishableKey = null } = deps;
    const mode = publishableKey === null ? null : publishableKey.startsWith('pk_live_') ? 'live' : 'test';
    return Promise.resolve({ enabled: PAID_PLANS_OPEN && publishableKey !== null, publishableKey, mode });
  },
});

function presentPlan({ plan, since, now }: Subscription, pending: PendingChange | null): z.input<typeof planSchema> {
  return {
    ...termsOf(plan),
    status: 'active',
    since: since.toISOString(),
    access: {
      usageResetsAt: usageResetsAt(now).toISOString(),
      paidPlansOpen: PAID_PLANS_OPEN,
      canUpgrade: PAID_PLANS_OPEN,
    },
    pendingChange: pending === null ? null : { plan: pending.plan, effectiveAt: pending.effectiveAt.toISOString() },
  };
}
