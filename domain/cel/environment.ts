import {
  celEnv,
  type CelEnv,
  celError,
  celFunc,
  type CelFunc,
  type CelInput,
  celList,
  type CelList,
  celMethod,
  type CelResult,
  CelScalar,
  type CelValue,
  isCelList,
  isCelMap,
  isCelUint,
  listType,
} from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import { isReflectMessage } from '@bufbuild/protobuf/reflect';
import type { RE2JS } from 're2js';
import { comparisonOf, holdsKey } from './comparisons.ts';
import { conversionFunctions, CONVERSIONS } from './conversions.ts';
import { CONVERTED_CHARACTERS_MAX, MADE_ITEMS_MAX } from './limits.ts';
import { timeFunctions, TIME_PARTS } from './time.ts';
import type { ValueType } from './types.ts';
import { chargeLookup, WEIGHTS } from './weights.ts';
import { WorkBoundExceeded, type Meter } from './meter.ts';

/** Functions that only the rewritten tree calls (rewrite.ts). */
export const METERED = {
  range: '@range',
  step: '@step',
  list: '@list',
  append: '@append',
  index: '@index',
  has: '@has',
} as const;

export interface ExpressionEnvironment {
  cel: CelEnv;
  /** Whether expressions can construct Protocol Buffers messages. For the conformance suite only: construction is not metered. */
  makesMessages: boolean;
  variables: ReadonlyMap<string, ValueType>;
}

/** The state that functions see during an evaluation. Evaluation is synchronous, so that there is one at a time. */
export interface Evaluation {
  meter: Meter;
  /** The patterns of `matches`, compiled when the expression was. */
  patterns: ReadonlyMap<string, RE2JS>;
}

let running: Evaluation | null = null;

export function withEvaluation<Result>(evaluation: Evaluation, run: () => Result): Result {
  const before = running;
  running = evaluation;
  try {
    return withCheapErrors(run);
  } finally {
    running = before;
  }
}

/** Errors are ordinary values of CEL, and a loop may make thousands: makes them without stack traces. */
export function withCheapErrors<Result>(run: () => Result): Result {
  const framesBefore = Error.stackTraceLimit;
  if (framesBefore === 0) return run();
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = framesBefore;
  }
}

function current(): Evaluation {
  if (running === null) throw new Error('a metered function was called outside of an evaluation');
  return running;
}

const { BOOL, DYN, INT, STRING } = CelScalar;
const LIST = listType(DYN);

const functions: CelFunc[] = [
  ...strings,
  ...timeFunctions,
  ...conversionFunctions,
  // Flat: the library's sum of lists is a list of lists, which takes quadratic time to walk and may exhaust the stack.
  celFunc('_+_', [LIST, LIST], LIST, (left, right) => celList([...left, ...right])),
  // The library's version makes an array of all characters first.
  celFunc('size', [STRING], INT, (text) => BigInt(codePoints(text))),
  celMethod('size', STRING, [], INT, function () {
    return BigInt(codePoints(this));
  }),
  // The library has only the method form. Both forms call `matches` below.
  celFunc('matches', [STRING, STRING], BOOL, () => false),
];

function codePoints(text: string): number {
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    const isLow = (text.charCodeAt(at) & 0xfc00) === 0xdc00;
    if (isLow && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

type Group = NonNullable<ReturnType<CelEnv['funcs']['find']>>;
type Call = (id: number, target: CelValue | undefined, args: CelValue[]) => CelResult | undefined;

/** Charges for every function before it runs. An exceeded bound is thrown, and so passes `||` and `&&`. */
export function meteredEnvironment(
  options: Pick<NonNullable<Parameters<typeof celEnv>[0]>, 'namespace' | 'registry'>,
  variables: ReadonlyMap<string, ValueType>,
): ExpressionEnvironment {
  const bare = celEnv({ ...options, funcs: functions });
  const groups = new Map<string, Group | undefined>();
  const find = (name: string): Group | undefined => {
    if (!groups.has(name)) groups.set(name, meteredGroup(name, bare.funcs.find(name)));
    return groups.get(name);
  };
  // Derived from the library's own objects, which are marked by symbols that it does not export.
  const funcs = Object.create(bare.funcs, { find: { value: find } }) as CelEnv['funcs'];
  const cel = Object.create(bare, { funcs: { value: funcs } }) as CelEnv;
  return { cel, makesMessages: options.registry !== undefined, variables };
}

function meteredGroup(name: string, group: Group | undefined): Group | undefined {
  const own = OWN.get(name);
  if (own !== undefined) return groupOf(name, own, group ?? []);
  if (group === undefined) return undefined;
  const weigh = WEIGHTS.get(name);
  const isConversion = CONVERSIONS.includes(name);
  const isTimePart = TIME_PARTS.includes(name);
  const compare = comparisonOf(name);
  const call: Call = (id, target, args) => {
    const { meter } = current();
    meter.charge(isTimePart ? 1 + 30 * args.length : 1);
    weigh?.(meter, target === undefined ? args : [target, ...args]);
    const compared = compare?.(args[0], args[1]);
    if (compared !== undefined) return compared;
    const text = isConversion ? args[0] : undefined;
    if (typeof text === 'string') meter.charge(5);
    if (typeof text === 'string' && text.length > CONVERTED_CHARACTERS_MAX) {
      return celError(`a text of more than ${CONVERTED_CHARACTERS_MAX} characters is no ${name}`, id);
    }
    return group.call(id, target, args);
  };
  return groupOf(name, call, group);
}

function groupOf(name: string, call: Call, members: Iterable<CelFunc>): Group {
  return { name, call, [Symbol.iterator]: () => members[Symbol.iterator]() as IterableIterator<CelFunc> };
}

/** The arrays behind the lists that comprehensions are filling. */
const filled = new WeakMap<CelList, CelInput[]>();

const OWN: ReadonlyMap<string, Call> = new Map<string, Call>([
  [METERED.range, (_id, _target, [range]) => chargedRange(range)],
  [METERED.step, (_id, _target, [condition, units]) => chargedStep(condition, units)],
  [METERED.list, () => emptyList()],
  [METERED.append, (id, _target, [list, item]) => append(id, list, item)],
  [METERED.index, (id, _target, [container, key]) => indexed(id, container, key)],
  [METERED.has, (id, _target, [container, name]) => hasMember(id, container, name)],
  ['matches', (id, target, args) => matches(id, target === undefined ? args : [target, ...args])],
]);

function chargedRange(range: CelValue | undefined): CelResult | undefined {
  if (isCelList(range) || isCelMap(range)) current().meter.charge(range.size / 4);
  return range;
}

function chargedStep(condition: CelValue | undefined, units: CelValue | undefined): CelResult | undefined {
  current().meter.charge(Number(units));
  return condition;
}

function emptyList(): CelList {
  const items: CelInput[] = [];
  const list = celList(items);
  filled.set(list, items);
  return list;
}

/** Appends in place: only the next step of the comprehension sees the list. The library would nest one list in the next. */
function append(id: number, list: CelValue | undefined, item: CelValue | undefined): CelResult | undefined {
  const items = isCelList(list) ? filled.get(list) : undefined;
  if (items === undefined || item === undefined) return celError('not a list that is being filled', id);
  current().meter.charge(1);
  if (items.length >= MADE_ITEMS_MAX) throw new WorkBoundExceeded();
  items.push(item);
  return list;
}

function indexed(id: number, container: CelValue | undefined, key: CelValue | undefined): CelResult | undefined {
  const { meter } = current();
  meter.charge(1);
  if (key === undefined) return undefined;
  if (isCelMap(container)) {
    chargeLookup(meter, container, key);
    const isKey = typeof key === 'object' ? isCelUint(key) : true;
    const value = isKey ? container.get(key as Parameters<typeof container.get>[0]) : undefined;
    return value === undefined ? celError('no such key', id) : value;
  }
  if (!isCelList(container)) return undefined;
  const index = isCelUint(key)
    ? Number(key.value)
    : Number(typeof key === 'bigint' || typeof key === 'number' ? key : NaN);
  if (!Number.isInteger(index)) return celError('the index of a list must be a whole number', id);
  const item = container.get(index);
  return item === undefined ? celError(`index ${index} is out of bounds`, id) : item;
}

/** What has no members is an error, as in the specification of CEL: the library answers false, and a rule would pass. */
function hasMember(id: number, container: CelValue | undefined, name: CelValue | undefined): CelResult | undefined {
  current().meter.charge(1);
  if (container === undefined || typeof name !== 'string') return undefined;
  if (isCelMap(container)) return holdsKey(container, name);
  if (!isReflectMessage(container)) return celError(`has() looks for ${name} in what has no members`, id);
  const field = container.desc.fields.find((one) => one.name === name);
  return field === undefined ? celError(`no such field: ${name}`, id) : container.isSet(field);
}

function matches(id: number, [text, pattern]: CelValue[]): CelResult | undefined {
  if (typeof text !== 'string' || typeof pattern !== 'string') return undefined;
  const { meter, patterns } = current();
  const program = patterns.get(pattern);
  if (program === undefined) return celError('the pattern was not compiled', id);
  meter.charge(1 + ((text.length + 1) * (4 + program.programSize())) / 4);
  // `test` is avoided: its automaton is up to ten times slower, and keeps up to 8 MB of states for each pattern.
  return program.matcher(text).find();
}
