import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { mapSubschemas } from './structure.ts';

/** Which validations need no thread. Without references the work is at most the product of both weights. */
const CHEAP_SCHEMA_VALUES_MAX = 400;
/** Compiling takes half a millisecond for each subschema, measured. */
const CHEAP_SUBSCHEMAS_MAX = 24;
/** Weight of the schema times weight of the value. A unit takes at most 0.3 microseconds, so 15 ms in all: `npm run bench:schemas` checks it. */
export const CHEAP_UNITS_MAX = 50_000;
const CHARACTERS_A_UNIT = 4;
/** The expressions behind formats take quadratic time, which does not matter up to this length. */
const CHEAP_TEXT_CHARACTERS_MAX = 256;
/** Counted repetition is unrolled: the size is the characters of a pattern times all of its counts. */
const CHEAP_PATTERN_SIZE_MAX = 2_000;

const MULTIPLYING_KEYWORDS: readonly string[] = [
  '$ref',
  '$dynamicRef',
  'patternProperties',
  'uniqueItems',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** The weight of a cheap schema, its patterns aside; null for one that is not cheap. */
export function cheapWeight(schema: JsonObject): number | null {
  const weight = weightUpTo(schema, CHEAP_SCHEMA_VALUES_MAX);
  if (weight === null) return null;
  let subschemas = 0;
  let isCheap = true;
  mapSubschemas(schema, (subschema) => {
    subschemas++;
    isCheap &&= !MULTIPLYING_KEYWORDS.some((keyword) => Object.hasOwn(subschema, keyword));
    const { pattern } = subschema;
    isCheap &&= typeof pattern !== 'string' || patternSizeBound(pattern) <= CHEAP_PATTERN_SIZE_MAX;
    return subschema;
  });
  return isCheap && subschemas <= CHEAP_SUBSCHEMAS_MAX ? weight : null;
}

/** Whether validating a value against a schema of this weight is cheap, its patterns' instructions included. */
export function isCheapFor(weight: number, value: Json): boolean {
  return weightUpTo(value, CHEAP_UNITS_MAX / weight, CHEAP_TEXT_CHARACTERS_MAX) !== null;
}

function patternSizeBound(pattern: string): number {
  let size = pattern.length;
  for (const [, least, most] of pattern.matchAll(/\{(\d*),?(\d*)\}/g)) size *= Math.max(1, Number(least), Number(most));
  return size;
}

/** A value's weight: values, names and a part of their characters. Null above `max`, or for a longer text. */
function weightUpTo(value: Json, max: number, textCharactersMax = Number.POSITIVE_INFINITY): number | null {
  let weight = 0;
  const waiting: Json[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    weight++;
    if (typeof next === 'string') {
      if (next.length > textCharactersMax) return null;
      weight += next.length / CHARACTERS_A_UNIT;
    } else if (Array.isArray(next)) {
      if (weight + next.length > max) return null;
      waiting.push(...next);
    } else if (isJsonObject(next)) {
      const names = Object.keys(next);
      if (weight + names.length > max) return null;
      for (const name of names) waiting.push(name, next[name] ?? null);
    }
    if (weight > max) return null;
  }
  return weight;
}
