import { type ExactJson, type ExactObject, isJsonObject, type Json, type JsonObject, listOf } from '../json.ts';
import { referredIn } from '../json-pointer.ts';
import { digitsFault, mayBeDigits, takesDigits } from './digits.ts';
import { compilePattern } from './patterns.ts';

/**
 * The input as it is sent and decided upon: a text that its schema takes as an integer (digits.ts) is that number, a
 * bigint beyond 2^53. Request, policies and impact all read it. In an `anyOf` that takes texts too it stays a text.
 */
export function exactInput(schema: JsonObject, input: JsonObject): ExactObject {
  if (!holdsDigits(input)) return input;
  const reading = new Reading(schema);
  return reading.read(reading.terms([schema], input), input) as ExactObject;
}

/** Beyond so many schemas a text stays a text: schemas are other people's programs, and this runs on the event loop. */
const STEPS_MAX = 20_000;
const DEPTH_MAX = 100;
const BRANCH_DEPTH_MAX = 4;

/** What applies to a value: schemas that all hold, and choices of which one holds. */
interface Terms {
  schemas: JsonObject[];
  choices: Terms[][];
}

function holdsDigits(input: JsonObject): boolean {
  const left: Json[] = [input];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value === 'string') {
      if (mayBeDigits(value)) return true;
    } else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value)) left.push(member);
    }
  }
  return false;
}

class Reading {
  readonly #root: JsonObject;
  #stepsLeft = STEPS_MAX;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  read(terms: Terms, value: Json): ExactJson {
    if (typeof value === 'string') return mayBeDigits(value) && isInteger(terms) ? asNumber(value) : value;
    if (typeof value !== 'object' || value === null || isEmpty(terms)) return value;
    if (Array.isArray(value)) return value.map((item, index) => this.read(this.#below(terms, index, item), item));
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, this.read(this.#below(terms, name, member), member)]),
    );
  }

  /** The schemas with those that they apply to the same value. */
  terms(schemas: readonly (Json | undefined)[], value: Json, depth = 0): Terms {
    const terms: Terms = { schemas: [], choices: [] };
    for (const schema of schemas) if (isJsonObject(schema)) this.#add(terms, schema, value, depth);
    return terms;
  }

  #add(terms: Terms, schema: JsonObject, value: Json, depth: number): void {
    if (depth > DEPTH_MAX || this.#stepsLeft-- <= 0) return;
    terms.schemas.push(schema);
    const further: (Json | undefined)[] = [this.#referred(schema), ...listOf(schema['allOf'])];
    if (isJsonObject(value) && isJsonObject(schema['dependentSchemas'])) {
      for (const [name, one] of Object.entries(schema['dependentSchemas'])) {
        if (Object.hasOwn(value, name)) further.push(one);
      }
    }
    for (const one of further) if (isJsonObject(one)) this.#add(terms, one, value, depth + 1);
    const conditional = [schema['then'], schema['else']].filter((one) => one !== undefined);
    for (const branches of [listOf(schema['anyOf']), listOf(schema['oneOf']), conditional]) {
      const fitting = branches.filter((branch) => this.#mayFit(branch, value, BRANCH_DEPTH_MAX));
      if (fitting.length > 0) terms.choices.push(fitting.map((branch) => this.terms([branch], value, depth + 1)));
    }
  }

  #below(terms: Terms, step: string | number, value: Json): Terms {
    const below = this.terms(
      terms.schemas.flatMap((schema) => schemasBelow(schema, step)),
      value,
    );
    for (const choice of terms.choices) below.choices.push(choice.map((one) => this.#below(one, step, value)));
    return below;
  }

  #referred({ $ref: reference }: JsonObject): Json | undefined {
    return typeof reference === 'string' ? referredIn(this.#root, reference) : undefined;
  }

  /** Whether nothing that is cheap to see keeps a value from being of a branch: its type, its tags, what it requires and closes. */
  #mayFit(schema: Json | undefined, value: Json, depth: number): boolean {
    if (schema === false) return false;
    if (!isJsonObject(schema) || depth < 0 || this.#stepsLeft-- <= 0) return true;
    if (!fitsItself(schema, value)) return false;
    const further = [this.#referred(schema), ...listOf(schema['allOf'])];
    if (!further.every((one) => this.#mayFit(one, value, depth - 1))) return false;
    for (const branches of [listOf(schema['anyOf']), listOf(schema['oneOf'])]) {
      if (branches.length > 0 && !branches.some((one) => this.#mayFit(one, value, depth - 1))) return false;
    }
    if (!isJsonObject(value)) return true;
    return Object.entries(value).every(([name, member]) =>
      schemasBelow(schema, name).every((one) => this.#mayFit(one, member, depth - 1)),
    );
  }
}

/** One schema that says so is enough among those that all hold; each branch of a choice has to. */
function isInteger({ schemas, choices }: Terms): boolean {
  return schemas.some(takesDigits) || choices.some((choice) => choice.every(isInteger));
}

function isEmpty({ schemas, choices }: Terms): boolean {
  return schemas.length === 0 && choices.length === 0;
}

function asNumber(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

function schemasBelow(schema: JsonObject, step: string | number): Json[] {
  if (typeof step === 'number') {
    const prefix = listOf(schema['prefixItems']);
    const item = step < prefix.length ? prefix[step] : schema['items'];
    return item === undefined ? [] : [item];
  }
  const { properties, patternProperties } = schema;
  const own = isJsonObject(properties) && Object.hasOwn(properties, step) ? [properties[step] ?? true] : [];
  const patterns = Object.entries(isJsonObject(patternProperties) ? patternProperties : {});
  const matching = patterns.filter(([pattern]) => compilePattern(pattern).matcher(step).find());
  const found = [...own, ...matching.map(([, one]) => one)];
  const rest = schema['additionalProperties'] ?? schema['unevaluatedProperties'];
  return found.length > 0 || rest === undefined ? found : [rest];
}

function fitsItself(schema: JsonObject, value: Json): boolean {
  const { type, const: only, enum: values, required } = schema;
  if (type !== undefined && !(Array.isArray(type) ? type : [type]).some((one) => isOfType(one, value))) return false;
  if (takesDigits(schema) && digitsFault(schema, value) !== null) return false;
  if (only !== undefined && JSON.stringify(only) !== JSON.stringify(value)) return false;
  if (Array.isArray(values) && !values.some((one) => JSON.stringify(one) === JSON.stringify(value))) return false;
  return !isJsonObject(value) || listOf(required).every((name) => Object.hasOwn(value, name as string));
}

function isOfType(type: Json, value: Json): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
