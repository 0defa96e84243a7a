import { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { deleteMemories, forgetMemories, forgetUnstored } from '../../db/memory/deletion.ts';
import { expireMemory } from '../../db/memory/changes.ts';
import { getMemory } from '../../db/memory/queries.ts';
import { createMemoryJob, type MemoryJobRecord } from '../../db/memory/jobs.ts';
import { existing, notFound } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ForgetFilter } from '../../domain/memory/memory-jobs.ts';
import { FORGOTTEN_AT_ONCE_MAX } from '../../domain/memory/memories.ts';
import { defineRoute } from '../http/define-route.ts';
import { wakeMemoryJobOf } from './job-workflows.ts';
import { namedCollections } from './read-memories.ts';
import { filterSchema, jobSchema, memoryParams, presentMemoryJob } from './schemas.ts';

const deletedSchema = z.strictObject({
  deleted: z.int().min(0).describe('Memories: every version of each, and what was derived from them.'),
});

const jobAccepted = (data: z.input<typeof deletedSchema> | z.input<typeof jobSchema>) => ({
  location: `/api/v2/memory/jobs/${'id' in data ? data.id : ''}`,
  retryAfterSeconds: 2,
});

export const deleteMemoryRoute = defineRoute({
  of: 'environment',
  id: 'memory.delete',
  method: 'DELETE',
  path: '/api/v2/memory/{memoryId}',
  summary: 'Delete a memory, with its history and what was derived from it',
  description:
    '200: all of it is gone. 202: more than 1,000 were derived from it, and a job deletes them; the memory itself is gone at once.',
  scope: 'memory:write',
  role: 'member',
  request: { params: memoryParams },
  response: { 200: deletedSchema, 202: jobSchema },
  accepted: jobAccepted,
  idempotent: true,
  async change(tx, { params: { memoryId }, caller, deps }) {
    const memory = existing(await getMemory(tx, memoryId), 'memory');
    const { deleted, isWhole } = await deleteMemories(tx, [memoryId], FORGOTTEN_AT_ONCE_MAX);
    const audit = {
      action: 'memory.deleted' as const,
      target: { type: 'memory', id: memoryId },
      details: { deleted },
    };
    if (isWhole) {
      // Another request deleted it meanwhile.
      if (deleted === 0) throw notFound('memory');
      return { reply: { status: 200, data: { deleted } }, audit };
    }
    await expireMemory(tx, memoryId);
    const job = await createForgetting(tx, { collectionIds: [memory.collectionId], memoryId });
    return {
      reply: { status: 202, data: presentMemoryJob(job) },
      audit,
      after: () => wakeMemoryJobOf(deps, caller, job),
    };
  },
});

/** Empty metadata match any metadata. */
function narrows({ metadata = {}, ...rest }: z.output<typeof filterSchema>): boolean {
  return Object.keys(rest).length > 0 || Object.keys(metadata).length > 0;
}

function createForgetting(tx: EnvironmentTransaction, filter: ForgetFilter): Promise<MemoryJobRecord> {
  return createMemoryJob(tx, { kind: 'forget', collectionId: null, filter, template: null, input: null });
}

export const forgetMemoriesRoute = defineRoute({
  of: 'environment',
  id: 'memory.forget',
  method: 'POST',
  path: '/api/v2/memory/forget',
  summary: 'Forget what a filter finds, with its history and what was derived from it',
  description:
    'Where any version matches, the whole chain goes, and so does what an ingest under way has not stored yet. 200: all of it is gone. 202: it is more than 1,000 memories, and a job deletes the rest.',
  scope: 'memory:write',
  role: 'admin',
  request: {
    body: z.strictObject({
      filter: filterSchema.refine(narrows, 'must name something: an empty metadata finds everything'),
    }),
  },
  response: { 200: deletedSchema, 202: jobSchema },
  accepted: jobAccepted,
  idempotent: true,
  async change(tx, { body: { filter }, caller, deps }) {
    const { collectionIds: named, ...rest } = filter;
    const collectionIds = (await namedCollections(tx, named)).map(({ id }) => id);
    await forgetUnstored(tx, collectionIds, rest);
    const bounds = { until: null, most: FORGOTTEN_AT_ONCE_MAX };
    const { deleted, isWhole } = await forgetMemories(tx, { collectionIds, filter: rest }, bounds);
    const audited = (target: { type: string; id: string }) => ({
      action: 'memories.forgotten' as const,
      target,
      details: { filter: JSON.parse(JSON.stringify(filter)) as JsonObject, deleted },
    });
    if (isWhole) {
      const audit = audited({ type: 'environment', id: caller.environment.id });
      return { reply: { status: 200, data: { deleted } }, audit };
    }
    const job = await createForgetting(tx, { ...rest, collectionIds });
    return {
      reply: { status: 202, data: presentMemoryJob(job) },
      audit: audited({ type: 'memory_job', id: job.id }),
      after: () => wakeMemoryJobOf(deps, caller, job),
    };
  },
});
