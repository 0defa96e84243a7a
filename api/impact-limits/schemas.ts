import { z } from 'zod';
import type { LimitDetail } from '../../db/impact-limits/records.ts';
import { LIMIT_PERIODS, MONEY, THRESHOLDS_MAX, unitOf } from '../../domain/impact-limits/limits.ts';
import { isTimeZone } from '../../domain/impact-limits/period.ts';
import { idPattern, isId } from '../../domain/ids.ts';
import { parsePath } from '../../domain/json-path.ts';
import { governanceWarningSchema, queryBoolean } from '../http/common-fields.ts';

/** A limit as requests and replies show it: docs/impact-limits.md, "What a limit says". */
const NAME_CHARACTERS_MAX = 100;
const SCOPE_ENTRIES_MAX = 50;
const SCOPE_ENTRY_CHARACTERS_MAX = 255;
const PATH_CHARACTERS_MAX = 512;
const PERCENT_MAX = 100;

const name = z
  .string()
  .trim()
  .min(1)
  .max(NAME_CHARACTERS_MAX)
  .describe('Unique among the live limits of an environment.');
const dimension = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,31}$/, 'must be lower case letters, digits and _, at most 32')
  .describe('`money`, `resource_mutations`, or a unit of your own, such as `emails`. An open string.');
const currency = z.string().regex(/^[a-z]{3}$/, 'must be three lower case letters, such as usd');
const cap = z
  .int()
  .min(0)
  .max(Number.MAX_SAFE_INTEGER)
  .describe('For one period: minor units for money, a count otherwise. 0 lets nothing pass.');
const thresholds = z
  .array(z.int().min(1).max(PERCENT_MAX))
  .max(THRESHOLDS_MAX)
  .refine((percents) => new Set(percents).size === percents.length, 'must be different from each other')
  .transform((percents) => percents.toSorted((left, right) => left - right))
  .describe('Percent of the cap. That one was reached is kept once for each period, in `crossings`.');
const entry = z.string().min(1).max(SCOPE_ENTRY_CHARACTERS_MAX);
const listOf = (item: z.ZodType<string>) => z.array(item).min(1).max(SCOPE_ENTRIES_MAX).optional();

/** Refuses an entry that can never match, such as an action's id: the limit would limit nothing. */
const pattern = entry
  .regex(/^[a-z0-9_.*-]+$/, 'must be a name, or one with `*`, in lower case: no id')
  .refine((text) => !isId('action', text), 'must be the name of an action, or one with `*`: no id');
const apiKeyId = entry.regex(idPattern('apiKey'), 'must be an id of the form key_…');

const scopeSchema = z
  .strictObject({
    actions: listOf(pattern).describe('Names of actions; `*` stands for any run of characters.'),
    adapters: listOf(pattern).describe('Adapter types; `*` likewise.'),
    apiKeys: listOf(apiKeyId).describe('Ids of the API keys that ask.'),
    agentIds: listOf(entry).describe('As the invocations name them in `agentId`.'),
    target: z
      .strictObject({
        path: z
          .string()
          .min(1)
          .max(PATH_CHARACTERS_MAX)
          .refine((path) => parsePath(path) !== null, 'must be a path such as host or customer.id')
          .describe("Into the effect's `target`."),
        equals: z.union([z.string().max(PATH_CHARACTERS_MAX), z.number(), z.boolean()]),
      })
      .optional(),
  })
  .describe('Which effects the limit applies to: every member must hold, and of a list one entry. `{}`: all.')
  .meta({ id: 'ImpactLimitScope' });

export const createLimitBody = z
  .strictObject({
    name,
    dimension,
    currency: currency.optional().describe('Needed for `money`, and only for it.'),
    cap,
    period: z.enum(LIMIT_PERIODS).describe('`per_effect`: the cap is of each effect by itself.'),
    timezone: z
      .string()
      .refine(isTimeZone, 'must be an IANA time zone, such as Europe/Berlin')
      .default('UTC')
      .describe('Where its hours, days, weeks (from Monday) and months begin.'),
    scope: scopeSchema.default({}),
    thresholds: thresholds.default([]),
  })
  .superRefine((limit, context) => {
    if (limit.dimension === MONEY && limit.currency === undefined) {
      context.addIssue({ code: 'custom', path: ['currency'], message: 'is needed for money' });
    }
    if (limit.dimension !== MONEY && limit.currency !== undefined) {
      context.addIssue({ code: 'custom', path: ['currency'], message: 'is for the dimension money only' });
    }
    if (limit.period === 'per_effect' && limit.thresholds.length > 0) {
      context.addIssue({ code: 'custom', path: ['thresholds'], message: 'are for a period that many effects share' });
    }
  });

export const updateLimitBody = z.strictObject({
  name: name.optional(),
  cap: cap.optional(),
  thresholds: thresholds.optional(),
});

export const limitParams = z.strictObject({ id: z.string().min(1).max(100).describe('Id of the limit, `lim_…`.') });

export const listLimitsQuery = z.strictObject({
  dimension: dimension.optional(),
  includeArchived: queryBoolean.default(false).describe('Also those that are archived.'),
});

const dateTime = z.iso.datetime();
const amount = z.int().min(0);

const crossingSchema = z
  .strictObject({
    type: z
      .enum(['threshold', 'exceeded'])
      .describe('`exceeded`: a reservation was refused, for the first time in the period.'),
    threshold: z.int().nullable().describe('Percent of the cap.'),
    period: z.string(),
    used: amount.describe('Reserved and settled, then.'),
    requested: amount.nullable().describe('By the reservation that was refused.'),
    cap: amount.describe('As it was then.'),
    crossedAt: dateTime,
  })
  .meta({ id: 'ImpactLimitCrossing' });

export const limitSchema = z
  .strictObject({
    id: z.string().meta({ examples: ['lim_01h2x5Zk3vQ9mT7cR4bW8y'] }),
    name: z.string(),
    dimension: z.string(),
    currency: z.string().nullable(),
    unit: z.string().describe('What its amounts count: `minor_units` for money, else the dimension.'),
    cap: amount,
    period: z.enum(LIMIT_PERIODS),
    timezone: z.string(),
    scope: scopeSchema,
    thresholds: z.array(z.int()),
    currentPeriod: z
      .string()
      .nullable()
      .describe('The period that counts now, such as `2026-11-21`; null for `per_effect`.'),
    resetsAt: dateTime.nullable().describe('When the next period begins; null for `per_effect` and `lifetime`.'),
    reserved: amount.describe('In the current period, by effects that are under way or whose outcome is not known.'),
    settled: amount.describe('In the current period, by effects that happened.'),
    available: amount.describe('In the current period. 0 where the cap was lowered below what is used.'),
    exposures: z.strictObject({ unknown: amount, pending: amount }).meta({
      id: 'ImpactLimitExposures',
      description:
        'What is held, of every period, by effects whose outcome is unknown, or still pending at the provider.',
    }),
    crossings: z
      .array(crossingSchema)
      .describe('Those of the current period, newest first; of `per_effect`, the newest.'),
    createdAt: dateTime,
    updatedAt: dateTime,
    archivedAt: dateTime.nullable(),
  })
  .meta({ id: 'ImpactLimit' });

export const writtenLimitSchema = limitSchema
  .extend({ warnings: z.array(governanceWarningSchema).describe('What in the limit may be a slip.') })
  .meta({ id: 'WrittenImpactLimit' });

export function presentLimit(limit: LimitDetail): z.input<typeof limitSchema> {
  const { createdAt, updatedAt, archivedAt, resetsAt, crossings, ...rest } = limit;
  return {
    ...rest,
    unit: unitOf(limit),
    resetsAt: resetsAt?.toISOString() ?? null,
    crossings: crossings.map(({ crossedAt, ...crossing }) => ({
      ...crossing,
      type: crossing.threshold === null ? ('exceeded' as const) : ('threshold' as const),
      crossedAt: crossedAt.toISOString(),
    })),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    archivedAt: archivedAt?.toISOString() ?? null,
  };
}
