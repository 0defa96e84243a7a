import { INDEX_CANDIDATES } from '../../domain/memory/memories.ts';
import { byScore, type Ranked, RANKING_DEPTH } from '../../domain/memory/rank-fusion.ts';
import { type AskedWord, rarestWords } from '../../domain/memory/rarest-words.ts';
import { type QueryTerm, readQuery, type Stemmed, stemmedWords, termsOf } from '../../domain/memory/query-terms.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsOf, type Wanted } from './conditions.ts';

/**
 * The memories that share words with the query, by PostgreSQL's rank, the best first. Any word is enough. `indexed` names those of the
 * wanted collections whose words an operator has indexed.
 *
 * There a search looks by the rarest words first, and applies its conditions to the best of what these match. Where too few are left,
 * it takes the next word in, and then the collection is searched without its index, by every word. If no memory has any word, one is found
 * that has the beginning of a longer word.
 */
export async function matchingMemories(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  query: string,
  indexed: readonly string[] = [],
): Promise<Ranked[]> {
  const terms = await queryTerms(tx, query);
  const found: Ranked[] = [];
  const others = wanted.collectionIds.filter((id) => !indexed.includes(id));
  for (const collectionId of indexed) {
    const matching = await matchingTerms(tx, wanted, collectionId, terms);
    if (matching === null) others.push(collectionId);
    else found.push(...matching);
  }
  if (others.length > 0) found.push(...(await matchingAny(tx, { ...wanted, collectionIds: others }, queryOf(terms))));
  if (found.length > 0) return found.sort(byScore).slice(0, RANKING_DEPTH);
  const otherwise = terms.flatMap((term) => term.otherwise ?? []).join(ANY_OF);
  return matchingAny(tx, wanted, { looked: otherwise, ranked: otherwise });
}

/** Null where there may be others than what the index answers. */
export async function matchingByIndex(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  collectionId: string,
  query: string,
): Promise<Ranked[] | null> {
  return matchingTerms(tx, wanted, collectionId, await queryTerms(tx, query));
}

async function matchingTerms(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  collectionId: string,
  terms: readonly QueryTerm[],
): Promise<Ranked[] | null> {
  if (terms.length === 0) return [];
  const words = terms.map(({ looked }) => looked);
  const { ranked } = queryOf(terms);
  const { alone, paired } = rarestWords(await countedTerms(tx, collectionId, terms));
  if (paired !== null) {
    const others = words.filter((word) => word !== paired && !alone.includes(word));
    const beside = `${paired} & (${others.join(ANY_OF)})`;
    const { holding } = await rankWorded(tx, wanted, collectionId, [...alone, beside], ranked);
    if (holding.length === RANKING_DEPTH) return holding;
    alone.push(paired);
  }
  const { holding, found } = await rankWorded(tx, wanted, collectionId, alone, ranked);
  const areAll = alone.length === words.length && found < INDEX_CANDIDATES;
  return holding.length < RANKING_DEPTH && !areAll ? null : holding;
}

/** The best of what any of `looked` finds, by the rank of all words: of `found` candidates those that the conditions leave. */
async function rankWorded(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  collectionId: string,
  looked: readonly string[],
  ranked: string,
): Promise<{ holding: Ranked[]; found: number }> {
  const { sql, bindings } = conditionsOf({ ...wanted, collectionIds: [collectionId] });
  const { rows } = await tx.raw<{ rows: (Ranked & { holds: boolean })[] }>(
    `WITH matching AS MATERIALIZED (SELECT * FROM find_worded_memories(:collectionId, :looked, :words, :most))
     SELECT matching.memory_id AS id, matching.score, m.id IS NOT NULL AS holds
     FROM matching LEFT JOIN memories m ON m.id = matching.memory_id AND ${sql}`,
    { ...bindings, collectionId, looked: looked.join(ANY_OF), words: ranked, most: INDEX_CANDIDATES },
  );
  const holding = rows.flatMap(({ id, score, holds }) => (holds ? [{ id, score }] : []));
  return { holding: holding.sort(byScore).slice(0, RANKING_DEPTH), found: rows.length };
}

/** In a query of text search. */
const ANY_OF = ' | ';

interface TextQuery {
  /** What matches this is found. */
  looked: string;
  /** It ranks by this: also by words that are written exactly so. */
  ranked: string;
}

function queryOf(terms: readonly QueryTerm[]): TextQuery {
  const looked = terms.map((term) => term.looked);
  return {
    looked: looked.join(ANY_OF),
    ranked: [...new Set([...looked, ...terms.flatMap(({ exact }) => exact)])].join(ANY_OF),
  };
}

/** The dictionaries of PostgreSQL say which stems a query asks for. */
async function queryTerms(tx: EnvironmentTransaction, query: string): Promise<QueryTerm[]> {
  const read = readQuery(query);
  const words = stemmedWords(read);
  const { rows } = await tx.raw<{ rows: { dictionary: string; folded: string; stem: string | null }[] }>(
    `SELECT w.dictionary, w.folded, (ts_lexize(CAST(w.dictionary AS regdictionary), w.folded))[1] AS stem
     FROM unnest(CAST(:dictionaries AS text[]), CAST(:words AS text[])) AS w (dictionary, folded)`,
    { dictionaries: words.map(({ dictionary }) => dictionary), words: words.map(({ folded }) => folded) },
  );
  const keyOf = ({ dictionary, folded }: Stemmed): string => `${dictionary}/${folded}`;
  const stems = new Map(rows.map((row) => [keyOf(row), row.stem]));
  return termsOf(read, (word) => stems.get(keyOf(word)) ?? null);
}

/** A phrase matches at most as many memories as hold its rarest word. */
async function countedTerms(
  tx: EnvironmentTransaction,
  collectionId: string,
  terms: readonly QueryTerm[],
): Promise<AskedWord[]> {
  const { rows } = await tx.raw<{ rows: { word: string; memories: number }[] }>(
    'SELECT word, memories FROM memory_word_counts WHERE collection_id = :collectionId AND word = ANY (:words)',
    { collectionId, words: [...new Set(terms.flatMap(({ lexemes }) => lexemes.flat()))] },
  );
  const counts = new Map(rows.map(({ word, memories }) => [word, memories]));
  return terms.map(({ looked, lexemes }) => {
    const rarest = lexemes.map((phrase) => Math.min(...phrase.map((lexeme) => counts.get(lexeme) ?? 0)));
    const memories = rarest.reduce((sum, count) => sum + count, 0);
    return { word: looked, memories: memories === 0 ? null : memories };
  });
}

async function matchingAny(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  { looked, ranked }: TextQuery,
): Promise<Ranked[]> {
  if (looked === '') return [];
  const { sql, bindings } = conditionsOf(wanted);
  // Normalized by the logarithm of the length, so that a long memory does not win by being long.
  const { rows } = await tx.raw<{ rows: Ranked[] }>(
    `SELECT m.id, ts_rank(m.terms, CAST(:ranked AS tsquery), 1) AS score FROM memories m
     WHERE ${sql} AND m.terms @@ CAST(:looked AS tsquery) ORDER BY score DESC, m.id LIMIT :depth`,
    { ...bindings, looked, ranked, depth: RANKING_DEPTH },
  );
  return rows;
}
