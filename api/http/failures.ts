import type { Logger } from 'pino';
import { isUnopened } from '../../db/secrets/vault.ts';
import { type Missing, notFound, ServiceError } from '../../domain/errors.ts';
import { codeOf, describeFailure } from '../../domain/failures.ts';
import { listSimilarNames } from '../../db/names.ts';
import type { CallerEnvironment } from '../../db/environments/callers.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { isId } from '../../domain/ids.ts';
import { nearNames } from '../../domain/near-names.ts';
import type { AnyCaller } from './route-transaction.ts';

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

/** Only a ServiceError's own message reaches a caller. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const passing = isPassing(thrown);
  return new ServiceError(passing ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR', { cause: thrown });
}

/** Whether a dependency is temporarily unavailable, so that the caller may retry the same request. */
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

/** The 404 of an action, with names that may have been meant. */
export async function missingAction(tx: EnvironmentTransaction, ref: string): Promise<ServiceError> {
  if (isId('action', ref)) return notFound('action');
  return notFound('action', {
    names: nearNames(ref, await listSimilarNames(tx, 'actions', ref)),
    scope: 'actions:read',
  });
}

export async function missingSecret(tx: EnvironmentTransaction, name: string): Promise<ServiceError> {
  return notFound('secret', {
    names: nearNames(name, await listSimilarNames(tx, 'secrets', name)),
    scope: 'secrets:read',
  });
}

/**
 * Message of a 404: the environment searched and similar names that the caller may list, and nothing of other environments. Returns null
 * when the caller works in no environment.
 */
export function missingMessage(
  { what, near, otherKind, archived }: Missing,
  caller: AnyCaller | undefined,
): string | null {
  if (archived !== undefined) return archived;
  if (caller === undefined || !('environment' in caller)) return null;
  const { name, kind } = caller.environment;
  if (what === 'environment') {
    return caller.type === 'api_key' ? notThisEnvironment(caller.environment) : null;
  }
  const bound = caller.type === 'api_key' ? ', which this key is bound to' : '';
  const maySee = near !== undefined && (caller.type === 'session' || caller.scopes.has(near.scope));
  const meant = maySee && near.names.length > 0 ? ` Did you mean ${near.names.join(' or ')}?` : '';
  const told = otherKind === undefined ? '' : ` T${otherKind.slice(1)}.`;
  return `No such ${what} in environment ${name} (${kind})${bound}.${told}${meant}`;
}

/** For a key that names an environment other than its own. */
export function notThisEnvironment({ name, kind }: Pick<CallerEnvironment, 'name' | 'kind'>): string {
  return `No such environment for this key: it is bound to ${name} (${kind}).`;
}
