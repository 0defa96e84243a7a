import { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { ensureDefaultCollection, getCollection, holdCollection } from '../../db/memory/collections.ts';
import { getMemory } from '../../db/memory/queries.ts';
import { checkSupersedable, lockChain, storeMemories, supersedeMemory } from '../../db/memory/changes.ts';
import type { MemoryRecord } from '../../db/memory/records.ts';
import { type Embedded, refuseOtherModel } from '../../domain/embeddings/embedder.ts';
import { existing, notFound, validationError } from '../../domain/errors.ts';
import { DERIVED_FROM_MEMORY } from '../../domain/memory/memories.ts';
import { defineRoute } from '../http/define-route.ts';
import { rememberedInstant } from '../http/common-fields.ts';
import { admitMemoryOperation, MEMORY_OPERATION_ERRORS } from './admit-operation.ts';
import {
  agentIdSchema,
  contentSchema,
  kindSchema,
  memoryParams,
  memorySchema,
  metadataSchema,
  presentMemory,
  sessionIdSchema,
  sourceSchema,
  userIdSchema,
} from './schemas.ts';

const validFrom = rememberedInstant
  .optional()
  .describe('From when on it holds: now, where it is left out. May be past or future.');

export const storeFields = z.strictObject({
  collectionId: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Left out: the collection named `default`, which is made when it is first used.'),
  kind: kindSchema.default('fact'),
  content: contentSchema,
  userId: userIdSchema.nullable().default(null),
  agentId: agentIdSchema.nullable().default(null),
  sessionId: sessionIdSchema.nullable().default(null),
  source: sourceSchema.nullable().default(null),
  metadata: metadataSchema.default({}),
  validFrom,
  validTo: rememberedInstant.nullable().optional().describe('Until when it holds, exclusive.'),
  expiresAt: rememberedInstant.nullable().default(null).describe('When it is to be deleted.'),
});

const storeBody = storeFields
  .superRefine(({ validFrom: from, validTo }, context) => {
    if (validTo === undefined || validTo === null || validTo > (from ?? new Date())) return;
    context.addIssue({ code: 'custom', path: ['validTo'], message: 'must be after validFrom' });
  })
  .meta({ id: 'StoreMemoryRequest' });

export const storeMemoryRoute = defineRoute({
  of: 'environment',
  id: 'memory.create',
  method: 'POST',
  path: '/api/v2/memory',
  summary: 'Remember something',
  description: 'Where the embeddings are away the answer is 503, and nothing is stored.',
  scope: 'memory:write',
  role: 'member',
  request: { body: storeBody },
  response: { 201: memorySchema },
  errors: [...MEMORY_OPERATION_ERRORS],
  expensive: true,
  idempotent: true,
  async admit(tx, { body, caller }) {
    const { collectionId, expiresAt } = body;
    if (collectionId !== undefined && (await getCollection(tx, collectionId)) === null)
      throw notFound('memory collection');
    if (expiresAt !== null && expiresAt <= new Date()) throw mustExpireLater();
    await holdSource(tx, body);
    await admitMemoryOperation(tx, caller);
  },
  prepare: ({ body, caller, deps }) => deps.embedder.embed([body.content], { workspaceId: caller.tenant.workspaceId }),
  async change(tx, { body }, embedded) {
    const { collectionId: named, validFrom: from, validTo, ...rest } = body;
    const collectionId = await heldCollection(tx, named, embedded);
    await holdSource(tx, body);
    const memory = { ...rest, validFrom: from ?? null, validTo: validTo ?? null, vector: onlyVector(embedded) };
    const [id] = await storeMemories(tx, collectionId, [memory]);
    return {
      reply: { status: 201, data: presentMemory(await getStored(tx, id)) },
      audit: 'none: a memory is a record of its own, with its history',
    };
  },
});

/** Locks the source memory until the commit. @throws {ServiceError} VALIDATION_ERROR when it is missing. */
async function holdSource(tx: EnvironmentTransaction, { source }: z.output<typeof storeFields>): Promise<void> {
  if (source?.type !== DERIVED_FROM_MEMORY || (await lockChain(tx, source.id, 'derive')) !== null) return;
  throw validationError([{ path: 'body.source.id', message: 'names no memory of this environment' }]);
}

/** Locks the named or default collection until the commit, and requires its model. */
async function heldCollection(
  tx: EnvironmentTransaction,
  named: string | undefined,
  embedded: Embedded,
): Promise<string> {
  const { model, dimensions } = embedded;
  const collectionId = named ?? (await ensureDefaultCollection(tx, { model, dimensions }));
  const expected = existing(await holdCollection(tx, collectionId), 'memory collection');
  refuseOtherModel(expected, embedded);
  return collectionId;
}

const supersedeBody = z
  .strictObject({
    content: contentSchema.optional(),
    kind: kindSchema.optional(),
    metadata: metadataSchema.optional().describe('All of it.'),
    validFrom,
    validTo: rememberedInstant
      .nullable()
      .optional()
      .describe('Left out: as before, where that lies ahead of `validFrom`.'),
    expiresAt: rememberedInstant.nullable().optional().describe('When the whole chain is to be deleted.'),
  })
  .refine((body) => Object.keys(body).length > 0, 'must change something')
  .meta({ id: 'SupersedeMemoryRequest' });

export const supersedeMemoryRoute = defineRoute({
  of: 'environment',
  id: 'memory.supersede',
  method: 'PATCH',
  path: '/api/v2/memory/{memoryId}',
  summary: 'Record a new version of a memory',
  description:
    'Nothing is overwritten: the answer is the new memory, and the one before it stays readable, with its end. What is left out is as before. A memory that is superseded already answers 409.',
  scope: 'memory:write',
  role: 'member',
  request: { params: memoryParams, body: supersedeBody },
  response: { 200: memorySchema },
  errors: ['CONFLICT', ...MEMORY_OPERATION_ERRORS],
  expensive: true,
  idempotent: true,
  async admit(tx, { params: { memoryId }, caller }) {
    await checkSupersedable(tx, memoryId);
    await admitMemoryOperation(tx, caller);
  },
  prepare: ({ body, caller, deps }) =>
    body.content === undefined
      ? Promise.resolve(null)
      : deps.embedder.embed([body.content], { workspaceId: caller.tenant.workspaceId }),
  async change(tx, { params: { memoryId }, body }, embedded) {
    const id = await supersedeMemory(tx, memoryId, body, embedded);
    return {
      reply: { status: 200, data: presentMemory(await getStored(tx, id)) },
      audit: 'none: the history of the memory has both versions',
    };
  },
});

export async function getStored(tx: EnvironmentTransaction, id: string | undefined): Promise<MemoryRecord> {
  const memory = id === undefined ? null : await getMemory(tx, id);
  if (memory === null) throw mustExpireLater();
  return memory;
}

const mustExpireLater = () => validationError([{ path: 'body.expiresAt', message: 'must be in the future' }]);

export function onlyVector({ vectors }: Embedded): Float32Array {
  const [vector] = vectors;
  if (vector === undefined) throw new Error('a text was embedded without a vector');
  return vector;
}
