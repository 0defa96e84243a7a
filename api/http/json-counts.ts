import { validationError } from '../../domain/errors.ts';

/**
 * Members of objects and items of lists that a body may hold. 1 MiB of ordinary JSON has some 70,000. Reading, checking and digesting this
 * many takes some 30 ms of the event loop.
 */
export const BODY_VALUES_MAX = 100_000;
/** Different names of members. The engine keeps each for itself, which costs ten times what a value does. */
export const BODY_NAMES_MAX = 10_000;
/** `"a":1,`: a shorter body can have too many of neither. */
const NAME_BYTES_MIN = 6;

const [OPEN_OBJECT, OPEN_ARRAY, COMMA, COLON, QUOTE, BACKSLASH] = [0x7b, 0x5b, 0x2c, 0x3a, 0x22, 0x5c];

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
