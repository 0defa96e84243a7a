import { LRUCache } from 'lru-cache';
import { compileRetryDelay } from '../cel/retry-delay.ts';
import { ExpressionError } from '../cel/tree.ts';
import { DELAY_MS_MAX } from './retry.ts';

/** Bounds the work of the parser and of an evaluation. */
export const RETRY_EXPRESSION_CHARACTERS_MAX = 200;
/** A batch has at most so many different ones: compiling and evaluating one takes more than a millisecond. */
export const RETRY_EXPRESSIONS_PER_BATCH_MAX = 20;

/** A batch names the same expression in each of its messages, and each endpoint of a URL group has it again. */
const known = new LRUCache<string, { delays: number[] } | { error: ExpressionError }>({ max: 200 });

/**
 * The delays before each of `maxRetries` retries, in whole milliseconds up to 24 h. The expression is evaluated once, when the
 * message is published, so that the caller learns of errors and the schedule does not change afterwards.
 *
 * @throws {ExpressionError}
 */
export function retryDelaysMs(expression: string, maxRetries: number): number[] {
  const key = `${maxRetries} ${expression}`;
  const outcome = known.get(key) ?? computed(expression, maxRetries);
  known.set(key, outcome);
  if ('error' in outcome) throw outcome.error;
  return [...outcome.delays];
}

function computed(expression: string, maxRetries: number): { delays: number[] } | { error: ExpressionError } {
  try {
    return { delays: compute(expression, maxRetries) };
  } catch (error) {
    if (error instanceof ExpressionError) return { error };
    throw error;
  }
}

function compute(expression: string, maxRetries: number): number[] {
  if (expression.length > RETRY_EXPRESSION_CHARACTERS_MAX) {
    throw new ExpressionError(`must be at most ${RETRY_EXPRESSION_CHARACTERS_MAX} characters`);
  }
  const delayMs = compileRetryDelay(expression);
  return Array.from({ length: maxRetries }, (_, retried) => Math.round(Math.min(delayMs(retried), DELAY_MS_MAX)));
}
