/**
 * Indexes over the words of memories, beside those over vectors (`IS_INDEXED`): one for each collection that an operator chose. Its
 * predicate names the collection and the environment, so no search reads a neighbour's entries.
 */
export const WORD_INDEX_PREFIX = 'memories_worded_';

/** The index of a collection. */
export const wordIndexName = (collectionId: string): string => `${WORD_INDEX_PREFIX}${collectionId}`;

/** For `memory_collections c`: its index is there and is whole. The words of such a collection have been counted. */
export const ARE_WORDS_INDEXED = `EXISTS (SELECT FROM pg_index i
  WHERE i.indexrelid = to_regclass(format('public.%I', '${WORD_INDEX_PREFIX}' || c.id)) AND i.indisvalid)`;
