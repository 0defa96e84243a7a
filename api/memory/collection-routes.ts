import { z } from 'zod';
import {
  createCollection,
  getCollection,
  listCollections,
  lockCollection,
  markCollectionDeleted,
  updateCollection,
} from '../../db/memory/collections.ts';
import { forgetMemories } from '../../db/memory/deletion.ts';
import { createMemoryJob } from '../../db/memory/jobs.ts';
import { existing } from '../../domain/errors.ts';
import { COLLECTION_NAME_CHARACTERS_MAX, FORGOTTEN_AT_ONCE_MAX } from '../../domain/memory/memories.ts';
import { presented } from '../http/common-fields.ts';
import { defineRoute } from '../http/define-route.ts';
import { wakeMemoryJobOf } from './job-workflows.ts';
import {
  collectionDescription,
  collectionName,
  collectionParams,
  collectionSchema,
  presentCollection,
} from './schemas.ts';

const NO_SUCH = 'memory collection';

export const listCollectionsRoute = defineRoute({
  of: 'environment',
  id: 'memory.collections.list',
  method: 'GET',
  path: '/api/v2/memory/collections',
  summary: 'List collections of memories, newest first',
  scope: 'memory:read',
  role: 'member',
  request: {
    query: z.strictObject({
      name: z.string().min(1).max(COLLECTION_NAME_CHARACTERS_MAX).optional().describe('The name, exactly.'),
    }),
  },
  response: { 200: z.array(collectionSchema) },
  list: async (tx, { query, page }) => presented(await listCollections(tx, { ...query, ...page }), presentCollection),
});

export const createCollectionRoute = defineRoute({
  of: 'environment',
  id: 'memory.collections.create',
  method: 'POST',
  path: '/api/v2/memory/collections',
  summary: 'Create a collection of memories',
  description:
    'Its vectors are of the model that the installation has now, for good. Where the embeddings are away the answer is 503.',
  scope: 'memory:write',
  role: 'member',
  request: {
    body: z.strictObject({ name: collectionName, description: collectionDescription.default(null) }),
  },
  response: { 201: collectionSchema },
  errors: ['CONFLICT', 'QUOTA_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  idempotent: true,
  prepare: ({ caller, deps }) => deps.embedder.model({ workspaceId: caller.tenant.workspaceId }),
  async change(tx, { body }, embedding) {
    const collection = await createCollection(tx, { ...body, embedding });
    return {
      reply: { status: 201, data: presentCollection(collection) },
      audit: {
        action: 'memory_collection.created',
        target: { type: 'memory_collection', id: collection.id },
        details: { name: collection.name },
      },
    };
  },
});

export const getCollectionRoute = defineRoute({
  of: 'environment',
  id: 'memory.collections.get',
  method: 'GET',
  path: '/api/v2/memory/collections/{collectionId}',
  summary: 'Get a collection of memories',
  scope: 'memory:read',
  role: 'member',
  request: { params: collectionParams },
  response: { 200: collectionSchema },
  read: async (tx, { params }) => presentCollection(existing(await getCollection(tx, params.collectionId), NO_SUCH)),
});

export const updateCollectionRoute = defineRoute({
  of: 'environment',
  id: 'memory.collections.update',
  method: 'PATCH',
  path: '/api/v2/memory/collections/{collectionId}',
  summary: 'Change the name or the description of a collection',
  scope: 'memory:write',
  role: 'member',
  request: {
    params: collectionParams,
    body: z
      .strictObject({ name: collectionName.optional(), description: collectionDescription.optional() })
      .refine((body) => Object.keys(body).length > 0, 'must change something'),
  },
  response: { 200: collectionSchema },
  errors: ['CONFLICT'],
  idempotent: true,
  async change(tx, { params: { collectionId }, body }) {
    const collection = existing(await updateCollection(tx, collectionId, body), NO_SUCH);
    return {
      reply: { status: 200, data: presentCollection(collection) },
      audit: {
        action: 'memory_collection.updated',
        target: { type: 'memory_collection', id: collectionId },
        details: { name: collection.name },
      },
    };
  },
});

export const deleteCollectionRoute = defineRoute({
  of: 'environment',
  id: 'memory.collections.delete',
  method: 'DELETE',
  path: '/api/v2/memory/collections/{collectionId}',
  summary: 'Delete a collection and its memories',
  description:
    'From the 200 on nobody sees the collection, its memories, or what was derived from them there. A large one is deleted in steps behind that.',
  scope: 'memory:write',
  role: 'admin',
  request: { params: collectionParams },
  response: { 200: z.strictObject({ message: z.string() }) },
  errors: ['SERVICE_UNAVAILABLE'],
  idempotent: true,
  async change(tx, { params: { collectionId }, caller, deps }) {
    const collection = existing(await lockCollection(tx, collectionId), NO_SUCH);
    await markCollectionDeleted(tx, collectionId);
    const wanted = { collectionIds: [collectionId], filter: {} };
    const { deleted } = await forgetMemories(tx, wanted, { until: null, most: FORGOTTEN_AT_ONCE_MAX });
    const job = await createMemoryJob(tx, { kind: 'delete', collectionId, filter: null, template: null, input: null });
    return {
      reply: { status: 200, data: { message: `The collection "${collection.name}" and its memories are deleted.` } },
      audit: {
        action: 'memory_collection.deleted',
        target: { type: 'memory_collection', id: collectionId },
        details: { name: collection.name, memoriesDeletedAtOnce: deleted },
      },
      after: () => wakeMemoryJobOf(deps, caller, job),
    };
  },
});
