import type { z } from 'zod';
import {
  type AlertTarget,
  putAlertTarget,
  readAlerts,
  readAlertTarget,
  THRESHOLDS_DEFAULT,
} from '../../db/billing/subscription.ts';
import { readEstimate } from '../../db/billing/month-facts.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { PRICE_LIST } from '../../domain/billing/price-list.ts';
import { percentOf } from '../../domain/billing/quotas.ts';
import { validationError } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireSession } from './require-session.ts';
import { billingBudgetBody, billingBudgetSchema } from './usage-schemas.ts';

export const getBillingBudgetRoute = defineRoute({
  of: 'environment',
  id: 'billing.budget',
  method: 'GET',
  path: '/api/v2/billing/budget',
  summary: 'Get the alert target of the workspace',
  description:
    'What the workspace wants to be told of, and how far the month has come. It is an alert and no cap: nothing is refused because of it. The ' +
    'caps of single API keys are budgets (`/api/v2/budgets`).',
  scope: 'billing:read',
  role: 'admin',
  response: { 200: billingBudgetSchema },
  read: presentBudget,
});

export const putBillingBudgetRoute = defineRoute({
  of: 'environment',
  id: 'billing.putBudget',
  method: 'PUT',
  path: '/api/v2/billing/budget',
  summary: 'Set the alert target of the workspace',
  description:
    'Replaces target and thresholds. Each threshold is told of once in a month, by a notification and the event `usage.threshold`. Needs the ' +
    'session of an admin: an API key gets 403.',
  scope: 'billing:read',
  role: 'admin',
  needsUser: true,
  request: { body: billingBudgetBody },
  response: { 200: billingBudgetSchema },
  errors: ['USER_IDENTITY_REQUIRED'],
  async change(tx, { body: { target, thresholds = THRESHOLDS_DEFAULT }, caller }) {
    requireSession(caller);
    if (target !== null && target.currency !== PRICE_LIST.currency)
      throw validationError([{ path: 'body.target.currency', message: `must be ${PRICE_LIST.currency}` }]);
    const before = await readAlertTarget(tx);
    const wanted = { target, thresholds: [...thresholds].sort((a, b) => a - b) };
    await putAlertTarget(tx, wanted);
    return {
      reply: { status: 200, data: await presentBudget(tx) },
      audit: {
        action: 'billing.budget_changed',
        target: { type: 'workspace', id: caller.workspaceId },
        details: { before: auditedTarget(before), after: auditedTarget(wanted) },
      },
    };
  },
});

function auditedTarget({ target, thresholds }: AlertTarget): JsonObject {
  return { target: target === null ? null : { ...target }, thresholds: [...thresholds] };
}

async function presentBudget(tx: EnvironmentTransaction): Promise<z.input<typeof billingBudgetSchema>> {
  const [{ target, thresholds }, alerts] = await tx.inOrder(
    () => readAlertTarget(tx),
    () => readAlerts(tx),
  );
  const estimate = await readEstimate(tx, PRICE_LIST);
  const { currency } = PRICE_LIST;
  const { subtotal, projected, period } = estimate;
  return {
    target,
    thresholds: [...thresholds],
    spend: { amount: subtotal, currency },
    projectedSpend: projected === null ? null : { amount: projected.subtotal, currency },
    percentUsed: target === null ? null : percentOf(subtotal, target.amount),
    alerts: alerts.map(({ threshold, at }) => ({ threshold, at: at.toISOString() })),
    enforcement: 'alert_only',
    resetsAt: period.end.toISOString(),
  };
}
