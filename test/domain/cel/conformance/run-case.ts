import {
  celEnv,
  isCelError,
  parse,
  plan,
  type CelEnv,
  type CelInput,
  type CelResult,
  type CelValue,
} from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import type { SimpleTest } from '@bufbuild/cel-spec/cel/expr/conformance/test/simple_pb.js';
import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js';
import { getTestRegistry } from '@bufbuild/cel-spec/testdata/registry.js';
import { getConformanceSuite, type IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { meteredEnvironment } from '../../../../domain/cel/environment.ts';
import { EVALUATION_UNITS_MAX } from '../../../../domain/cel/limits.ts';
import { ExpressionError } from '../../../../domain/cel/tree.ts';
import { DYN, typeText, type ValueType } from '../../../../domain/cel/types.ts';
import { compileExpression } from '../../../../domain/cel/expression.ts';
import { Meter } from '../../../../domain/cel/meter.ts';
import { celOfSpec, equalsSpec, typeOfDeclaration } from './spec-values.ts';

export interface SpecCase {
  path: string;
  test: SimpleTest;
}

const registry = getTestRegistry();

/** Every case of the suite, by its path: `basic/self_eval_zeroish/self_eval_int_zero`. */
export function specCases(suite: IncrementalTestSuite = getConformanceSuite(), prefix: string[] = []): SpecCase[] {
  return [
    ...suite.tests.map(({ original }) => ({ path: [...prefix, original.name].join('/'), test: original })),
    ...suite.suites.flatMap((child) => specCases(child, [...prefix, child.name])),
  ];
}

/** The result of a case. `refused` when it is written, where the suite expects a value; `rejected` where it expects an error. */
export type Verdict = 'passed' | 'rejected' | `refused: ${string}` | `failed: ${string}`;

/** Runs the case on the bare library, as its own suite does. */
export function runBare({ test }: SpecCase): Verdict {
  return judged(test, () => {
    const env: CelEnv = celEnv({ registry, namespace: test.container, funcs: strings });
    return { result: plan(env, parse(test.expr))(bindingsOf(test)), type: DYN };
  });
}

/** Runs the case on our own path: checked, with its tree rewritten and every call metered. */
export function runOurs({ test }: SpecCase): Verdict {
  return judged(test, () => {
    const bindings = bindingsOf(test);
    const variables = new Map<string, ValueType>(Object.keys(bindings).map((name) => [name, DYN]));
    for (const { name, declKind } of test.typeEnv) {
      if (declKind.case === 'ident') variables.set(name, typeOfDeclaration(declKind.value.type));
    }
    const environment = meteredEnvironment({ registry, namespace: test.container }, variables);
    const { evaluate, type } = compileExpression(environment, test.expr);
    const evaluated = evaluate(bindings, new Meter(EVALUATION_UNITS_MAX));
    if (!evaluated.ok && evaluated.isOverBound) throw new ExpressionError('went over its bound');
    return { result: evaluated.ok ? evaluated.value : new Failure(evaluated.message), type };
  });
}

/** An evaluation that gave an error. */
class Failure {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

function bindingsOf(test: SimpleTest): Record<string, CelInput> {
  return Object.fromEntries(
    Object.entries(test.bindings).map(([name, { kind }]) => {
      if (kind.case !== 'value') throw new Error(`a binding of kind ${kind.case}`);
      return [name, celOfSpec(kind.value, registry)];
    }),
  );
}

function judged(test: SimpleTest, run: () => { result: CelResult | Failure; type: ValueType }): Verdict {
  const matcher = test.resultMatcher;
  const wantsError = matcher.case === 'evalError' || matcher.case === 'anyEvalErrors';
  try {
    const { result, type } = run();
    const isError = result instanceof Failure || isCelError(result);
    if (wantsError) return isError ? 'passed' : 'failed: gives a value';
    if (isError) return `failed: ${result.message}`;
    if (matcher.case === 'typedResult') return judgedTyped(matcher.value, result, type);
    if (matcher.case === undefined) return result === true ? 'passed' : 'failed: is not true';
    if (matcher.case === 'value') return judgedValue(result, matcher.value);
    return `failed: wants ${matcher.case}`;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (!(error instanceof ExpressionError)) return `failed: ${error.message}`;
    return wantsError ? 'rejected' : `refused: ${error.message}`;
  }
}

function judgedValue(result: CelValue, expected: Value | undefined): Verdict {
  if (expected === undefined) return 'passed';
  return equalsSpec(result, expected, registry) ? 'passed' : 'failed: gives another value';
}

function judgedTyped(
  { result: expected, deducedType }: Extract<SimpleTest['resultMatcher'], { case: 'typedResult' }>['value'],
  result: CelValue,
  type: ValueType,
): Verdict {
  const deduced = typeOfDeclaration(deducedType);
  // `dyn` claims nothing.
  if (!typeText(type).includes('dyn') && !typeText(deduced).includes('dyn') && typeText(type) !== typeText(deduced)) {
    return `failed: is a ${typeText(type)}`;
  }
  return judgedValue(result, expected);
}
