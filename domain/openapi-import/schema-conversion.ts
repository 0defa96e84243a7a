import { SCHEMA_APPLICATORS, SCHEMA_LIST_APPLICATORS, SCHEMA_MAP_APPLICATORS } from '../json-schema/applicators.ts';
import { isJsonObject } from '../json.ts';
import type { Json, JsonObject } from '../json.ts';
import type { OpenApiDocument } from './document.ts';
import { lookUpReference, NotImportable, resolveObject, textIn } from './references.ts';
import { fromVersion30, isLinear, keptKeyword, orNull } from './schema-keywords.ts';

/** How much of a schema is kept. */
export interface Detail {
  /** Schemas nested deeper than this are replaced by their type. */
  depthMax: number;
  /** Descriptions are cut to this, and left out further down than `describedDepthMax`. */
  descriptionCharactersMax: number;
  describedDepthMax: number;
  /** More schemas than this never fit. */
  schemasMax: number;
}

/** The conversion would be larger than `schemasMax`: another attempt keeps less. */
export class TooLarge extends Error {}

interface Pending {
  key: string;
  schema: Json;
  depth: number;
}

/** Counts all conversions of a document; throws where they become too many. */
export type Charge = (nodes: number) => void;

/**
 * Converts the schemas of one operation from OpenAPI's dialect to JSON Schema 2020-12. Each target of a `$ref` becomes one
 * member of `$defs`, so that recursive schemas stay recursive and nothing is multiplied.
 */
export class SchemaConversion {
  /** What had to be left out, for the caller to read. */
  readonly notes = new Set<string>();
  private readonly document: OpenApiDocument;
  private readonly detail: Detail;
  private readonly charge: Charge;
  private readonly keys = new Map<string, string>();
  private readonly usedKeys = new Set<string>();
  private readonly pending: Pending[] = [];
  private schemas = 0;

  constructor(document: OpenApiDocument, detail: Detail, charge: Charge) {
    this.document = document;
    this.detail = detail;
    this.charge = charge;
  }

  /** Converts one schema. What it refers to is converted by `definitions`. */
  convert(schema: Json, depth: number): Json {
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema)) {
      this.notes.add('a part that is no schema accepts anything');
      return true;
    }
    this.schemas++;
    this.charge(1);
    if (this.schemas > this.detail.schemasMax) throw new TooLarge();
    if (depth > this.detail.depthMax) return this.outline(schema);
    const isOld = this.document.version === '3.0';
    const reference = schema['$ref'];
    if (typeof reference === 'string' && isOld) return this.refer(reference, depth);
    const source = isOld ? fromVersion30(schema) : schema;
    const converted: JsonObject = {};
    for (const [keyword, value] of Object.entries(source)) this.addKeyword(converted, keyword, value, depth);
    if (typeof reference === 'string') Object.assign(converted, this.refer(reference, depth));
    this.withoutReadOnlyRequired(converted, source);
    return isOld && schema['nullable'] === true ? orNull(converted) : converted;
  }

  /** Everything that was referred to, directly or indirectly. Call it last. */
  definitions(): JsonObject {
    const definitions: [string, Json][] = [];
    for (let next = this.pending.shift(); next !== undefined; next = this.pending.shift()) {
      definitions.push([next.key, this.convert(next.schema, next.depth)]);
    }
    return Object.fromEntries(definitions);
  }

  private addKeyword(converted: JsonObject, keyword: string, value: Json, depth: number): void {
    if (SCHEMA_APPLICATORS.includes(keyword)) {
      if (Array.isArray(value) && keyword === 'items') {
        converted['prefixItems'] = value.map((item) => this.convert(item, depth + 1));
      } else converted[keyword] = this.convert(value, depth + 1);
    } else if (SCHEMA_LIST_APPLICATORS.includes(keyword)) {
      if (Array.isArray(value) && value.length > 0) {
        converted[keyword] = value.map((item) => this.convert(item, depth + 1));
      }
    } else if (SCHEMA_MAP_APPLICATORS.includes(keyword)) {
      if (isJsonObject(value)) converted[keyword] = this.convertMap(keyword, value, depth + 1);
    } else if (keyword === 'description') {
      const text = this.describe(value, depth);
      if (text !== null) converted[keyword] = text;
    } else {
      const kept = keptKeyword(keyword, value);
      if (kept === 'dropped') this.notes.add(`${keyword} that cannot be used was left out of the schema`);
      else if (kept !== 'ignored') converted[keyword] = kept.value;
    }
  }

  private convertMap(keyword: string, map: JsonObject, depth: number): JsonObject {
    const entries = Object.entries(map).filter(([name]) => {
      const isUsable = keyword !== 'patternProperties' || isLinear(name);
      if (!isUsable) this.notes.add('patternProperties that cannot be used was left out of the schema');
      return isUsable;
    });
    return Object.fromEntries(entries.map(([name, schema]) => [name, this.convert(schema, depth)]));
  }

  describe(value: Json, depth: number): string | null {
    const { descriptionCharactersMax, describedDepthMax } = this.detail;
    if (typeof value !== 'string' || value === '' || depth > describedDepthMax || descriptionCharactersMax === 0) {
      return null;
    }
    const characters = Array.from(value.slice(0, descriptionCharactersMax * 2));
    if (characters.length <= descriptionCharactersMax && value.length <= descriptionCharactersMax * 2) return value;
    return `${characters.slice(0, descriptionCharactersMax - 1).join('')}…`;
  }

  private refer(reference: string, depth: number): JsonObject {
    const known = this.keys.get(reference);
    if (known !== undefined) return { $ref: `#/$defs/${known}` };
    const schema = lookUpReference(this.document.root, reference);
    if (!isJsonObject(schema) && typeof schema !== 'boolean') {
      throw new NotImportable(`refers to ${reference.slice(0, 200)}, which is no schema`);
    }
    const last = reference.slice(reference.lastIndexOf('/') + 1).replaceAll(/[^A-Za-z0-9_.-]/g, '_');
    let key = last.slice(0, 80);
    for (let count = 2; this.usedKeys.has(key); count++) key = `${last.slice(0, 80)}_${count}`;
    this.usedKeys.add(key);
    this.keys.set(reference, key);
    this.pending.push({ key, schema, depth: depth + 1 });
    return { $ref: `#/$defs/${key}` };
  }

  /** What is kept of a schema that is too deep: its type, and whether it may be null. */
  private outline(schema: JsonObject): Json {
    this.notes.add('the schema is checked to a limited depth, because it is large');
    const resolved = resolveObject(this.document.root, schema) ?? {};
    const kept = keptKeyword('type', resolved['type'] ?? null);
    if (typeof kept === 'string') return true;
    const outlined: JsonObject = { type: kept.value };
    const isNullable = this.document.version === '3.0' && resolved['nullable'] === true;
    return isNullable ? orNull(outlined) : outlined;
  }

  /** A read-only member belongs to the response. In OpenAPI its `required` applies to the response only. */
  private withoutReadOnlyRequired(converted: JsonObject, source: JsonObject): void {
    const { required } = converted;
    const { properties } = source;
    if (!Array.isArray(required) || !isJsonObject(properties)) return;
    const kept = required.filter((entry) => {
      const name = textIn(entry);
      const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return resolveObject(this.document.root, property)?.['readOnly'] !== true;
    });
    if (kept.length === 0) delete converted['required'];
    else converted['required'] = kept;
  }
}

const IN_PLACE: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];

/**
 * Whether a schema applies itself to the same value again, without end: no input could ever be checked against it. (A schema
 * that refers to itself below a property or an item is an ordinary recursive one.)
 */
export function appliesItself(schema: JsonObject): boolean {
  const definitions = isJsonObject(schema['$defs']) ? schema['$defs'] : {};
  const edges = new Map<string, string[]>();
  for (const [key, definition] of Object.entries(definitions)) edges.set(key, inPlaceKeys(definition));
  const state = new Map<string, 'open' | 'done'>();
  for (const start of edges.keys()) {
    const path: { key: string; next: number }[] = [];
    if (!state.has(start)) path.push({ key: start, next: 0 });
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      state.set(top.key, 'open');
      const target = edges.get(top.key)?.[top.next++];
      if (target === undefined) {
        state.set(top.key, 'done');
        path.pop();
      } else if (state.get(target) === 'open') return true;
      else if (!state.has(target)) path.push({ key: target, next: 0 });
    }
  }
  return false;
}

function inPlaceKeys(schema: Json): string[] {
  if (!isJsonObject(schema)) return [];
  const reference = schema['$ref'];
  const own = typeof reference === 'string' ? [reference.slice('#/$defs/'.length)] : [];
  const dependent = isJsonObject(schema['dependentSchemas']) ? Object.values(schema['dependentSchemas']) : [];
  const below = IN_PLACE.flatMap((keyword) => schema[keyword] ?? []);
  return [...own, ...[...below, ...dependent].flatMap((part) => inPlaceKeys(part))];
}
