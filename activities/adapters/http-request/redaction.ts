import { isJsonObject } from '../../../domain/json.ts';
import type { Json } from '../../../domain/json.ts';
import { REDACTED } from '../../../domain/redacted.ts';
import { createPartFinder, type PartFinder } from './part-finder.ts';
import { base64Core, byteNeedles, isLongMember, textNeedles } from './secret-needles.ts';
import { replaceRanges, type Range } from './secret-runs.ts';

/** Removes credentials from a target's response: an echo must not bring a secret into a row, a log or a reply. */
export interface Redactor {
  /** False where the search would take too long, even in a thread. Then nothing may be kept. */
  canSearch(bytes: number): boolean;
  text(text: string): string;
  /** Each as `text` does it, by one search for all: a search costs some tenths of a millisecond, however little it reads. */
  texts(texts: readonly string[]): readonly string[];
  json(value: Json): Json;
  /** `isCutOff`: reading stopped before the end, so a credential may have lost its end. */
  bytes(bytes: Buffer, isCutOff?: boolean): Buffer;
}

/** A shorter secret would match by chance all over a text. It is removed only where it is a whole word. */
const ANYWHERE_LENGTH_MIN = 4;
/**
 * From this length on, the leaves of a secret that is a JSON document (a service account's key) are secrets of their own.
 */
const DOCUMENT_LEAF_LENGTH_MIN = 8;
const BASE64_CHARACTER = /[A-Za-z0-9+/_-]/;
/** The cost of a pattern grows faster than its length, and the engine refuses one beyond some thousand characters. */
const PIECE_LENGTH_MAX = 128;
/** All values together. A credential in a header is shorter. */
const SEARCHED_LENGTH_MAX = 8_192;
/**
 * Characters of the values times bytes of the response: 2 KiB in 1 MiB. That takes some seconds at most in common text, and minutes in
 * a hostile one, which the deadline of `RedactionThreads` ends.
 */
const SEARCH_WORK_MAX = 2 ** 31;

/**
 * Finds each value as it is, and in JSON, percent, form, HTML, hex and base64 encodings (mixed ones too, and in base64 as
 * part of something longer, such as `user:secret`). `part-finder.ts` finds their beginnings and ends.
 */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const { whole, inParts } = expand(secrets);
  const length = whole.reduce((sum, value) => sum + value.length, 0);
  const separator = separatorFor(whole);
  if (length > SEARCHED_LENGTH_MAX || separator === undefined) return opaqueRedactor(whole);
  const values = whole.flatMap(piecesOf);
  const textPatterns = values.map((value) => literalPattern(value, utf8Percent));
  const bytePatterns = values.flatMap((value) => byteForms(value).map((form) => literalPattern(form, latin1Percent)));
  const base64 = base64Pattern(values);
  const partsOfText = createPartFinder(textNeedles(inParts));
  const partsOfBytes = createPartFinder(byteNeedles(inParts));
  /** All values are searched in the original text: replacing one first would hide others. */
  const rangesIn = (text: string, patterns: RegExp[], parts: PartFinder, isCutOff: boolean): Range[] => [
    ...patterns.flatMap((pattern) => rangesOf(text, pattern)),
    ...parts.find(text, isCutOff),
    ...(base64 === null ? [] : runsOf(text, base64)),
  ];
  const texts = (given: readonly string[]): readonly string[] => {
    const ranges = rangesIn(given.join(separator), textPatterns, partsOfText, false);
    return ranges.length === 0 ? given : replaceInEach(given, ranges);
  };
  return {
    canSearch: (bytes) => bytes * length <= SEARCH_WORK_MAX,
    text: (value) => texts([value])[0] ?? '',
    texts,
    json: (value) => redactJson(value, texts),
    bytes(bytes, isCutOff = false) {
      const before = bytes.toString('latin1');
      const ranges = rangesIn(before, bytePatterns, partsOfBytes, isCutOff);
      return ranges.length === 0 ? bytes : Buffer.from(replaceRanges(before, ranges, REDACTED), 'latin1');
    },
  };
}

/** Control characters that are no white space, and if a secret has them all, those for private use. No search looks at them. */
const SEPARATORS = /(?!\s)[\p{Cc}\p{Co}]/u;
const SEPARATORS_END = 0xf900;

/** A character that no value holds, so that nothing that is found goes beyond it; undefined where there is none. */
function separatorFor(values: readonly string[]): string | undefined {
  const used = new Set(values.flatMap((value) => Array.from(value)));
  for (let code = 0; code < SEPARATORS_END; code++) {
    const character = String.fromCharCode(code);
    if (SEPARATORS.test(character) && !used.has(character)) return character;
  }
  return undefined;
}

/** Replaces the ranges of the texts together, with one character between two of them, in each text. */
function replaceInEach(texts: readonly string[], ranges: readonly Range[]): string[] {
  const sorted = ranges.toSorted((left, right) => left[0] - right[0]);
  let from = 0;
  let next = 0;
  return texts.map((text) => {
    const mine: Range[] = [];
    for (let range = sorted[next]; range !== undefined && range[0] < from + text.length; range = sorted[++next]) {
      mine.push([range[0] - from, range[1] - from]);
    }
    from += text.length + 1;
    return replaceRanges(text, mine, REDACTED);
  });
}

/** Redacts only our own messages, which can hold a value only as it is. */
function opaqueRedactor(values: readonly string[]): Redactor {
  const text = (given: string): string => values.reduce((rest, value) => rest.replaceAll(value, REDACTED), given);
  return {
    canSearch: () => false,
    text,
    texts: (texts) => texts.map(text),
    json: () => REDACTED,
    bytes: () => Buffer.from(REDACTED),
  };
}

/** The values that are searched for; none where they are too long, so that only our own messages can be. */
export function searchedValues(secrets: Iterable<string>): readonly string[] {
  const { whole } = expand(secrets);
  return whole.reduce((sum, value) => sum + value.length, 0) > SEARCHED_LENGTH_MAX ? [] : whole;
}

/** A long value in pieces of about equal length, so that none is short enough to match by chance. */
function piecesOf(value: string): string[] {
  const characters = Array.from(value);
  const length = Math.ceil(characters.length / Math.ceil(characters.length / PIECE_LENGTH_MAX));
  const pieces: string[] = [];
  for (let from = 0; from < characters.length; from += length) {
    pieces.push(characters.slice(from, from + length).join(''));
  }
  return pieces;
}

interface Expanded {
  /** The values, in the forms in which a target may see them. */
  whole: string[];
  /** Those values whose parts reveal something too. */
  inParts: string[];
}

function expand(secrets: Iterable<string>): Expanded {
  const whole = new Set<string>();
  const inParts = new Set<string>();
  for (const secret of secrets) {
    const parts = [secret, secret.trim(), ...basicParts(secret)];
    const members = documentLeaves(secret);
    for (const part of [...parts, ...members]) whole.add(part);
    for (const part of [...parts, ...members.filter(isLongMember)]) inParts.add(part);
  }
  whole.delete('');
  return { whole: [...whole], inParts: [...inParts] };
}

const BASIC = /^(?:basic\s+)?(?<encoded>[A-Za-z0-9+/]{8,}={0,2})$/i;
/** A shorter user name (`admin`) is common text, and no credential by itself. */
const USER_LENGTH_MIN = 8;

/** The decoded form of a Basic credential: both parts together, the password, and a user name that is long enough. */
function basicParts(secret: string): string[] {
  const encoded = BASIC.exec(secret.trim())?.groups?.['encoded'];
  if (encoded === undefined) return [];
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  // Not every base64 is a Basic credential. Without text or a colon inside, it is some other kind of token.
  if (colon < 0 || /[\p{Cc}\uFFFD]/u.test(decoded)) return [];
  const [user, password] = [decoded.slice(0, colon), decoded.slice(colon + 1)];
  return [decoded, password, ...(user.length >= USER_LENGTH_MIN ? [user] : [])];
}

function documentLeaves(secret: string): string[] {
  if (!secret.trimStart().startsWith('{')) return [];
  const leaves: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string' && value.length >= DOCUMENT_LEAF_LENGTH_MIN) leaves.push(value);
    else if (typeof value === 'object' && value !== null) for (const member of Object.values(value)) collect(member);
  };
  try {
    collect(JSON.parse(secret));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error; // not a document, so that it has no leaves
  }
  return leaves;
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0');
const percentByte = (byte: number): string => `%(?:25){0,4}${hex(byte, 2)}`;
const utf8Percent = (character: string): string => Array.from(Buffer.from(character, 'utf8'), percentByte).join('');
const latin1Percent = (character: string): string => percentByte(character.charCodeAt(0));

/** Escapes may be escaped again, by JSON in JSON or in a URL. All repetition is bounded, because the text is not ours. */
const BACKSLASH = '(?:\\\\|%(?:25){0,4}5c)';
const ESCAPES_MAX = 8;

/** Case is ignored: header names arrive in lower case, and hexadecimal digits have no fixed case. */
function literalPattern(value: string, percent: (character: string) => string): RegExp {
  const pieces = value.match(/\\+|[^\\]/gsu) ?? [];
  const literal = pieces.map((piece) => piecePattern(piece, percent)).join('');
  if (value.length < ANYWHERE_LENGTH_MIN) return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'giu');
  const hexadecimal = Array.from(Buffer.from(value, 'utf8'), (byte) => hex(byte, 2)).join('');
  return new RegExp(`${literal}|${hexadecimal}`, 'giu');
}

/** The ways to write a character, or a run of backslashes, in JSON, a URL, a form or HTML. */
function piecePattern(piece: string, percent: (character: string) => string): string {
  if (piece.startsWith('\\')) {
    return `(?:${BACKSLASH}|u005c|&#(?:92|x5c);){${piece.length},${piece.length * ESCAPES_MAX}}`;
  }
  const point = piece.codePointAt(0) ?? 0;
  const entity = `&#(?:0{0,8}${point}|x0{0,8}${hex(point, 1)});`;
  const plain = [`\\u{${hex(point, 1)}}`, percent(piece), entity];
  const named = HTML_ENTITIES[piece];
  if (named !== undefined) plain.push(`&${named};`);
  if (piece === ' ') plain.push('\\+');
  const units = Array.from({ length: piece.length }, (_, at) => `u${hex(piece.charCodeAt(at), 4)}`);
  const letter = JSON_LETTERS[piece];
  const escaped = [units.join(`${BACKSLASH}{1,${ESCAPES_MAX}}`), ...(letter === undefined ? [] : [letter])];
  // One alternative for all forms: with one each for those that need a backslash, a pattern takes three times as long to compile.
  return `${BACKSLASH}{0,${ESCAPES_MAX}}(?:${plain.join('|')}|(?<=\\\\|5c)(?:${escaped.join('|')}))`;
}

const JSON_LETTERS: Record<string, string> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't' };
const HTML_ENTITIES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** The bytes of a value in each text encoding, as Latin-1 characters. */
export function byteForms(value: string): string[] {
  const little = Buffer.from(value, 'utf16le');
  const forms = [Buffer.from(value, 'utf8'), little, Buffer.from(little).swap16()];
  return forms.map((form) => form.toString('latin1'));
}

/** Base64url too, and base64 as JSON and URLs escape it. */
const PLUS_IN_BASE64 = '(?:[+-]|%2[Bb])';
const SLASH_IN_BASE64 = '(?:\\\\*/|_|%2[Ff])';

/** The base64 of a value at each of its three possible offsets in a three-byte group, ends cut off. */
function base64Pattern(values: readonly string[]): RegExp | null {
  const cores = new Set<string>();
  for (const value of values) {
    if (value.length < ANYWHERE_LENGTH_MIN) continue;
    for (const offset of [0, 1, 2]) {
      const core = base64Core(Buffer.from(value, 'utf8'), offset);
      cores.add(core.replace(/[+/]/g, (sign) => (sign === '+' ? PLUS_IN_BASE64 : SLASH_IN_BASE64)));
    }
  }
  return cores.size === 0 ? null : new RegExp([...cores].join('|'), 'g');
}

function rangesOf(text: string, pattern: RegExp): Range[] {
  return Array.from(text.matchAll(pattern), (match): Range => [match.index, match.index + match[0].length]);
}

/** The whole run of base64 around each match, because its ends hold bits of the secret too. */
function runsOf(text: string, pattern: RegExp): Range[] {
  const runs: Range[] = [];
  let done = 0;
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    let start = match.index;
    let end = match.index + match[0].length;
    while (start > done && BASE64_CHARACTER.test(text.charAt(start - 1))) start--;
    while (end < text.length && BASE64_CHARACTER.test(text.charAt(end))) end++;
    while (end < text.length && text.charAt(end) === '=') end++;
    runs.push([start, end]);
    done = end;
    pattern.lastIndex = end;
  }
  return runs;
}

/** One search for all names and leaves of the value. */
function redactJson(value: Json, redactAll: (texts: readonly string[]) => readonly string[]): Json {
  const given: string[] = [];
  visitTexts(value, (text) => {
    given.push(text);
    return text;
  });
  const redacted = redactAll(given);
  if (redacted === given) return value;
  let next = 0;
  return visitTexts(value, () => redacted[next++] ?? REDACTED);
}

/** The value with each of its names and leaves as `visit` gives it back, always in the same order. */
function visitTexts(value: Json, visit: (text: string) => string): Json {
  if (typeof value === 'string') return visit(value);
  if (typeof value === 'number') {
    const text = String(value);
    const visited = visit(text);
    return visited === text ? value : visited;
  }
  if (Array.isArray(value)) return value.map((item) => visitTexts(item, visit));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [visit(name), visitTexts(member, visit)]));
}
