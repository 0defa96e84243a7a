import { z } from 'zod';
import { deleteMemories } from '../../db/memory/delete-memories.ts';
import { forgetMemories } from '../../db/memory/forget-memories.ts';
import { forgetUnstored } from '../../db/memory/forget-unstored.ts';
import { getMemory } from '../../db/memory/get-memory.ts';
import { createMemoryJob } from '../../db/memory/jobs.ts';
import { notFound } from '../../domain/errors.ts';
import type { JsonObject } from '../../domain/json.ts';
import { FORGOTTEN_AT_ONCE_MAX } from '../../domain/memory/memories.ts';
import { defineRoute } from '../http/define-route.ts';
import { wakeMemoryJobOf } from './job-workflows.ts';
import { namedCollections } from './read-memories.ts';
import { filterSchema, jobSchema, memoryParams, presentMemoryJob } from './schemas.ts';

const deletedSchema = z.strictObject({
  deleted: z.int().min(0).describe('Memories: every version of each, and what was derived from them.'),
});

export const deleteMemoryRoute = defineRoute({
  id: 'memory.delete',
  method: 'DELETE',
  path: '/api/v2/memory/{memoryId}',
  summary: 'Delete a memory, with its history and what was derived from it',
  scope: 'memory:write',
  role: 'member',
  request: { params: memoryParams },
  response: { 200: deletedSchema },
  errors: ['NOT_FOUND'],
  idempotent: true,
  async change(tx, { params: { memoryId } }) {
    const memory = await getMemory(tx, memoryId);
    const deleted = memory === null ? 0 : await deleteMemories(tx, [memoryId]);
    // 0: another request has deleted it meanwhile.
    if (deleted === 0) throw notFound('memory');
    return {
      reply: { status: 200, data: { deleted } },
      audit: {
        action: 'memory.deleted',
        target: { type: 'memory', id: memoryId },
        details: { deleted },
      },
    };
  },
});

export const forgetMemoriesRoute = defineRoute({
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
      filter: filterSchema.refine((filter) => Object.keys(filter).length > 0, 'must name something'),
    }),
  },
  response: { 200: deletedSchema, 202: jobSchema },
  accepted: (data) => ({ location: `/api/v2/memory/jobs/${'id' in data ? data.id : ''}`, retryAfterSeconds: 2 }),
  errors: ['NOT_FOUND'],
  idempotent: true,
  async change(tx, { body: { filter }, caller, deps }) {
    const { collectionIds: named, ...rest } = filter;
    const collectionIds = (await namedCollections(tx, named)).map(({ id }) => id);
    await forgetUnstored(tx, collectionIds, rest);
    const most = FORGOTTEN_AT_ONCE_MAX;
    const { deleted, found } = await forgetMemories(tx, { collectionIds, filter: rest }, { until: null, most });
    const audited = (target: { type: string; id: string }) => ({
      action: 'memories.forgotten' as const,
      target,
      details: { filter: JSON.parse(JSON.stringify(filter)) as JsonObject, deleted },
    });
    if (found < most) {
      const audit = audited({ type: 'environment', id: caller.environment.id });
      return { reply: { status: 200, data: { deleted } }, audit };
    }
    const whole = { ...rest, collectionIds };
    const job = await createMemoryJob(tx, {
      kind: 'forget',
      collectionId: null,
      filter: whole,
      template: null,
      input: null,
    });
    return {
      reply: { status: 202, data: presentMemoryJob(job) },
      audit: audited({ type: 'memory_job', id: job.id }),
      after: () => wakeMemoryJobOf(deps, caller, job),
    };
  },
});
