import { z } from 'zod';
import { gradesSchema } from './overview-schemas.ts';
import { approximateSchema, count, gaugeSchema, percentilesSchema, truncatedSchema } from './range-schemas.ts';

const policyDecisionSchema = z
  .strictObject({
    policyId: z.string().nullable().describe('Null when the action or the default of the environment decided.'),
    ruleId: z.string().nullable(),
    version: z.int().nullable().describe('The version of the policy.'),
    effect: z.enum(['allow', 'require_approval', 'deny']),
    count,
  })
  .meta({ id: 'AnalyticsPolicyDecision' });

const amount = z.number().min(0);
const limitUseSchema = z
  .strictObject({
    limitId: z.string(),
    name: z.string(),
    dimension: z.string(),
    currency: z.string().nullable(),
    cap: amount.describe('In minor units of the currency, or in pieces of the dimension; so are the next three.'),
    settled: amount.describe('Used in the current period.'),
    reserved: amount.describe(
      'Held in the current period by effects that have not ended, those with an unknown outcome included.',
    ),
    unknown: amount.describe('Held by unknown outcomes, of all periods.'),
    utilisation: z.number().min(0).nullable().describe('(settled + reserved) / cap. Null for a limit of each effect.'),
    exceeded: z.boolean().describe('Whether an effect was refused for it in the current period.'),
  })
  .meta({ id: 'AnalyticsImpactLimit' });

const haltSchema = z
  .strictObject({
    at: z.iso.datetime(),
    by: z.strictObject({ type: z.enum(['api_key', 'user', 'system']), id: z.string().nullable() }),
    until: z.iso.datetime().nullable().describe('Null while the halt lasts.'),
  })
  .meta({ id: 'AnalyticsHalt' });

export const trustControlSchema = z.strictObject({
  decisions: z
    .strictObject({ allow: count, requireApproval: count, deny: count })
    .describe('Invocations that were evaluated in the range, by what was decided.'),
  byPolicy: z.array(policyDecisionSchema).max(50).describe('The same by rule, the most frequent first, at most 50.'),
  approvals: z
    .strictObject({
      requested: count.describe('Asked for in the range.'),
      approved: count.describe('Decided in the range, consumed ones included.'),
      denied: count.describe('Decided in the range.'),
      expired: count.describe('Ended in the range without a decision, and so are the next two.'),
      cancelled: count,
      invalidated: count.describe('What was asked for had changed.'),
      decisionMs: percentilesSchema.describe('From the request to the decision, of the approved and the denied.'),
      approximate: approximateSchema,
    })
    .describe('Those for free-standing work are counted too.'),
  grades: gradesSchema,
  verification: z
    .strictObject({ provider: count, manual: count, unverified: count, notDispatched: count })
    .describe('The same effects by who says what became of them.'),
  refusals: z
    .array(z.strictObject({ code: z.string(), count }))
    .describe(
      'Invocations that ended in the range as refused, denied, expired or cancelled, by code, the most frequent first.',
    ),
  unknowns: z.strictObject({
    opened: count.describe('Effects that became unknown in the range, whatever became of them.'),
    resolvedByLookup: count.describe('Became known in the range by a read of the provider or a late answer.'),
    resolvedManually: count.describe('Became known in the range by a person.'),
    openNow: gaugeSchema.describe('Unknown now, whatever the range.'),
    oldestOpenAt: z.iso.datetime().nullable().describe('Since when the oldest of them is unknown; null when none is.'),
    resolutionMs: percentilesSchema.describe('How long those that became known in the range were unknown.'),
    approximate: approximateSchema,
  }),
  impactLimits: z.array(limitUseSchema).max(100).describe('The live limits as they stand now, whatever the range.'),
  halts: z.array(haltSchema).describe('Times in the range in which the environment was halted, the newest first.'),
  truncated: truncatedSchema,
});
