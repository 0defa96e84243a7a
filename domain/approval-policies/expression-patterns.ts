import type { RE2JS } from 're2js';
import { patternOf } from './expression-calls.ts';
import { operandsOf, type Expr } from './expression-tree.ts';

/** The patterns of every call of `matches`, compiled, by their text. */
export function patternsOf(expr: Expr, found = new Map<string, RE2JS>()): ReadonlyMap<string, RE2JS> {
  const kind = expr.exprKind;
  if (kind.case === 'callExpr' && kind.value.function === 'matches') {
    const { target, args } = kind.value;
    const { text, program } = patternOf(target === undefined ? args[1] : args[0]);
    found.set(text, program);
  }
  for (const operand of operandsOf(expr)) patternsOf(operand, found);
  return found;
}
