import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { HOLDS_DATA, HOLDS_SCHEMA, HOLDS_SCHEMA_LIST, HOLDS_SCHEMA_MAP, MOVES_THE_BASE } from './schema-keywords.ts';

/** What a value is by its place: a schema or a list of them, a map of schemas by names, or unknown, where anything may be a schema. */
export type Place = 'schema' | 'map' | 'unknown';

/** The place of a member. Returns null when the member is data, in which nothing is a reference. */
export function placeOf(key: string, place: Place): Place | null {
  if (place === 'unknown') return 'unknown';
  if (place === 'map' || HOLDS_SCHEMA.has(key) || HOLDS_SCHEMA_LIST.has(key)) return 'schema';
  if (HOLDS_SCHEMA_MAP.has(key)) return 'map';
  return HOLDS_DATA.has(key) ? null : 'unknown';
}

type Visit = (key: string, value: Json, holder: JsonObject) => void;

/** Calls `visit` for each member of each object in a schema, once. Data is not looked into: an `enum` may have thousands of values. */
function visitMembers(value: Json, visit: Visit, place: Place = 'schema'): void {
  if (Array.isArray(value)) {
    for (const item of value) visitMembers(item, visit, place);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, member] of Object.entries(value)) {
    visit(key, member, value);
    const next = placeOf(key, place);
    if (next !== null) visitMembers(member, visit, next);
  }
}

export function isRef(keyword: string): boolean {
  return keyword === '$ref' || keyword === '$dynamicRef';
}

export function refsIn(schema: Json): Set<string> {
  const refs = new Set<string>();
  visitMembers(schema, (key, value) => {
    if (isRef(key) && typeof value === 'string') refs.add(value);
  });
  return refs;
}

/** Whether a part of it has a base of its own, against which its references are resolved. */
export function hasMovedBase(schema: JsonObject): boolean {
  let hasMoved = false;
  visitMembers(schema, (key, _value, holder) => {
    if (key === MOVES_THE_BASE && holder !== schema) hasMoved = true;
  });
  return hasMoved;
}

/** Whether there are references in parts of one schema. Each part is looked at once, however many of the parts around it are asked about. */
export class RefsBelow {
  private readonly known = new WeakMap<object, boolean>();

  areIn(value: Json, place: Place = 'schema'): boolean {
    if (typeof value !== 'object' || value === null) return false;
    const known = this.known.get(value);
    if (known !== undefined) return known;
    const found = Array.isArray(value)
      ? value.some((item) => this.areIn(item, place))
      : Object.entries(value).some(([key, member]) => this.isOrHoldsRef(key, member, place));
    this.known.set(value, found);
    return found;
  }

  private isOrHoldsRef(key: string, member: Json, place: Place): boolean {
    if (isRef(key) && typeof member === 'string') return true;
    const next = placeOf(key, place);
    return next !== null && this.areIn(member, next);
  }
}
