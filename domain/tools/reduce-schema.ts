import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { SchemaRules } from './formats.ts';
import {
  FRAGILE,
  GO_TOGETHER,
  HOLDS_SCHEMA,
  HOLDS_SCHEMA_LIST,
  HOLDS_SCHEMA_MAP,
  LOOKS_AT_THE_REST,
} from './schema-keywords.ts';
import { escapeStep, referredName } from '../json-pointer.ts';
import { hasMovedBase, isRef, type Place, placeOf, refsIn, RefsBelow } from './schema-members.ts';

export interface Dropped {
  /** JSON Pointer of the schema that it stood in. */
  path: string;
  keyword: string;
  reason: string;
}

const NOT_TAKEN = 'the format does not take it';
const NOT_AT_THE_TOP = 'the format does not take it at the top of the parameters';
const GOES_ALONG = 'it depends on what was dropped beside it';
const HOLDS_DROPPED = 'something in it is dropped, and the rest of it would mean another thing';
const REST_UNKNOWN = 'it depends on all the others, of which some were dropped';
const NO_TARGET = 'it refers to what is not in this schema, or was dropped';
const NAME_NOT_TAKEN = 'the format does not take this name of a property';
const IS_FALSE = 'the format takes no schema that is false';

/** More rounds than a schema of a sensible size needs. */
const ROUNDS_MAX = 10;

/**
 * The schema without what a format does not take; it accepts at least all that the original does, by which the service
 * checks inputs anyway. Repeats without references that lost their target, until nothing more falls.
 */
export function reduceSchema(original: JsonObject, rules: SchemaRules): { schema: JsonObject; dropped: Dropped[] } {
  const lost = new Set<string>();
  const known = { rules, lost, refs: new RefsBelow(), hasMovedBase: hasMovedBase(original) };
  let hasDropped = false;
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const reduction = new Reduction(known, hasDropped);
    const schema = reduction.schema(original, '');
    const { dropped } = reduction;
    const dangling = [...refsIn(schema)].filter((ref) => !lost.has(ref) && !isThere(schema, ref));
    if (dangling.length === 0 && hasDropped === dropped.length > 0) return { schema: schema as JsonObject, dropped };
    for (const ref of dangling) lost.add(ref);
    hasDropped ||= dropped.length > 0 || dangling.length > 0;
  }
  return { schema: { type: 'object' }, dropped: [{ path: '', keyword: '*', reason: NO_TARGET }] };
}

interface Known {
  rules: SchemaRules;
  lost: ReadonlySet<string>;
  refs: RefsBelow;
  hasMovedBase: boolean;
}

class Reduction {
  readonly dropped: Dropped[] = [];
  private readonly rules: SchemaRules;
  private readonly known: Known;
  private readonly hasDropped: boolean;

  constructor(known: Known, hasDropped: boolean) {
    this.rules = known.rules;
    this.known = known;
    this.hasDropped = hasDropped;
  }

  schema(schema: Json, path: string): Json {
    if (!isJsonObject(schema)) return this.booleanSchema(schema, path);
    const kept: JsonObject = {};
    const goAlong = new Set<string>();
    for (const [keyword, value] of Object.entries(schema)) {
      const reason = this.reasonToDrop(keyword, value, path);
      if (reason === null) this.keep(kept, keyword, value, path, goAlong);
      else this.drop(path, keyword, reason, goAlong);
    }
    for (const keyword of goAlong) {
      // True accepts all, with whatever beside it.
      if (!(keyword in kept) || kept[keyword] === true) continue;
      delete kept[keyword];
      this.drop(path, keyword, GOES_ALONG, goAlong);
    }
    if (this.rules.needsItems && includesArray(kept['type']) && kept['items'] === undefined) kept['items'] = {};
    return kept;
  }

  private booleanSchema(schema: Json, path: string): Json {
    if (this.rules.booleanSchemas) return schema;
    if (schema === false) this.dropped.push({ path, keyword: 'false', reason: IS_FALSE });
    return {};
  }

  private drop(path: string, keyword: string, reason: string, goAlong: Set<string>): void {
    this.dropped.push({ path, keyword, reason });
    for (const other of GO_TOGETHER[keyword] ?? []) goAlong.add(other);
  }

  private reasonToDrop(keyword: string, value: Json, path: string): string | null {
    const { keywords, notAtTheTop } = this.rules;
    if (keywords !== null && !keywords.has(keyword)) return NOT_TAKEN;
    if (path === '' && notAtTheTop.has(keyword)) return NOT_AT_THE_TOP;
    if (LOOKS_AT_THE_REST.has(keyword) && this.hasDropped) return REST_UNKNOWN;
    const isLost = this.known.hasMovedBase || (typeof value === 'string' && this.known.lost.has(value));
    if (isRef(keyword) && this.hasDropped && isLost) return NO_TARGET;
    if (FRAGILE.has(keyword) && this.hasDropped && this.known.refs.areIn(value)) return HOLDS_DROPPED;
    return null;
  }

  private keep(kept: JsonObject, keyword: string, value: Json, path: string, goAlong: Set<string>): void {
    const before = this.dropped.length;
    const reduced = this.value(keyword, value, `${path}/${escapeStep(keyword)}`, goAlong);
    if (FRAGILE.has(keyword) && this.dropped.length > before) {
      this.dropped.length = before;
      this.drop(path, keyword, HOLDS_DROPPED, goAlong);
      return;
    }
    kept[keyword] = reduced;
  }

  private value(keyword: string, value: Json, path: string, goAlong: Set<string>): Json {
    if (keyword === 'additionalProperties' && typeof value === 'boolean') return value;
    if (HOLDS_SCHEMA.has(keyword)) return this.schema(value, path);
    if (HOLDS_SCHEMA_LIST.has(keyword) && Array.isArray(value)) {
      return value.map((schema, index) => this.schema(schema, `${path}/${index}`));
    }
    if (!HOLDS_SCHEMA_MAP.has(keyword) || !isJsonObject(value)) return value;
    const { propertyName } = this.rules;
    const kept: JsonObject = {};
    for (const [name, schema] of Object.entries(value)) {
      if (keyword === 'properties' && propertyName !== null && !propertyName.test(name)) {
        this.dropped.push({ path, keyword: name, reason: NAME_NOT_TAKEN });
        goAlong.add('additionalProperties');
      } else kept[name] = this.schema(schema, `${path}/${escapeStep(name)}`);
    }
    return kept;
  }
}

function includesArray(type: Json | undefined): boolean {
  return type === 'array' || (Array.isArray(type) && type.includes('array'));
}

/** Whether a reference is a pointer to something in this document that is no data: nobody looks for references in data. */
function isThere(schema: Json, ref: string): boolean {
  if (ref === '#') return true;
  if (!ref.startsWith('#/')) return false;
  let at: Json | undefined = schema;
  let place: Place | null = 'schema';
  for (const token of ref.slice(2).split('/')) {
    const name = referredName(token);
    if (Array.isArray(at)) at = at[Number(name)];
    else {
      at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
      place = placeOf(name, place);
    }
    if (at === undefined || place === null) return false;
  }
  return true;
}
