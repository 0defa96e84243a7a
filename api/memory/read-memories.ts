import { z } from 'zod';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { findCollections, type SearchedCollection } from '../../db/memory/collections.ts';
import { getMemory, listMemories, listMemoryVersions } from '../../db/memory/queries.ts';
import { existing, notFound, validationError } from '../../domain/errors.ts';
import { type MemoryFilter, METADATA_BYTES_MAX } from '../../domain/memory/memories.ts';
import { defineRoute } from '../http/define-route.ts';
import { presented, queryBoolean, rememberedFilterInstant } from '../http/common-fields.ts';
import { parseJsonText } from '../http/json-text.ts';
import { validatePart } from '../http/validate-request.ts';
import {
  collectionIdsSchema,
  filterFields,
  filterSchema,
  memoryParams,
  memorySchema,
  presentMemory,
} from './schemas.ts';

export const asOfSchema = rememberedFilterInstant.describe(
  'As it was recorded then and held then. Not with `validAt`.',
);
export const validAtSchema = rememberedFilterInstant.describe(
  'What held then, as it is recorded now. Not with `asOf`.',
);

export function refuseBothMoments(
  part: 'query' | 'body',
  { asOf, validAt }: { asOf?: unknown; validAt?: unknown },
): void {
  if (asOf === undefined || validAt === undefined) return;
  throw validationError([{ path: `${part}.validAt`, message: 'cannot stand beside asOf' }]);
}

/** @throws {ServiceError} NOT_FOUND for a missing one. */
export async function namedCollections(
  tx: EnvironmentTransaction,
  ids: readonly string[] | undefined,
): Promise<SearchedCollection[]> {
  const found = await findCollections(tx, ids ?? null);
  if (ids !== undefined && ids.some((id) => found.every((one) => one.id !== id))) throw notFound('memory collection');
  return found;
}

const idsAfterCommas = z
  .union([z.string(), z.array(z.string())])
  .transform((given) => [given].flat().flatMap((text) => text.split(',')))
  .pipe(collectionIdsSchema)
  .optional()
  .describe('Ids of collections, after commas. Left out: every collection of the environment.');

interface ListedFilter extends Pick<MemoryFilter, 'userId' | 'agentId' | 'sessionId' | 'kind'> {
  sourceType?: string | undefined;
  sourceId?: string | undefined;
  metadata?: string | undefined;
}

function filterOf(query: ListedFilter): MemoryFilter {
  const { userId, agentId, sessionId, kind, sourceType, sourceId, metadata } = query;
  if (sourceId !== undefined && sourceType === undefined) {
    throw validationError([{ path: 'query.sourceId', message: 'needs sourceType' }]);
  }
  const filter = {
    userId,
    agentId,
    sessionId,
    kind,
    source: sourceType === undefined ? undefined : { type: sourceType, id: sourceId },
    metadata: metadata === undefined ? undefined : parseJsonText(metadata, { path: 'query.metadata' }),
  };
  return validatePart('query', filterSchema, filter) as z.output<typeof filterSchema>;
}

export const listMemoriesRoute = defineRoute({
  of: 'environment',
  id: 'memory.list',
  method: 'GET',
  path: '/api/v2/memory',
  summary: 'List memories, the one recorded last first',
  description: 'Superseded versions are left out, unless `includeSuperseded=true`, `asOf` or `validAt` asks for them.',
  scope: 'memory:read',
  role: 'member',
  request: {
    query: z.strictObject({
      collectionIds: idsAfterCommas,
      ...filterFields,
      sourceType: z.string().min(1).max(60).optional(),
      sourceId: z.string().min(1).max(200).optional().describe('Needs `sourceType`.'),
      metadata: z
        .string()
        .max(METADATA_BYTES_MAX)
        .optional()
        .describe('A JSON object: members that the metadata has, with these values.'),
      includeSuperseded: queryBoolean.optional(),
      asOf: asOfSchema.optional(),
      validAt: validAtSchema.optional(),
    }),
  },
  response: { 200: z.array(memorySchema) },
  async list(tx, { query, page }) {
    const { collectionIds, asOf, validAt, includeSuperseded = false } = query;
    refuseBothMoments('query', query);
    const filter = filterOf(query);
    const collections = await namedCollections(tx, collectionIds);
    const moments = asOf === undefined && validAt === undefined ? null : { asOf, validAt };
    const wanted = { collectionIds: collections.map(({ id }) => id), filter, moment: moments, includeSuperseded };
    return presented(await listMemories(tx, wanted, page), presentMemory);
  },
});

export const getMemoryRoute = defineRoute({
  of: 'environment',
  id: 'memory.get',
  method: 'GET',
  path: '/api/v2/memory/{memoryId}',
  summary: 'Get a memory',
  description: 'A superseded version too: `supersededBy` names the next one.',
  scope: 'memory:read',
  role: 'member',
  request: { params: memoryParams },
  response: { 200: memorySchema },
  read: async (tx, { params }) => presentMemory(existing(await getMemory(tx, params.memoryId), 'memory')),
});

export const memoryHistoryRoute = defineRoute({
  of: 'environment',
  id: 'memory.history',
  method: 'GET',
  path: '/api/v2/memory/{memoryId}/history',
  summary: 'List all versions of a memory, the one recorded last first',
  description: 'The answer is the same for the id of every version in the chain.',
  scope: 'memory:read',
  role: 'member',
  request: { params: memoryParams },
  response: { 200: z.array(memorySchema) },
  async list(tx, { params, page }) {
    const versions = existing(await listMemoryVersions(tx, params.memoryId, page), 'memory');
    return { items: versions.items.map(presentMemory), total: versions.total };
  },
});
