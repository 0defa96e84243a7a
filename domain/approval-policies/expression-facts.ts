import type { ImpactQuantity } from '../actions.ts';
import { CURRENCY_PATTERN, CURRENCY_TEXT, DIMENSION_PATTERN, DIMENSION_TEXT } from '../impact.ts';
import type { Bindings } from '../cel/expression.ts';
import { Meter } from '../cel/meter.ts';
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
} from '../cel/types.ts';
import { celList, celOf, celTimestamp, type CelInput } from '../cel/values.ts';
import type { PolicyFacts } from './verdict.ts';

const record = (members: RecordType['members']): RecordType => ({ kind: 'record', members });

/** The variables of a condition, with their known types. */
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

/** The facts as CEL values, converted on first use. Conversions of input lists are charged to `meter`. */
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
  bind('now', () => celTimestamp(facts.now));
  return bindings;
}

/** The currency of a quantity without one is null, so that a comparison is false and not an error. */
function celOfQuantity({ dimension, currency, amount, bound }: ImpactQuantity, meter: Meter): CelInput {
  return celOf({ dimension, currency: currency ?? null, amount, bound }, meter);
}
