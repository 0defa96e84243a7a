import { z } from 'zod';
import { holdCollection } from '../../db/memory/collections.ts';
import { createMemoryJob, getMemoryJob, type IngestInput } from '../../db/memory/jobs.ts';
import { getSession } from '../../db/sessions/get-session.ts';
import { notFound, validationError } from '../../domain/errors.ts';
import { CHUNK_METADATA, CHUNKS_MAX, INGEST_MESSAGES_MAX, SESSION_BYTES_MAX } from '../../domain/memory/memory-jobs.ts';
import {
  CHUNK_CHARACTERS_DEFAULT,
  CHUNK_CHARACTERS_MAX,
  CHUNK_CHARACTERS_MIN,
} from '../../domain/memory/split-text.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireAlso } from '../http/identify.ts';
import { rememberedInstant } from '../http/instant.ts';
import { admitMemoryOperation, MEMORY_OPERATION_ERRORS } from './admit-operation.ts';
import { wakeMemoryJobOf } from './job-workflows.ts';
import {
  agentIdSchema,
  jobParams,
  jobSchema,
  kindSchema,
  metadataSchema,
  presentMemoryJob,
  sessionIdSchema,
  userIdSchema,
} from './schemas.ts';

/** Bounds the whole request. */
const INGEST_BYTES_MAX = 4 * 1024 * 1024;
const LOOK_AGAIN_SECONDS = 2;

const messageSchema = z
  .strictObject({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    content: z.string(),
    name: z.string().min(1).max(200).optional(),
  })
  .meta({ id: 'IngestedMessage' });

const ingestBody = z
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

export const ingestMemoriesRoute = defineRoute({
  id: 'memory.ingest',
  method: 'POST',
  path: '/api/v2/memory/ingest',
  summary: 'Split, embed and store a text, messages or a session',
  description:
    'A job: 202, and `GET /api/v2/memory/jobs/{jobId}` shows its progress. Each chunk becomes one memory, whatever fails on the way. The job is one memory operation. A session needs `sessions:read` as well, and has at most 8 MiB of messages.',
  scope: 'memory:write',
  role: 'member',
  request: { body: ingestBody },
  response: { 202: jobSchema },
  accepted: (data) => ({ location: `/api/v2/memory/jobs/${data.id}`, retryAfterSeconds: LOOK_AGAIN_SECONDS }),
  errors: ['NOT_FOUND', 'CONFLICT', ...MEMORY_OPERATION_ERRORS],
  bodyBytesMax: INGEST_BYTES_MAX,
  openUpload: (deps, workspaceId) => deps.largeBodies.open(workspaceId),
  expensive: true,
  idempotent: true,
  async change(tx, { body, caller, deps }) {
    if (body.sessionId !== undefined) requireAlso(caller, 'sessions:read');
    const { collectionId, expiresAt, kind, userId, agentId, metadata } = body;
    if ((await holdCollection(tx, collectionId)) === null) throw notFound('memory collection');
    if (expiresAt !== null && expiresAt <= new Date()) {
      throw validationError([{ path: 'body.expiresAt', message: 'must be in the future' }]);
    }
    if (body.sessionId !== undefined && (await getSession(tx, body.sessionId)) === null) throw notFound('session');
    const template = {
      kind: kind ?? (body.text === undefined ? ('episode' as const) : ('fact' as const)),
      userId,
      agentId,
      sessionId: body.sessionId ?? null,
      metadata,
      expiresAt: expiresAt?.toISOString() ?? null,
    };
    const job = await createMemoryJob(tx, {
      kind: 'ingest',
      collectionId,
      filter: null,
      template,
      input: inputOf(body),
    });
    await admitMemoryOperation(tx, caller);
    return {
      reply: { status: 202, data: presentMemoryJob(job) },
      audit: 'none: the job is a record of its own, and each of its memories names it',
      after: () => wakeMemoryJobOf(deps, caller, job),
    };
  },
});

function inputOf({ text, messages, sessionId, chunkCharacters }: z.output<typeof ingestBody>): IngestInput {
  const charactersMax = chunkCharacters;
  if (text !== undefined) return { charactersMax, text };
  if (messages !== undefined) return { charactersMax, messages };
  return { charactersMax, sessionId: sessionId ?? '' };
}

export const getMemoryJobRoute = defineRoute({
  id: 'memory.jobs.get',
  method: 'GET',
  path: '/api/v2/memory/jobs/{jobId}',
  summary: 'Get a job of memory, with its progress',
  scope: 'memory:read',
  role: 'member',
  request: { params: jobParams },
  response: { 200: jobSchema },
  errors: ['NOT_FOUND'],
  async read(tx, { params }) {
    const job = await getMemoryJob(tx, params.jobId);
    if (job === null) throw notFound('memory job');
    return presentMemoryJob(job);
  },
});
