import { dotProduct, signsOf } from '../../domain/embeddings/embedder.ts';
import { COMPARED_MAX, INDEX_CANDIDATES } from '../../domain/memory/memories.ts';
import { byScore, type Ranked, RANKING_DEPTH } from '../../domain/memory/rank-fusion.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsOf, type Wanted } from './conditions.ts';

/** What PostgreSQL has to compare vectors by. */
export interface VectorMeans {
  /** pgvector is there, so a comparison with every vector is cheap. */
  hasExtension: boolean;
  /** Those of the wanted collections that have an index. */
  indexed: readonly string[];
}

const PLAIN_POSTGRESQL: VectorMeans = { hasExtension: false, indexed: [] };

/**
 * How many of the nearest are looked at for a search of a moment without filters. If much was superseded, fewer than a ranking takes may
 * be left: then the conditions are applied first.
 */
const NEAREST_FIRST = 500;

/**
 * The nearest memories by the cosine of their vectors, the best first. `wanted` names only collections of the vector's model. An index
 * finds near vectors and knows no conditions, so the conditions of the search are applied to its candidates. If too few of them are left,
 * the collection is searched without the index. Without an index a search is exact where pgvector is there, and in a scope of
 * COMPARED_MAX everywhere.
 */
export async function nearestMemories(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  query: Float32Array,
  { hasExtension, indexed }: VectorMeans = PLAIN_POSTGRESQL,
): Promise<Ranked[]> {
  const found: Ranked[] = [];
  const others = wanted.collectionIds.filter((id) => !indexed.includes(id));
  for (const collectionId of indexed) {
    const near = await nearestByIndex(tx, wanted, collectionId, query);
    if (near.length < RANKING_DEPTH) others.push(collectionId);
    else found.push(...near);
  }
  if (others.length > 0) {
    const search = hasExtension ? nearestExactly : nearestBySigns;
    found.push(...(await search(tx, { ...wanted, collectionIds: others }, query)));
  }
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
    { ...bindings, collectionId, query: literalOf(query), dimensions: query.length, candidates: INDEX_CANDIDATES },
  );
  return rows.sort(byScore).slice(0, RANKING_DEPTH);
}

/** PostgreSQL compares every vector by pgvector's operator. It needs the extension and no index. */
async function nearestExactly(tx: EnvironmentTransaction, wanted: Wanted, query: Float32Array): Promise<Ranked[]> {
  const isFiltered = Object.values(wanted.filter).some((value) => value !== undefined);
  return (isFiltered ? null : await vectorsFirst(tx, wanted, query)) ?? conditionsFirst(tx, wanted, query);
}

/**
 * Takes the nearest of all memories, then those of them that fulfil the conditions. It reads only these memories, which saves most of the
 * work if nearly all of them do. Null if there may be others, farther away.
 */
async function vectorsFirst(tx: EnvironmentTransaction, wanted: Wanted, query: Float32Array): Promise<Ranked[] | null> {
  const { sql, bindings } = conditionsOf(wanted);
  const { rows } = await tx.raw<{ rows: (Ranked & { holds: boolean })[] }>(
    `WITH near AS MATERIALIZED (SELECT * FROM find_nearest_memories(:collections, :query, :dimensions, :most))
     SELECT near.memory_id AS id, near.score, m.id IS NOT NULL AS holds
     FROM near LEFT JOIN memories m ON m.id = near.memory_id AND ${sql}`,
    {
      ...bindings,
      collections: wanted.collectionIds,
      query: literalOf(query),
      dimensions: query.length,
      most: NEAREST_FIRST,
    },
  );
  const holding = rows.flatMap(({ id, score, holds }) => (holds ? [{ id, score }] : []));
  if (holding.length < RANKING_DEPTH && rows.length === NEAREST_FIRST) return null;
  return holding.sort(byScore).slice(0, RANKING_DEPTH);
}

/** Every memory that the conditions leave, by its vector. */
async function conditionsFirst(tx: EnvironmentTransaction, wanted: Wanted, query: Float32Array): Promise<Ranked[]> {
  const { sql, bindings } = conditionsOf(wanted);
  // The query is sent as a text: the type has another number in PostgreSQL once an operator has made the extension anew.
  const { rows } = await tx.raw<{ rows: Ranked[] }>(
    `SELECT m.id, -(CAST(v.embedding AS vector) <#> CAST(CAST(:query AS text) AS vector)) AS score
     FROM memories m JOIN memory_vectors v ON v.memory_id = m.id WHERE ${sql} ORDER BY score DESC, m.id LIMIT :depth`,
    { ...bindings, query: literalOf(query), depth: RANKING_DEPTH },
  );
  return rows;
}

/**
 * PostgreSQL orders the scope of the search by the signs in common with the query, which costs one XOR a memory. The first COMPARED_MAX
 * are compared by their whole vectors: in a scope of at most that size, all of them.
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
