/** A JSON value, as PostgreSQL's jsonb and our wire format know it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** A JSON value whose integers are exact: one beyond 2^53 is a bigint, which is written as its digits. */
export type ExactJson = Json | bigint | ExactJson[] | { [key: string]: ExactJson };
export type ExactObject = { [key: string]: ExactJson };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

/** The text of a member; empty where it has none. */
export function textOf(object: JsonObject, member: string): string {
  const value = object[member];
  return typeof value === 'string' ? value : '';
}

/** Depth of the deepest container: a scalar is 0, `{}` is 1. Iterative, so that a hostile document cannot exhaust the stack. */
export function jsonDepthExceeds(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== 'object' || item === null) continue;
      const children: unknown[] = Array.isArray(item) ? item : Object.values(item);
      for (const child of children) if (typeof child === 'object' && child !== null) next.push(child);
    }
    level = next;
  }
  return false;
}

/** PostgreSQL writes numbers without an exponent: `1e308` becomes 309 bytes, a body of 1 MiB would read as 54 MiB. */
export const NUMBERS_GROWTH_BYTES_MAX = 1_048_576;

/** The size of a value as JSON text whose numbers are written as PostgreSQL writes them: `1e308` has 309 digits. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value);
  return new TextEncoder().encode(text).length + growthOfNumbers(value, text);
}

/** Also true for some strings: the numbers are looked at then. */
const HAS_EXPONENT = /\de[+-]\d/;

/** How many more bytes PostgreSQL takes for the numbers of a value than `text` does, its JSON. */
export function growthOfNumbers(value: unknown, text: string): number {
  if (!HAS_EXPONENT.test(text)) return 0;
  let growth = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const item = left.pop();
    if (typeof item === 'number') growth += growthOfNumber(item, String(item));
    else if (typeof item === 'object' && item !== null) for (const member of Object.values(item)) left.push(member);
  }
  return growth;
}

/** The same for one number, however `text` writes it. */
export function growthOfNumber(value: number, text: string): number {
  const [mantissa = '', exponent] = String(value).split('e');
  if (exponent === undefined) return Math.max(mantissa.length - text.length, 0);
  const digits = mantissa.replace(/[-.]/g, '').length;
  const sign = value < 0 ? 1 : 0;
  const power = Number(exponent);
  // JavaScript writes an exponent from 1e21 on, which is more digits than it knows of any number.
  const written = power > 0 ? power + 1 : '0.'.length - power + digits - 1;
  return Math.max(sign + written - text.length, 0);
}
