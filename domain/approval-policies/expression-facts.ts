import { celList, celMap, type CelInput } from '@bufbuild/cel';
import { reflect } from '@bufbuild/protobuf/reflect';
import { timestampFromDate, TimestampSchema } from '@bufbuild/protobuf/wkt';
import type { ImpactQuantity } from '../actions.ts';
import { CURRENCY_PATTERN, CURRENCY_TEXT, DIMENSION_PATTERN, DIMENSION_TEXT } from '../impact.ts';
import type { Json, JsonObject } from '../json.ts';
import {
  DYN,
  formed,
  INT,
  listOf,
  mapOf,
  nullable,
  oneOf,
  STRING,
  TIMESTAMP,
  type RecordType,
  type ValueType,
} from './expression-types.ts';
import { Meter } from './meter.ts';
import type { PolicyFacts } from './verdict.ts';

const record = (members: RecordType['members']): RecordType => ({ kind: 'record', members });

/** The variables of a condition, with what is known of them. */
export const FACT_TYPES: ReadonlyMap<string, ValueType> = new Map<string, ValueType>([
  ['input', mapOf(STRING, DYN)],
  [
    'impact',
    listOf(
      record({
        dimension: formed(DIMENSION_PATTERN, DIMENSION_TEXT),
        currency: nullable(formed(CURRENCY_PATTERN, CURRENCY_TEXT)),
        amount: INT,
        bound: oneOf(['exact', 'upper_bound']),
      }),
    ),
  ],
  [
    'action',
    record({
      id: STRING,
      name: STRING,
      versionId: STRING,
      governed: { kind: 'scalar', name: 'bool' },
      tag: nullable(STRING),
    }),
  ],
  ['adapter', record({ type: STRING, version: STRING })],
  ['environment', record({ id: STRING, name: STRING, kind: oneOf(['development', 'staging', 'production']) })],
  [
    'caller',
    record({ type: oneOf(['api_key', 'user']), id: STRING, name: nullable(STRING), agentId: nullable(STRING) }),
  ],
  ['run', record({ id: nullable(STRING) })],
  ['now', TIMESTAMP],
]);

export type Bindings = Record<string, CelInput>;

/**
 * The facts as CEL values. A fact is converted when the first expression looks at it, and once for them all; what a list of the
 * input has to be converted for is charged to `meter`, which is that of the whole evaluation.
 */
export function bindFacts(facts: PolicyFacts, meter = new Meter(Number.POSITIVE_INFINITY)): Bindings {
  const bindings = Object.create(null) as Bindings;
  const bind = (name: string, convert: () => CelInput): void => {
    let value: CelInput | undefined;
    Object.defineProperty(bindings, name, { enumerable: true, get: () => (value ??= convert()) });
  };
  bind('input', () => celOf(facts.input, meter));
  bind('impact', () => celList(facts.impact.map((quantity) => celOfQuantity(quantity, meter))));
  bind('action', () => celOf(facts.action, meter));
  bind('adapter', () => celOf(facts.adapter, meter));
  bind('environment', () => celOf(facts.environment, meter));
  bind('caller', () => celOf(facts.caller, meter));
  bind('run', () => celOf(facts.run, meter));
  bind('now', () => reflect(TimestampSchema, timestampFromDate(facts.now)));
  return bindings;
}

/** A quantity without a currency has null there, so that comparing it is false and not an error. */
function celOfQuantity({ dimension, currency, amount, bound }: ImpactQuantity, meter: Meter): CelInput {
  return celOf({ dimension, currency: currency ?? null, amount, bound }, meter);
}

const INT_MIN = -(2 ** 63);
const INT_END = 2 ** 63;
const CONVERTED_ITEMS_A_UNIT = 4;

/** JSON as CEL values: whole numbers are ints where an int can hold them, others are doubles. */
export function celOf(value: Json, meter: Meter): CelInput {
  if (typeof value === 'number') {
    return Number.isInteger(value) && value >= INT_MIN && value < INT_END ? BigInt(value) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return celMap(new LazyMembers(value, meter));
  meter.charge(value.length / CONVERTED_ITEMS_A_UNIT);
  return celList(value.map((item) => celOf(item, meter)));
}

/** The members of an object, each converted when it is looked at: of a large input most never are. */
class LazyMembers implements ReadonlyMap<string, CelInput> {
  readonly #object: JsonObject;
  readonly #meter: Meter;
  readonly #converted = new Map<string, CelInput>();
  #names: readonly string[] | null = null;

  constructor(object: JsonObject, meter: Meter) {
    this.#object = object;
    this.#meter = meter;
  }

  #allNames(): readonly string[] {
    if (this.#names !== null) return this.#names;
    const names = Object.keys(this.#object);
    this.#meter.charge(names.length / CONVERTED_ITEMS_A_UNIT);
    return (this.#names = names);
  }

  #all(): Map<string, CelInput> {
    return new Map(this.#allNames().map((name): [string, CelInput] => [name, this.get(name) ?? null]));
  }

  get size(): number {
    return this.#allNames().length;
  }

  get(name: string): CelInput | undefined {
    const known = this.#converted.get(name);
    if (known !== undefined) return known;
    const member = Object.hasOwn(this.#object, name) ? this.#object[name] : undefined;
    if (member === undefined) return undefined;
    const converted = celOf(member, this.#meter);
    this.#converted.set(name, converted);
    return converted;
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#object, name);
  }

  forEach(visit: (member: CelInput, name: string, map: ReadonlyMap<string, CelInput>) => void): void {
    for (const [name, member] of this.#all()) visit(member, name, this);
  }

  entries(): MapIterator<[string, CelInput]> {
    return this.#all().entries();
  }

  keys(): MapIterator<string> {
    return this.#allNames().values();
  }

  values(): MapIterator<CelInput> {
    return this.#all().values();
  }

  [Symbol.iterator](): MapIterator<[string, CelInput]> {
    return this.entries();
  }
}
