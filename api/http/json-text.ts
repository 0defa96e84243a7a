import { type ServiceError, validationError } from '../../domain/errors.ts';
import { growthOfNumber, NUMBERS_GROWTH_BYTES_MAX } from '../../domain/json.ts';
import { quoteInexactNumbers } from '../../domain/json-digits.ts';
import { storageFault } from '../../domain/storable-text.ts';
import { findJsonFault } from './json-position.ts';

export const JSON_DEPTH_MAX = 64;

/** What ends a number or literal. */
const IS_PUNCTUATION = charactersOf(' \t\r\n{}[]:,"');
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const [COMMA, COLON, QUOTE, BACKSLASH] = [0x2c, 0x3a, 0x22, 0x5c];
const INTEGER = /^-?\d+$/;

export interface JsonTextOptions {
  depthMax?: number;
  /** Rounds integers that a double does not hold exactly, instead of refusing them: for numbers that nothing is calculated with. */
  roundsIntegers?: boolean;
  /** Reads numbers that a double does not hold exactly as strings of their digits, instead of refusing or rounding them. */
  quotesInexactNumbers?: boolean;
  /** Where the text stands in the request, for the errors. By default it is the body. */
  path?: string;
}

interface Frame {
  /** The keys of an object so far; null before the first, so that a million empty objects make no sets. */
  keys: Set<string> | null;
  /** The key or index of the value that is being read: a number in an array. */
  at: string | number;
  /** True when the next string is a key. */
  expectsKey: boolean;
}

/**
 * Parses a request body so that what we store and send is what the caller wrote. Beyond JSON.parse it refuses what parsers
 * disagree on or what cannot be stored: duplicate keys, `__proto__`, numbers that a double cannot hold exactly (integers) or
 * at all, too many numbers with large exponents, NUL characters and lone surrogates. At most 64 levels deep unless `options` says
 * otherwise.
 *
 * @throws {ServiceError} VALIDATION_ERROR, with the path of the offender.
 */
export function parseJsonText(sent: string, options: JsonTextOptions = {}): unknown {
  const text = options.quotesInexactNumbers === true ? quoteInexactNumbers(sent) : sent;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const fault = findJsonFault(sent);
    const where = fault && ` at line ${fault.line}, column ${fault.column}: ${fault.expected} was expected`;
    throw malformed(options.path ?? 'body', `is not valid JSON${where ?? ''}`);
  }
  checkTokens(text, options);
  return value;
}

function malformed(path: string, message: string): ServiceError {
  return validationError([{ path, message }]);
}

/**
 * The text is valid JSON here, so one pass with a stack of frames is enough. Characters are compared by their codes, and only strings and
 * numbers are cut out: a body of mere brackets has millions of tokens.
 */
function checkTokens(
  text: string,
  { depthMax = JSON_DEPTH_MAX, roundsIntegers = false, path = 'body' }: JsonTextOptions,
): void {
  const stack: Frame[] = [];
  let growth = 0;
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at);
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      const isObject = code === OPEN_OBJECT;
      stack.push({ keys: null, at: isObject ? '' : 0, expectsKey: isObject });
      if (stack.length > depthMax) throw malformed(path, `is nested deeper than ${depthMax} levels`);
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) stack.pop();
    else if (code === COMMA) nextMember(stack.at(-1));
    else if (code === QUOTE || IS_PUNCTUATION[code] !== 1) {
      const end = code === QUOTE ? endOfString(text, at) : endOfNumber(text, at);
      const token = text.slice(at, end);
      const problem =
        code === QUOTE ? problemOfString(unquote(token), stack.at(-1)) : problemOfNumber(token, roundsIntegers);
      if (problem !== null) throw malformed(pathOf(path, stack), problem);
      if (code !== QUOTE) growth += growthOfToken(token);
      if (growth > NUMBERS_GROWTH_BYTES_MAX) throw malformed(path, TOO_MUCH_GROWTH);
      at = end;
      continue;
    }
    at++;
  }
}

/** By code: 1 for each of these characters. */
function charactersOf(characters: string): Uint8Array {
  const table = new Uint8Array(128);
  for (const character of characters) table[character.charCodeAt(0)] = 1;
  return table;
}

function endOfString(text: string, start: number): number {
  let end = start + 1;
  for (let code = text.charCodeAt(end); code !== QUOTE; code = text.charCodeAt(end)) end += code === BACKSLASH ? 2 : 1;
  return end + 1;
}

/** A literal ends likewise. */
function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && IS_PUNCTUATION[text.charCodeAt(end)] !== 1) end++;
  return end;
}

function unquote(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}

function nextMember(frame: Frame | undefined): void {
  if (frame === undefined) return;
  if (typeof frame.at === 'number') frame.at++;
  else frame.expectsKey = true;
}

function problemOfString(value: string, frame: Frame | undefined): string | null {
  if (frame?.expectsKey) {
    frame.expectsKey = false;
    frame.at = value;
    frame.keys ??= new Set();
    if (value === '__proto__') return 'is not an allowed key';
    if (frame.keys.has(value)) return 'appears twice in the same object';
    frame.keys.add(value);
  }
  return storageFault(value);
}

function problemOfNumber(token: string, roundsIntegers: boolean): string | null {
  if (token === 'true' || token === 'false' || token === 'null') return null;
  const value = Number(token);
  if (!Number.isFinite(value)) return 'is a number too large to be held';
  if (!roundsIntegers && INTEGER.test(token) && !Number.isSafeInteger(value)) {
    return 'is an integer beyond 2^53 - 1, which JSON numbers do not hold exactly: send it as a string';
  }
  return null;
}

const WITH_EXPONENT = /^-?\d[\d.]*e/i;
const TOO_MUCH_GROWTH =
  `has numbers with exponents that would take ${NUMBERS_GROWTH_BYTES_MAX} bytes more where they are stored, written out: ` +
  'send such numbers as strings, or fewer of them';

function growthOfToken(token: string): number {
  return WITH_EXPONENT.test(token) ? growthOfNumber(Number(token), token) : 0;
}

function pathOf(root: string, stack: readonly Frame[]): string {
  return formatPath(
    root,
    stack.map((frame) => frame.at),
  );
}

/** `body.items[0].state`: a number is an index, anything else a member. */
export function formatPath(root: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : `${text}.${String(part)}`),
    root,
  );
}

/**
 * Members of objects and items of lists that a body may hold. 1 MiB of ordinary JSON has some 70,000. Reading, checking and digesting this
 * many takes some 30 ms of the event loop.
 */
export const BODY_VALUES_MAX = 100_000;
/** Different names of members. The engine keeps each for itself, which costs ten times what a value does. */
export const BODY_NAMES_MAX = 10_000;
/** `"a":1,`: a shorter body can have too many of neither. */
const NAME_BYTES_MIN = 6;

/**
 * Refuses a body that has more parts than a route can mean, in one pass over its bytes, before anything is made of them. Bytes that are no
 * JSON are counted likewise: the parser says what is wrong with them.
 *
 * @throws {ServiceError} VALIDATION_ERROR, with the bound.
 */
export function refuseTooManyParts(bytes: Uint8Array, path: string, valuesMax = BODY_VALUES_MAX): void {
  if (bytes.length < BODY_NAMES_MAX * NAME_BYTES_MIN) return;
  const names = new Set<number>();
  let values = 1;
  let [textStart, textEnd] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      textStart = at + 1;
      at = endOfText(bytes, textStart);
      textEnd = at;
    } else if (byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      values++;
      if (values > valuesMax) throw tooMany(path, valuesMax, 'values: members of objects and items of lists count');
    } else if (byte === COLON) {
      names.add(hashOf(bytes, textStart, textEnd));
      if (names.size > BODY_NAMES_MAX) throw tooMany(path, BODY_NAMES_MAX, 'different names of members');
    }
  }
}

function tooMany(path: string, max: number, what: string): Error {
  const message = `has more than ${max} ${what}; send less at once`;
  return validationError([{ path, message }]);
}

/** Where the closing quote is. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte !== QUOTE && byte !== undefined; byte = bytes[at]) at += byte === BACKSLASH ? 2 : 1;
  return at;
}

/** Nobody outside knows it, so that nobody makes names that count as one. */
const SEED = Math.floor(Math.random() * 2 ** 32);

/** FNV-1a. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = SEED;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return hash;
}
