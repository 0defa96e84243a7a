import { dotProduct } from '../../domain/embeddings/embedder.ts';
import { COMPARED_MAX, INDEX_CANDIDATES, signsOf } from '../../domain/memory/memories.ts';
import { byScore, type Ranked, RANKING_DEPTH } from '../../domain/memory/rank-fusion.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsOf, type Wanted } from './conditions.ts';
import { MEMORY_COLUMNS, MEMORY_COLUMNS_AS_OF, type MemoryRecord } from './records.ts';

/**
 * The nearest memories by the cosine of their vectors, the best first. `wanted` names collections of the vector's model alone, `indexed`
 * those of them that have an index.
 *
 * An index answers what is near, and not what was asked: the conditions of the search are applied to its candidates. Where too few of
 * them are left, the collection is searched without it.
 */
export async function nearestMemories(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  query: Float32Array,
  indexed: readonly string[] = [],
): Promise<Ranked[]> {
  const found: Ranked[] = [];
  const others = wanted.collectionIds.filter((id) => !indexed.includes(id));
  for (const collectionId of indexed) {
    const near = await nearestByIndex(tx, wanted, collectionId, query);
    if (near.length < RANKING_DEPTH) others.push(collectionId);
    else found.push(...near);
  }
  if (others.length > 0) found.push(...(await nearestBySigns(tx, { ...wanted, collectionIds: others }, query)));
  return found.sort(byScore).slice(0, RANKING_DEPTH);
}

/** What the conditions leave of the candidates of a collection's index: maybe too few, and maybe without the nearest. */
export async function nearestByIndex(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  collectionId: string,
  query: Float32Array,
): Promise<Ranked[]> {
  const { sql, bindings } = conditionsOf({ ...wanted, collectionIds: [collectionId] });
  const { rows } = await tx.raw<{ rows: Ranked[] }>(
    `WITH near AS MATERIALIZED (SELECT * FROM find_near_memories(:collectionId, :query, :dimensions, :candidates))
     SELECT m.id, near.score FROM near JOIN memories m ON m.id = near.memory_id WHERE ${sql}`,
    {
      ...bindings,
      collectionId,
      query: `[${query.join(',')}]`,
      dimensions: query.length,
      candidates: INDEX_CANDIDATES,
    },
  );
  return rows.sort(byScore).slice(0, RANKING_DEPTH);
}

/**
 * PostgreSQL orders what the search is about by the signs in common with the query, which costs it one XOR a memory. The first
 * COMPARED_MAX are compared by their whole vectors: all of them, where the search is about no more.
 */
async function nearestBySigns(tx: EnvironmentTransaction, wanted: Wanted, query: Float32Array): Promise<Ranked[]> {
  const { sql, bindings } = conditionsOf(wanted);
  const { rows } = await tx.raw<{ rows: NearRow[] }>(
    `SELECT near.id, array_send(v.embedding) AS embedding
     FROM (SELECT m.id FROM memories m WHERE ${sql} AND m.signs IS NOT NULL
           ORDER BY bit_count(m.signs # CAST(:signs AS bit varying)), m.id LIMIT :comparedMax) near
     JOIN memory_vectors v ON v.memory_id = near.id`,
    { ...bindings, signs: signsOf(query), comparedMax: COMPARED_MAX },
  );
  return rankedOf(rows, query);
}

interface NearRow {
  id: string;
  embedding: Buffer;
}

function rankedOf(rows: readonly NearRow[], query: Float32Array): Ranked[] {
  return rows
    .map(({ id, embedding }) => ({ id, score: dotProduct(query, vectorOf(embedding)) }))
    .sort(byScore)
    .slice(0, RANKING_DEPTH);
}

/** The memories that share words with the query, by PostgreSQL's rank, the best first. Any word is enough. */
export async function matchingMemories(tx: EnvironmentTransaction, wanted: Wanted, query: string): Promise<Ranked[]> {
  const { sql, bindings } = conditionsOf(wanted);
  // Normalized by the logarithm of the length, so that a long memory does not win by being long.
  const { rows } = await tx.raw<{ rows: Ranked[] }>(
    `WITH asked AS (SELECT CAST(replace(CAST(plainto_tsquery('english', :query) AS text), ' & ', ' | ') AS tsquery) AS words)
     SELECT m.id, ts_rank(m.terms, asked.words, 1) AS score FROM memories m, asked
     WHERE ${sql} AND m.terms @@ asked.words ORDER BY score DESC, m.id LIMIT :depth`,
    { ...bindings, query, depth: RANKING_DEPTH },
  );
  return rows;
}

/** The records of what a search found, by their ids; without those that were deleted meanwhile. */
export async function readFound(
  tx: EnvironmentTransaction,
  ids: readonly string[],
  asOf: Date | undefined,
): Promise<Map<string, MemoryRecord>> {
  const columns = asOf === undefined ? MEMORY_COLUMNS : MEMORY_COLUMNS_AS_OF;
  const { rows } = await tx.raw<{ rows: MemoryRecord[] }>(
    `SELECT ${columns} FROM memories m WHERE m.id = ANY (:ids)`,
    asOf === undefined ? { ids } : { ids, asOf },
  );
  return new Map(rows.map((row) => [row.id, row]));
}

const HEADER_BYTES = 20;
const ELEMENT_BYTES = 8;

/** PostgreSQL's binary form of a real[]: a header, then for each element its length (4 bytes) and its value. */
function vectorOf(sent: Buffer): Float32Array {
  const view = new DataView(sent.buffer, sent.byteOffset, sent.length);
  const vector = new Float32Array((sent.length - HEADER_BYTES) / ELEMENT_BYTES);
  for (let index = 0; index < vector.length; index++) {
    vector[index] = view.getFloat32(HEADER_BYTES + index * ELEMENT_BYTES + 4);
  }
  return vector;
}
