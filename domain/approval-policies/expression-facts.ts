import { celList, celMap, type CelInput } from '@bufbuild/cel';
import { reflect } from '@bufbuild/protobuf/reflect';
import { timestampFromDate, TimestampSchema } from '@bufbuild/protobuf/wkt';
import type { ImpactQuantity } from '../actions.ts';
import { CURRENCY_PATTERN, CURRENCY_TEXT, DIMENSION_PATTERN, DIMENSION_TEXT } from '../impact.ts';
import type { Json } from '../json.ts';
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

/** The facts as CEL values. A fact is converted when the first expression looks at it, and once for them all. */
export function bindFacts(facts: PolicyFacts): Bindings {
  const bindings = Object.create(null) as Bindings;
  const bind = (name: string, convert: () => CelInput): void => {
    let value: CelInput | undefined;
    Object.defineProperty(bindings, name, { enumerable: true, get: () => (value ??= convert()) });
  };
  bind('input', () => celOf(facts.input));
  bind('impact', () => celList(facts.impact.map(celOfQuantity)));
  bind('action', () => celOf(facts.action));
  bind('adapter', () => celOf(facts.adapter));
  bind('environment', () => celOf(facts.environment));
  bind('caller', () => celOf(facts.caller));
  bind('run', () => celOf(facts.run));
  bind('now', () => reflect(TimestampSchema, timestampFromDate(facts.now)));
  return bindings;
}

/** A quantity without a currency has null there, so that comparing it is false and not an error. */
function celOfQuantity({ dimension, currency, amount, bound }: ImpactQuantity): CelInput {
  return celOf({ dimension, currency: currency ?? null, amount, bound });
}

const INT_MIN = -(2 ** 63);
const INT_END = 2 ** 63;

/** JSON as CEL values: whole numbers are ints where an int can hold them, others are doubles. */
export function celOf(value: Json): CelInput {
  if (typeof value === 'number') {
    return Number.isInteger(value) && value >= INT_MIN && value < INT_END ? BigInt(value) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return celList(value.map(celOf));
  return celMap(new Map(Object.entries(value).map(([key, member]): [string, CelInput] => [key, celOf(member)])));
}
