import { METERED } from './environment.ts';
import {
  ACCUMULATOR,
  countNodes,
  OPERATOR,
  type Call,
  type Comprehension,
  type Constant,
  type Expr,
  type Select,
} from './tree.ts';

/** Rewrites a tree in place so that comprehensions and lookups are charged. The environment charges for functions. */
export function meterTree(expr: Expr): Expr {
  const kind = expr.exprKind;
  switch (kind.case) {
    case 'selectExpr':
      meterSelect(expr, kind.value);
      return expr;
    case 'callExpr':
      meterCall(kind.value);
      return expr;
    case 'listExpr':
      kind.value.elements.forEach(meterTree);
      return expr;
    case 'structExpr':
      for (const entry of kind.value.entries) {
        if (entry.keyKind.case === 'mapKey') meterTree(entry.keyKind.value);
        if (entry.value !== undefined) meterTree(entry.value);
      }
      return expr;
    case 'comprehensionExpr':
      meterComprehension(expr, kind.value);
      return expr;
    case 'constExpr':
    case 'identExpr':
    case undefined:
      return expr;
  }
}

/** `has(a.b)` becomes `@has(a, "b")`: the library takes a member that is null for absent. */
function meterSelect(expr: Expr, { operand, field, testOnly }: Select): void {
  if (operand === undefined) return;
  meterTree(operand);
  if (testOnly)
    expr.exprKind = callOf(expr, METERED.has, [
      operand,
      constantOf(expr, { case: 'stringValue', value: field }),
    ]).exprKind;
}

function meterCall(call: Call): void {
  if (call.target !== undefined) meterTree(call.target);
  call.args.forEach(meterTree);
  if (call.function === OPERATOR.index) call.function = METERED.index;
}

function meterComprehension(expr: Expr, comprehension: Comprehension): void {
  const { iterRange, accuInit, loopCondition, loopStep } = comprehension;
  if (iterRange === undefined || loopCondition === undefined || loopStep === undefined) return;
  const units = countNodes(loopCondition) + countNodes(loopStep);
  if (accuInit?.exprKind.case === 'listExpr') {
    comprehension.accuInit = callOf(expr, METERED.list, []);
    collectInPlace(loopStep);
  }
  meterTree(loopStep);
  comprehension.iterRange = callOf(expr, METERED.range, [meterTree(iterRange)]);
  comprehension.loopCondition = callOf(expr, METERED.step, [
    meterTree(loopCondition),
    constantOf(expr, { case: 'int64Value', value: BigInt(units) }),
  ]);
}

/** `@result + [x]` becomes `@append(@result, x)`; a filter's step is `p ? @result + [x] : @result`. */
function collectInPlace(step: Expr): void {
  if (step.exprKind.case !== 'callExpr') return;
  const call = step.exprKind.value;
  if (call.function === OPERATOR.conditional && call.args[1] !== undefined) return collectInPlace(call.args[1]);
  const [accumulator, collected] = call.args;
  if (call.function !== OPERATOR.add || accumulator === undefined || !isAccumulator(accumulator)) return;
  const item = collected?.exprKind.case === 'listExpr' ? collected.exprKind.value.elements[0] : undefined;
  if (item === undefined) return;
  call.function = METERED.append;
  call.args = [accumulator, item];
}

function isAccumulator(expr: Expr): boolean {
  return expr.exprKind.case === 'identExpr' && expr.exprKind.value.name === ACCUMULATOR;
}

function callOf(at: Expr, name: string, args: Expr[]): Expr {
  return {
    $typeName: 'cel.expr.Expr',
    id: at.id,
    exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } },
  };
}

function constantOf(at: Expr, constantKind: Constant['constantKind']): Expr {
  return {
    $typeName: 'cel.expr.Expr',
    id: at.id,
    exprKind: { case: 'constExpr', value: { $typeName: 'cel.expr.Constant', constantKind } },
  };
}
