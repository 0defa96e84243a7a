import { dotProduct, signsOf } from '../../domain/embeddings/embedder.ts';
import { COMPARED_MAX } from '../../domain/memory/memories.ts';
import { byScore, type Ranked, RANKING_DEPTH } from '../../domain/memory/rank-fusion.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsOf, type Wanted } from './records.ts';

/**
 * How many of the nearest vectors a search of a moment without filters takes. If the conditions leave fewer than a ranking of them, because much
 * was superseded, they are applied first.
 */
const NEAREST_FIRST = 200;

/**
 * The nearest memories by the cosine of their vectors, the best first. `wanted` names only collections of the vector's model. With pgvector
 * PostgreSQL compares them, by an index where an operator has built one and the scope is large. Plain PostgreSQL has no operator for it.
 */
export async function nearestMemories(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  query: Float32Array,
  { hasExtension }: { hasExtension: boolean },
): Promise<Ranked[]> {
  if (!hasExtension) return nearestPlainly(tx, wanted, query);
  const isFiltered = Object.values(wanted.filter).some((value) => value !== undefined);
  const near = isFiltered ? [] : await vectorsFirst(tx, wanted, query);
  return near.length === RANKING_DEPTH ? near : conditionsFirst(tx, wanted, query);
}

/** Those of the nearest vectors whose memories fulfil the conditions: fewer than a ranking where others may be behind them. */
async function vectorsFirst(tx: EnvironmentTransaction, wanted: Wanted, query: Float32Array): Promise<Ranked[]> {
  const { sql, bindings } = conditionsOf(wanted);
  const rows = await tx.rows<Ranked>(
    { variantsOf: 'vectors_first' },
    `WITH near AS MATERIALIZED (SELECT * FROM find_nearest_memories(:collections, :query, :dimensions, :most))
     SELECT m.id, near.score FROM near JOIN memories m ON m.id = near.memory_id WHERE ${sql}`,
    {
      ...bindings,
      collections: wanted.collectionIds,
      query: literalOf(query),
      dimensions: query.length,
      most: NEAREST_FIRST,
    },
  );
  return rows.sort(byScore).slice(0, RANKING_DEPTH);
}

/** Every memory that the conditions leave, by its vector. */
async function conditionsFirst(tx: EnvironmentTransaction, wanted: Wanted, query: Float32Array): Promise<Ranked[]> {
  const { sql, bindings } = conditionsOf(wanted);
  // The query is sent as a text: the type has another number in PostgreSQL once an operator has made the extension anew.
  return tx.rows<Ranked>(
    { variantsOf: 'conditions_first' },
    `SELECT m.id, -(CAST(v.embedding AS vector) <#> CAST(CAST(:query AS text) AS vector)) AS score
     FROM memories m JOIN memory_vectors v ON v.memory_id = m.id WHERE ${sql} ORDER BY score DESC, m.id LIMIT :depth`,
    { ...bindings, query: literalOf(query), depth: RANKING_DEPTH },
  );
}

/**
 * PostgreSQL orders the scope of the search by the signs in common with the query, which costs one XOR a memory. The first COMPARED_MAX
 * are compared by their whole vectors: in a scope of at most that size, all of them.
 */
async function nearestPlainly(tx: EnvironmentTransaction, wanted: Wanted, query: Float32Array): Promise<Ranked[]> {
  const { sql, bindings } = conditionsOf(wanted);
  const rows = await tx.rows<NearRow>(
    { variantsOf: 'nearest_plainly' },
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

/** As pgvector reads it. */
const literalOf = (vector: Float32Array): string => `[${vector.join(',')}]`;

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
