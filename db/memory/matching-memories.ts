import { type Ranked, RANKING_DEPTH } from '../../domain/memory/rank-fusion.ts';
import { type QueryTerm, readQuery, type Stemmed, stemmedWords, termsOf } from '../../domain/memory/query-terms.ts';
import type { EnvironmentTransaction } from '../client.ts';
import { conditionsOf, type Wanted } from './records.ts';

/**
 * The memories that share words with the query, by PostgreSQL's rank, the best first. Any word is enough. If no memory has any word, one is
 * found that has the beginning of a longer word.
 *
 * It reads every memory that the conditions leave: `@@` is not leakproof, so row-level security keeps a caller from an index over words.
 */
export async function matchingMemories(tx: EnvironmentTransaction, wanted: Wanted, query: string): Promise<Ranked[]> {
  const terms = await queryTerms(tx, query);
  const found = await matchingAny(tx, wanted, queryOf(terms));
  if (found.length > 0) return found;
  const otherwise = terms.flatMap((term) => term.otherwise ?? []).join(ANY_OF);
  return matchingAny(tx, wanted, { looked: otherwise, ranked: otherwise });
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
  const rows = await tx.rows<{ dictionary: string; folded: string; stem: string | null }>(
    'query_terms',
    `SELECT w.dictionary, w.folded, (ts_lexize(CAST(w.dictionary AS regdictionary), w.folded))[1] AS stem
     FROM unnest(CAST(:dictionaries AS text[]), CAST(:words AS text[])) AS w (dictionary, folded)`,
    { dictionaries: words.map(({ dictionary }) => dictionary), words: words.map(({ folded }) => folded) },
  );
  const keyOf = ({ dictionary, folded }: Stemmed): string => `${dictionary}/${folded}`;
  const stems = new Map(rows.map((row) => [keyOf(row), row.stem]));
  return termsOf(read, (word) => stems.get(keyOf(word)) ?? null);
}

async function matchingAny(
  tx: EnvironmentTransaction,
  wanted: Wanted,
  { looked, ranked }: TextQuery,
): Promise<Ranked[]> {
  if (looked === '') return [];
  const { sql, bindings } = conditionsOf(wanted);
  // Normalized by the logarithm of the length, so that a long memory does not win by being long.
  return tx.rows<Ranked>(
    { variantsOf: 'matching_any' },
    `SELECT m.id, ts_rank(m.terms, CAST(:ranked AS tsquery), 1) AS score FROM memories m
     WHERE ${sql} AND m.terms @@ CAST(:looked AS tsquery) ORDER BY score DESC, m.id LIMIT :depth`,
    { ...bindings, looked, ranked, depth: RANKING_DEPTH },
  );
}
