import { caseBoundSymbols, composedForm, foldCase, loosestForm } from './prompt-form.ts';
import { CLASSES, NEGATIONS, NEGATIONS_WITHIN, NUMBER_WORDS, OPPOSITES, SENTENCE_STARTERS } from './gate-words.ts';

/**
 * Differences between two prompts that embeddings take for similar. Embeddings alone give "turn on dark mode" and "turn off dark mode" a
 * similarity of 0.96; so a near prompt is answered from the cache only if none of this differs.
 */
export const GATE_REASONS = [
  'numbers',
  'negation',
  'opposite',
  'quoted',
  'names',
  'units',
  'class',
  'prefix',
  'order',
  'form',
] as const;
export type GateReason = (typeof GATE_REASONS)[number];

/** The gate of a prompt, which is read once. It says what differs from another one, in the order above; empty: nothing that it knows. */
export function gateOf(asked: string): (stored: string) => GateReason[] {
  const read = readPrompt(asked);
  return (stored) => differences(read, readPrompt(stored));
}

function differences(a: Prompt, b: Prompt): GateReason[] {
  const differs: Record<GateReason, boolean> = {
    numbers: !isSame(a.numbers, b.numbers),
    negation: a.negations !== b.negations,
    opposite: OPPOSITES.some(([one, other]) => areOpposed(a.present, b.present, one, other)),
    quoted: !isSame(a.quoted, b.quoted),
    names: namesDiffer(a, b),
    units: !isSame(a.classes.get('units'), b.classes.get('units')) || !isSame(a.symbols, b.symbols),
    class: Object.keys(CLASSES).some((name) => name !== 'units' && !isSame(a.classes.get(name), b.classes.get(name))),
    prefix: isPrefixed(a, b) || isPrefixed(b, a),
    order: isReordered(a.words, b.words),
    form: differsInForm(a, b),
  };
  return GATE_REASONS.filter((reason) => differs[reason]);
}

interface Prompt {
  /** In lower case, in order. */
  words: string[];
  /** The same with their case folded. */
  forms: string[];
  present: ReadonlySet<string>;
  numbers: string[];
  negations: number;
  /** Letters of units whose case is their meaning. */
  symbols: string[];
  quoted: string[];
  /** Words that are written as names, in lower case: capitals within a sentence, addresses, identifiers. */
  names: ReadonlySet<string>;
  /** Capitalised words at the beginning of a sentence that no sentence usually begins with. */
  perhapsNames: ReadonlySet<string>;
  /** By class, what stands for its members, in order. */
  classes: ReadonlyMap<string, string[]>;
}

/** No quotation holds its own opening mark: where none is closed, a search that goes on over the next ones takes quadratic time. */
const QUOTED = /"([^"]+)"|“([^“”]+)”|„([^„“”]+)[“”]|«([^«»]+)»|`([^`]+)`|(?<![\p{L}\p{N}])'([^']+)'(?![\p{L}\p{N}])/gu;
const NUMBER = /\d+(?:[.,:/-]\d+)*/g;
/** Addresses, paths, identifiers with punctuation, and hashes keep their punctuation: `a.b`, `x@y.z`, `#12`, `user_id`. */
const WORD = /[#@]?[\p{L}\p{N}_]+(?:['’.@/+:_-][\p{L}\p{N}_]+)*(?:\+\+|#)?|[%€$£¥₹]|°[cf]/giu;
const IDENTIFIER = /[_@#/]|\p{L}\.\p{L}|\p{Ll}\p{Lu}|\p{L}\d|\d\p{L}/u;

function readPrompt(prompt: string): Prompt {
  const text = composedForm(prompt).replaceAll('’', "'");
  const found = [...text.matchAll(WORD)];
  const words = found.map(([word]) => word.toLowerCase());
  const classes = new Map<string, string[]>();
  for (const [name, members] of CLASS_MEMBERS) {
    const of = words.flatMap((word) => partsOf(word).flatMap((part) => members.get(part) ?? []));
    if (of.length > 0) classes.set(name, of);
  }
  const names = new Set<string>();
  const perhapsNames = new Set<string>();
  for (const { 0: word, index } of found) {
    const lower = word.toLowerCase();
    if (/^\d/.test(word) && !/\p{L}/u.test(word)) continue;
    if (IDENTIFIER.test(word)) names.add(lower);
    else if (/^\p{Lu}/u.test(word) && lower !== 'i' && !lower.startsWith("i'")) {
      const isFirst = isFirstOfSentence(text, index);
      if (!isFirst) names.add(lower);
      else if (!SENTENCE_STARTERS.has(lower)) perhapsNames.add(lower);
    }
  }
  return {
    words,
    forms: found.map(([word]) => foldCase(word)),
    present: new Set(words.flatMap((word) => [word, ...partsOf(word)])),
    numbers: numbersOf(text),
    negations: negationsIn(text, words),
    symbols: caseBoundSymbols(text),
    quoted: [...text.matchAll(QUOTED)].map((match) => (match.slice(1).find((part) => part !== undefined) ?? '').trim()),
    names,
    perhapsNames,
    classes,
  };
}

const OPENING = /["“„«'(]/;
const SENTENCE_END = /[.!?:;\n]/;

/** Whether a sentence begins at this place: at the start, or behind the end of one, white space and at most one opening mark. */
function isFirstOfSentence(text: string, index: number): boolean {
  let at = index - 1;
  if (OPENING.test(text[at] ?? '')) at--;
  for (; at >= 0 && !SENTENCE_END.test(text[at] ?? ''); at--) if (!/\s/.test(text[at] ?? '')) return false;
  return at >= 0 || index === 0;
}

/** `10km` and `check-in` are looked for as a whole and in parts. */
function partsOf(word: string): string[] {
  const unit = /^\d+(?:[.,]\d+)*(\p{L}+)$/u.exec(word)?.[1];
  const possessive = /^(.+)'s$/.exec(word)?.[1];
  return [word, ...(unit === undefined ? [] : [unit]), ...(possessive === undefined ? [] : [possessive])];
}

/** By class, the first word of each member by all of its words. */
const CLASS_MEMBERS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(CLASSES).map(([name, members]) => [
    name,
    new Map(members.flatMap((same) => same.map((word): [string, string] => [word, same[0] ?? word]))),
  ]),
);

/** Raised and lowered characters, fractions, Roman and circled numbers, the sign of a factorial: 5², H₂O, ½, Ⅷ, 5!. */
const MARK = /[\p{No}\p{Nl}\u2070-\u209f]+|(?<=\p{N}|\)|(?<!\p{L})\p{L})!/u;

const IS_MARK = /^[\p{No}\p{Nl}\u2070-\u209f!]/u;

/** `1,000` is `1000`, `1,5` is `1.5`, `ten` is `10`, in the order in which they are written. */
function numbersOf(text: string): string[] {
  const pattern = new RegExp(`${NUMBER.source}|${MARK.source}|[\\p{L}\\d]+`, 'gu');
  return [...text.toLowerCase().matchAll(pattern)].flatMap(([word]) => {
    const [digits] = /^\d+(?:[.,:/-]\d+)*/.exec(word) ?? [];
    if (digits !== undefined) return [plainNumber(digits)];
    if (IS_MARK.test(word)) return [word];
    const inside = /\d+/.exec(word)?.[0];
    if (inside !== undefined) return [inside];
    const value = NUMBER_WORDS.get(word);
    // "one" is mostly no number: "which one". It counts where the other text says 1.
    return value === undefined || value === '1' ? [] : [value];
  });
}

function plainNumber(digits: string): string {
  const grouped = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(digits) ? digits.replaceAll(',', '') : digits;
  // 2.1 and 2.10 stay two: they may be versions.
  return /^\d+,\d+$/.test(grouped) ? grouped.replace(',', '.') : grouped;
}

function negationsIn(text: string, words: readonly string[]): number {
  const spoken = words.filter(
    (word) => NEGATIONS.has(word) || word.endsWith("n't") || word === 'dont' || word === 'cant',
  ).length;
  const french = (text.toLowerCase().match(/\bn'\p{L}/gu) ?? []).length;
  const written = NEGATIONS_WITHIN.reduce((sum, mark) => sum + text.split(mark).length - 1, 0);
  return spoken + french + written;
}

/** One has words of one pole alone, and the other words of the other pole alone. */
function areOpposed(
  a: ReadonlySet<string>,
  b: ReadonlySet<string>,
  one: readonly string[],
  other: readonly string[],
): boolean {
  const polesOf = (words: ReadonlySet<string>): [boolean, boolean] => [
    one.some((word) => words.has(word)),
    other.some((word) => words.has(word)),
  ];
  const [first, second] = [polesOf(a), polesOf(b)];
  const hasPole = (poles: [boolean, boolean]): boolean => poles[0] || poles[1];
  return hasPole(first) && hasPole(second) && (first[0] !== second[0] || first[1] !== second[1]);
}

/** A name of one that the other does not have in any form, both ways; and two beginnings that may be names and differ. */
function namesDiffer(a: Prompt, b: Prompt): boolean {
  const lacks = (names: ReadonlySet<string>, { present }: Prompt): boolean =>
    [...names].some((name) => !present.has(name) && !partsOf(name).some((part) => part !== name && present.has(part)));
  if (lacks(a.names, b) || lacks(b.names, a)) return true;
  return a.perhapsNames.size > 0 && b.perhapsNames.size > 0 && lacks(a.perhapsNames, b) && lacks(b.perhapsNames, a);
}

const PREFIXES = ['un', 'in', 'im', 'il', 'ir', 'dis', 'de', 'non', 'non-', 'mis', 'anti', 'ent', 'dés', 'des'];
const PREFIXED_CHARACTERS_MIN = 4;

/** One says a word that the other says with a prefix that turns it around: subscribe, unsubscribe. */
function isPrefixed(a: Prompt, b: Prompt): boolean {
  return a.words.some(
    (word) =>
      word.length >= PREFIXED_CHARACTERS_MIN &&
      !b.present.has(word) &&
      PREFIXES.some((prefix) => b.present.has(prefix + word) && !a.present.has(prefix + word)),
  );
}

/** The same words in another order say another thing: from EUR to USD, a dog that bites a man. */
function isReordered(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && !isSame([...a], [...b]) && isSame(a.toSorted(), b.toSorted());
}

/** A word of one is a word of the other in the loosest form alone: Maße and Masse, ılık and ilik, xⁿ and xn. */
function differsInForm(a: Prompt, b: Prompt): boolean {
  const only = (from: Prompt, other: Prompt): string[] => {
    const others = new Set(other.forms);
    return from.forms.filter((form) => !others.has(form)).map(loosestForm);
  };
  const [left, right] = [only(a, b), new Set(only(b, a))];
  return left.some((form) => right.has(form));
}

function isSame(a: readonly string[] = [], b: readonly string[] = []): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index]);
}
