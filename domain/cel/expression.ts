import { isCelError, plan, type CelInput, type CelValue } from '@bufbuild/cel';
import { checkExpression } from './check.ts';
import { patternsOf } from './patterns.ts';
import { withEvaluation, type ExpressionEnvironment } from './environment.ts';
import {
  BYTES_A_CHARACTER,
  BYTES_A_PATTERN_INSTRUCTION,
  EXPRESSION_CHARACTERS_MAX,
  EXPRESSION_UNITS_MAX,
} from './limits.ts';
import { pathsOf, type VariablePath } from './paths.ts';
import { meterTree } from './rewrite.ts';
import { refuseCostly } from './cost.ts';
import { countNodes, ExpressionError, parseTree } from './tree.ts';
import type { ValueType } from './types.ts';
import { Meter, WorkBoundExceeded } from './meter.ts';

export type Bindings = Record<string, CelInput>;

export type Evaluated =
  | { ok: true; value: CelValue }
  /** `message` is for the author of the expression; it holds no value of the input. */
  | { ok: false; message: string; isOverBound: boolean };

export interface CompiledExpression {
  text: string;
  type: ValueType;
  paths: readonly VariablePath[];
  patternSize: number;
  bytes: number;
  /** Evaluates it. The work is bounded by what `total` has left and by the bound of one expression. */
  evaluate(bindings: Bindings, total: Meter): Evaluated;
}

/** An expression over any variables, of any type. Throws ExpressionError. */
export function compileExpression(environment: ExpressionEnvironment, text: string): CompiledExpression {
  if (text.length > EXPRESSION_CHARACTERS_MAX) {
    throw new ExpressionError(`is longer than ${EXPRESSION_CHARACTERS_MAX} characters`);
  }
  const tree = parseTree(text);
  const type = checkExpression(tree, environment);
  refuseCostly(tree);
  const paths = pathsOf(tree, environment.variables);
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
