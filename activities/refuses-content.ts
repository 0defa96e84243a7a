import { ServiceError } from '../domain/errors.ts';
import { codeOf } from '../domain/failures.ts';

/** Errors that refuse content at each further try: an invalid request, or values that the database does not accept. */
const CONTENT_CODES: readonly string[] = ['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE'];
/** Data exceptions, exceeded program limits, violated checks. A unique or foreign key may hold at the next try. */
const CONTENT_SQLSTATE = /^(22...|54...|23514)$/;

export function refusesContent(error: unknown): boolean {
  if (error instanceof ServiceError) return CONTENT_CODES.includes(error.code);
  return error instanceof Error && CONTENT_SQLSTATE.test(codeOf(error) ?? '');
}
