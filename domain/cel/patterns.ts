import type { RE2JS } from 're2js';
import { compilePattern } from '../json-schema/patterns.ts';
import { patternTextOf } from './calls.ts';
import { PATTERN_PROGRAM_MAX } from './limits.ts';
import { ExpressionError, operandsOf, type Expr } from './tree.ts';

/** The compiled patterns of every `matches` in a checked expression, by text. Throws ExpressionError. */
export function patternsOf(expr: Expr, found = new Map<string, RE2JS>()): ReadonlyMap<string, RE2JS> {
  const kind = expr.exprKind;
  if (kind.case === 'callExpr' && kind.value.function === 'matches') {
    const text = patternTextOf(kind.value);
    if (!found.has(text)) found.set(text, compiledPattern(text));
  }
  for (const operand of operandsOf(expr)) patternsOf(operand, found);
  return found;
}

function compiledPattern(text: string): RE2JS {
  try {
    const program = compilePattern(text);
    if (program.programSize() > PATTERN_PROGRAM_MAX) throw new ExpressionError('the pattern is too large');
    return program;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown reason';
    throw new ExpressionError(`has a pattern that cannot be used: ${why.slice(0, 100)}`, { cause: error });
  }
}
