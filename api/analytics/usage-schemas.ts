import { z } from 'zod';
import { ALLOWANCES } from '../../domain/plans.ts';
import { USAGE_UNITS } from '../../domain/billing/usage-names.ts';
import { cap } from '../billing/schemas.ts';
import { budgetSchema } from '../budgets/schemas.ts';

const usageItem = z
  .strictObject({
    meter: z
      .enum(ALLOWANCES)
      .describe(
        '`executions`: admitted invocations, without those given back. `messages`: accepted messages and deliveries of events. ' +
          '`egress`: bytes of bodies sent and read. `memory_processing`: memories stored, searches, ingests. `notification_emails`: one for each recipient.',
      ),
    unit: z.enum(Object.values(USAGE_UNITS)).describe('What `used` counts.'),
    used: z.int().describe('In this environment since the beginning of the UTC month, counted up to this reply.'),
    workspace: z.strictObject({
      used: z.int().describe('The same in all environments of the workspace: the allowance is one for all.'),
      limit: cap.describe('What the plan includes in a month. Work beyond it is refused (`QUOTA_EXCEEDED`).'),
    }),
  })
  .meta({ id: 'EnvironmentUsageItem' });

export const usageCurrentSchema = z
  .strictObject({
    period: z.strictObject({ start: z.iso.datetime(), end: z.iso.datetime() }).describe('The UTC month.'),
    resetsAt: z.iso.datetime().describe('When every meter and budget begins at 0 again: the end of the period.'),
    items: z.array(usageItem).describe('One for each meter, in a fixed order.'),
    budget: budgetSchema
      .nullable()
      .describe('The budget of the calling key. Null for a key without one, and for a session.'),
  })
  .meta({ id: 'AnalyticsUsage' });

const counted = {
  executions: z.int().optional().describe('Invocations admitted on the day, without those that were given back later.'),
  messages: z.int().optional().describe('Messages accepted on the day, deliveries of events included.'),
  egressBytes: z.int().optional().describe('Bytes of bodies that were sent and read on the day.'),
  memoryOperations: z.int().optional().describe('Memories stored or superseded, searches, and ingests.'),
  notificationEmails: z.int().optional().describe('Notification e-mails, one for each recipient.'),
};

const day = z
  .strictObject({
    date: z.iso.date().describe('The UTC day.'),
    complete: z.boolean().describe('Whether the day has ended.'),
    ...counted,
  })
  .meta({ id: 'AnalyticsUsageDay', description: 'With `meter`, the other meters are left out.' });

export const usageHistoryDataSchema = z
  .strictObject({
    days: z.array(day).describe('The oldest first; days without use have zeros.'),
    totals: z.strictObject(counted).describe('Sums of the days shown.'),
  })
  .meta({ id: 'AnalyticsUsageHistory' });

export const meterQuery = {
  meter: z.enum(ALLOWANCES).optional().describe('Shows this meter alone.'),
};
