import type { Client } from 'pg';

/** The plain side: what one would write without this service. One statement, by the tables' owner, without a tenant. */
export const FOUND_MAX = 10;
/** As deep as the service reads each ranking of a hybrid search. */
const DEPTH = 100;

/** The signs of a vector, as a bit string. */
export function bitsOf(vector: Float32Array): string {
  return Array.from(vector, (value) => (value > 0 ? '1' : '0')).join('');
}

export const literalOf = (vector: Float32Array): string => `[${vector.join(',')}]`;

const ASKED = `to_tsquery('english', replace(plainto_tsquery('english', $1)::text, ' & ', ' | '))`;

/** Any word of the query, by PostgreSQL's rank, over a GIN index. */
export async function matching(owner: Client, table: string, query: string): Promise<void> {
  // It may find nothing: a query can be made of words that no memory has.
  await owner.query({
    name: `matching ${table}`,
    text: `SELECT m.id, m.content, ts_rank(m.terms, q, 1) AS score FROM ${table} m, ${ASKED} q
      WHERE m.terms @@ q ORDER BY score DESC, m.id LIMIT ${FOUND_MAX}`,
    values: [query],
  });
}

/** By pgvector, over a column of its own: every vector is compared, or its index is asked where the table has one. */
export async function nearest(owner: Client, table: string, vector: Float32Array): Promise<void> {
  await expectRows(owner, {
    name: `nearest ${table}`,
    text: `SELECT m.id, m.content FROM ${table} m ORDER BY m.half <#> $1 LIMIT ${FOUND_MAX}`,
    values: [literalOf(vector)],
  });
}

/** Both rankings, fused by their ranks: vectors by pgvector, or by their signs. */
export async function fused(
  owner: Client,
  table: string,
  query: string,
  { vector, hasExtension }: { vector: Float32Array; hasExtension: boolean },
): Promise<void> {
  const order = hasExtension ? 'm.half <#> $2' : orderBySigns(vector, '$2');
  await expectRows(owner, {
    name: `fused ${table} ${hasExtension}`,
    text: `WITH near AS (SELECT n.id, row_number() OVER () AS rank FROM (SELECT m.id FROM ${table} m ORDER BY ${order} LIMIT ${DEPTH}) n),
      matching AS (SELECT t.id, row_number() OVER () AS rank FROM (SELECT m.id FROM ${table} m, ${ASKED} q
        WHERE m.terms @@ q ORDER BY ts_rank(m.terms, q, 1) DESC, m.id LIMIT ${DEPTH}) t)
      SELECT m.id, m.content, coalesce(1.0 / (60 + n.rank), 0) + coalesce(1.0 / (60 + t.rank), 0) AS score
      FROM near n FULL JOIN matching t ON t.id = n.id JOIN ${table} m ON m.id = coalesce(n.id, t.id)
      ORDER BY score DESC LIMIT ${FOUND_MAX}`,
    values: [query, hasExtension ? literalOf(vector) : bitsOf(vector)],
  });
}

/** Without the extension: by the signs in common. What a plain PostgreSQL can do in one statement, and no exact answer. */
export async function nearestBySigns(owner: Client, table: string, vector: Float32Array): Promise<void> {
  await expectRows(owner, {
    name: `signs ${table}`,
    text: `SELECT m.id, m.content FROM ${table} m ORDER BY ${orderBySigns(vector, '$1')} LIMIT ${FOUND_MAX}`,
    values: [bitsOf(vector)],
  });
}

const orderBySigns = ({ length }: Float32Array, place: string): string =>
  `bit_count(m.signs # ${place}::text::bit(${length}))`;

async function expectRows(owner: Client, query: { name: string; text: string; values: unknown[] }): Promise<void> {
  const { rowCount } = await owner.query(query);
  if (rowCount === 0) throw new Error(`the plain statement found nothing: ${query.name}`);
}
