import { compileRetryDelay } from '../cel/retry-delay.ts';
import { ExpressionError } from '../cel/tree.ts';
import { DELAY_MS_MAX } from './retry.ts';

/** Bounds the work of the parser and of an evaluation. */
export const RETRY_EXPRESSION_CHARACTERS_MAX = 200;

/**
 * The delays before each of `maxRetries` retries, in whole milliseconds up to 24 h. The expression is evaluated once, when the
 * message is published, so that the caller learns of errors and the schedule does not change afterwards.
 *
 * @throws {ExpressionError}
 */
export function retryDelaysMs(expression: string, maxRetries: number): number[] {
  if (expression.length > RETRY_EXPRESSION_CHARACTERS_MAX) {
    throw new ExpressionError(`must be at most ${RETRY_EXPRESSION_CHARACTERS_MAX} characters`);
  }
  const delayMs = compileRetryDelay(expression);
  return Array.from({ length: maxRetries }, (_, retried) => Math.round(Math.min(delayMs(retried), DELAY_MS_MAX)));
}
