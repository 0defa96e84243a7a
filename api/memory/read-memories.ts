import { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { findCollections, type SearchedCollection } from '../../db/memory/collections.ts';
import { getMemory } from '../../db/memory/get-memory.ts';
import { listMemories } from '../../db/memory/list-memories.ts';
import { listMemoryVersions } from '../../db/memory/list-versions.ts';
import { notFound, validationError } from '../../domain/errors.ts';
import { defineRoute } from '../http/define-route.ts';
import { queryBoolean } from '../http/pagination.ts';
import { filterFields, memoryParams, memorySchema, moment, presentMemory } from './schemas.ts';

export const asOfSchema = moment.describe('As it was recorded then and held then. Not with `validAt`.');
export const validAtSchema = moment.describe('What held then, as it is recorded now. Not with `asOf`.');

/** Both at once would ask for two moments. */
export function refuseBothMoments(
  part: 'query' | 'body',
  { asOf, validAt }: { asOf?: unknown; validAt?: unknown },
): void {
  if (asOf === undefined || validAt === undefined) return;
  throw validationError([{ path: `${part}.validAt`, message: 'cannot stand beside asOf' }]);
}

/** @throws {ServiceError} NOT_FOUND where one that is named is not there. */
export async function namedCollections(
  tx: EnvironmentTransaction,
  ids: readonly string[] | undefined,
): Promise<SearchedCollection[]> {
  const found = await findCollections(tx, ids ?? null);
  if (ids !== undefined && ids.some((id) => found.every((one) => one.id !== id))) throw notFound('memory collection');
  return found;
}

export const listMemoriesRoute = defineRoute({
  id: 'memory.list',
  method: 'GET',
  path: '/api/v2/memory',
  summary: 'List memories, the one recorded last first',
  description: 'Superseded versions are left out, but for `includeSuperseded=true`, and where a moment is asked for.',
  scope: 'memory:read',
  role: 'member',
  request: {
    query: z.strictObject({
      collectionId: z.string().min(1).max(100).optional(),
      ...filterFields,
      sourceType: z.string().min(1).max(60).optional(),
      sourceId: z.string().min(1).max(200).optional().describe('With `sourceType`.'),
      includeSuperseded: queryBoolean.optional(),
      asOf: asOfSchema.optional(),
      validAt: validAtSchema.optional(),
    }),
  },
  response: { 200: z.array(memorySchema) },
  errors: ['NOT_FOUND'],
  async list(tx, { query, page }) {
    const { collectionId, asOf, validAt, includeSuperseded = false, sourceType, sourceId, ...fields } = query;
    refuseBothMoments('query', query);
    if (sourceId !== undefined && sourceType === undefined) {
      throw validationError([{ path: 'query.sourceId', message: 'needs sourceType' }]);
    }
    const collections = await namedCollections(tx, collectionId === undefined ? undefined : [collectionId]);
    const filter = sourceType === undefined ? fields : { ...fields, source: { type: sourceType, id: sourceId } };
    const moments = asOf === undefined && validAt === undefined ? null : { asOf, validAt };
    const wanted = { collectionIds: collections.map(({ id }) => id), filter, moment: moments, includeSuperseded };
    const { items, total } = await listMemories(tx, wanted, page);
    return { items: items.map(presentMemory), total };
  },
});

export const getMemoryRoute = defineRoute({
  id: 'memory.get',
  method: 'GET',
  path: '/api/v2/memory/{memoryId}',
  summary: 'Get a memory',
  description: 'A superseded version too: `supersededBy` names the next one.',
  scope: 'memory:read',
  role: 'member',
  request: { params: memoryParams },
  response: { 200: memorySchema },
  errors: ['NOT_FOUND'],
  async read(tx, { params }) {
    const memory = await getMemory(tx, params.memoryId);
    if (memory === null) throw notFound('memory');
    return presentMemory(memory);
  },
});

export const memoryHistoryRoute = defineRoute({
  id: 'memory.history',
  method: 'GET',
  path: '/api/v2/memory/{memoryId}/history',
  summary: 'List all versions of a memory, the one recorded last first',
  description: 'The same for every version of the chain.',
  scope: 'memory:read',
  role: 'member',
  request: { params: memoryParams },
  response: { 200: z.array(memorySchema) },
  errors: ['NOT_FOUND'],
  async list(tx, { params, page }) {
    const versions = await listMemoryVersions(tx, params.memoryId, page);
    if (versions === null) throw notFound('memory');
    return { items: versions.items.map(presentMemory), total: versions.total };
  },
});
