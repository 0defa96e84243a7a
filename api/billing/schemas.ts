import { z } from 'zod';
import { ALLOWANCES, PLANS } from '../../domain/plans.ts';

/** `oneOf` in the document: exactly one of two forms. */
export const cap = z
  .xor([z.int().min(0), z.literal('unlimited')])
  .meta({ id: 'PlanCap', description: 'A number, or `unlimited`.' });
export const money = z
  .strictObject({
    amount: z.int().describe('In minor units of the currency.'),
    currency: z.string().regex(/^[a-z]{3}$/),
  })
  .meta({ id: 'BillingMoney' });
export const unitPrice = z
  .strictObject({
    amount: z.int().min(0).describe('In minor units of the currency, for each `per` units.'),
    currency: z.string().regex(/^[a-z]{3}$/),
    per: z.int().min(1),
  })
  .meta({ id: 'UnitPrice' });

const limits = z
  .strictObject({
    maxEnvironments: cap,
    requestsPerMinute: cap,
    requestsPerHour: cap,
    executionsPerMonth: cap,
    messagesPerMonth: cap,
    egressBytesPerMonth: cap,
    memoryOperationsPerMonth: cap,
    notificationEmailsPerMonth: cap,
    storageBytes: cap,
    scheduleFiringsPerMinute: cap,
    messageRetentionDays: z.int().min(1),
  })
  .meta({ id: 'PlanLimits' });

const terms = {
  id: z.enum(PLANS),
  name: z.string().describe('For people.'),
  limits,
  betaAllowances: z
    .strictObject({
      environments: cap,
      executions: cap,
      messages: cap,
      egressBytes: cap,
      memoryOperations: cap,
      notificationEmails: cap,
    })
    .nullable()
    .describe('What Early Beta Access includes; null for every other plan.'),
  features: z.strictObject({ auditLog: z.boolean().describe('Whether the audit log can be read.') }),
  price: money.nullable().describe('For a month. Null: no price is published.'),
};

const resetsAt = z.iso
  .datetime()
  .describe('When monthly allowances begin again: 00:00 UTC on the first of the next month.');

export const planSchema = z
  .strictObject({
    ...terms,
    status: z.enum(['active', 'past_due', 'cancelled']),
    since: z.iso.datetime().describe('When the workspace got this plan.'),
    access: z.strictObject({
      usageResetsAt: resetsAt,
      paidPlansOpen: z.boolean(),
      canUpgrade: z.boolean().describe('Whether `POST /api/v2/billing/upgrade` would be accepted from an admin.'),
    }),
    pendingChange: z
      .strictObject({ plan: z.enum(PLANS), effectiveAt: z.iso.datetime() })
      .nullable()
      .describe('A change that a customer asked for and that is not in force yet.'),
  })
  .meta({ id: 'BillingPlan' });

const offer = {
  ...terms,
  available: z.boolean().describe('Whether a workspace can have this plan today.'),
  contactSales: z.boolean().describe('Whether the plan is agreed on with sales.'),
  rates: z.array(z.strictObject({ meter: z.enum(ALLOWANCES), unitPrice })).meta({
    id: 'PlanRates',
    description:
      'Unit prices of use beyond what is included; empty when such use is refused, or no price is published.',
  }),
};

const planOffer = z.strictObject(offer).meta({ id: 'PlanOffer' });
export const planListSchema = z.array(
  z
    .strictObject({ ...offer, isCurrent: z.boolean().describe('Whether the workspace has this plan.') })
    .meta({ id: 'ListedPlan' }),
);

export const stripeConfigSchema = z
  .strictObject({
    enabled: z.boolean(),
    publishableKey: z.string().startsWith('pk_').nullable().describe('Safe in a browser. Never a secret key.'),
    mode: z.enum(['live', 'test']).nullable(),
  })
  .meta({ id: 'StripeConfig' });

export const pricingPolicySchema = z
  .strictObject({
    version: z.iso.date().describe('Changes with every figure, meter and rule of the policy.'),
    effectiveAt: z.iso.datetime(),
    currency: z.string(),
    paidPlansOpen: z.boolean(),
    plans: z.array(planOffer),
    meters: z.array(
      z.strictObject({
        id: z.enum(ALLOWANCES),
        unit: z.string(),
        counts: z.string(),
        doesNotCount: z.array(z.string()),
      }),
    ),
    resets: z.string(),
    overage: z.string().describe('What becomes of use beyond an allowance.'),
    rounding: z.string(),
    corrections: z.string().describe('Where a correction of an issued invoice stands.'),
    changesUrl: z.string().describe('Where changes are announced, relative to the service’s address.'),
  })
  .meta({ id: 'PricingPolicy' });

const counted = {
  executions: z.int().describe('Invocations that were admitted on the day, without those that were given back.'),
  messages: z.int().describe('Messages that were accepted on the day, deliveries of events included.'),
  egressBytes: z.int().describe('Bytes of bodies that were sent and read on the day.'),
  memoryOperations: z.int().describe('Memories stored or superseded, searches, and ingests.'),
  notificationEmails: z.int().describe('Notification e-mails, one for each recipient.'),
};

export const usageHistoryQuery = z.strictObject({
  from: z.iso.date().optional().describe('The first UTC day. Left out: 29 days before `to`.'),
  to: z.iso.date().optional().describe('The last UTC day, included. Left out: today.'),
});

export const usageHistorySchema = z
  .strictObject({
    timezone: z.literal('UTC'),
    days: z.array(
      z.strictObject({
        date: z.iso.date(),
        complete: z.boolean().describe('Whether the day has ended.'),
        ...counted,
      }),
    ),
    months: z.array(
      z.strictObject({ month: z.string().describe('`YYYY-MM`, as far as the range reaches.'), ...counted }),
    ),
    totals: z.strictObject(counted),
  })
  .meta({ id: 'BillingUsageHistory' });
