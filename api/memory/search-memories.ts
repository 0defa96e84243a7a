import { z } from 'zod';
import type { Database, EnvironmentTransaction, Tenant } from '../../db/client.ts';
import type { SearchedCollection } from '../../db/memory/collections.ts';
import { matchingMemories } from '../../db/memory/matching-memories.ts';
import { nearestMemories } from '../../db/memory/nearest-memories.ts';
import { readFound } from '../../db/memory/queries.ts';
import type { MemoryRecord } from '../../db/memory/records.ts';
import { type Embedded, refuseOtherModel } from '../../domain/embeddings/embedder.ts';
import {
  type MemoryFilter,
  type MemoryMoment,
  QUERY_CHARACTERS_MAX,
  SEARCH_LIMIT_DEFAULT,
  SEARCH_LIMIT_MAX,
  SEARCH_MODES,
  type SearchMode,
} from '../../domain/memory/memories.ts';
import { type Fused, fuseRanks, type Ranked } from '../../domain/memory/rank-fusion.ts';
import type { ApiDependencies } from '../dependencies.ts';
import { defineRoute } from '../http/define-route.ts';
import { admitMemoryOperation, MEMORY_OPERATION_ERRORS } from './admit-operation.ts';
import { asOfSchema, namedCollections, refuseBothMoments, validAtSchema } from './read-memories.ts';
import { collectionIdsSchema, filterSchema, memorySchema, presentMemory, userIdSchema } from './schemas.ts';
import { onlyVector } from './store-memory.ts';

const place = z
  .strictObject({ rank: z.int().min(1), score: z.number() })
  .nullable()
  .describe('Null: not among the first hundred.');

export const foundSchema = z
  .strictObject({
    memory: memorySchema,
    score: z
      .number()
      .describe('`hybrid`: the fused ranks. `vector`: the cosine. `text`: PostgreSQL’s rank of the words.'),
    why: z.strictObject({ vector: place, text: place }),
  })
  .meta({ id: 'FoundMemory' });

export const searchBody = z
  .strictObject({
    query: z.string().trim().min(1).max(QUERY_CHARACTERS_MAX),
    collectionIds: collectionIdsSchema.optional().describe('Left out: every collection of the environment.'),
    userId: userIdSchema.optional(),
    filter: filterSchema.omit({ collectionIds: true }).optional(),
    limit: z.int().min(1).max(SEARCH_LIMIT_MAX).default(SEARCH_LIMIT_DEFAULT),
    mode: z.enum(SEARCH_MODES).default('hybrid'),
    asOf: asOfSchema.optional(),
    validAt: validAtSchema.optional(),
  })
  .meta({ id: 'SearchMemoryRequest' });

export const searchMemoriesRoute = defineRoute({
  of: 'environment',
  id: 'memory.search',
  method: 'POST',
  path: '/api/v2/memory/search',
  summary: 'Search memories',
  description:
    'Searches by meaning and by words, the best first. Without `asOf` and `validAt` it finds what holds now. `text` needs no embeddings; the others answer 503 where they are away.',
  scope: 'memory:read',
  role: 'member',
  request: { body: searchBody },
  response: { 200: z.array(foundSchema) },
  errors: [...MEMORY_OPERATION_ERRORS],
  ownsItsTransaction:
    'It is counted first, and the search holds no lock of the budget and no connection while its query is embedded.',
  audited: 'none: it reads',
  async handler({ body, caller, deps, transaction }) {
    refuseBothMoments('body', body);
    await transaction((tx) => admitMemoryOperation(tx, caller));
    const { userId, filter = {}, ...rest } = body;
    const wanted = { ...rest, filter: userId === undefined ? filter : { ...filter, userId } };
    const found = await searchMemories(deps, caller.tenant, wanted);
    return {
      status: 200,
      data: found.map(({ memory, score, why }) => ({ memory: presentMemory(memory), score, why })),
    };
  },
});

export interface MemorySearch extends MemoryMoment {
  query: string;
  collectionIds?: readonly string[] | undefined;
  filter: Omit<MemoryFilter, 'collectionIds'>;
  limit: number;
  mode: SearchMode;
}

export interface FoundMemory {
  memory: MemoryRecord;
  score: number;
  why: Pick<Fused, 'vector' | 'text'>;
}

/**
 * Searches the memories of an environment. The caller admits the operation.
 *
 * @throws {ServiceError} NOT_FOUND for a missing collection; SERVICE_UNAVAILABLE without embeddings, or for a vector search of a collection
 * with another model.
 */
export async function searchMemories(
  { db, embedder }: Pick<ApiDependencies, 'embedder'> & { db: Pick<Database, 'withEnvironment'> },
  tenant: Tenant,
  search: MemorySearch,
): Promise<FoundMemory[]> {
  const { query, mode } = search;
  const embedded = mode === 'text' ? null : await embedder.embed([query], { workspaceId: tenant.workspaceId });
  return searchIn(db, tenant, search, embedded);
}

/**
 * Runs both rankings of a hybrid search in parallel, each in its own transaction, so that neither holds a connection while it waits for
 * another.
 */
async function searchIn(
  db: Pick<Database, 'withEnvironment'>,
  tenant: Tenant,
  { query, collectionIds, filter, limit, mode, asOf, validAt }: MemorySearch,
  embedded: Embedded | null,
): Promise<FoundMemory[]> {
  const read = <T>(work: (tx: EnvironmentTransaction) => Promise<T>) =>
    db.withEnvironment(tenant, work, { readOnly: true });
  const collections = await read((tx) => namedCollections(tx, collectionIds));
  const wanted = { collectionIds: idsOf(collections), filter, moment: { asOf, validAt } };
  const comparable = embedded === null ? [] : comparableOf(collections, embedded, mode, collectionIds !== undefined);
  const means = { hasExtension: comparable.some(({ hasExtension }) => hasExtension) };
  const near = { ...wanted, collectionIds: idsOf(comparable) };
  const [nearest, matching] = await Promise.all([
    embedded === null || comparable.length === 0
      ? []
      : read((tx) => nearestMemories(tx, near, onlyVector(embedded), means)),
    mode === 'vector' || collections.length === 0 ? [] : read((tx) => matchingMemories(tx, wanted, query)),
  ]);
  const best = rankedBy(mode, nearest, matching).slice(0, limit);
  const foundIds = best.map(({ id }) => id);
  const records =
    foundIds.length === 0 ? new Map<string, MemoryRecord>() : await read((tx) => readFound(tx, foundIds, asOf));
  return best.flatMap(({ id, score, vector, text }) => {
    const memory = records.get(id);
    return memory === undefined ? [] : [{ memory, score, why: { vector, text } }];
  });
}

const idsOf = (collections: readonly SearchedCollection[]): string[] => collections.map(({ id }) => id);

/** Collections with vectors of the query's model. Others are searched by words. */
function comparableOf(
  collections: readonly SearchedCollection[],
  embedded: Embedded,
  mode: SearchMode,
  areNamed: boolean,
): SearchedCollection[] {
  const same = collections.filter(
    ({ model, dimensions }) => model === embedded.model && dimensions === embedded.dimensions,
  );
  const other = collections.find((one) => !same.includes(one));
  if (mode === 'vector' && areNamed && other !== undefined) refuseOtherModel(other, embedded);
  return same;
}

function rankedBy(mode: SearchMode, nearest: readonly Ranked[], matching: readonly Ranked[]): Fused[] {
  const fused = fuseRanks(nearest, matching);
  if (mode === 'hybrid') return fused;
  // A single ranking keeps its own scores: they say more than ranks.
  return fused.map((item) => ({ ...item, score: (mode === 'vector' ? item.vector : item.text)?.score ?? 0 }));
}
