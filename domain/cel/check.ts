import type { CelEnv } from '@bufbuild/cel';
import { callType, recordMember } from './calls.ts';
import type { ExpressionEnvironment } from './environment.ts';
import { COMPREHENSION_NESTING_MAX, EXPRESSION_DEPTH_MAX, EXPRESSION_NODES_MAX, LITERAL_ITEMS_MAX } from './limits.ts';
import {
  type Comprehension,
  type Constant,
  type Expr,
  ExpressionError,
  operandsOf,
  qualifiedName,
  type Select,
  type Struct,
} from './tree.ts';
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  INT,
  join,
  listOf,
  mapOf,
  NULL,
  STRING,
  TYPE,
  typeText,
  UINT,
  type ValueType,
} from './types.ts';

const TYPE_NAMES: readonly string[] = [
  'int',
  'uint',
  'double',
  'bool',
  'string',
  'bytes',
  'list',
  'map',
  'null_type',
  'type',
];

interface Place {
  /** Comprehension bodies that enclose this point. */
  nesting: number;
  variables: ReadonlyMap<string, ValueType>;
}

/**
 * Checks an expression before it is evaluated, and returns its type: the library (0.6.1) checks constants and names.
 */
export function checkExpression(expr: Expr, environment: ExpressionEnvironment): ValueType {
  boundTree(expr);
  return new Check(environment).typeOf(expr, { nesting: 0, variables: new Map() });
}

function boundTree(expr: Expr): void {
  let nodes = 0;
  let level = [expr];
  for (let depth = 1; level.length > 0; depth++) {
    nodes += level.length;
    if (depth > EXPRESSION_DEPTH_MAX) throw new ExpressionError(`is nested more than ${EXPRESSION_DEPTH_MAX} deep`);
    if (nodes > EXPRESSION_NODES_MAX) throw new ExpressionError(`has more than ${EXPRESSION_NODES_MAX} parts`);
    level = level.flatMap(operandsOf);
  }
}

class Check {
  readonly #environment: ExpressionEnvironment;
  readonly #cel: CelEnv;

  constructor(environment: ExpressionEnvironment) {
    this.#environment = environment;
    this.#cel = environment.cel;
  }

  typeOf(expr: Expr, place: Place): ValueType {
    const kind = expr.exprKind;
    switch (kind.case) {
      case 'constExpr':
        return typeOfConstant(kind.value);
      case 'identExpr':
        return this.#name(kind.value.name, place);
      case 'selectExpr':
        return this.#select(expr, kind.value, place);
      case 'callExpr': {
        const { target, args } = kind.value;
        const qualified =
          target === undefined ? undefined : this.#qualifiedFunction(target, kind.value.function, place);
        const targetType = target === undefined || qualified !== undefined ? undefined : this.typeOf(target, place);
        const argTypes = args.map((arg) => this.typeOf(arg, place));
        return callType(this.#cel, qualified ?? kind.value.function, kind.value, targetType, argTypes);
      }
      case 'listExpr':
        boundItems(kind.value.elements.length);
        return listOf(join(kind.value.elements.map((element) => this.typeOf(element, place))));
      case 'structExpr':
        return this.#struct(kind.value, place);
      case 'comprehensionExpr':
        return this.#comprehension(kind.value, place);
      case undefined:
        throw new ExpressionError('is empty');
    }
  }

  #name(name: string, place: Place): ValueType {
    const found = this.#find(name, place);
    if (found !== undefined) return found;
    throw new ExpressionError(`uses the unknown name ${name}: there are ${this.#known()}`);
  }

  #known(): string {
    return [...this.#environment.variables.keys()].slice(0, 20).join(', ');
  }

  /** A name, or a dotted one, as a variable, a type or an enum's value. */
  #find(name: string, place: Place): ValueType | undefined {
    const local = place.variables.get(name);
    if (local !== undefined) return local;
    for (const candidate of this.#candidates(name)) {
      const variable = this.#environment.variables.get(candidate);
      if (variable !== undefined) return variable;
      if (TYPE_NAMES.includes(candidate) || this.#cel.registry.getMessage(candidate) !== undefined) return TYPE;
      const dot = candidate.lastIndexOf('.');
      const enumeration = this.#cel.registry.getEnum(candidate.slice(0, Math.max(dot, 0)));
      if (enumeration?.values.some((value) => value.name === candidate.slice(dot + 1)) === true) return INT;
    }
    return undefined;
  }

  /** By CEL's rule: in the innermost namespace first. */
  #candidates(name: string): string[] {
    if (name.startsWith('.')) return [name.slice(1)];
    const parts = this.#cel.namespace === '' ? [] : this.#cel.namespace.split('.');
    return [...parts.map((_, index) => parts.slice(0, parts.length - index).join('.')), ''].map((prefix) =>
      prefix === '' ? name : `${prefix}.${name}`,
    );
  }

  /** The name of a function that is written with a dot, as `strings.quote`. */
  #qualifiedFunction(target: Expr, name: string, place: Place): string | undefined {
    const qualifier = qualifiedName(target);
    if (qualifier === undefined || place.variables.has(qualifier)) return undefined;
    return this.#candidates(`${qualifier}.${name}`).find((candidate) => this.#cel.funcs.find(candidate) !== undefined);
  }

  #select(expr: Expr, { operand, field, testOnly }: Select, place: Place): ValueType {
    const name = qualifiedName(expr);
    const whole = name === undefined ? undefined : this.#find(name, place);
    if (whole !== undefined && name !== undefined && !place.variables.has(name.split('.')[0] ?? '')) return whole;
    if (operand === undefined) throw new ExpressionError('is no whole expression');
    const member = memberType(this.typeOf(operand, place), field);
    return testOnly ? BOOL : member;
  }

  #struct({ messageName, entries }: Struct, place: Place): ValueType {
    boundItems(entries.length);
    const keys: ValueType[] = [];
    const values: ValueType[] = [];
    for (const { keyKind, value } of entries) {
      if (keyKind.case === 'mapKey') keys.push(this.typeOf(keyKind.value, place));
      if (value !== undefined) values.push(this.typeOf(value, place));
    }
    if (messageName === '') return mapOf(join(keys), join(values));
    if (!this.#environment.makesMessages) throw new ExpressionError(`makes a ${messageName}, which a condition cannot`);
    const isKnown = this.#candidates(messageName).some(
      (candidate) => this.#cel.registry.getMessage(candidate) !== undefined,
    );
    if (!isKnown) throw new ExpressionError(`makes the unknown type ${messageName}`);
    return DYN;
  }

  #comprehension(comprehension: Comprehension, place: Place): ValueType {
    const { iterRange, iterVar, accuVar, accuInit, loopCondition, loopStep, result } = comprehension;
    if (!iterRange || !accuInit || !loopCondition || !loopStep || !result) {
      throw new ExpressionError('is no whole expression');
    }
    const item = itemType(this.typeOf(iterRange, place));
    const nesting = place.nesting + 1;
    if (nesting > COMPREHENSION_NESTING_MAX) {
      throw new ExpressionError(
        `has more than ${COMPREHENSION_NESTING_MAX} comprehensions (all, exists, map …) inside each other`,
      );
    }
    const start = this.typeOf(accuInit, place);
    // A list that is being filled: the type of its items is known only after its step.
    const accumulated = start.kind === 'list' ? listOf(DYN) : start;
    const variables = new Map(place.variables).set(accuVar, accumulated).set(iterVar, item);
    const inside: Place = { nesting, variables };
    this.typeOf(loopCondition, inside);
    const step = this.typeOf(loopStep, inside);
    const outcome = new Map(place.variables).set(accuVar, start.kind === 'list' ? step : start);
    return this.typeOf(result, { ...place, variables: outcome });
  }
}

function boundItems(items: number): void {
  if (items > LITERAL_ITEMS_MAX) throw new ExpressionError(`has a list or map of more than ${LITERAL_ITEMS_MAX} items`);
}

function typeOfConstant({ constantKind }: Constant): ValueType {
  switch (constantKind.case) {
    case 'boolValue':
      return BOOL;
    case 'int64Value':
      return INT;
    case 'uint64Value':
      return UINT;
    case 'doubleValue':
      return DOUBLE;
    case 'stringValue':
      return STRING;
    case 'bytesValue':
      return BYTES;
    case 'nullValue':
      return NULL;
    default:
      return DYN;
  }
}

function memberType(type: ValueType, name: string): ValueType {
  if (type.kind === 'dyn') return DYN;
  if (type.kind === 'map') return type.value;
  if (type.kind !== 'record') throw new ExpressionError(`looks for ${name} in a ${typeText(type)}`);
  return recordMember(type, name);
}

function itemType(range: ValueType): ValueType {
  if (range.kind === 'dyn') return DYN;
  if (range.kind === 'list') return range.item;
  if (range.kind === 'map') return range.key;
  if (range.kind === 'record') return STRING;
  throw new ExpressionError(`walks over a ${typeText(range)}`);
}
