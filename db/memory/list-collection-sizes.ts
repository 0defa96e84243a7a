import type { EnvironmentTransaction } from '../client.ts';
import { IS_INDEXED } from './vector-indexes.ts';
import { ARE_WORDS_INDEXED } from './word-indexes.ts';

export interface CollectionSize {
  id: string;
  dimensions: number;
  /** Every version that has a vector: what an index holds. */
  vectors: number;
  isIndexed: boolean;
  areWordsIndexed: boolean;
}

/** The collections of an environment that are there, with how much a search by vectors goes through. */
export async function listCollectionSizes(tx: EnvironmentTransaction): Promise<CollectionSize[]> {
  const { rows } = await tx.raw<{ rows: CollectionSize[] }>(
    `SELECT c.id, c.embedding_dimensions AS dimensions, ${IS_INDEXED} AS "isIndexed",
       ${ARE_WORDS_INDEXED} AS "areWordsIndexed",
       (SELECT count(*)::int FROM memory_vectors v
        WHERE v.environment_id = c.environment_id AND v.collection_id = c.id) AS vectors
     FROM memory_collections c WHERE c.environment_id = current_environment_id() AND c.deleted_at IS NULL ORDER BY c.id`,
    [],
  );
  return rows;
}
