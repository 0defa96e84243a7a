import { caseBoundSymbols, composedForm, foldCase } from './prompt-form.ts';
import {
  ARTICLES,
  ASKED_OF_A_MODEL,
  ASKS_FOR,
  CAN_YOU,
  CONTRACTIONS,
  ENGLISH_MARKS,
  KEEPS_ITS_ARTICLE,
  KEEPS_THE_NEXT_ARTICLE,
  NO_PLURALS,
  POLITE_ENDINGS,
  POLITE_OPENINGS,
  SAME_OPENINGS,
  SINGULARS,
} from './harmless-words.ts';

/**
 * What differs between two prompts that embeddings take for similar. Embeddings alone give "turn on dark mode" and "turn off dark mode" a
 * similarity of 0.96, so a near prompt is answered from the cache only if nothing differs but words that are known to be harmless.
 */
export const GATE_REASONS = ['numbers', 'quoted', 'names', 'words', 'order'] as const;
export type GateReason = (typeof GATE_REASONS)[number];

/**
 * The gate of a prompt, which is read once. It denies by default: it returns no reason only if both prompts have the same words, numbers,
 * quotations and punctuation in the same order, apart from what domain/cache/harmless-words.ts lists. The rules: docs/cache.md.
 */
export function gateOf(asked: string): (stored: string) => GateReason[] {
  const read = readPrompt(asked);
  return (stored) => {
    const other = readPrompt(stored);
    const isEnglish = [...read, ...other].some(({ kind, text }) => kind === 'word' && ENGLISH_MARKS.has(text));
    return isEnglish ? differences(withoutHarmless(read), withoutHarmless(other)) : differences(read, other);
  };
}

type Kind = 'number' | 'quoted' | 'name' | 'word' | 'sign';

interface Token {
  kind: Kind;
  /** Its case folded; a quotation as it is written. */
  text: string;
  /** A plural has that of its singular. */
  key: string;
}

function differences(a: readonly Token[], b: readonly Token[]): GateReason[] {
  if (a.length === b.length && a.every((token, index) => isSame(token, b[index]))) return [];
  const textsOf = (tokens: readonly Token[], ...kinds: Kind[]): string =>
    JSON.stringify(tokens.filter(({ kind }) => kinds.includes(kind)).map(({ key }) => key));
  const differ = (...kinds: Kind[]): boolean => textsOf(a, ...kinds) !== textsOf(b, ...kinds);
  const sorted = (tokens: readonly Token[]): string => JSON.stringify(tokens.map(({ key }) => key).toSorted());
  const isReordered = sorted(a) === sorted(b);
  const differs: Record<GateReason, boolean> = {
    numbers: differ('number'),
    quoted: differ('quoted'),
    names: namesDiffer(a, b),
    words: !isReordered && differ('word', 'sign'),
    order: isReordered,
  };
  const reasons = GATE_REASONS.filter((reason) => differs[reason]);
  return reasons.length > 0 ? reasons : ['words'];
}

const isSame = (one: Token, other: Token | undefined): boolean =>
  one.text === other?.text || (one.kind === 'word' && other?.kind === 'word' && one.key === other.key);

/** One has a name that the other does not have, not even in lower case. */
function namesDiffer(a: readonly Token[], b: readonly Token[]): boolean {
  const lacksOne = (tokens: readonly Token[], others: readonly Token[]): boolean => {
    const there = new Set(others.map(({ text }) => text));
    return tokens.some(({ kind, text }) => kind === 'name' && !there.has(text));
  };
  return lacksOne(a, b) || lacksOne(b, a);
}

/** No quotation holds its own opening mark: where none is closed, a search that goes on over the next ones takes quadratic time. */
const QUOTED = String.raw`"[^"]+"|“[^“”]+”|„[^„“”]+[“”]|«[^«»]+»|${'`[^`]+`'}|(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}])`;
/** Addresses, paths, times and identifiers are one word with their punctuation: `a.b`, `x@y.z`, `7:30`, `1,000`, `user_id`. */
const WORD = String.raw`[\p{L}\p{N}\p{M}_]+(?:(?:['.@/+:_-]|(?<=\d),(?=\d))[\p{L}\p{N}\p{M}_]+)*`;
const TOKEN = new RegExp(String.raw`(?<quoted>${QUOTED})|(?<word>${WORD})|(?<sign>\S)`, 'gu');
const IDENTIFIER = /[_@/+:]|\p{L}\.\p{L}|\p{Ll}\p{Lu}/u;
const CLOSING: ReadonlySet<string> = new Set(['.', '!', '?', '…', '。']);
const SENTENCE_ENDS: ReadonlySet<string> = new Set([...CLOSING, ':', ';', '¿', '¡']);

function readPrompt(prompt: string): Token[] {
  const text = composedForm(prompt).replaceAll('’', "'");
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    const [written] = match;
    if (match.groups?.['quoted'] !== undefined) tokens.push({ kind: 'quoted', text: written, key: written });
    else if (match.groups?.['sign'] !== undefined) tokens.push({ kind: 'sign', text: written, key: written });
    else tokens.push(wordOf(written, tokens.at(-1)));
  }
  // The `!` of 5! and n! is no closing mark.
  while (CLOSING.has(tokens.at(-1)?.text ?? '') && !endsWithFactorial(tokens)) tokens.pop();
  const symbols = caseBoundSymbols(text).map((symbol): Token => ({ kind: 'number', text: symbol, key: symbol }));
  return [...tokens, ...symbols];
}

function endsWithFactorial(tokens: readonly Token[]): boolean {
  const before = tokens.at(-2);
  return (
    tokens.at(-1)?.text === '!' &&
    (before?.kind === 'number' || before?.text === ')' || Array.from(before?.text ?? '').length === 1)
  );
}

function wordOf(written: string, before: Token | undefined): Token {
  const text = foldCase(written);
  const token = (kind: Kind): Token => ({ kind, text, key: text });
  if (/\p{N}/u.test(written)) return token('number');
  if (IDENTIFIER.test(written)) return token('name');
  const isCapitalised = /^\p{Lu}/u.test(written) && !/^i(?:'|$)/u.test(text);
  const isFirst = before === undefined || SENTENCE_ENDS.has(before.text);
  return token(isCapitalised && !isFirst ? 'name' : 'word');
}

function withoutHarmless(tokens: readonly Token[]): Token[] {
  const long = tokens.flatMap((token) => {
    const words = token.kind === 'word' ? CONTRACTIONS.get(token.text) : undefined;
    return words?.map((text): Token => ({ kind: 'word', text, key: text })) ?? [token];
  });
  return withoutPoliteness(long).filter(isNoArticle).map(singularOf);
}

function withoutPoliteness(tokens: readonly Token[]): Token[] {
  const ending = POLITE_ENDINGS.find((phrase) => textOf(tokens.slice(-lengthOf(phrase))) === phrase);
  let rest = ending === undefined ? tokens : tokens.slice(0, -lengthOf(ending));
  rest = without(rest, longest(POLITE_OPENINGS.filter((phrase) => startsWith(rest, phrase))));
  const question = CAN_YOU.find((phrase) => startsWith(rest, phrase));
  if (question !== undefined && ASKED_OF_A_MODEL.has(rest[lengthOf(question)]?.text ?? ''))
    rest = without(rest, question);
  rest = without(
    rest,
    ASKS_FOR.find((phrase) => startsWith(rest, phrase)),
  );
  for (const same of SAME_OPENINGS) {
    const opening = same.find((phrase) => startsWith(rest, phrase));
    const text = same.join();
    if (opening !== undefined) return [{ kind: 'word', text, key: text }, ...without(rest, opening)];
  }
  return [...rest];
}

function startsWith(tokens: readonly Token[], phrase: string): boolean {
  const length = lengthOf(phrase);
  return tokens.length > length && textOf(tokens.slice(0, length)) === phrase;
}

const without = (tokens: readonly Token[], opening: string | undefined): readonly Token[] =>
  opening === undefined ? tokens : tokens.slice(lengthOf(opening));
const textOf = (tokens: readonly Token[]): string => tokens.map(({ text }) => text).join(' ');
const lengthOf = (phrase: string): number => phrase.split(' ').length;
const longest = (phrases: readonly string[]): string | undefined => phrases.toSorted((a, b) => b.length - a.length)[0];

/** Drops an article that stands in front of a word and tells nothing. A name may begin with one: the Who. */
function isNoArticle({ kind, text }: Token, index: number, tokens: readonly Token[]): boolean {
  if (kind !== 'word' || !ARTICLES.has(text)) return true;
  const next = tokens[index + 1];
  return (
    next?.kind !== 'word' ||
    KEEPS_ITS_ARTICLE.has(next.text) ||
    KEEPS_THE_NEXT_ARTICLE.has(tokens[index - 1]?.text ?? '')
  );
}

const PLURAL_CHARACTERS_MIN = 4;

/** A name, and a word that may be one because it begins a sentence, has no plural. */
function singularOf(token: Token, index: number): Token {
  const { kind, text } = token;
  if (kind !== 'word' || index === 0) return token;
  const singular = SINGULARS.get(text);
  if (singular !== undefined) return { ...token, key: singular };
  if (text.length < PLURAL_CHARACTERS_MIN || NO_PLURALS.has(text) || !/^[a-z]+s$/.test(text)) return token;
  if (/(?:ss|us|is|ics)$/.test(text)) return token;
  if (text.endsWith('ies')) return { ...token, key: text.replace(/ies$/, 'y') };
  return { ...token, key: text.replace(/(?<=[sxz]|ch|sh)es$|s$/, '') };
}
