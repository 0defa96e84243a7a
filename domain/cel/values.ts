import { celList, celMap, celUint, type CelInput } from '@bufbuild/cel';
import { reflect } from '@bufbuild/protobuf/reflect';
import { timestampFromDate, TimestampSchema } from '@bufbuild/protobuf/wkt';
import type { ExactJson, ExactObject } from '../json.ts';
import type { Meter } from './meter.ts';

/** Code that makes values for an expression imports these from here: only this folder imports the library. */
export { celList, type CelInput };

const INT_MIN = -(2 ** 63);
const INT_END = 2 ** 63;
const CONVERTED_ITEMS_A_UNIT = 4;

/** JSON as CEL values: whole numbers are ints where an int can hold them, exact ones beyond are uints, others are doubles. */
export function celOf(value: ExactJson, meter: Meter): CelInput {
  if (typeof value === 'number') {
    return Number.isInteger(value) && value >= INT_MIN && value < INT_END ? BigInt(value) : value;
  }
  if (typeof value === 'bigint') return value < BigInt(INT_END) ? value : celUint(value);
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return celMap(new LazyMembers(value, meter));
  meter.charge(value.length / CONVERTED_ITEMS_A_UNIT);
  return celList(value.map((item) => celOf(item, meter)));
}

export function celTimestamp(time: Date): CelInput {
  return reflect(TimestampSchema, timestampFromDate(time));
}

/** The members of an object, each converted when it is read. Most members of a large input never are. */
class LazyMembers implements ReadonlyMap<string, CelInput> {
  readonly #object: ExactObject;
  readonly #meter: Meter;
  readonly #converted = new Map<string, CelInput>();
  #names: readonly string[] | null = null;

  constructor(object: ExactObject, meter: Meter) {
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
