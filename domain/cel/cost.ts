import { EXPRESSION_UNITS_MAX } from './limits.ts';
import { countNodes, ExpressionError, operandsOf, OPERATOR, type Comprehension, type Expr } from './tree.ts';

/** The static bound of a list: how many items it has at most, and the same for items that are lists themselves. */
interface Shape {
  size: number;
  item: Shape | null;
}

interface Cost {
  units: number;
  /** Null where the value is no list, or one of the facts. */
  shape: Shape | null;
}

type Shapes = ReadonlyMap<string, Shape | null>;

/** Throws ExpressionError for nested comprehensions over literal lists. Lists of the facts are charged when walked. */
export function refuseCostly(expr: Expr): void {
  const { units } = costOf(expr, new Map());
  if (units <= EXPRESSION_UNITS_MAX) return;
  throw new ExpressionError(`is too much work: ${units} units, of which an expression may do ${EXPRESSION_UNITS_MAX}`);
}

function costOf(expr: Expr, shapes: Shapes): Cost {
  const kind = expr.exprKind;
  if (kind.case === 'comprehensionExpr') return costOfComprehension(kind.value, shapes);
  if (kind.case === 'identExpr') return { units: 1, shape: shapes.get(kind.value.name) ?? null };
  const operands = operandsOf(expr).map((operand) => costOf(operand, shapes));
  const units = operands.reduce((sum, operand) => sum + operand.units, 1);
  const known = operands.map(({ shape }) => shape);
  if (kind.case === 'listExpr') return { units, shape: { size: operands.length, item: largest(known) } };
  if (kind.case !== 'callExpr') return { units, shape: null };
  if (kind.value.function === OPERATOR.conditional) return { units, shape: largest(known.slice(1)) };
  if (kind.value.function === OPERATOR.add) return { units, shape: sumOf(known) };
  if (kind.value.function === OPERATOR.index) return { units, shape: known[0]?.item ?? null };
  return { units, shape: null };
}

function costOfComprehension(comprehension: Comprehension, shapes: Shapes): Cost {
  const { iterRange, iterVar, accuInit, accuVar, loopCondition, loopStep } = comprehension;
  if (!iterRange || !accuInit || !loopCondition || !loopStep) return { units: 1, shape: null };
  const range = costOf(iterRange, shapes);
  const steps = range.shape?.size ?? 1;
  const inside = new Map(shapes).set(iterVar, range.shape?.item ?? null).set(accuVar, null);
  const step = costOf(loopStep, inside);
  const units = range.units + steps * (countNodes(loopCondition) + step.units) + 1;
  if (accuInit.exprKind.case !== 'listExpr') return { units, shape: null };
  // The collected item is the one list in `@result + [x]`, or in a filter's second operand.
  return { units, shape: { size: steps, item: step.shape?.item ?? null } };
}

function largest(shapes: readonly (Shape | null)[]): Shape | null {
  const known = shapes.filter((shape) => shape !== null);
  if (known.length === 0) return null;
  return { size: Math.max(...known.map(({ size }) => size)), item: largest(known.map(({ item }) => item)) };
}

function sumOf(shapes: readonly (Shape | null)[]): Shape | null {
  const known = shapes.filter((shape) => shape !== null);
  if (known.length === 0) return null;
  return { size: known.reduce((sum, { size }) => sum + size, 0), item: largest(known.map(({ item }) => item)) };
}
