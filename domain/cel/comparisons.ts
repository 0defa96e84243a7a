import type { CelValue } from '@bufbuild/cel';

type Primitive = bigint | number | string;

/**
 * What conditions do most, without a search among the library's thirteen overloads of each operator. Only for two values of one
 * of these types; the library compares all others. The conformance suite runs through it.
 */
const COMPARISONS: ReadonlyMap<string, (left: Primitive, right: Primitive) => boolean> = new Map([
  ['_==_', (left: Primitive, right: Primitive) => left === right],
  ['_!=_', (left: Primitive, right: Primitive) => left !== right],
  ['_<_', (left: Primitive, right: Primitive) => left < right],
  ['_<=_', (left: Primitive, right: Primitive) => left <= right],
  ['_>_', (left: Primitive, right: Primitive) => left > right],
  ['_>=_', (left: Primitive, right: Primitive) => left >= right],
]);

export type Comparison = (left: CelValue | undefined, right: CelValue | undefined) => boolean | undefined;

/** Undefined where the operator is no comparison; gives undefined where the values are not of one such type. */
export function comparisonOf(name: string): Comparison | undefined {
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
