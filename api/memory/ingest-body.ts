import { z } from 'zod';
import { CHUNK_METADATA, CHUNKS_MAX, INGEST_MESSAGES_MAX, SESSION_BYTES_MAX } from '../../domain/memory/memory-jobs.ts';
import {
  CHUNK_CHARACTERS_DEFAULT,
  CHUNK_CHARACTERS_MAX,
  CHUNK_CHARACTERS_MIN,
} from '../../domain/memory/split-text.ts';
import { rememberedInstant } from '../http/common-fields.ts';
import { agentIdSchema, kindSchema, metadataSchema, sessionIdSchema, userIdSchema } from './schemas.ts';

const messageSchema = z
  .strictObject({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    content: z.string(),
    name: z.string().min(1).max(200).optional(),
  })
  .meta({ id: 'IngestedMessage' });

export const ingestBody = z
  .strictObject({
    collectionId: z.string().min(1).max(100),
    text: z.string().trim().min(1).optional().describe('Either this, or `messages`, or `sessionId`.'),
    messages: z.array(messageSchema).min(1).max(INGEST_MESSAGES_MAX).optional(),
    sessionId: sessionIdSchema
      .optional()
      .describe(
        `A session of this environment, with all of its messages. The job fails where these are more than ${SESSION_BYTES_MAX / 1024 / 1024} MiB together, images and calls included.`,
      ),
    kind: kindSchema.optional().describe('Left out: `fact` for a text, `episode` for messages.'),
    userId: userIdSchema.nullable().default(null),
    agentId: agentIdSchema.nullable().default(null),
    metadata: metadataSchema
      .default({})
      .describe(
        `Every memory that it stores has them. The job writes ${CHUNK_METADATA.sessionId.join(', ')} by itself.`,
      ),
    expiresAt: rememberedInstant.nullable().default(null),
    chunkCharacters: z
      .int()
      .min(CHUNK_CHARACTERS_MIN)
      .max(CHUNK_CHARACTERS_MAX)
      .default(CHUNK_CHARACTERS_DEFAULT)
      .describe('How long a chunk is at most. It is cut between paragraphs, lines, sentences or words.'),
  })
  .superRefine(({ text, messages, sessionId, metadata, chunkCharacters }, context) => {
    const given = [text, messages, sessionId].filter((one) => one !== undefined);
    if (given.length !== 1) {
      context.addIssue({
        code: 'custom',
        path: ['text'],
        message: 'is needed, or messages, or sessionId: one of them',
      });
    }
    const source = sessionId !== undefined ? 'sessionId' : messages !== undefined ? 'messages' : 'text';
    for (const name of CHUNK_METADATA[source].filter((written) => Object.hasOwn(metadata, written))) {
      context.addIssue({
        code: 'custom',
        path: ['metadata', name],
        message: 'is written by the job: choose another name',
      });
    }
    const most = mostChunks(text, messages, chunkCharacters);
    if (most > CHUNKS_MAX) {
      const message = `may make ${most} chunks, and ${CHUNKS_MAX} are the most: raise it, or send less at once`;
      context.addIssue({ code: 'custom', path: ['chunkCharacters'], message });
    }
  })
  .meta({ id: 'IngestMemoryRequest' });

/** A cut is in the second half of what fits. */
function mostChunks(text = '', messages: readonly { content: string }[] = [], charactersMax: number): number {
  const of = (length: number): number => (length === 0 ? 0 : Math.floor(length / Math.floor(charactersMax / 2)) + 1);
  return of(text.length) + messages.reduce((sum, { content }) => sum + of(content.length), 0);
}

export type IngestBody = z.output<typeof ingestBody>;
