import type { CelType } from '@bufbuild/cel';

/** The static type of a value. `dyn` is checked when the expression is evaluated. */
export type ValueType =
  | { kind: 'dyn' }
  | ScalarType
  | { kind: 'list'; item: ValueType }
  | { kind: 'map'; key: ValueType; value: ValueType }
  | RecordType;

export interface ScalarType {
  kind: 'scalar';
  name: string;
  nullable?: boolean;
  values?: readonly string[];
  form?: { pattern: RegExp; text: string };
}

export interface RecordType {
  kind: 'record';
  members: Readonly<Record<string, ValueType>>;
}

export const DYN: ValueType = { kind: 'dyn' };
export const scalar = (name: string): ScalarType => ({ kind: 'scalar', name });
export const BOOL = scalar('bool');
export const INT = scalar('int');
export const UINT = scalar('uint');
export const DOUBLE = scalar('double');
export const STRING = scalar('string');
export const BYTES = scalar('bytes');
export const NULL = scalar('null_type');
export const TYPE = scalar('type');
export const TIMESTAMP = scalar('google.protobuf.Timestamp');
export const nullable = (type: ScalarType): ScalarType => ({ ...type, nullable: true });
export const oneOf = (values: readonly string[]): ScalarType => ({ ...STRING, values });
export const formed = (pattern: RegExp, text: string): ScalarType => ({ ...STRING, form: { pattern, text } });
export const listOf = (item: ValueType): ValueType => ({ kind: 'list', item });
export const mapOf = (key: ValueType, value: ValueType): ValueType => ({ kind: 'map', key, value });

const NUMBERS: readonly string[] = ['int', 'uint', 'double'];

/** The type of a parameter or result as the library declares it. */
export function typeOfCel(type: CelType): ValueType {
  if (type.kind === 'list') return listOf(typeOfCel(type.element));
  if (type.kind === 'map') return mapOf(typeOfCel(type.key), typeOfCel(type.value));
  return type.name === 'dyn' ? DYN : scalar(type.name);
}

/** Whether an argument may be passed for a parameter. The library's overloads check only the outermost type. */
export function accepts(parameter: ValueType, argument: ValueType): boolean {
  if (parameter.kind === 'dyn' || argument.kind === 'dyn') return true;
  if (parameter.kind === 'scalar') return argument.kind === 'scalar' && argument.name === parameter.name;
  if (parameter.kind === 'list') return argument.kind === 'list';
  return argument.kind === 'map' || argument.kind === 'record';
}

/** Whether two values can ever be equal. */
export function comparable(left: ValueType, right: ValueType): boolean {
  if (left.kind === 'dyn' || right.kind === 'dyn') return true;
  if (left.kind === 'scalar' && right.kind === 'scalar') return comparableScalars(left, right);
  if (left.kind === 'list' && right.kind === 'list') return comparable(left.item, right.item);
  if (left.kind === 'map' && right.kind === 'map') {
    return comparable(left.key, right.key) && comparable(left.value, right.value);
  }
  return isMapLike(left) && isMapLike(right);
}

function comparableScalars(left: ScalarType, right: ScalarType): boolean {
  if (left.name === NULL.name || right.name === NULL.name) {
    return left.name === right.name || left.nullable === true || right.nullable === true;
  }
  return left.name === right.name || (NUMBERS.includes(left.name) && NUMBERS.includes(right.name));
}

function isMapLike(type: ValueType): boolean {
  return type.kind === 'map' || type.kind === 'record';
}

export function join(types: readonly ValueType[]): ValueType {
  const [first, ...others] = types;
  if (first === undefined) return DYN;
  return others.every((other) => typeText(other) === typeText(first)) ? plain(first) : DYN;
}

/** The type without its possible strings, in which two joined types may differ. */
function plain(type: ValueType): ValueType {
  if (type.kind !== 'scalar') return type;
  return type.nullable === true ? nullable(scalar(type.name)) : scalar(type.name);
}

/** A type for people: `list(string)`. */
export function typeText(type: ValueType): string {
  switch (type.kind) {
    case 'dyn':
      return 'dyn';
    case 'scalar':
      return type.nullable === true ? `${type.name} or null` : type.name;
    case 'list':
      return `list(${typeText(type.item)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'record':
      return `map with ${Object.keys(type.members).join(', ')}`;
  }
}
