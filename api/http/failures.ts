import type { Logger } from 'pino';
import { isUnopened } from '../../db/secrets/unopened.ts';
import { ServiceError } from '../../domain/errors.ts';
import { codeOf, describeFailure } from '../../domain/failures.ts';

export { describeFailure };

/** Transient PostgreSQL conditions: the caller should retry. Classes 08, 53, 57P, lock conflicts, and what took too long (57014, 25P03). */
const PASSING_SQLSTATE = /^(08...|53...|57P0.|57014|25P03|40001|40P01|55P03)$/;
const PASSING_SYSTEM_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EPIPE',
  'EHOSTUNREACH',
]);
const PASSING_NAMES = new Set(['NoConnectionError']);
/** pg's messages for a lost connection; they have no code. */
const CONNECTION_GONE =
  /^(Connection (terminated|ended)( unexpectedly| due to connection timeout)?|Client (has encountered a connection error|was closed) and is not queryable)$/;

/** The error that the caller reads for anything thrown. Only a ServiceError's own message ever reaches a caller. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const passing = isPassing(thrown);
  return new ServiceError(passing ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR', { cause: thrown });
}

/** A dependency is away for now: the caller may retry the same request. */
export function isPassing(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = codeOf(thrown);
  return (
    PASSING_NAMES.has(thrown.name) ||
    (code !== null && (PASSING_SQLSTATE.test(code) || PASSING_SYSTEM_ERRORS.has(code))) ||
    CONNECTION_GONE.test(thrown.message)
  );
}

export function logFailure(logger: Logger, error: ServiceError, context: Record<string, unknown>): void {
  const failure = describeFailure(error);
  if (error.code === 'INTERNAL_ERROR') logger.error({ ...context, failure }, 'request failed');
  else if (isUnopened(error.cause))
    logger.error({ ...context, failure }, 'request refused: a sealed value does not open');
  else if (error.status >= 500) logger.warn({ ...context, failure }, 'request refused: a dependency is away');
}
