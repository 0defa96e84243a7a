import { RANKING_DEPTH } from './rank-fusion.ts';

/**
 * A word is common, and counted, where it is in more than one memory of so many. A search of an indexed collection reads at most so
 * large a part of it for each word that is not.
 */
export const COMMON_WORD_ONE_IN = 1_000;
/** PostgreSQL reads a page of the table for nearly each memory that it ranks: a search adds common words only within this. */
export const RANKED_MAX = 1_000;
/** Enough to fill a ranking, where the other conditions of a search leave every second one. */
const ENOUGH_MATCHES = 2 * RANKING_DEPTH;

/** A word of a query, with how many memories of a collection held it when they were counted. */
export interface AskedWord {
  word: string;
  /** Null: it is not common. */
  memories: number | null;
}

export interface ChosenWords {
  /** A memory that holds any of these is ranked. */
  alone: string[];
  /** Where those match too few, and the next one alone too many: a memory is ranked that holds it beside another word of the query. */
  paired: string | null;
}

/**
 * The words by which a search looks for memories; it ranks these by all of them. What engines call a common-terms query: rare words
 * tell memories apart, and common ones cost the most. The rarest come first, as long as what they match stays within RANKED_MAX. A word
 * that is not common always takes part.
 */
export function rarestWords(asked: readonly AskedWord[]): ChosenWords {
  const alone = asked.filter(({ memories }) => memories === null).map(({ word }) => word);
  const common = asked
    .flatMap(({ word, memories }) => (memories === null ? [] : [{ word, memories }]))
    .sort((a, b) => a.memories - b.memories || (a.word < b.word ? -1 : 1));
  // Nothing is known of a word that was not counted: no memory may hold it.
  let expected = 0;
  // The same memories may hold several words: as many as hold the commonest are there for certain.
  let certain = 0;
  for (const [index, { word, memories }] of common.entries()) {
    if (expected + memories > RANKED_MAX) {
      if (expected >= ENOUGH_MATCHES && certain >= RANKING_DEPTH) break;
      // The last word has no other to stand beside: what holds a rarer one is ranked already.
      if (index < common.length - 1) return { alone, paired: word };
    }
    alone.push(word);
    expected += memories;
    certain = memories;
  }
  return { alone, paired: null };
}
