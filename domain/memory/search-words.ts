/** The words of a memory or query. PostgreSQL's parser knows no accents and no languages without spaces. */
export interface SearchWord {
  /** As it is written, in lower case: what is written exactly so ranks first. */
  exact: string;
  /** Without accents. Its stem is what is looked for. */
  folded: string;
  dictionary: string;
  /** Its place among the words of the text, from 1. */
  at: number;
  /** Parts of a word such as `getUserName`, at its place and the places behind. Empty for most words. */
  humps: readonly string[];
}

/** A run of characters of a language that puts no spaces between words, or an emoji. It begins at a place among the characters. */
export interface UnspacedRun {
  characters: readonly string[];
  at: number;
}

/** What stands between two spaces, such as a word, an address, a path or a name with hyphens. */
export interface Chunk {
  words: SearchWord[];
  runs: UnspacedRun[];
}

const UNSPACED =
  String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Hangul}` +
  String.raw`\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}`;
const PICTURE = String.raw`\p{Regional_Indicator}{2}|\p{Extended_Pictographic}`;
const TOKEN = new RegExp(
  `(?<run>[${UNSPACED}]+)|(?<picture>${PICTURE})|(?<word>(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+)`,
  'gu',
);
/** Between these, words belong together: an address, a path, an identifier. A comma does between digits. */
const JOINED = /^[._@\-‐‑/\\:=+#&~%$*]*$/u;

/** By script; a script without one has no endings that a dictionary of PostgreSQL knows. */
const DICTIONARIES: readonly (readonly [RegExp, string])[] = [
  [/^[\p{Script=Latin}\p{N}]/u, 'english_stem'],
  [/^\p{Script=Cyrillic}/u, 'russian_stem'],
  [/^\p{Script=Greek}/u, 'greek_stem'],
  [/^\p{Script=Arabic}/u, 'arabic_stem'],
  [/^\p{Script=Devanagari}/u, 'hindi_stem'],
  [/^\p{Script=Armenian}/u, 'armenian_stem'],
  [/^\p{Script=Tamil}/u, 'tamil_stem'],
];
const NO_DICTIONARY = 'simple';

export function chunksOf(text: string): Chunk[] {
  const chunks: Chunk[] = [];
  let current: Chunk | null = null;
  let [end, wordsSoFar, charactersSoFar] = [0, 0, 0];
  const read = withoutFormat(text.normalize('NFKC'));
  for (const match of read.matchAll(TOKEN)) {
    const between = read.slice(end, match.index);
    const isJoined = JOINED.test(between) || (between === ',' && /^\d/.test(match[0]));
    if (current === null || !isJoined) chunks.push((current = { words: [], runs: [] }));
    end = match.index + match[0].length;
    if (match.groups?.['word'] === undefined) {
      const characters = match.groups?.['picture'] === undefined ? Array.from(foldAccents(match[0])) : [match[0]];
      current.runs.push({ characters, at: charactersSoFar + 1 });
      charactersSoFar += characters.length + 1;
      continue;
    }
    const word = wordOf(match[0], wordsSoFar + 1);
    current.words.push(word);
    wordsSoFar += Math.max(word.humps.length, 1);
  }
  return chunks;
}

function wordOf(token: string, at: number): SearchWord {
  const folded = foldAccents(token);
  const dictionary = DICTIONARIES.find(([script]) => script.test(folded))?.[1] ?? NO_DICTIONARY;
  return { exact: token.toLowerCase().normalize('NFC'), folded, dictionary, at, humps: humpsOf(token) };
}

const HUMP_ENDS = /(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const HUMPS_MAX = 10;

function humpsOf(token: string): string[] {
  const humps = token.split(HUMP_ENDS);
  return humps.length === 1 || humps.length > HUMPS_MAX ? [] : humps.map(foldAccents);
}

/** Zero-width characters, soft hyphens and the marks of directions are not seen. */
const withoutFormat = (text: string): string =>
  text.replaceAll(/[\p{Cf}\u0640]|\ufe0e|\ufe0f|\p{Emoji_Modifier}/gu, '');

/** Marks above letters; elsewhere a mark is a vowel. Not the short i of Cyrillic, which tells endings. */
const MARKS =
  /(?<![иИ])\u0306|[\u0300-\u0305\u0307-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]/gu;
/** Letters that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ς: 'σ',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
};
const ANY_LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/** `Łódź` as `lodz`, `İstanbul` as `istanbul`. */
export function foldAccents(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(MARKS, '')
    .toLowerCase()
    .replaceAll(/\u0307/gu, '')
    .replaceAll(ANY_LETTER, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC');
}

/** A number in groups, as people write those of telephones. */
const GROUPED_NUMBER = /(?<![\p{L}\p{N}])(?:\+|\()?\d[\d ().\-/]{5,}\d(?![\p{L}\p{N}])/gu;
const GROUPED_DIGITS_MIN = 7;
const GROUPED_DIGITS_MAX = 15;

export function groupedNumbers(text: string): { numbers: string[][]; rest: string } {
  const numbers: string[][] = [];
  const rest = text.normalize('NFKC').replaceAll(GROUPED_NUMBER, (number) => {
    const groups = number.match(/\d+/g) ?? [];
    const digits = groups.join('').length;
    // Numbers with mere spaces between them may be any.
    if (groups.length === 1 || !/[().\-/+]/.test(number)) return number;
    if (digits < GROUPED_DIGITS_MIN || digits > GROUPED_DIGITS_MAX) return number;
    numbers.push(groups);
    return ' ';
  });
  return { numbers, rest };
}

/** Its digits without the groups, and without the first groups: a country's and an area's. */
export function joinedNumbers(groups: readonly string[]): string[] {
  const joined = groups.map((_, index) => groups.slice(index).join(''));
  return joined.filter((digits) => digits.length >= GROUPED_DIGITS_MIN);
}

let segmenter: Intl.Segmenter | undefined;

/** Words of a run, by the dictionaries of ICU, in its folded form. */
export function segmentsOf(run: UnspacedRun): string[] {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  return Array.from(segmenter.segment(run.characters.join('')), ({ segment }) => segment);
}
