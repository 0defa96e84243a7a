import { holdCollection } from '../../db/memory/collections.ts';
import { createMemoryJob, getMemoryJob, type IngestInput } from '../../db/memory/jobs.ts';
import { getSession } from '../../db/sessions/sessions.ts';
import { existing, notFound, validationError } from '../../domain/errors.ts';
import { isLargeBody, readBodyAs } from '../http/bodies.ts';
import { defineRoute } from '../http/define-route.ts';
import { requireAlso } from '../http/rights.ts';
import { admitMemoryOperation, MEMORY_OPERATION_ERRORS } from './admit-operation.ts';
import { type IngestBody, ingestBody } from './ingest-body.ts';
import { wakeMemoryJobOf } from './job-workflows.ts';
import { jobParams, jobSchema, presentMemoryJob } from './schemas.ts';

const INGEST_BYTES_MAX = 4 * 1024 * 1024;
const LOOK_AGAIN_SECONDS = 2;

export const ingestMemoriesRoute = defineRoute({
  of: 'environment',
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
  errors: ['CONFLICT', ...MEMORY_OPERATION_ERRORS],
  bodyBytesMax: INGEST_BYTES_MAX,
  openUpload: (deps, workspaceId) => deps.largeBodies.open(workspaceId),
  async readBody(bytes, deps, workspaceId) {
    if (!isLargeBody(bytes)) return readBodyAs(ingestBody, bytes);
    const { body, digest } = await deps.bodyThreads.run(workspaceId, { kind: 'ingest', bytes });
    return { body: body as IngestBody, digest };
  },
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

function inputOf({ text, messages, sessionId, chunkCharacters }: IngestBody): IngestInput {
  const charactersMax = chunkCharacters;
  if (text !== undefined) return { charactersMax, text };
  if (messages !== undefined) return { charactersMax, messages };
  return { charactersMax, sessionId: sessionId ?? '' };
}

export const getMemoryJobRoute = defineRoute({
  of: 'environment',
  id: 'memory.jobs.get',
  method: 'GET',
  path: '/api/v2/memory/jobs/{jobId}',
  summary: 'Get a job of memory, with its progress',
  scope: 'memory:read',
  role: 'member',
  request: { params: jobParams },
  response: { 200: jobSchema },
  read: async (tx, { params }) => presentMemoryJob(existing(await getMemoryJob(tx, params.jobId), 'memory job')),
});
