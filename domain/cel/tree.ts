import { parse } from '@bufbuild/cel';
import { EXPRESSION_DEPTH_MAX } from './limits.ts';

/** The library's syntax tree. */
export type Expr = ReturnType<typeof parse>['expr'];
type Kind = Expr['exprKind'];
type ValueOf<Case extends Kind['case']> = Extract<Kind, { case: Case }>['value'];
export type Call = ValueOf<'callExpr'>;
export type Comprehension = ValueOf<'comprehensionExpr'>;
export type Constant = ValueOf<'constExpr'>;
export type Select = ValueOf<'selectExpr'>;
export type Struct = ValueOf<'structExpr'>;

/** Names that the parser uses when it expands macros and operators. No expression can contain them. */
export const ACCUMULATOR = '@result';
export const OPERATOR = {
  and: '_&&_',
  or: '_||_',
  not: '!_',
  notStrictlyFalse: '@not_strictly_false',
  conditional: '_?_:_',
  index: '_[_]',
  add: '_+_',
  equals: '_==_',
  notEquals: '_!=_',
  in: '@in',
} as const;

/** An expression that cannot be used. The message is for its author. */
export class ExpressionError extends Error {}

/** @throws {ExpressionError} */
export function parseTree(text: string, bracketsMax = EXPRESSION_DEPTH_MAX): Expr {
  if (bracketsExceed(text, bracketsMax)) {
    throw new ExpressionError(`has more than ${bracketsMax} brackets inside each other`);
  }
  try {
    return parse(text).expr;
  } catch (error) {
    if (error instanceof RangeError) throw new ExpressionError('is nested too deeply', { cause: error });
    const why = error instanceof Error ? error.message.replace(/^<input>:/, '').slice(0, 200) : 'unknown reason';
    throw new ExpressionError(`is not a CEL expression: ${why}`, { cause: error });
  }
}

/** The parser recurses, and takes long to run out of stack. Brackets in strings count too: no real text has so many open ones. */
function bracketsExceed(text: string, limit: number): boolean {
  let open = 0;
  for (const character of text) {
    if ('([{'.includes(character)) open++;
    else if (')]}'.includes(character)) open = Math.max(0, open - 1);
    if (open > limit) return true;
  }
  return false;
}

export function operandsOf(expr: Expr): Expr[] {
  const kind = expr.exprKind;
  switch (kind.case) {
    case 'selectExpr':
      return present(kind.value.operand);
    case 'callExpr':
      return [...present(kind.value.target), ...kind.value.args];
    case 'listExpr':
      return kind.value.elements;
    case 'structExpr':
      return kind.value.entries.flatMap((entry) => [
        ...(entry.keyKind.case === 'mapKey' ? [entry.keyKind.value] : []),
        ...present(entry.value),
      ]);
    case 'comprehensionExpr': {
      const { iterRange, accuInit, loopCondition, loopStep, result } = kind.value;
      return [iterRange, accuInit, loopCondition, loopStep, result].flatMap(present);
    }
    case 'constExpr':
    case 'identExpr':
    case undefined:
      return [];
  }
}

/** The number of nodes of a tree; a comprehension's body counts once. */
export function countNodes(expr: Expr): number {
  return operandsOf(expr).reduce((sum, operand) => sum + countNodes(operand), 1);
}

function present(expr: Expr | undefined): Expr[] {
  return expr === undefined ? [] : [expr];
}

export function constantString(expr: Expr | undefined): string | undefined {
  if (expr?.exprKind.case !== 'constExpr') return undefined;
  const constant = expr.exprKind.value.constantKind;
  return constant.case === 'stringValue' ? constant.value : undefined;
}

/** `a.b.c` where the whole chain is names; undefined otherwise. */
export function qualifiedName(expr: Expr | undefined): string | undefined {
  const kind = expr?.exprKind;
  if (kind?.case === 'identExpr') return kind.value.name;
  if (kind?.case !== 'selectExpr' || kind.value.testOnly) return undefined;
  const operand = qualifiedName(kind.value.operand);
  return operand === undefined ? undefined : `${operand}.${kind.value.field}`;
}
