import { z } from 'zod';
import { PARTIAL_EFFECTS } from '../../domain/lifecycle.ts';
import { impactQuantitySchema } from '../../domain/impact.ts';

const SUMMARY_CHARACTERS_MIN = 3;
const SUMMARY_CHARACTERS_MAX = 2_000;
const PROVIDER_IDS_MAX = 20;
const PROVIDER_ID_CHARACTERS_MAX = 255;
const URL_CHARACTERS_MAX = 2_048;
const QUANTITIES_MAX = 20;

const evidenceBody = z.strictObject({
  summary: z
    .string()
    .trim()
    .min(SUMMARY_CHARACTERS_MIN, { abort: true })
    .max(SUMMARY_CHARACTERS_MAX)
    // The database counts characters, JavaScript counts UTF-16 units.
    .refine(
      (text) => Array.from(text).length >= SUMMARY_CHARACTERS_MIN,
      `must have at least ${SUMMARY_CHARACTERS_MIN} characters`,
    )
    .describe('How you know.'),
  providerIds: z
    .record(z.string().min(1).max(64), z.string().min(1).max(PROVIDER_ID_CHARACTERS_MAX))
    .refine((ids) => Object.keys(ids).length <= PROVIDER_IDS_MAX, `at most ${PROVIDER_IDS_MAX}`)
    .optional(),
  url: z
    .url({ protocol: /^https?$/ })
    .max(URL_CHARACTERS_MAX)
    .optional()
    .describe('Where it can be looked up.'),
});

/** For invocations and effects alike; an invocation without an effect has no impact to settle. */
export const resolveBody = z
  .strictObject({
    outcome: z.enum(['succeeded', 'failed']),
    partialEffect: z
      .enum(PARTIAL_EFFECTS)
      .optional()
      .describe(
        'What it left behind all the same. Needed for `failed` where the `partialEffect` of the effect is `possible`; else `none` by default.',
      ),
    settledImpact: z
      .array(impactQuantitySchema)
      .max(QUANTITIES_MAX)
      .optional()
      .describe('What it really used, at most what was declared; the rest of its allowance is given back.'),
    evidence: evidenceBody,
  })
  .meta({ id: 'ResolveRequest' });
