import { z } from 'zod';
import type { BudgetRecord } from '../../db/budgets/budgets.ts';
import { BUDGET_UNIT, CAP_MICROCENTS_MAX, USED_BEFORE_MICROCENTS_MAX } from '../../domain/budgets.ts';
import { usageResetsAt } from '../../domain/plans.ts';

const microcents = z.int().min(0).max(CAP_MICROCENTS_MAX);
const ofEachKind = <Schema extends z.ZodType>(schema: Schema) => ({
  messages: schema,
  events: schema,
  cacheLookups: schema,
  memoryOperations: schema,
  invocations: schema,
});

const capsSchema = z
  .strictObject({ total: microcents.optional(), ...ofEachKind(microcents.optional()) })
  .refine((caps) => Object.values(caps).some((cap) => cap !== undefined), 'must name at least one cap')
  .meta({ id: 'BudgetCaps', minProperties: 1, description: 'What is left out has no cap of its own.' });

const sumsSchema = z.strictObject({ total: microcents, ...ofEachKind(microcents) }).meta({ id: 'BudgetSums' });

export const budgetSchema = z
  .strictObject({
    apiKeyId: z.string(),
    month: z
      .string()
      .regex(/^\d{4}-\d{2}$/)
      .describe('The UTC month that `used` and `reserved` are of.'),
    caps: capsSchema,
    used: sumsSchema,
    reserved: sumsSchema.describe('For invocations that are under way, or whose outcome is unknown.'),
    unit: z.literal(BUDGET_UNIT).describe('A millionth of a cent.'),
    reconciliationRequired: z
      .boolean()
      .describe('The key is paused (503 BUDGET_RECONCILIATION_REQUIRED): put the budget with `usedBefore`.'),
    resetsAt: z.iso.datetime(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'Budget' });

export const budgetParams = z.strictObject({
  apiKeyId: z.string().min(1).max(100).describe('Id of a key of this environment.'),
});

export const putBudgetBody = z.strictObject({
  caps: capsSchema.describe('In microcents a UTC month. Replaces all earlier caps.'),
  usedBefore: z
    .strictObject(ofEachKind(microcents.max(USED_BEFORE_MICROCENTS_MAX).optional()))
    .optional()
    .describe('What the key had used this month before its use was counted; for `reconciliationRequired` only.'),
});

export function presentBudget(budget: BudgetRecord): z.input<typeof budgetSchema> {
  const { readAt, createdAt, updatedAt, ...rest } = budget;
  return {
    ...rest,
    unit: BUDGET_UNIT,
    resetsAt: usageResetsAt(readAt).toISOString(),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
