import { celEnv, celFunc, CelScalar, isCelError, plan } from '@bufbuild/cel';
import { ExpressionError, parseTree, type Expr } from './tree.ts';

const OPERATORS: readonly string[] = [
  '_+_',
  '_-_',
  '_*_',
  '_/_',
  '-_',
  '_<_',
  '_<=_',
  '_>_',
  '_>=_',
  '_==_',
  '_!=_',
  '_&&_',
  '_||_',
  '!_',
  '_?_:_',
];
const FUNCTIONS: readonly string[] = ['pow', 'exp', 'min', 'max'];

const { DOUBLE } = CelScalar;
/** Not the environment of conditions: an expression of doubles has nothing to meter, and knows four functions of its own. */
const ENVIRONMENT = celEnv({
  variables: { retried: DOUBLE },
  funcs: [
    celFunc('pow', [DOUBLE, DOUBLE], DOUBLE, (base, exponent) => base ** exponent),
    celFunc('exp', [DOUBLE], DOUBLE, (exponent) => Math.exp(exponent)),
    celFunc('min', [DOUBLE, DOUBLE], DOUBLE, (left, right) => Math.min(left, right)),
    celFunc('max', [DOUBLE, DOUBLE], DOUBLE, (left, right) => Math.max(left, right)),
  ],
});

/**
 * A CEL expression over `retried` (retries so far, from 0) with pow, exp, min and max, all in doubles. It has no loops:
 * the caller bounds its characters, and so its work. The value is at least 0, perhaps infinite. Throws ExpressionError
 * where there is none.
 */
export function compileRetryDelay(expression: string): (retried: number) => number {
  // Every bracket of a text may be open at once: the caller's bound on the characters is the bound.
  const expr = parseTree(expression, expression.length);
  restrict(expr);
  const evaluate = plan(ENVIRONMENT, expr);
  return (retried) => {
    const value = evaluate({ retried });
    if (isCelError(value)) throw new ExpressionError(`does not give a number for retried = ${retried}`);
    if (typeof value !== 'number' || Number.isNaN(value) || value < 0) {
      throw new ExpressionError(`must give milliseconds from 0; it does not for retried = ${retried}`);
    }
    return value;
  };
}

/** Allows arithmetic over `retried` and nothing else, and makes every number a double. */
function restrict(expr: Expr): void {
  const { exprKind: kind } = expr;
  if (kind.case === 'constExpr') {
    const { constantKind: constant } = kind.value;
    if (constant.case === 'int64Value' || constant.case === 'uint64Value') {
      kind.value.constantKind = { case: 'doubleValue', value: Number(constant.value) };
    } else if (constant.case !== 'doubleValue' && constant.case !== 'boolValue') {
      throw new ExpressionError('may hold numbers only');
    }
  } else if (kind.case === 'callExpr' && kind.value.target === undefined) {
    const { function: name, args } = kind.value;
    if (!OPERATORS.includes(name) && !FUNCTIONS.includes(name)) {
      throw new ExpressionError(`may not use ${name.replaceAll('_', '')}: there are ${FUNCTIONS.join(', ')}`);
    }
    args.forEach(restrict);
  } else if (kind.case !== 'identExpr' || kind.value.name !== 'retried') {
    throw new ExpressionError('may use the variable retried and the functions pow, exp, min and max only');
  }
}
