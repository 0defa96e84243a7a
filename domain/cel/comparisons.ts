import { isCelMap, isCelUint, type CelMap, type CelValue } from '@bufbuild/cel';
import { OPERATOR } from './tree.ts';

type Primitive = bigint | number | string;

/** Two values of one type, without the library's search among overloads. The conformance suite covers them. */
const COMPARISONS: ReadonlyMap<string, (left: Primitive, right: Primitive) => boolean> = new Map([
  ['_==_', (left: Primitive, right: Primitive) => left === right],
  ['_!=_', (left: Primitive, right: Primitive) => left !== right],
  ['_<_', (left: Primitive, right: Primitive) => left < right],
  ['_<=_', (left: Primitive, right: Primitive) => left <= right],
  ['_>_', (left: Primitive, right: Primitive) => left > right],
  ['_>=_', (left: Primitive, right: Primitive) => left >= right],
]);

export type Comparison = (left: CelValue | undefined, right: CelValue | undefined) => boolean | undefined;

/** Whether a map has a key, be its value null. The library's maps take a null for absent. */
export function holdsKey(map: CelMap, key: CelValue): boolean | undefined {
  if (typeof key === 'object' && !isCelUint(key)) return undefined;
  return map.get(key) !== undefined;
}

const inMap: Comparison = (key, map) => (key !== undefined && isCelMap(map) ? holdsKey(map, key) : undefined);

/** Undefined if the operator is no comparison. The function returns undefined if the values do not share one of these types. */
export function comparisonOf(name: string): Comparison | undefined {
  if (name === OPERATOR.in) return inMap;
  const compare = COMPARISONS.get(name);
  if (compare === undefined) return undefined;
  return (left, right) => {
    if (typeof left !== typeof right || !isPrimitive(left) || !isPrimitive(right)) return undefined;
    return compare(left, right);
  };
}

function isPrimitive(value: CelValue | undefined): value is Primitive {
  return typeof value === 'bigint' || typeof value === 'string' || typeof value === 'number';
}
