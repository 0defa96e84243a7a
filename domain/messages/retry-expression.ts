import { celEnv, celFunc, CelScalar, isCelError, plan } from '@bufbuild/cel';
import { ExpressionError, parseTree, type Expr } from '../cel/tree.ts';
import { DELAY_MS_MAX } from './retry.ts';

/** Bounds the parser's work. An expression has no loops, so that its evaluation is bounded too. */
export const RETRY_EXPRESSION_CHARACTERS_MAX = 200;

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
 * The delays before each of `maxRetries` retries, in whole milliseconds up to 24 h: a CEL expression over `retried` (the
 * retries made so far, from 0) with pow, exp, min and max. All numbers are doubles, so that `pow(2, retried) * 1000` means what
 * it says. It is evaluated once, when the message is published, so that the caller learns of errors and the schedule does not
 * change afterwards.
 *
 * @throws {ExpressionError}
 */
export function retryDelaysMs(expression: string, maxRetries: number): number[] {
  if (expression.length > RETRY_EXPRESSION_CHARACTERS_MAX) {
    throw new ExpressionError(`must be at most ${RETRY_EXPRESSION_CHARACTERS_MAX} characters`);
  }
  // Every bracket of so short a text may be open at once: the length is the bound.
  const expr = parseTree(expression, RETRY_EXPRESSION_CHARACTERS_MAX);
  restrict(expr);
  const evaluate = plan(ENVIRONMENT, expr);
  return Array.from({ length: maxRetries }, (_, retried) => {
    const value = evaluate({ retried });
    if (isCelError(value)) throw new ExpressionError(`does not give a number for retried = ${retried}`);
    if (typeof value !== 'number' || Number.isNaN(value) || value < 0) {
      throw new ExpressionError(`must give milliseconds from 0; it does not for retried = ${retried}`);
    }
    return Math.round(Math.min(value, DELAY_MS_MAX));
  });
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
