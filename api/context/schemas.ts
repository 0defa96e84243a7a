import { z } from 'zod';
import {
  type AssembledContext,
  CONTEXT_FORMATS,
  MAX_TOKENS_DEFAULT,
  MAX_TOKENS_MAX,
  MAX_TOKENS_MIN,
} from '../../domain/context/assemble.ts';
import { QUERY_CHARACTERS_MAX, SEARCH_LIMIT_DEFAULT, SEARCH_LIMIT_MAX } from '../../domain/memory/memories.ts';
import { collectionIdsSchema, userIdSchema } from '../memory/schemas.ts';
import { anyJson } from '../http/common-fields.ts';

export const formatSchema = z
  .enum(CONTEXT_FORMATS)
  .describe(
    '`openai`: messages of Chat Completions. `anthropic`: `system` and messages of the Messages API. `text`: one text.',
  );

const TOKENS_TEXT = `The budget, in tokens of o200k_base. ${MAX_TOKENS_DEFAULT} where it is left out.`;

export const contextQuery = z.strictObject({
  maxTokens: z.coerce
    .number()
    .int()
    .min(MAX_TOKENS_MIN)
    .max(MAX_TOKENS_MAX)
    .default(MAX_TOKENS_DEFAULT)
    .describe(TOKENS_TEXT),
  format: formatSchema.default('openai'),
});

export const contextBody = z
  .strictObject({
    sessionId: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('The session that the messages come from. Name it, or `memory`, or both.'),
    query: z
      .string()
      .trim()
      .min(1)
      .max(QUERY_CHARACTERS_MAX)
      .optional()
      .describe('The text that memory is searched for; needed with `memory`.'),
    memory: z
      .strictObject({
        collectionIds: collectionIdsSchema.optional(),
        userId: userIdSchema.optional(),
        limit: z.int().min(1).max(SEARCH_LIMIT_MAX).default(SEARCH_LIMIT_DEFAULT),
      })
      .optional()
      .describe('Searches memory, which needs `memory:read` and is one memory operation.'),
    maxTokens: z.int().min(MAX_TOKENS_MIN).max(MAX_TOKENS_MAX).default(MAX_TOKENS_DEFAULT).describe(TOKENS_TEXT),
    format: formatSchema.default('openai'),
  })
  .superRefine(({ sessionId, query, memory }, context) => {
    if (sessionId === undefined && memory === undefined) {
      context.addIssue({ code: 'custom', path: ['sessionId'], message: 'is needed, or memory' });
    }
    if ((query === undefined) !== (memory === undefined)) {
      context.addIssue({ code: 'custom', path: ['query'], message: 'and memory need each other' });
    }
  })
  .meta({ id: 'AssembleContext' });

const count = z.int().min(0);
const rest = {
  tokens: count.describe(
    'Those of the whole: the text, or the messages (and `system`) as JSON. Never more than `maxTokens`.',
  ),
  included: z
    .array(
      z.strictObject({
        source: z.enum(['session', 'memory']),
        id: z.string().describe('Id of the message or of the memory.'),
        tokens: count.describe('Its own, without the frame of the format.'),
        score: z.number().nullable().describe('How well a memory fits the query; null for a message.'),
      }),
    )
    .describe('What it is made of, in its order.')
    .meta({ id: 'ContextParts' }),
  dropped: z
    .strictObject({
      messages: count.describe(
        'Messages of the session that are not in it: older ones, and calls without all of their results.',
      ),
      memories: count.describe('Memories that were found and did not fit.'),
    })
    .describe('What was left out.')
    .meta({ id: 'ContextDropped' }),
};
const message = z.record(z.string(), anyJson);

export const contextSchema = z
  .discriminatedUnion('format', [
    z.strictObject({ format: z.literal('openai'), messages: z.array(message), ...rest }),
    z.strictObject({ format: z.literal('anthropic'), system: z.string(), messages: z.array(message), ...rest }),
    z.strictObject({ format: z.literal('text'), text: z.string(), ...rest }),
  ])
  .meta({ id: 'Context' });

type Fitting = Extract<AssembledContext, { fits: true }>;

export function presentContext({ context, tokens, included, dropped }: Fitting): z.input<typeof contextSchema> {
  return { ...context, tokens, included, dropped } as z.input<typeof contextSchema>;
}
