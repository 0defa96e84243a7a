import { isCelList, isCelMap, type CelMap, type CelValue } from '@bufbuild/cel';
import { MADE_CHARACTERS_MAX, MADE_ITEMS_MAX } from './limits.ts';
import { WorkBoundExceeded, type Meter } from './meter.ts';

/** A call's cost beyond one unit, charged before the call. The divisors are measured (bench/policy prints them). */
type Weigh = (meter: Meter, values: readonly CelValue[]) => void;

const COPIED_CHARACTERS_A_UNIT = 64;
const WALKED_CHARACTERS_A_UNIT = 8;
const MEASURED_CHARACTERS_A_UNIT = 128;
const COPIED_ITEMS_A_UNIT = 16;
const WALKED_ITEMS_A_UNIT = 4;

export const WEIGHTS: ReadonlyMap<string, Weigh> = new Map<string, Weigh>([
  ['_==_', (meter, [left, right]) => chargeEquality(meter, left, right)],
  ['_!=_', (meter, [left, right]) => chargeEquality(meter, left, right)],
  ['@in', (meter, [value, container]) => chargeIn(meter, value, container)],
  ['_+_', (meter, [left, right]) => chargeAdd(meter, left, right)],
  ...['_<_', '_<=_', '_>_', '_>=_', 'startsWith', 'endsWith', 'substring', 'charAt', 'bytes', 'string'].map(
    (name): [string, Weigh] => [name, (meter, values) => meter.charge(characters(values) / COPIED_CHARACTERS_A_UNIT)],
  ),
  ['size', (meter, values) => meter.charge(characters(values) / MEASURED_CHARACTERS_A_UNIT)],
  ...['lowerAscii', 'upperAscii', 'trim', 'split', 'strings.quote'].map((name): [string, Weigh] => [
    name,
    (meter, values) => meter.charge(characters(values) / WALKED_CHARACTERS_A_UNIT),
  ]),
  ['lastIndexOf', (meter, [text, part]) => chargeSearchBackwards(meter, text, part)],
  ...['contains', 'indexOf'].map((name): [string, Weigh] => [
    name,
    (meter, [text, part]) => chargeSearch(meter, text, part),
  ]),
  ['replace', (meter, [text, part, by]) => chargeReplace(meter, text, part, by)],
  ['join', (meter, [list, separator]) => chargeJoin(meter, list, separator)],
  ['format', (meter, [text, values]) => chargeFormat(meter, text, values)],
]);

/** The characters of strings and the bytes of byte strings. */
function characters(values: readonly CelValue[]): number {
  return values.reduce<number>((sum, value) => sum + lengthOf(value), 0);
}

function lengthOf(value: CelValue | undefined): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}

/** Walks the same values as the comparison, which stops where lengths differ. */
function chargeEquality(meter: Meter, left: CelValue | undefined, right: CelValue | undefined): void {
  if (isCelList(left) && isCelList(right)) {
    if (left.size !== right.size) return;
    meter.charge(left.size);
    for (let index = 0; index < left.size; index++) chargeEquality(meter, left.get(index), right.get(index));
  } else if (isCelMap(left) && isCelMap(right)) {
    if (left.size !== right.size) return;
    meter.charge(left.size);
    for (const [key, value] of left) {
      chargeLookup(meter, right, key);
      chargeEquality(meter, value, right.get(key));
    }
  } else {
    meter.charge(Math.min(lengthOf(left), lengthOf(right)) / COPIED_CHARACTERS_A_UNIT);
  }
}

/** A number that is not a key is searched for among all keys, because 1 and 1u are equal. */
export function chargeLookup(meter: Meter, map: CelMap, key: CelValue): void {
  if (typeof key !== 'string' && typeof key !== 'boolean') meter.charge(map.size / COPIED_ITEMS_A_UNIT);
}

function chargeIn(meter: Meter, value: CelValue | undefined, container: CelValue | undefined): void {
  if (isCelMap(container) && value !== undefined) return chargeLookup(meter, container, value);
  if (!isCelList(container)) return;
  meter.charge(container.size / WALKED_ITEMS_A_UNIT);
  if (lengthOf(value) <= COPIED_CHARACTERS_A_UNIT && !isCelList(value) && !isCelMap(value)) return;
  for (const item of container) chargeEquality(meter, item, value);
}

function chargeAdd(meter: Meter, left: CelValue | undefined, right: CelValue | undefined): void {
  const length = lengthOf(left) + lengthOf(right);
  meter.charge(length / COPIED_CHARACTERS_A_UNIT);
  boundMade(length);
  if (!isCelList(left) || !isCelList(right)) return;
  const size = left.size + right.size;
  meter.charge(size / WALKED_ITEMS_A_UNIT);
  if (size > MADE_ITEMS_MAX) throw new WorkBoundExceeded();
}

/** A longer search text may be compared anew at every position. */
const SEARCHED_AT_ONCE = 250;

function chargeSearch(meter: Meter, text: CelValue | undefined, part: CelValue | undefined): void {
  const places = lengthOf(text);
  const looks = lengthOf(part) <= SEARCHED_AT_ONCE ? 0 : places * Math.min(lengthOf(part), places);
  meter.charge(places / COPIED_CHARACTERS_A_UNIT + looks / 1_024);
}

function chargeSearchBackwards(meter: Meter, text: CelValue | undefined, part: CelValue | undefined): void {
  const places = lengthOf(text);
  meter.charge((places * (16 + Math.min(lengthOf(part), places))) / 1_024);
}

function chargeReplace(
  meter: Meter,
  text: CelValue | undefined,
  part: CelValue | undefined,
  by: CelValue | undefined,
): void {
  if (typeof text !== 'string' || typeof part !== 'string') return;
  boundMade(text.length);
  chargeSearch(meter, text, part);
  let found = 0;
  if (part === '') found = text.length + 1;
  else for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found++;
  const length = text.length + found * lengthOf(by);
  boundMade(length);
  // Each replacement copies the whole text.
  meter.charge(found + (found * length) / COPIED_CHARACTERS_A_UNIT);
}

function chargeJoin(meter: Meter, list: CelValue | undefined, separator: CelValue | undefined): void {
  if (!isCelList(list)) return;
  meter.charge(list.size * 2);
  let length = list.size * lengthOf(separator);
  for (const item of list) length += lengthOf(item);
  boundMade(length);
  meter.charge(length / WALKED_CHARACTERS_A_UNIT);
}

function chargeFormat(meter: Meter, text: CelValue | undefined, values: CelValue | undefined): void {
  meter.charge(lengthOf(text));
  const length = walk(meter, values);
  boundMade(length);
  meter.charge(length / WALKED_CHARACTERS_A_UNIT);
}

/** Charges for every value inside, and returns their total length in characters. Formatting one number takes some microseconds. */
function walk(meter: Meter, value: CelValue | undefined): number {
  meter.charge(20);
  if (isCelList(value)) {
    let sum = 0;
    for (const item of value) sum += walk(meter, item);
    return sum;
  }
  if (isCelMap(value)) {
    let sum = 0;
    for (const [key, item] of value) sum += walk(meter, key) + walk(meter, item);
    return sum;
  }
  return lengthOf(value);
}

function boundMade(length: number): void {
  if (length > MADE_CHARACTERS_MAX) throw new WorkBoundExceeded();
}
