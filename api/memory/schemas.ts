import { z } from 'zod';
import type { CollectionRecord, MemoryRecord } from '../../db/memory/records.ts';
import type { MemoryJobRecord } from '../../db/memory/jobs.ts';
import { jsonBytes } from '../../domain/json.ts';
import { MEMORY_JOB_KINDS, MEMORY_JOB_STATUSES } from '../../domain/memory/memory-jobs.ts';
import {
  AGENT_ID_CHARACTERS_MAX,
  COLLECTION_DESCRIPTION_CHARACTERS_MAX,
  COLLECTION_NAME_CHARACTERS_MAX,
  CONTENT_CHARACTERS_MAX,
  MEMORY_KINDS,
  METADATA_BYTES_MAX,
  SESSION_ID_CHARACTERS_MAX,
  SOURCE_ID_CHARACTERS_MAX,
  SOURCE_TYPE_CHARACTERS_MAX,
  USER_ID_CHARACTERS_MAX,
} from '../../domain/memory/memories.ts';
import { anyJson } from '../http/common-fields.ts';

const dateTime = z.iso.datetime();
const id = (what: string) => z.string().min(1).max(100).describe(what);

export const collectionParams = z.strictObject({ collectionId: id('Id of the collection, `col_…`.') });
export const memoryParams = z.strictObject({ memoryId: id('Id of the memory, `mem_…`.') });
export const jobParams = z.strictObject({ jobId: id('Id of the job, `job_…`.') });

export const collectionName = z
  .string()
  .trim()
  .min(1)
  .max(COLLECTION_NAME_CHARACTERS_MAX)
  .describe('Unique in its environment.');
export const collectionDescription = z.string().trim().max(COLLECTION_DESCRIPTION_CHARACTERS_MAX).nullable();

export const collectionSchema = z
  .strictObject({
    id: z.string().regex(/^col_/),
    name: z.string(),
    description: z.string().nullable(),
    embedding: z
      .strictObject({ model: z.string(), dimensions: z.int().min(1) })
      .describe('The same for every vector in the collection, from its creation on.'),
    memoryCount: z.int().min(0).describe('Without superseded versions.'),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: 'MemoryCollection' });

export const kindSchema = z
  .enum(MEMORY_KINDS)
  .describe('`fact`: something that holds. `episode`: something that happened.');
export const contentSchema = z.string().trim().min(1).max(CONTENT_CHARACTERS_MAX);
export const userIdSchema = z.string().min(1).max(USER_ID_CHARACTERS_MAX);
export const agentIdSchema = z.string().min(1).max(AGENT_ID_CHARACTERS_MAX);
export const sessionIdSchema = z.string().min(1).max(SESSION_ID_CHARACTERS_MAX);
export const sourceSchema = z
  .strictObject({
    type: z.string().min(1).max(SOURCE_TYPE_CHARACTERS_MAX),
    id: z.string().min(1).max(SOURCE_ID_CHARACTERS_MAX),
  })
  .describe(
    'What it is derived from. Type `memory`: deleting that memory deletes this one. Type `job`: an ingest stored it.',
  )
  .meta({ id: 'MemorySource' });
export const metadataSchema = z
  .record(z.string().min(1).max(100), anyJson)
  .refine((value) => jsonBytes(value) <= METADATA_BYTES_MAX, `must be at most ${METADATA_BYTES_MAX} bytes of JSON`);

export const memorySchema = z
  .strictObject({
    id: z.string().regex(/^mem_/),
    collectionId: z.string().regex(/^col_/),
    kind: kindSchema,
    content: z.string(),
    userId: z.string().nullable(),
    agentId: z.string().nullable(),
    sessionId: z.string().nullable(),
    source: sourceSchema.nullable(),
    metadata: z.record(z.string(), anyJson),
    validFrom: dateTime.describe('From when on it holds.'),
    validTo: dateTime.nullable().describe('Until when, exclusive. Null: no end is known.'),
    createdAt: dateTime.describe('When it was recorded.'),
    supersededBy: z.string().nullable().describe('The next version.'),
    expiresAt: dateTime.nullable().describe('When it is deleted, with its chain and what was derived from it.'),
  })
  .meta({ id: 'Memory' });

export const filterFields = {
  userId: userIdSchema.optional(),
  agentId: agentIdSchema.optional(),
  sessionId: sessionIdSchema.optional(),
  kind: kindSchema.optional(),
};
export const collectionIdsSchema = z.array(z.string().min(1).max(100)).min(1).max(100);
export const filterSchema = z
  .strictObject({
    collectionIds: collectionIdsSchema.optional(),
    ...filterFields,
    source: sourceSchema.partial({ id: true }).optional(),
    metadata: metadataSchema.optional().describe('Members that the metadata has, with these values.'),
  })
  .describe('Every member narrows it.')
  .meta({ id: 'MemoryFilter' });

export const jobSchema = z
  .strictObject({
    id: z.string().regex(/^job_/),
    kind: z.enum(MEMORY_JOB_KINDS),
    collectionId: z.string().nullable(),
    status: z.enum(MEMORY_JOB_STATUSES),
    total: z.int().min(0).nullable().describe('Chunks of an ingest; null until it is split, and for other jobs.'),
    done: z.int().min(0).describe('Chunks that are stored, or memories that are deleted.'),
    error: z
      .strictObject({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why it failed; while it runs, what it waits for.'),
    createdAt: dateTime,
    updatedAt: dateTime,
    endedAt: dateTime.nullable(),
  })
  .meta({ id: 'MemoryJob' });

export function presentCollection({
  createdAt,
  updatedAt,
  ...rest
}: CollectionRecord): z.input<typeof collectionSchema> {
  return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
}

export function presentMemory(memory: MemoryRecord): z.input<typeof memorySchema> {
  const { validFrom, validTo, createdAt, expiresAt, ...rest } = memory;
  return {
    ...rest,
    validFrom: validFrom.toISOString(),
    validTo: validTo?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

export function presentMemoryJob(job: MemoryJobRecord): z.input<typeof jobSchema> {
  const { id: jobId, kind, collectionId, status, total, done, error, createdAt, updatedAt, endedAt } = job;
  return {
    id: jobId,
    kind,
    collectionId,
    status,
    total,
    done,
    error,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
  };
}
