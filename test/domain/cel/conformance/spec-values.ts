import { celList, celMap, CelScalar, celUint, isCelList, isCelMap, isCelType, isCelUint } from '@bufbuild/cel';
import { listType, mapType, objectType, type CelInput, type CelType, type CelValue } from '@bufbuild/cel';
import type { Type } from '@bufbuild/cel-spec/cel/expr/checked_pb.js';
import {
  Type_PrimitiveType as Primitive,
  Type_WellKnownType as WellKnown,
} from '@bufbuild/cel-spec/cel/expr/checked_pb.js';
import { ValueSchema, type MapValue, type Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js';
import { create, equals, type MessageInitShape, type Registry } from '@bufbuild/protobuf';
import { isReflectMessage } from '@bufbuild/protobuf/reflect';
import { anyPack, anyUnpack, NullValue } from '@bufbuild/protobuf/wkt';
import * as types from '../../../../domain/cel/types.ts';
import type { ValueType } from '../../../../domain/cel/types.ts';

/** A value of the suite in the library's form. After `testing.ts` of cel-es. */
export function celOfSpec(value: Value, registry: Registry): CelInput {
  const { kind } = value;
  switch (kind.case) {
    case 'nullValue':
      return null;
    case 'uint64Value':
      return celUint(kind.value);
    case 'enumValue':
      return BigInt(kind.value.value);
    case 'listValue':
      return celList(kind.value.values.map((item) => celOfSpec(item, registry)));
    case 'mapValue':
      return celMap(
        new Map(
          kind.value.entries.map(({ key, value: item }) => [keyOf(key, registry), celOfSpec(present(item), registry)]),
        ),
      );
    case 'objectValue':
      return present(anyUnpack(kind.value, registry));
    case 'typeValue':
      return typeOfName(kind.value, registry);
    case undefined:
      throw new Error('a value without a kind');
    default:
      return kind.value;
  }
}

function keyOf(key: Value | undefined, registry: Registry): string | bigint | boolean {
  return celOfSpec(present(key), registry) as string | bigint | boolean;
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the suite lacks a value');
  return value;
}

const TYPES: Record<string, CelType> = {
  int: CelScalar.INT,
  uint: CelScalar.UINT,
  double: CelScalar.DOUBLE,
  bool: CelScalar.BOOL,
  string: CelScalar.STRING,
  bytes: CelScalar.BYTES,
  null_type: CelScalar.NULL,
  type: CelScalar.TYPE,
  list: listType(CelScalar.DYN),
  map: mapType(CelScalar.DYN, CelScalar.DYN),
};

function typeOfName(name: string, registry: Registry): CelType {
  return TYPES[name] ?? objectType(present(registry.getMessage(name)));
}

export function equalsSpec(actual: CelValue, expected: Value, registry: Registry): boolean {
  const value = sorted(create(ValueSchema, specOfCel(actual)));
  return equals(ValueSchema, value, sorted(expected), { registry, unpackAny: true });
}

function specOfCel(value: CelValue): MessageInitShape<typeof ValueSchema> {
  if (typeof value === 'number') return { kind: { case: 'doubleValue', value } };
  if (typeof value === 'boolean') return { kind: { case: 'boolValue', value } };
  if (typeof value === 'bigint') return { kind: { case: 'int64Value', value } };
  if (typeof value === 'string') return { kind: { case: 'stringValue', value } };
  if (value === null) return { kind: { case: 'nullValue', value: NullValue.NULL_VALUE } };
  if (value instanceof Uint8Array) return { kind: { case: 'bytesValue', value } };
  if (isCelUint(value)) return { kind: { case: 'uint64Value', value: value.value } };
  if (isCelType(value)) return { kind: { case: 'typeValue', value: value.name } };
  if (isCelList(value)) return { kind: { case: 'listValue', value: { values: [...value].map(specOfCel) } } };
  if (isCelMap(value)) {
    const entries = [...value.entries()].map(([key, item]) => ({ key: specOfCel(key), value: specOfCel(item) }));
    return { kind: { case: 'mapValue', value: { entries } } };
  }
  if (isReflectMessage(value)) return { kind: { case: 'objectValue', value: anyPack(value.desc, value.message) } };
  throw new Error('a value of no known kind');
}

/** Maps have no order. */
function sorted(value: Value): Value {
  if (value.kind.case === 'mapValue') sortEntries(value.kind.value);
  if (value.kind.case === 'listValue') value.kind.value.values.forEach(sorted);
  return value;
}

function sortEntries(map: MapValue): void {
  const text = (key: Value | undefined): string => {
    const value = key?.kind.value;
    return typeof value === 'object' ? '' : `${key?.kind.case} ${value}`;
  };
  map.entries.sort((left, right) => (text(left.key) < text(right.key) ? -1 : 1));
  for (const { value } of map.entries) if (value !== undefined) sorted(value);
}

const PRIMITIVES: Record<number, ValueType> = {
  [Primitive.BOOL]: types.BOOL,
  [Primitive.INT64]: types.INT,
  [Primitive.UINT64]: types.UINT,
  [Primitive.DOUBLE]: types.DOUBLE,
  [Primitive.STRING]: types.STRING,
  [Primitive.BYTES]: types.BYTES,
};

/** A declared type, where our checker knows it. It does not know messages. */
export function typeOfDeclaration(type: Type | undefined): ValueType {
  const kind = type?.typeKind;
  switch (kind?.case) {
    case 'primitive':
      return PRIMITIVES[kind.value] ?? types.DYN;
    case 'null':
      return types.NULL;
    case 'listType':
      return types.listOf(typeOfDeclaration(kind.value.elemType));
    case 'mapType':
      return types.mapOf(typeOfDeclaration(kind.value.keyType), typeOfDeclaration(kind.value.valueType));
    case 'wellKnown':
      return kind.value === WellKnown.TIMESTAMP ? types.TIMESTAMP : types.DYN;
    default:
      return types.DYN;
  }
}
