import { INDEX_CANDIDATES } from '../../domain/memory/memories.ts';
import { byScore, type Ranked, RANKING_DEPTH } from '../../domain/memory/rank-fusion.ts';
import { type AskedWord, rarestWords } from '../../domain/memory/rarest-words.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsOf, type Wanted } from './conditions.ts';

/**
 * The memories that share words with the query, by PostgreSQL's rank, the best first. Any word is enough. `indexed` names those of the
 * wanted collections whose words an operator has indexed.
 *
 * There a search looks by the rarest words first, and applies its conditions to the best of what these match. Where too few are left,
 * it takes the next word in, and then the collection is searched without its index, by every word.
 */
export async function matchingMemories(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  query: string,
  indexed: readonly string[] = [],
): Promise<Ranked[]> {
  const found: Ranked[] = [];
  const others = wanted.collectionIds.filter((id) => !indexed.includes(id));
  for (const collectionId of indexed) {
    const matching = await matchingByIndex(tx, wanted, collectionId, query);
    if (matching === null) others.push(collectionId);
    else found.push(...matching);
  }
  if (others.length > 0) found.push(...(await matchingAny(tx, { ...wanted, collectionIds: others }, query)));
  return found.sort(byScore).slice(0, RANKING_DEPTH);
}

/** Null where there may be others than what the index answers. */
export async function matchingByIndex(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  collectionId: string,
  query: string,
): Promise<Ranked[] | null> {
  const asked = await wordsOf(tx, collectionId, query);
  if (asked.length === 0) return [];
  const words = asked.map(({ word }) => word);
  const { alone, paired } = rarestWords(asked);
  if (paired !== null) {
    const others = words.filter((word) => word !== paired && !alone.includes(word));
    const beside = `${paired} & (${others.join(ANY_OF)})`;
    const { holding } = await rankWorded(tx, wanted, collectionId, [...alone, beside], words);
    if (holding.length === RANKING_DEPTH) return holding;
    alone.push(paired);
  }
  const { holding, found } = await rankWorded(tx, wanted, collectionId, alone, words);
  const areAll = alone.length === words.length && found < INDEX_CANDIDATES;
  return holding.length < RANKING_DEPTH && !areAll ? null : holding;
}

/** The best of what any of `looked` finds, by the rank of all words: of `found` candidates those that the conditions leave. */
async function rankWorded(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  collectionId: string,
  looked: readonly string[],
  words: readonly string[],
): Promise<{ holding: Ranked[]; found: number }> {
  const { sql, bindings } = conditionsOf({ ...wanted, collectionIds: [collectionId] });
  const { rows } = await tx.raw<{ rows: (Ranked & { holds: boolean })[] }>(
    `WITH matching AS MATERIALIZED (SELECT * FROM find_worded_memories(:collectionId, :looked, :words, :most))
     SELECT matching.memory_id AS id, matching.score, m.id IS NOT NULL AS holds
     FROM matching LEFT JOIN memories m ON m.id = matching.memory_id AND ${sql}`,
    { ...bindings, collectionId, looked: looked.join(ANY_OF), words: words.join(ANY_OF), most: INDEX_CANDIDATES },
  );
  const holding = rows.flatMap(({ id, score, holds }) => (holds ? [{ id, score }] : []));
  return { holding: holding.sort(byScore).slice(0, RANKING_DEPTH), found: rows.length };
}

/** In a query of text search. */
const ANY_OF = ' | ';

/** The words of a query as text search writes them, quoted. What is written as one ("e-mail") is one, counted by its whole. */
async function wordsOf(tx: EnvironmentTransaction, collectionId: string, query: string): Promise<AskedWord[]> {
  const { rows } = await tx.raw<{ rows: AskedWord[] }>(
    `SELECT a.word, c.memories
     FROM (SELECT DISTINCT unnest(string_to_array(CAST(plainto_tsquery('english', :query) AS text), ' & ')) AS word) a
     LEFT JOIN memory_word_counts c ON c.collection_id = :collectionId AND c.word = btrim(split_part(a.word, ' <-> ', 1), '''')`,
    { query, collectionId },
  );
  return rows;
}

async function matchingAny(tx: EnvironmentTransaction, wanted: Wanted, query: string): Promise<Ranked[]> {
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
