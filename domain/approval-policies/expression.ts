import { isCelError, plan, type CelValue } from '@bufbuild/cel';
import { checkExpression } from './expression-check.ts';
import { patternsOf } from './expression-patterns.ts';
import { meteredEnvironment, withEvaluation, type ExpressionEnvironment } from './expression-environment.ts';
import { FACT_TYPES, type Bindings } from './expression-facts.ts';
import {
  BYTES_A_CHARACTER,
  BYTES_A_PATTERN_INSTRUCTION,
  EXPRESSION_CHARACTERS_MAX,
  EXPRESSION_UNITS_MAX,
  KEPT_EXPRESSION_BYTES_MAX,
} from './expression-limits.ts';
import { pathsOf, type FactPath } from './expression-paths.ts';
import { meterTree } from './expression-rewrite.ts';
import { refuseCostly } from './expression-cost.ts';
import { countNodes, ExpressionError, parseTree } from './expression-tree.ts';
import { BOOL, typeText, type ValueType } from './expression-types.ts';
import { KeptByText } from './kept-by-text.ts';
import { Meter, WorkBoundExceeded } from './meter.ts';

export type Evaluated =
  | { ok: true; value: CelValue }
  /** `message` is for the author of the policy; it holds no value of the input. */
  | { ok: false; message: string; isOverBound: boolean };

export interface CompiledExpression {
  text: string;
  type: ValueType;
  /** The parts of the facts that it looks at. */
  paths: readonly FactPath[];
  /** Instructions of its patterns. */
  patternSize: number;
  /** Of the heap, about. */
  bytes: number;
  /** Evaluates it, in at most the work that `total` has left and that one expression may do. */
  evaluate(bindings: Bindings, total: Meter): Evaluated;
}

export type Compiled = { ok: true; expression: CompiledExpression } | { ok: false; message: string };

const POLICY_ENVIRONMENT = meteredEnvironment({}, FACT_TYPES);
const kept = new KeptByText<Compiled>(KEPT_EXPRESSION_BYTES_MAX, (text, compiled) =>
  compiled.ok ? compiled.expression.bytes : 2 * text.length,
);

/** A condition of a policy: checked over the facts, and true or false. Compiled ones are kept, because parsing is slow. */
export function compileExpression(text: string): Compiled {
  return kept.get(text, () => compileCondition(text));
}

function compileCondition(text: string): Compiled {
  try {
    const expression = compileIn(POLICY_ENVIRONMENT, text);
    const { type } = expression;
    if (type.kind === 'dyn' || (type.kind === 'scalar' && type.name === BOOL.name)) return { ok: true, expression };
    return { ok: false, message: `must be true or false, and is a ${typeText(type)}` };
  } catch (error) {
    if (error instanceof ExpressionError) return { ok: false, message: error.message };
    throw error;
  }
}

/**
 * An expression over any variables, of any type.
 *
 * @throws {ExpressionError}
 */
export function compileIn(environment: ExpressionEnvironment, text: string): CompiledExpression {
  if (text.length > EXPRESSION_CHARACTERS_MAX) {
    throw new ExpressionError(`is longer than ${EXPRESSION_CHARACTERS_MAX} characters`);
  }
  const tree = parseTree(text);
  const type = checkExpression(tree, environment);
  refuseCostly(tree);
  const paths = pathsOf(tree);
  const patterns = patternsOf(tree);
  const patternSize = [...patterns.values()].reduce((sum, program) => sum + program.programSize(), 0);
  const units = countNodes(tree);
  const run = plan(environment.cel, meterTree(tree));
  return {
    text,
    type,
    paths,
    patternSize,
    bytes: BYTES_A_CHARACTER * text.length + BYTES_A_PATTERN_INSTRUCTION * patternSize,
    evaluate(bindings, total) {
      const meter = new Meter(Math.min(EXPRESSION_UNITS_MAX, total.left));
      try {
        meter.charge(units);
        const value = withEvaluation({ meter, patterns }, () => run(bindings));
        if (!isCelError(value)) return { ok: true, value };
        return { ok: false, message: value.message, isOverBound: isOverBound(value.cause) };
      } catch (error) {
        if (error instanceof WorkBoundExceeded) return { ok: false, message: error.message, isOverBound: true };
        throw error;
      } finally {
        total.add(meter);
      }
    },
  };
}

function isOverBound(cause: unknown): boolean {
  return cause instanceof WorkBoundExceeded;
}
