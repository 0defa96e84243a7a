import { z } from 'zod';
import { ESTIMATE_EXCLUDES } from '../../domain/billing/estimate.ts';
import { LINE_TYPES } from '../../domain/billing/invoice-lines.ts';
import { INVOICE_STATUSES } from '../../domain/billing/invoices.ts';
import { QUOTA_NAMES } from '../../domain/billing/quotas.ts';
import { ALLOWANCES, PLANS } from '../../domain/plans.ts';
import { cap, money, unitPrice } from './schemas.ts';

const dateTime = z.iso.datetime();
const period = z.strictObject({ start: dateTime, end: dateTime.describe('Excluded.') }).meta({ id: 'BillingPeriod' });
const currency = z.string().regex(/^[a-z]{3}$/);
const minorUnits = z.int();

export const quotaListSchema = z
  .strictObject({
    resetsAt: dateTime.describe('When monthly allowances begin again: 00:00 UTC on the first of the next month.'),
    quotas: z.array(
      z
        .strictObject({
          name: z.enum(QUOTA_NAMES),
          unit: z.string(),
          period: z.enum(['month', 'none']).describe('`none`: it does not reset; deleting makes room.'),
          limit: cap,
          used: z.int().min(0),
          remaining: cap,
          percentUsed: z.number().min(0).max(100).nullable().describe('One decimal, cut. Null without a limit.'),
          resetsAt: dateTime.nullable(),
          enforcement: z
            .enum(['hard', 'after_the_fact'])
            .describe('`after_the_fact`: known only when it is spent, so a month may end above the limit.'),
          status: z
            .enum(['ok', 'warning', 'exceeded'])
            .describe('`warning` from 80 % on; `exceeded` when nothing is left and the next is refused.'),
        })
        .meta({ id: 'Quota' }),
    ),
  })
  .meta({ id: 'QuotaList' });

export const currentUsageSchema = z
  .strictObject({
    period,
    asOf: dateTime,
    items: z.array(
      z
        .strictObject({
          meter: z.enum(ALLOWANCES),
          unit: z.string(),
          quantity: z
            .int()
            .describe(
              'What counts against the allowance. Executions count at their admission; those that are given back do not.',
            ),
          included: cap,
          billable: z.int().min(0).describe('What the month has to pay for so far: that of the lines of the estimate.'),
          byEnvironment: z
            .array(z.strictObject({ environmentId: z.uuid(), name: z.string(), quantity: z.int() }))
            .describe('Sums to `quantity`.'),
        })
        .meta({ id: 'UsageItem' }),
    ),
  })
  .meta({ id: 'CurrentUsage' });

const lineMembers = {
  type: z.enum(LINE_TYPES),
  meter: z.enum(ALLOWANCES).nullable().describe('Null for a line that meters nothing.'),
  description: z.string(),
  period: period.describe('For executions: the month of their admission.'),
  meteredQuantity: z.int().nullable(),
  includedQuantity: cap.nullable(),
  billableQuantity: z
    .int()
    .nullable()
    .describe('`max(0, metered - included)`; negative where a correction takes back.'),
  unitPrice: unitPrice.nullable(),
  amount: minorUnits.describe('Minor units of the currency, rounded once, half up.'),
  proration: z
    .strictObject({
      fromPlan: z.enum(PLANS).nullable().describe('Null when the workspace was made in this month.'),
      toPlan: z.enum(PLANS),
      seconds: z.int().describe('From the change to the end of the month.'),
      ofSeconds: z.int().describe('The whole month.'),
    })
    .nullable(),
  corrects: z.strictObject({ invoiceId: z.string(), lineId: z.string() }).nullable(),
};

export const costEstimateSchema = z
  .strictObject({
    period,
    asOf: dateTime,
    currency,
    lines: z.array(
      z
        .strictObject({
          id: z.string().describe('Names the line in this estimate alone: `line_1`, `line_2`, …'),
          ...lineMembers,
        })
        .meta({ id: 'EstimateLine' }),
    ),
    monthToDate: z.strictObject({ subtotal: minorUnits.describe('The sum of the lines, in minor units.') }),
    projected: z
      .strictObject({
        subtotal: minorUnits,
        method: z.literal('linear_by_elapsed_seconds'),
        confidence: z.enum(['low', 'normal']).describe('`low` in the first seven days.'),
        elapsedShare: z.number().min(0).max(1),
      })
      .nullable()
      .describe('The month if it goes on as it did. Null in its first 24 hours.'),
    priceListVersion: z.string(),
    isEstimate: z.literal(true),
    excludes: z.array(z.enum(ESTIMATE_EXCLUDES)).describe('What the figures leave out.'),
    reason: z.literal('plan_has_no_charges').nullable().describe('Why there are no lines.'),
  })
  .meta({ id: 'CostEstimate' });

export const invoiceSchema = z
  .strictObject({
    id: z.string().regex(/^ivc_/),
    number: z.int().min(1).nullable().describe('Counted in the workspace, without a gap. Null while it is a draft.'),
    status: z.enum(INVOICE_STATUSES),
    currency,
    period,
    lines: z.array(z.strictObject({ id: z.string().regex(/^ivl_/), ...lineMembers }).meta({ id: 'InvoiceLine' })),
    subtotal: minorUnits,
    tax: minorUnits,
    total: minorUnits,
    amountDue: minorUnits,
    issuedAt: dateTime.nullable(),
    dueAt: dateTime.nullable(),
    paidAt: dateTime.nullable(),
    voidedAt: dateTime.nullable(),
    quantitiesSnapshotAt: dateTime.describe(
      'When the quantities were taken. What settles later is on a later invoice.',
    ),
    preceding: z
      .array(z.strictObject({ invoiceId: z.string(), reason: z.enum(['correction']) }))
      .describe('Earlier invoices that lines of this one correct.'),
    hostedUrl: z.url().nullable(),
    pdfUrl: z.url().nullable(),
  })
  .meta({ id: 'Invoice' });

export const invoicesQuery = z.strictObject({ status: z.enum(INVOICE_STATUSES).optional() });

const thresholds = z.array(z.int().min(1).max(1_000)).min(1).max(10);

export const billingBudgetSchema = z
  .strictObject({
    target: money.nullable(),
    thresholds: thresholds.describe('Percent of the target, ascending.'),
    spend: money.describe('What the month has come to so far, as the cost estimate says.'),
    projectedSpend: money.nullable(),
    percentUsed: z.number().min(0).max(100).nullable().describe('One decimal, cut. Null without a target.'),
    alerts: z
      .array(z.strictObject({ threshold: z.int(), at: dateTime }))
      .describe('Thresholds that were reached this month; each is told of once.'),
    enforcement: z.literal('alert_only').describe('Nothing is refused because of it.'),
    resetsAt: dateTime,
  })
  .meta({ id: 'BillingBudget' });

export const billingBudgetBody = z.strictObject({
  target: z
    .strictObject({ amount: z.int().min(1), currency })
    .nullable()
    .describe('In the currency of the price list; null for no target.'),
  thresholds: thresholds
    .refine((all) => new Set(all).size === all.length, 'must not name a threshold twice')
    .optional()
    .describe('Percent of the target. Left out: 50, 80 and 100.'),
});

export const upgradeBody = z.strictObject({ plan: z.enum(PLANS) });
