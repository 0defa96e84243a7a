import { ServiceError } from '../domain/errors.ts';
import { codeOf } from '../domain/failures.ts';

/**
 * Errors that refuse content, now and at each further try: of a request that is not valid (under a limit that was lowered since, for
 * instance), and of values that the database does not take.
 */
const CONTENT_CODES: readonly string[] = ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE'];
/** Data exceptions, exceeded program limits, violated checks. A unique or foreign key may hold at the next try. */
const CONTENT_SQLSTATE = /^(22...|54...|23514)$/;

export function refusesContent(error: unknown): boolean {
  if (error instanceof ServiceError) return CONTENT_CODES.includes(error.code);
  return error instanceof Error && CONTENT_SQLSTATE.test(codeOf(error) ?? '');
}
