/** A JSON value, as PostgreSQL's jsonb and our wire format know it. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

/** The size of a value as JSON text. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
