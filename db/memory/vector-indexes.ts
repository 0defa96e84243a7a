/**
 * Indexes over the vectors of memories: one for each collection that an operator chose (docs/memory.md). An index holds the vectors of
 * its collection and of its environment alone, because its predicate names both: no vector of a neighbour is in the graph that a
 * search walks.
 */
export const VECTOR_INDEX_PREFIX = 'memory_vectors_near_';

/** The index of a collection. */
export const vectorIndexName = (collectionId: string): string => `${VECTOR_INDEX_PREFIX}${collectionId}`;

/** pgvector indexes 16-bit vectors of at most so many dimensions. */
export const INDEXED_DIMENSIONS_MAX = 4_000;

/** For `memory_collections c`: its index is there and is whole. One that is being built, or whose build was ended, is not. */
export const IS_INDEXED = `EXISTS (SELECT FROM pg_index i
  WHERE i.indexrelid = to_regclass(format('public.%I', '${VECTOR_INDEX_PREFIX}' || c.id)) AND i.indisvalid)`;
