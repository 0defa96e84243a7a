import { z } from 'zod';
import type { CacheEntryRecord } from '../../db/cache/entries.ts';
import {
  NAMESPACE_DEFAULT,
  PROMPT_CHARACTERS_MAX,
  RESPONSE_BYTES_MAX,
  tellsOfAction,
  THRESHOLD_DEFAULT,
  TTL_SECONDS_DEFAULT,
  TTL_SECONDS_MAX,
} from '../../domain/cache/cache.ts';
import { GATE_REASONS } from '../../domain/cache/gate.ts';
import { jsonBytes } from '../../domain/json.ts';
import { anyJson, orShortened } from '../http/common-fields.ts';

const namespaceSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/, 'must be 1 to 64 letters, digits, "_", ".", ":" or "-"');
const attributesSchema = z
  .record(z.string().min(1).max(64), z.union([z.string().max(200), z.number(), z.boolean()]))
  .refine((value) => Object.keys(value).length <= 16, 'must have at most 16 members');

const identity = {
  prompt: z.string().min(1).max(PROMPT_CHARACTERS_MAX),
  model: z.string().min(1).max(200).optional().describe('The model that answers.'),
  system: z.string().max(PROMPT_CHARACTERS_MAX).optional().describe('The system prompt.'),
  tools: z.array(anyJson).max(128).optional().describe('The tools that the model was given.'),
  attributes: attributesSchema
    .optional()
    .describe('What else the answer depends on, such as the user, the locale or a temperature.'),
  namespace: namespaceSchema.optional().describe(`\`${NAMESPACE_DEFAULT}\` where it is left out.`),
};

export const storeBody = z
  .strictObject({
    ...identity,
    response: anyJson
      .refine((value) => jsonBytes(value) <= RESPONSE_BYTES_MAX, 'must be at most 256 KiB of JSON')
      .refine(
        (value) => !tellsOfAction(value),
        'names an invocation, an effect or an approval: what an action did is never answered from the cache',
      )
      .describe('What the model answered: a text, or any JSON, to 256 KiB.'),
    ttlSeconds: z
      .int()
      .min(1)
      .max(TTL_SECONDS_MAX)
      .optional()
      .describe(`How long it may be answered: ${TTL_SECONDS_DEFAULT} by default, 30 days at most.`),
  })
  .meta({ id: 'CacheStore' });

export const lookupBody = z
  .strictObject({
    ...identity,
    near: z
      .boolean()
      .optional()
      .describe('Answer near prompts too: those that differ in harmless words alone. Left out: only the same prompt.'),
    threshold: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe(`How alike a near prompt must be, with \`near\`: ${THRESHOLD_DEFAULT} by default.`),
    shadow: z.boolean().optional().describe('Says what it would answer. It is no hit, and is counted as none.'),
  })
  .meta({ id: 'CacheLookup' });

export const flushBody = z.strictObject({
  namespace: namespaceSchema.optional(),
  attributes: attributesSchema.optional().describe('Entries that have these, and perhaps others.'),
});

export const entrySchema = z
  .strictObject({
    id: z.string().meta({ examples: ['cch_01h2x5Zk3vQ9mT7cR4bW8y'] }),
    prompt: z.string(),
    response: anyJson,
    model: z.string().nullable(),
    namespace: z.string(),
    attributes: z.record(z.string(), anyJson),
    hits: z.int().min(0),
    createdAt: z.iso.datetime(),
    expiresAt: z.iso.datetime(),
    lastHitAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'CacheEntry' });

export const listedEntrySchema = entrySchema
  .extend({
    prompt: orShortened(entrySchema.shape.prompt),
    response: orShortened(entrySchema.shape.response),
  })
  .meta({ id: 'ListedCacheEntry' });

export const lookupSchema = z
  .strictObject({
    hit: z.boolean(),
    wouldHit: z.boolean().describe('What `hit` would be without `shadow`.'),
    entry: entrySchema.nullable().describe('What is answered, or with `shadow` would be.'),
    similarity: z.number().nullable().describe('To the nearest prompt; 1 for the same one. Null where there is none.'),
    reason: z
      .enum(['exact', 'near', 'not_exact', 'gated', 'below_threshold', 'empty'])
      .describe('`not_exact`: no entry has the same prompt, and near ones were not asked for.'),
    gate: z.array(z.enum(GATE_REASONS)).describe('What differs from the nearest prompt that is alike enough.'),
  })
  .meta({ id: 'CacheLookupResult' });

export const statsSchema = z
  .strictObject({
    entries: z.int().min(0),
    bytes: z.int().min(0).describe('Prompts and responses together.'),
    hits: z.int().min(0),
    misses: z.int().min(0),
    hitRate: z.number().min(0).max(1),
    gated: z.int().min(0).describe('Misses that were near enough, and that the gate kept back.'),
    tokensSaved: z.int().min(0).describe('An estimate: a quarter of the characters of the answers that were hit.'),
  })
  .meta({ id: 'CacheStats' });

export const entryParams = z.strictObject({ entryId: z.string().min(1).max(100) });

export function presentEntry<Prompt, Response>(
  entry: Omit<CacheEntryRecord, 'prompt' | 'response'> & { prompt: Prompt; response: Response },
) {
  return {
    id: entry.id,
    prompt: entry.prompt,
    response: entry.response,
    model: entry.model,
    namespace: entry.namespace,
    attributes: entry.attributes,
    hits: entry.hits,
    createdAt: entry.createdAt.toISOString(),
    expiresAt: entry.expiresAt.toISOString(),
    lastHitAt: entry.lastHitAt?.toISOString() ?? null,
  };
}
