import type { CelEnv, CelFunc } from '@bufbuild/cel';
import { PATTERN_CHARACTERS_MAX } from './limits.ts';
import { constantString, ExpressionError, OPERATOR, type Call, type Expr } from './tree.ts';
import {
  accepts,
  BOOL,
  comparable,
  DYN,
  INT,
  join,
  STRING,
  typeOfCel,
  typeText,
  type RecordType,
  type ValueType,
} from './types.ts';

/** Throws an ExpressionError where the function is not known or takes no such arguments. */
export function callType(
  cel: CelEnv,
  name: string,
  call: Call,
  target: ValueType | undefined,
  args: readonly ValueType[],
): ValueType {
  const [first = DYN, second = DYN, third = DYN] = args;
  switch (name) {
    case OPERATOR.and:
    case OPERATOR.or:
    case OPERATOR.not:
      args.forEach((arg) => requireBool(arg, shown(name)));
      return BOOL;
    case OPERATOR.notStrictlyFalse:
      return BOOL;
    case OPERATOR.conditional:
      requireBool(first, 'the condition of ?:');
      return join([second, third]);
    case OPERATOR.index:
      return indexType(first, second, call.args[1]);
    case OPERATOR.equals:
    case OPERATOR.notEquals:
      requireComparable(first, second, name);
      requireValue(first, call.args[1]);
      requireValue(second, call.args[0]);
      return BOOL;
    case OPERATOR.in:
      requireIn(first, second, call);
      return BOOL;
    case OPERATOR.add:
      if (first.kind === 'list' && second.kind === 'list') return join([first, second]);
      break;
    case 'matches':
      patternTextOf(call);
      break;
    default:
  }
  return overloadType(cel, name, target, args);
}

/** The pattern of a call of `matches`. It must be written out: compiling one costs more than matching it. */
export function patternTextOf({ target, args }: Call): string {
  const text = constantString(target === undefined ? args[1] : args[0]);
  if (text === undefined) throw new ExpressionError('has a pattern for matches that is not written out as a string');
  if (text.length <= PATTERN_CHARACTERS_MAX) return text;
  throw new ExpressionError(`has a pattern of more than ${PATTERN_CHARACTERS_MAX} characters`);
}

function overloadType(cel: CelEnv, name: string, target: ValueType | undefined, args: readonly ValueType[]): ValueType {
  const group = cel.funcs.find(name);
  const overloads = group === undefined ? [] : [...group];
  if (overloads.length === 0) throw new ExpressionError(`calls the unknown function ${shown(name)}`);
  const results = overloads.filter((overload) => fits(overload, target, args)).map(({ result }) => typeOfCel(result));
  if (results.length > 0) return join(results);
  const types = args.map(typeText).join(', ');
  throw new ExpressionError(
    `applies ${shown(name)} to ${target === undefined ? '' : `${typeText(target)}.`}(${types}), which it does not take`,
  );
}

function fits(overload: CelFunc, target: ValueType | undefined, args: readonly ValueType[]): boolean {
  if ((overload.target === undefined) !== (target === undefined)) return false;
  if (overload.target !== undefined && target !== undefined && !accepts(typeOfCel(overload.target), target))
    return false;
  if (overload.arguments.length !== args.length) return false;
  return overload.arguments.every((parameter, index) => accepts(typeOfCel(parameter), args[index] ?? DYN));
}

/** An operator as it is written: `+` for `_+_`. */
function shown(name: string): string {
  return name.replaceAll(/[_@]/g, '') || name;
}

function requireBool(type: ValueType, what: string): void {
  if (!accepts(BOOL, type)) throw new ExpressionError(`needs a bool for ${what}, and has a ${typeText(type)}`);
}

function requireComparable(left: ValueType, right: ValueType, name: string): void {
  if (comparable(left, right)) return;
  throw new ExpressionError(
    `compares a ${typeText(left)} with a ${typeText(right)} by ${shown(name)}: they never are equal`,
  );
}

/** `environment.kind == "prod"` and `currency == "USD"` would never be true, and a rule that denies would never do so. */
function requireValue(type: ValueType, other: Expr | undefined): void {
  if (type.kind !== 'scalar') return;
  const text = constantString(other);
  if (text === undefined) return;
  if (type.values !== undefined && !type.values.includes(text)) {
    throw new ExpressionError(`compares with ${JSON.stringify(text)} what is one of ${type.values.join(', ')}`);
  }
  if (type.form !== undefined && !type.form.pattern.test(text)) {
    throw new ExpressionError(`compares with ${JSON.stringify(text)} what is always ${type.form.text}`);
  }
}

function requireIn(item: ValueType, container: ValueType, { args: [member, written] }: Call): void {
  if (container.kind === 'list') {
    requireComparable(item, container.item, OPERATOR.in);
    if (written?.exprKind.case === 'listExpr')
      written.exprKind.value.elements.forEach((element) => requireValue(item, element));
  } else if (container.kind === 'map') {
    requireComparable(item, container.key, OPERATOR.in);
  } else if (container.kind === 'record') {
    requireComparable(item, STRING, OPERATOR.in);
    const name = constantString(member);
    if (name !== undefined) recordMember(container, name);
  } else if (container.kind === 'scalar') {
    throw new ExpressionError(`looks with in into a ${typeText(container)}`);
  }
}

/** @throws {ExpressionError} where no value of the record has the member. */
export function recordMember({ members }: RecordType, name: string): ValueType {
  const member = Object.hasOwn(members, name) ? members[name] : undefined;
  if (member !== undefined) return member;
  throw new ExpressionError(`uses the unknown member ${name}: there are ${Object.keys(members).join(', ')}`);
}

function indexType(container: ValueType, key: ValueType, written: Expr | undefined): ValueType {
  if (container.kind === 'list') {
    if (!comparable(key, INT)) throw new ExpressionError(`takes a ${typeText(key)} for the index of a list`);
    return container.item;
  }
  if (container.kind === 'map') {
    requireComparable(key, container.key, OPERATOR.index);
    return container.value;
  }
  if (container.kind === 'scalar') throw new ExpressionError(`looks by [] into a ${typeText(container)}`);
  const name = constantString(written);
  return container.kind === 'record' && name !== undefined ? recordMember(container, name) : DYN;
}
