import { chunksOf, groupedNumbers, joinedNumbers, segmentsOf, type UnspacedRun } from './search-words.ts';

/** A term's weight: A, as written; B, its stem, or two unspaced characters; C, a part of a word; D, one character. */
type Weight = 'A' | 'B' | 'C' | 'D';

/** What PostgreSQL makes the terms of a memory of (`memory_terms`, migration 0034). */
export interface SearchTerms {
  /** Words that its dictionaries stem: [dictionary, folded, place, weight, as it is written or null]. */
  words: [string, string, number, Weight, string | null][];
  /** The other terms, as PostgreSQL reads a tsvector. */
  others: string;
}

/** A prefix of Hebrew is written as one with its word: the, in, to, from, and, as, that. */
const HEBREW_PREFIXED = /^[הבלמוכש]\p{Script=Hebrew}{3,}$/u;

export function searchTermsOf(content: string): SearchTerms {
  const words: SearchTerms['words'] = [];
  const others: string[] = [];
  for (const chunk of chunksOf(content)) {
    for (const { exact, folded, dictionary, at, humps } of chunk.words) {
      words.push([dictionary, folded, at, 'B', exact]);
      for (const [index, hump] of humps.entries()) words.push([dictionary, hump, at + index, 'C', null]);
      if (HEBREW_PREFIXED.test(folded)) words.push([dictionary, folded.slice(1), at, 'C', null]);
    }
    others.push(...chunk.runs.flatMap(termsOfRun));
  }
  const numbers = groupedNumbers(content).numbers.flatMap(joinedNumbers);
  others.push(...numbers.map((digits) => termOf(digits, 1, 'C')));
  return { words, others: others.join(' ') };
}

function termsOfRun(run: UnspacedRun): string[] {
  const { characters, at } = run;
  const pairs = characters
    .slice(1)
    .map((character, index) => termOf(`${characters[index]}${character}`, at + index, 'B'));
  const single = characters.map((character, index) => termOf(character, at + index, 'D'));
  return [...single, ...pairs, ...segmentsOf(run).map((segment) => termOf(exactTerm(segment), at, 'A'))];
}

const termOf = (lexeme: string, at: number, weight: Weight): string => `'${lexeme}':${at}${weight}`;

/** No other term begins so: a word that is its own stem is not taken for one that is written exactly so. */
export const exactTerm = (word: string): string => `=${word}`;
