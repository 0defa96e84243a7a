import { SCHEMA_APPLICATORS, SCHEMA_LIST_APPLICATORS, SCHEMA_MAP_APPLICATORS } from '../json-schema/applicators.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { OpenApiDocument } from './document.ts';
import { lookUpReference, NotImportable, resolveObject, textIn } from './references.ts';
import { DROPPED, UNSEEN, WIDER, type Losses } from './conversion-loss.ts';
import { tagsOf, withTag } from './discriminator.ts';
import {
  addTo,
  fromVersion30,
  hasUnusablePattern,
  isLinear,
  keptKeyword,
  orNull,
  shortened,
  takeDigits,
} from './schema-keywords.ts';

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
  reference: string;
  key: string;
  schema: Json;
  depth: number;
}

/** Counts all conversions of a document; throws where they become too many. */
export type Charge = (nodes: number) => void;

/** They are converted after the others, because they depend on what the others lost. */
const EXACT_KEYWORDS: readonly string[] = ['not', 'if', 'then', 'else', 'unevaluatedItems', 'unevaluatedProperties'];
/** Keywords of other drafts that demand something and are not converted. */
const UNKNOWN_DEMANDS: readonly string[] = ['$dynamicRef', '$recursiveRef', 'dependencies', 'additionalItems'];

/**
 * Converts an operation's schemas from OpenAPI to JSON Schema 2020-12. Each target of a `$ref` becomes one member of
 * `$defs`. The result takes every value of the document's schema, and more where a part cannot be kept.
 */
export class SchemaConversion {
  /** What had to be left out, for the caller to read. */
  readonly notes = new Set<string>();
  /** What was lost in the target of each reference, complete after `definitions`. */
  readonly found = new Map<string, number>();
  /** A keyword was met that may only be kept where nothing is lost below it. */
  hasExactKeywords = false;
  private readonly document: OpenApiDocument;
  private readonly detail: Detail;
  private readonly charge: Charge;
  /** What is lost in the targets of references, which are converted after those that refer to them. */
  private readonly losses: Losses;
  private readonly keys = new Map<string, string>();
  private readonly usedKeys = new Set<string>();
  private readonly pending: Pending[] = [];
  private schemas = 0;
  /** What the schema that is being converted has lost so far. */
  private loss = 0;

  constructor(document: OpenApiDocument, detail: Detail, charge: Charge, losses: Losses = new Map()) {
    this.document = document;
    this.detail = detail;
    this.charge = charge;
    this.losses = losses;
  }

  /** Converts one schema. What it refers to is converted by `definitions`. */
  convert(schema: Json, depth: number): Json {
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema)) {
      this.drop('a part that is no schema accepts anything', UNSEEN);
      return true;
    }
    this.schemas++;
    this.charge(1);
    if (this.schemas > this.detail.schemasMax) throw new TooLarge();
    if (depth > this.detail.depthMax) return this.outline(schema);
    const reference = schema['$ref'];
    if (typeof reference === 'string' && this.isOld()) return this.refer(reference, depth);
    const { made, loss } = this.measured(() => this.convertKeywords(schema, depth));
    this.loss |= loss;
    return made;
  }

  /** Everything that was referred to, directly or indirectly. Call it last. */
  definitions(): JsonObject {
    const definitions: [string, Json][] = [];
    for (let next = this.pending.shift(); next !== undefined; next = this.pending.shift()) {
      const { reference, key, schema, depth } = next;
      const { made, loss } = this.measured(() => this.convert(schema, depth));
      this.found.set(reference, loss);
      definitions.push([key, made]);
    }
    return Object.fromEntries(definitions);
  }

  private isOld(): boolean {
    return this.document.version === '3.0';
  }

  /** What was lost within is not yet lost in the schema around it. */
  private measured<Made>(convert: () => Made): { made: Made; loss: number } {
    const outer = this.loss;
    this.loss = 0;
    const made = convert();
    const { loss } = this;
    this.loss = outer;
    return { made, loss };
  }

  private drop(note: string, more = 0): void {
    this.notes.add(note);
    this.loss |= WIDER | DROPPED | more;
  }

  private convertKeywords(schema: JsonObject, depth: number): JsonObject {
    const source = this.isOld() ? fromVersion30(schema) : schema;
    const converted: JsonObject = {};
    for (const [keyword, value] of Object.entries(source)) {
      if (!EXACT_KEYWORDS.includes(keyword)) this.addKeyword(converted, keyword, value, source, depth);
    }
    const reference = schema['$ref'];
    if (typeof reference === 'string') Object.assign(converted, this.refer(reference, depth));
    this.withoutReadOnlyRequired(converted, source);
    this.addExactKeywords(converted, source, depth);
    if (takeDigits(converted)) this.loss |= WIDER;
    return this.isOld() && schema['nullable'] === true ? orNull(converted) : converted;
  }

  private addKeyword(converted: JsonObject, keyword: string, value: Json, source: JsonObject, depth: number): void {
    if (keyword === 'contains') this.addContains(converted, value, source, depth);
    else if (SCHEMA_APPLICATORS.includes(keyword)) {
      if (keyword === 'additionalProperties' && hasUnusablePattern(source)) return;
      if (Array.isArray(value) && keyword === 'items') {
        converted['prefixItems'] = value.map((item) => this.convertPart(item, depth + 1));
      } else converted[keyword] = this.convertPart(value, depth + 1);
    } else if (keyword === 'oneOf' || keyword === 'anyOf') {
      if (Array.isArray(value) && value.length > 0) this.addChoice(converted, keyword, value, source, depth + 1);
    } else if (SCHEMA_LIST_APPLICATORS.includes(keyword)) {
      if (!Array.isArray(value) || value.length === 0) return;
      const isInPlace = keyword === 'allOf';
      const list = value.map((item) => this.convertPart(item, depth + 1, isInPlace));
      const before = converted[keyword];
      converted[keyword] = Array.isArray(before) ? [...before, ...list] : list;
    } else if (SCHEMA_MAP_APPLICATORS.includes(keyword)) {
      if (isJsonObject(value)) converted[keyword] = this.convertMap(keyword, value, depth + 1);
    } else if (keyword === 'description') {
      const text = this.describe(value, depth);
      if (text !== null) converted[keyword] = text;
    } else if (UNKNOWN_DEMANDS.includes(keyword)) {
      this.drop(`${keyword} that cannot be used was left out of the schema`, UNSEEN);
    } else if (keyword !== 'maxContains') this.addPlain(converted, keyword, value);
  }

  private addPlain(converted: JsonObject, keyword: string, value: Json): void {
    const kept = keptKeyword(keyword, value);
    if (kept === 'dropped') this.drop(`${keyword} that cannot be used was left out of the schema`);
    else if (kept !== 'ignored') converted[keyword] = kept.value;
  }

  /** A schema that is not `inPlace` is applied to a member or an item: what it evaluates is not of this value. */
  private convertPart(schema: Json, depth: number, inPlace = false): Json {
    const { made, loss } = this.measured(() => this.convert(schema, depth));
    this.loss |= inPlace ? loss : loss & ~UNSEEN;
    return made;
  }

  /** Branches that take more than they should may overlap, and `oneOf` takes no value of two: it becomes `anyOf` then. */
  private addChoice(converted: JsonObject, keyword: string, value: Json[], source: JsonObject, depth: number): void {
    const tags = tagsOf(this.document.root, source, value);
    const { made, loss } = this.measured(() => value.map((item) => this.convert(item, depth)));
    const branches = made.map((branch, index) => (tags?.[index] ? withTag(branch, tags[index]) : branch));
    this.loss |= loss;
    if (keyword === 'oneOf') this.hasExactKeywords = true;
    if (keyword === 'anyOf' || (tags === null && (loss & WIDER) === 0)) {
      addTo(converted, keyword, branches);
      return;
    }
    this.loss |= WIDER;
    if (tags === null && (loss & DROPPED) !== 0) {
      this.notes.add('oneOf, of which a part cannot be used, is checked as anyOf');
    }
    addTo(converted, 'anyOf', branches);
  }

  private addContains(converted: JsonObject, value: Json, source: JsonObject, depth: number): void {
    const { made, loss } = this.measured(() => this.convert(value, depth + 1));
    this.loss |= loss & ~UNSEEN;
    converted['contains'] = made;
    const { maxContains } = source;
    if (maxContains === undefined) return;
    this.hasExactKeywords = true;
    if ((loss & WIDER) === 0) this.addPlain(converted, 'maxContains', maxContains);
    else this.drop('maxContains, whose schema cannot be kept, was left out of the schema');
  }

  private addExactKeywords(converted: JsonObject, source: JsonObject, depth: number): void {
    this.hasExactKeywords ||= EXACT_KEYWORDS.some((keyword) => Object.hasOwn(source, keyword));
    for (const keyword of ['not', 'if'] as const) {
      const value = source[keyword];
      if (value === undefined) continue;
      const { made, loss } = this.measured(() => this.convert(value, depth + 1));
      if ((loss & WIDER) !== 0) {
        this.drop(
          `${keyword}, of which a part cannot be kept, was left out of the schema`,
          keyword === 'if' ? UNSEEN : 0,
        );
        continue;
      }
      converted[keyword] = made;
      if (keyword === 'not') continue;
      for (const branch of ['then', 'else']) {
        if (source[branch] !== undefined) converted[branch] = this.convert(source[branch], depth + 1);
      }
    }
    for (const keyword of ['unevaluatedItems', 'unevaluatedProperties']) {
      const value = source[keyword];
      if (value === undefined) continue;
      if ((this.loss & UNSEEN) === 0) converted[keyword] = this.convertPart(value, depth + 1);
      else this.drop(`${keyword}, beside a part that cannot be kept, was left out of the schema`);
    }
  }

  private convertMap(keyword: string, map: JsonObject, depth: number): JsonObject {
    const entries = Object.entries(map).filter(([name]) => {
      const isUsable = keyword !== 'patternProperties' || isLinear(name);
      if (!isUsable) this.drop('patternProperties that cannot be used was left out of the schema', UNSEEN);
      return isUsable;
    });
    const isInPlace = keyword === 'dependentSchemas';
    return Object.fromEntries(entries.map(([name, schema]) => [name, this.convertPart(schema, depth, isInPlace)]));
  }

  describe(value: Json, depth: number): string | null {
    const { descriptionCharactersMax, describedDepthMax } = this.detail;
    if (typeof value !== 'string' || value === '' || depth > describedDepthMax || descriptionCharactersMax === 0) {
      return null;
    }
    return shortened(value, descriptionCharactersMax);
  }

  private refer(reference: string, depth: number): JsonObject {
    this.loss |= this.losses.get(reference) ?? 0;
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
    this.pending.push({ reference, key, schema, depth: depth + 1 });
    return { $ref: `#/$defs/${key}` };
  }

  /** What is kept of a schema that is too deep: its type, and whether it may be null. */
  private outline(schema: JsonObject): Json {
    this.drop('the schema is checked to a limited depth, because it is large', UNSEEN);
    const resolved = resolveObject(this.document.root, schema) ?? {};
    const kept = keptKeyword('type', resolved['type'] ?? null);
    if (typeof kept === 'string') return true;
    const outlined: JsonObject = { type: kept.value };
    if (typeof resolved['format'] === 'string' && resolved['enum'] === undefined)
      outlined['format'] = resolved['format'];
    if (!takeDigits(outlined)) delete outlined['format'];
    const isNullable = this.isOld() && resolved['nullable'] === true;
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
    if (kept.length < required.length) this.loss |= WIDER;
    if (kept.length === 0) delete converted['required'];
    else converted['required'] = kept;
  }
}
