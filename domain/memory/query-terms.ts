import { exactTerm } from './search-terms.ts';
import { type Chunk, chunksOf, groupedNumbers, joinedNumbers, segmentsOf, type UnspacedRun } from './search-words.ts';

/** A word of a query, or words that belong together, in the language of PostgreSQL's text search. */
export interface QueryTerm {
  /** A memory that matches this is found. */
  looked: string;
  /** A memory that has these ranks before others. */
  exact: string[];
  /** Looked for where no memory matches any term. Null searches for nothing else. */
  otherwise: string | null;
}

/** A word whose stem only PostgreSQL knows. */
export interface Stemmed {
  dictionary: string;
  folded: string;
}

export interface ReadQuery {
  chunks: Chunk[];
  numbers: string[][];
}

const SCHEME = /\b[a-z][a-z\d+.-]*:\/\/(?:www\.)?(?=\S)/gi;

export function readQuery(query: string): ReadQuery {
  const { numbers, rest } = groupedNumbers(query);
  return { chunks: chunksOf(rest.replaceAll(SCHEME, ' ')), numbers };
}

/** The words of which `termsOf` asks the stems. */
export function stemmedWords({ chunks }: ReadQuery): Stemmed[] {
  return chunks.flatMap(({ words }) =>
    words.flatMap(({ dictionary, folded, humps }) => [folded, ...humps].map((word) => ({ dictionary, folded: word }))),
  );
}

/** @param stemOf Null for a word that tells nothing, such as "the". */
export function termsOf({ chunks, numbers }: ReadQuery, stemOf: (word: Stemmed) => string | null): QueryTerm[] {
  const terms = chunks.flatMap((chunk) => [...termsOfWords(chunk, stemOf), ...termsOfRuns(chunk.runs)]);
  for (const groups of numbers) {
    const joined = joinedNumbers(groups).slice(0, 1);
    const alternatives = [...joined.map((digits) => [placed(digits, 0)]), groups.map((group, at) => placed(group, at))];
    terms.push(anyOf(alternatives, groups));
  }
  const found = new Map(terms.map((term) => [term.looked, term]));
  return [...found.values()];
}

interface Placed {
  lexeme: string;
  at: number;
}
const placed = (lexeme: string, at: number): Placed => ({ lexeme, at });

/** Endings may be longer than those that a dictionary knows, and words are written as one: from so many letters of a stem on. */
const BEGINNING_CHARACTERS_MIN = 5;

/** A word, or an address, a path or an identifier, whose words follow each other. */
function termsOfWords({ words }: Chunk, stemOf: (word: Stemmed) => string | null): QueryTerm[] {
  const [word] = words;
  if (word === undefined) return [];
  const stems = (parts: readonly { dictionary: string; folded: string; at: number }[]): Placed[] =>
    parts.flatMap((part) => {
      const stem = stemOf(part);
      return stem === null ? [] : [placed(stem, part.at)];
    });
  const humps = words.flatMap(({ dictionary, folded, at, humps: parts }) =>
    parts.length === 0
      ? [{ dictionary, folded, at }]
      : parts.map((hump, index) => ({ dictionary, folded: hump, at: at + index })),
  );
  const alternatives = [stems(words), ...(humps.length > words.length ? [stems(humps)] : [])].filter(
    (phrase) => phrase.length > 0,
  );
  const [first] = alternatives;
  if (first === undefined) return [];
  const term = anyOf(
    alternatives,
    words.filter((one) => stemOf(one) !== null).map(({ exact }) => exact),
  );
  const stem = first.length === 1 ? (first[0]?.lexeme ?? '') : '';
  const isWord = Array.from(stem).length >= BEGINNING_CHARACTERS_MIN && !/\d/.test(stem);
  return [{ ...term, otherwise: isWord ? `${quoted(stem)}:*` : null }];
}

function anyOf(alternatives: readonly Placed[][], exact: readonly string[]): QueryTerm {
  const phrases = alternatives.map(phraseOf);
  return {
    looked: phrases.length === 1 ? (phrases[0] ?? '') : `(${phrases.join(' | ')})`,
    exact: exact.map((word) => quoted(exactTerm(word))),
    otherwise: null,
  };
}

function phraseOf(phrase: readonly Placed[]): string {
  return phrase
    .map(({ lexeme, at }, index) => (index === 0 ? '' : ` <${at - (phrase[index - 1]?.at ?? 0)}> `) + quoted(lexeme))
    .join('');
}

/** A lexeme holds letters, digits and marks alone, so that nothing in it needs an escape. */
const quoted = (lexeme: string): string => `'${lexeme}'`;

const HIRAGANA = /^[\p{Script=Hiragana}ー]+$/u;
/** Particles and endings, which stand in every second sentence. */
const HIRAGANA_TOLD_BY_OTHERS_MAX = 3;
const TELLS_NOTHING: ReadonlySet<string> = new Set(
  '的 了 是 在 和 与 吗 呢 吧 把 被 我 你 他 她 也 都 ที่ และ ของ ใน เป็น มี ได้ ให้ กับ คือ'.split(' '),
);
/** Particles of Korean are written as one with their word. The longer ones first. */
const KOREAN_PARTICLE =
  /(?<=^[\p{Script=Hangul}]{2,})(?:에서는|에서|에게|한테|으로|까지|부터|처럼|보다|이나|은|는|이|가|을|를|에|로|와|과|도|의|만|께)$/u;

function termsOfRuns(runs: readonly UnspacedRun[]): QueryTerm[] {
  return runs.flatMap((run) => {
    const segments = askedSegments(run);
    return segments.map((segment) => {
      const stem = segment.replace(KOREAN_PARTICLE, '');
      const spellings = stem === segment ? [segment] : [segment, stem];
      const single = Array.from(segment).filter(
        (character) => !HIRAGANA.test(character) && !TELLS_NOTHING.has(character),
      );
      const otherwise = isHan(segment) && single.length > 1 ? single.map(quoted).join(' & ') : null;
      return { ...anyOf(spellings.map(pairsOf), spellings), otherwise };
    });
  });
}

const isHan = (segment: string): boolean => /^\p{Script=Han}+$/u.test(segment);

/** Pairs of characters that follow each other: each character stands in one of them, and none is left over. */
function pairsOf(segment: string): Placed[] {
  const characters = /^\p{Regional_Indicator}/u.test(segment) ? [segment] : Array.from(segment);
  if (characters.length === 1) return [placed(segment, 0)];
  const starts = characters.flatMap((_, index) => (index % 2 === 0 && index < characters.length - 1 ? [index] : []));
  if (characters.length % 2 === 1) starts.push(characters.length - 2);
  return starts.map((start) => placed(characters.slice(start, start + 2).join(''), start));
}

/** The words of a run to search for. ICU splits unknown words: lone characters, and Hiragana, belong together. */
function askedSegments(run: UnspacedRun): string[] {
  const merged: string[] = [];
  let before: 'hiragana' | 'single' | 'word' | null = null;
  for (const segment of segmentsOf(run)) {
    const kind = HIRAGANA.test(segment) ? 'hiragana' : Array.from(segment).length === 1 ? 'single' : 'word';
    if (kind !== 'word' && kind === before) merged.push(`${merged.pop() ?? ''}${segment}`);
    else merged.push(segment);
    before = kind;
  }
  const telling = merged.filter((segment) => !TELLS_NOTHING.has(segment) && !isEnding(segment));
  return telling.length === 0 ? merged : telling;
}

function isEnding(segment: string): boolean {
  return HIRAGANA.test(segment) && segment.length <= HIRAGANA_TOLD_BY_OTHERS_MAX;
}
