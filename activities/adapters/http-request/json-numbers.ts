import type { Json } from '../../../domain/json.ts';

/** Numbers of JSON, and what delimits strings. A pattern that matches a whole string overflows the stack at 8 MiB. */
const NUMBER_OR_QUOTE = /-?\d[\d.eE+-]*|"|\\["\\]/g;

/** The numbers of a text that is JSON, as they are written, and where they begin. */
function* numbersIn(json: string): Generator<{ token: string; start: number }> {
  let isInString = false;
  for (const { 0: token, index } of json.matchAll(NUMBER_OR_QUOTE)) {
    if (token === '"') isInString = !isInString;
    else if (!isInString) yield { token, start: index };
  }
}

/**
 * As `JSON.parse`, with each integer beyond 2^53 - 1 as a text of its digits. A number would be rounded, and an id that is one off
 * addresses another record. Numbers with a fraction or an exponent are amounts or measurements: they stay numbers.
 */
export function parseWithExactIntegers(text: string): Json {
  // First as it is: quotes would make JSON of `{9007199254740993: 1}`.
  const value = JSON.parse(text) as Json;
  const quoted = MANY_DIGITS.test(text) ? quoteLargeIntegers(text) : text;
  return quoted === text ? value : (JSON.parse(quoted) as Json);
}

/** 2^53 has sixteen digits. */
const MANY_DIGITS = /\d{16}/;
const INTEGER = /^-?\d+$/;

function quoteLargeIntegers(json: string): string {
  const pieces: string[] = [];
  let end = 0;
  for (const { token, start } of numbersIn(json)) {
    if (!INTEGER.test(token) || Number.isSafeInteger(Number(token))) continue;
    pieces.push(json.slice(end, start), `"${token}"`);
    end = start + token.length;
  }
  return pieces.join('') + json.slice(end);
}
