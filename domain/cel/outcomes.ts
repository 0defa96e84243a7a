import type { PathStep } from '../json-path.ts';
import { constantString, operandsOf, OPERATOR, type Call, type Comprehension, type Expr, type Select } from './tree.ts';

/** A part of a variable, such as `input.items[0].id`. The item of a list that a comprehension walks over has the index 0. */
export interface FactPath {
  variable: string;
  steps: readonly PathStep[];
}

type Known = string | boolean;

/** What is known of a fact before anything is evaluated. `missing`: no value can ever be there. */
export type Reading =
  | { kind: 'unknown' }
  | { kind: 'known'; value: Known }
  /** `step` is the index of the first step that cannot be taken. `closed`: its container exists and lacks the member. */
  | { kind: 'missing'; step: number; why: 'closed' | 'no_container' };

/** The facts of one kind of request, such as those of one action. */
export interface KnownFacts {
  read(path: FactPath): Reading;
  /** Whether the value there can only be a list. */
  isList(path: FactPath): boolean;
}

export interface Outcomes {
  /** Paths that are read and can never be there: evaluating the expression may fail for each of them. */
  failing: FactPath[];
  /** Paths that `has()` or `in` looks for and that can never be there. */
  neverThere: FactPath[];
  compared: { path: FactPath; text: string }[];
}

/** What an expression may come to. `&&` and `||` absorb one side's error where the other decides. */
export function outcomesOf(tree: Expr, facts: KnownFacts): Outcomes {
  const walk = new Walk(facts);
  const { fails } = walk.of(tree, new Map());
  return { failing: [...fails.values()], neverThere: [...walk.neverThere.values()], compared: walk.compared };
}

/** `values` are those that the expression may have; null: any. None: it always fails. */
interface Outcome {
  values: readonly Known[] | null;
  fails: ReadonlyMap<string, FactPath>;
}

/** The list items that comprehensions have bound; null: a variable of which nothing is known. */
type Scope = ReadonlyMap<string, FactPath | null>;

const NOTHING: ReadonlyMap<string, FactPath> = new Map();
const ANY: Outcome = { values: null, fails: NOTHING };

const keyOf = ({ variable, steps }: FactPath): string => JSON.stringify([variable, ...steps]);
const canBe = ({ values }: Outcome, value: Known): boolean => values === null || values.includes(value);
const alwaysFails = ({ values }: Outcome): boolean => values?.length === 0;

class Walk {
  readonly neverThere = new Map<string, FactPath>();
  readonly compared: Outcomes['compared'] = [];
  readonly #facts: KnownFacts;

  constructor(facts: KnownFacts) {
    this.#facts = facts;
  }

  of(expr: Expr, scope: Scope): Outcome {
    const kind = expr.exprKind;
    if (kind.case === 'constExpr') return constantOutcome(expr);
    if (kind.case === 'selectExpr' && kind.value.testOnly) return this.#has(kind.value, scope);
    const path = pathOf(expr, scope);
    if (path !== null) return this.#read(path);
    if (kind.case === 'callExpr') return this.#call(kind.value, expr, scope);
    if (kind.case === 'comprehensionExpr') return this.#comprehension(kind.value, scope);
    return this.#operands(expr, scope);
  }

  #read(path: FactPath): Outcome {
    const reading = this.#facts.read(path);
    if (reading.kind === 'known') return { values: [reading.value], fails: NOTHING };
    return reading.kind === 'unknown' ? ANY : { values: [], fails: new Map([[keyOf(path), path]]) };
  }

  /** Any value, and the failures of all operands: what a function does that is not looked into. */
  #operands(expr: Expr, scope: Scope): Outcome {
    const outcomes = operandsOf(expr).map((operand) => this.of(operand, scope));
    return { values: outcomes.some(alwaysFails) ? [] : null, fails: union(outcomes) };
  }

  #has({ operand, field }: Select, scope: Scope): Outcome {
    const container = operand === undefined ? null : pathOf(operand, scope);
    if (container !== null) return this.#isThere(container, field);
    return operand === undefined ? ANY : { ...ANY, fails: this.of(operand, scope).fails };
  }

  /** Looking for a member fails only where its container is missing. */
  #isThere(container: FactPath, member: string): Outcome {
    const path = { ...container, steps: [...container.steps, member] };
    const reading = this.#facts.read(path);
    if (reading.kind !== 'missing') return ANY;
    if (reading.step < path.steps.length - 1) return this.#read(container);
    if (reading.why === 'no_container') return { values: [], fails: new Map([[keyOf(path), path]]) };
    this.neverThere.set(keyOf(path), path);
    return { values: [false], fails: NOTHING };
  }

  #call(call: Call, expr: Expr, scope: Scope): Outcome {
    const [first, second, third] = call.args;
    if (first !== undefined && second !== undefined) {
      if (call.function === OPERATOR.and) return both(this.of(first, scope), this.of(second, scope), false);
      if (call.function === OPERATOR.or) return both(this.of(first, scope), this.of(second, scope), true);
      if (call.function === OPERATOR.equals) return this.#equals([first, second], scope);
      if (call.function === OPERATOR.notEquals) return negated(this.#equals([first, second], scope));
      if (call.function === OPERATOR.in) return this.#in(first, second, expr, scope);
      if (call.function === OPERATOR.conditional && third !== undefined) {
        return this.#conditional(this.of(first, scope), second, third, scope);
      }
    }
    if (call.function === OPERATOR.not && first !== undefined) return negated(this.of(first, scope));
    const textTest = TEXT_TESTS[call.function];
    if (textTest !== undefined && call.target !== undefined && first !== undefined) {
      return decided([this.of(call.target, scope), this.of(first, scope)], textTest);
    }
    return this.#operands(expr, scope);
  }

  #conditional(condition: Outcome, then: Expr, otherwise: Expr, scope: Scope): Outcome {
    const branches = [
      ...(canBe(condition, true) ? [this.of(then, scope)] : []),
      ...(canBe(condition, false) ? [this.of(otherwise, scope)] : []),
    ];
    const values = branches.some((branch) => branch.values === null)
      ? null
      : branches.flatMap((branch) => branch.values ?? []);
    return { values, fails: union([condition, ...branches]) };
  }

  #equals(sides: readonly [Expr, Expr], scope: Scope): Outcome {
    this.#note(sides[0], [sides[1]], scope);
    this.#note(sides[1], [sides[0]], scope);
    return decided([this.of(sides[0], scope), this.of(sides[1], scope)], (left, right) => left === right);
  }

  /** Both of `"key" in map` and `value in ["a", "b"]`. */
  #in(item: Expr, container: Expr, expr: Expr, scope: Scope): Outcome {
    const member = constantString(item);
    const path = pathOf(container, scope);
    if (member !== undefined && path !== null && !this.#facts.isList(path)) {
      const there = this.#isThere(path, member);
      // A value that is no map may be a list, which can hold the text.
      return alwaysFails(there) && !alwaysFails(this.#read(path)) ? ANY : there;
    }
    if (container.exprKind.case !== 'listExpr') return this.#operands(expr, scope);
    const { elements } = container.exprKind.value;
    this.#note(item, elements, scope);
    const texts = elements.map(constantString);
    const sides = [this.of(item, scope), this.of(container, scope)];
    const fails = union(sides);
    if (sides.some(alwaysFails)) return { values: [], fails };
    const [value, ...others] = sides[0]?.values ?? [];
    const isKnown = value !== undefined && others.length === 0 && !texts.includes(undefined);
    return { values: isKnown ? [texts.includes(String(value))] : null, fails };
  }

  #note(fact: Expr, others: readonly Expr[], scope: Scope): void {
    const path = pathOf(fact, scope);
    if (path === null) return;
    for (const text of others.map(constantString)) if (text !== undefined) this.compared.push({ path, text });
  }

  #comprehension({ iterRange, iterVar, accuVar, loopStep }: Comprehension, scope: Scope): Outcome {
    if (iterRange === undefined || loopStep === undefined) return ANY;
    const range = this.of(iterRange, scope);
    const list = pathOf(iterRange, scope);
    const item = list !== null && this.#facts.isList(list) ? { ...list, steps: [...list.steps, 0] } : null;
    const step = this.of(loopStep, new Map(scope).set(iterVar, item).set(accuVar, null));
    return { values: alwaysFails(range) ? [] : null, fails: union([range, step]) };
  }
}

const TEXT_TESTS: Readonly<Record<string, (text: Known, other: Known) => boolean>> = {
  startsWith: (text, other) => String(text).startsWith(String(other)),
  endsWith: (text, other) => String(text).endsWith(String(other)),
  contains: (text, other) => String(text).includes(String(other)),
};

/** The chain of members and constant indices that an expression is; null where it is no such chain. */
function pathOf(expr: Expr, scope: Scope): FactPath | null {
  const kind = expr.exprKind;
  if (kind.case === 'identExpr') {
    const bound = scope.get(kind.value.name);
    return bound === undefined ? { variable: kind.value.name, steps: [] } : bound;
  }
  if (kind.case === 'selectExpr')
    return kind.value.testOnly ? null : below(kind.value.operand, kind.value.field, scope);
  if (kind.case !== 'callExpr' || kind.value.function !== OPERATOR.index) return null;
  const [container, key] = kind.value.args;
  const constant = key?.exprKind.case === 'constExpr' ? key.exprKind.value.constantKind : undefined;
  if (constant?.case === 'stringValue') return below(container, constant.value, scope);
  return constant?.case === 'int64Value' ? below(container, Number(constant.value), scope) : null;
}

function below(container: Expr | undefined, step: PathStep, scope: Scope): FactPath | null {
  const path = container === undefined ? null : pathOf(container, scope);
  return path === null ? null : { ...path, steps: [...path.steps, step] };
}

function constantOutcome(expr: Expr): Outcome {
  const constant = expr.exprKind.case === 'constExpr' ? expr.exprKind.value.constantKind : undefined;
  if (constant?.case !== 'boolValue' && constant?.case !== 'stringValue') return ANY;
  return { values: [constant.value], fails: NOTHING };
}

/** `&&` where `deciding` is false, `||` where it is true. A side that always decides absorbs the failure of the other side. */
function both(left: Outcome, right: Outcome, deciding: boolean): Outcome {
  const lets = (outcome: Outcome): boolean => canBe(outcome, !deciding) || outcome.fails.size > 0;
  const values = [
    ...(canBe(left, deciding) || canBe(right, deciding) ? [deciding] : []),
    ...(canBe(left, !deciding) && canBe(right, !deciding) ? [!deciding] : []),
  ];
  return { values, fails: union([...(lets(right) ? [left] : []), ...(lets(left) ? [right] : [])]) };
}

function negated({ values, fails }: Outcome): Outcome {
  return { values: values?.map((value) => value !== true) ?? null, fails };
}

function decided(sides: readonly [Outcome, Outcome], test: (left: Known, right: Known) => boolean): Outcome {
  const [left, right] = sides;
  const fails = union(sides);
  if (sides.some(alwaysFails)) return { values: [], fails };
  const [one, ...more] = left.values ?? [];
  const [other, ...others] = right.values ?? [];
  const isKnown = one !== undefined && other !== undefined && more.length + others.length === 0;
  return { values: isKnown ? [test(one, other)] : null, fails };
}

function union(outcomes: readonly Outcome[]): ReadonlyMap<string, FactPath> {
  const failing = outcomes.filter(({ fails }) => fails.size > 0);
  const [first, ...others] = failing;
  if (first === undefined) return NOTHING;
  return others.length === 0 ? first.fails : new Map(failing.flatMap(({ fails }) => [...fails]));
}
