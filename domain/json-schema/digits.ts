import type { Json, JsonObject } from '../json.ts';

/** With the format `int64` or `uint64`, integers beyond 2^53 are texts of digits, sent as numbers. */
export const INTEGER_FORMATS: readonly string[] = ['int64', 'uint64'];

const DIGITS = /^(?:0|-?[1-9]\d{0,19})$/;
const RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

export function takesDigits({ type, format }: JsonObject): boolean {
  if (!Array.isArray(type) || typeof format !== 'string' || !INTEGER_FORMATS.includes(format)) return false;
  return type.includes('string') && (type.includes('integer') || type.includes('number'));
}

/** Whether a text may be digits that are meant as a number. */
export function mayBeDigits(text: string): boolean {
  return text.length <= 20 && DIGITS.test(text);
}

/** Why a value is not an integer that such a schema takes; null where it is one, and where it is neither a text nor a number. */
export function digitsFault(schema: JsonObject, value: Json): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const format = schema['format'] === 'uint64' ? 'uint64' : 'int64';
  if (typeof value === 'number') {
    return format === 'uint64' && value < 0 ? 'must be at least 0' : null; // the other keywords check numbers
  }
  if (!mayBeDigits(value)) return 'must be an integer: a number, or a text of its digits';
  const integer = BigInt(value);
  const [least, most] = RANGES[format] ?? [0n, 0n];
  if (integer < least || integer > most) return `must be from ${least} to ${most} (${format})`;
  return boundFault(schema, integer);
}

/** A bound beyond 2^53 was rounded when the schema was read: the range of the format holds there. */
function boundFault(schema: JsonObject, integer: bigint): string | null {
  const bound = (keyword: string, round: (value: number) => number): bigint | null => {
    const value = schema[keyword];
    return typeof value === 'number' && Number.isSafeInteger(round(value)) ? BigInt(round(value)) : null;
  };
  const minimum = bound('minimum', Math.ceil);
  const maximum = bound('maximum', Math.floor);
  const above = bound('exclusiveMinimum', Math.floor);
  const below = bound('exclusiveMaximum', Math.ceil);
  const multiple = Number.isInteger(schema['multipleOf']) ? bound('multipleOf', Math.abs) : null;
  if (minimum !== null && integer < minimum) return `must be >= ${minimum}`;
  if (maximum !== null && integer > maximum) return `must be <= ${maximum}`;
  if (above !== null && integer <= above) return `must be > ${above}`;
  if (below !== null && integer >= below) return `must be < ${below}`;
  if (multiple !== null && multiple !== 0n && integer % multiple !== 0n) return `must be a multiple of ${multiple}`;
  return null;
}
