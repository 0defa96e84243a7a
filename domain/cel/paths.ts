import { pathText, type PathStep } from '../json-path.ts';
import { operandsOf, OPERATOR, type Expr } from './tree.ts';

/** A part of the variables that an expression reads, for example `input.items[0].id`. */
export interface VariablePath {
  text: string;
  variable: string;
  steps: readonly PathStep[];
}

const PATHS_MAX = 20;

/** The longest chains of members and constant indices from a variable, without repeats, in the order in which they are written. */
export function pathsOf(expr: Expr, variables: ReadonlyMap<string, unknown>): VariablePath[] {
  const found = new Map<string, VariablePath>();
  collect(expr, new Set(variables.keys()), found);
  return [...found.values()].slice(0, PATHS_MAX);
}

/** `visible` are the variables that no enclosing comprehension shadows. */
function collect(expr: Expr, visible: ReadonlySet<string>, found: Map<string, VariablePath>): void {
  const chain = chainOf(expr);
  if (chain !== null) {
    if (!visible.has(chain.variable)) return;
    const text = pathText(chain.variable, chain.steps);
    if (!found.has(text)) found.set(text, { text, ...chain });
    return;
  }
  const kind = expr.exprKind;
  if (kind.case !== 'comprehensionExpr') {
    for (const operand of operandsOf(expr)) collect(operand, visible, found);
    return;
  }
  const inside = new Set(visible);
  inside.delete(kind.value.iterVar);
  const { iterRange, loopStep } = kind.value;
  if (iterRange !== undefined) collect(iterRange, visible, found);
  if (loopStep !== undefined) collect(loopStep, inside, found);
}

function chainOf(expr: Expr): { variable: string; steps: PathStep[] } | null {
  const kind = expr.exprKind;
  if (kind.case === 'identExpr') return { variable: kind.value.name, steps: [] };
  if (kind.case === 'selectExpr') return extended(kind.value.operand, kind.value.field);
  if (kind.case !== 'callExpr' || kind.value.function !== OPERATOR.index) return null;
  const [container, key] = kind.value.args;
  const constant = key?.exprKind.case === 'constExpr' ? key.exprKind.value.constantKind : undefined;
  if (constant?.case === 'stringValue') return extended(container, constant.value);
  return constant?.case === 'int64Value' ? extended(container, Number(constant.value)) : null;
}

function extended(operand: Expr | undefined, step: PathStep): { variable: string; steps: PathStep[] } | null {
  const chain = operand === undefined ? null : chainOf(operand);
  return chain === null ? null : { variable: chain.variable, steps: [...chain.steps, step] };
}
