import { listSimilarNames } from '../../db/list-similar-names.ts';
import type { CallerEnvironment } from '../../db/environments/caller-environment.ts';
import type { EnvironmentTransaction } from '../../db/client.ts';
import { type Missing, notFound, type ServiceError } from '../../domain/errors.ts';
import { isId } from '../../domain/ids.ts';
import { nearNames } from '../../domain/near-names.ts';
import type { AnyCaller } from './route-transaction.ts';

/** Why an action that a request names is not there, with the names that may have been meant. */
export async function missingAction(tx: EnvironmentTransaction, ref: string): Promise<ServiceError> {
  if (isId('action', ref)) return notFound('action');
  return notFound('action', {
    names: nearNames(ref, await listSimilarNames(tx, 'actions', ref)),
    scope: 'actions:read',
  });
}

/** The same of a secret. */
export async function missingSecret(tx: EnvironmentTransaction, name: string): Promise<ServiceError> {
  return notFound('secret', {
    names: nearNames(name, await listSimilarNames(tx, 'secrets', name)),
    scope: 'secrets:read',
  });
}

/**
 * The message of a 404 for this caller: which environment was looked in, which it knows as its own, and names that it may list. It
 * says nothing of any other environment. Null where the caller works in no environment.
 */
export function missingMessage({ what, near, otherKind }: Missing, caller: AnyCaller | undefined): string | null {
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

/** To a key that names an environment other than its own. */
export function notThisEnvironment({ name, kind }: Pick<CallerEnvironment, 'name' | 'kind'>): string {
  return `No such environment for this key: it is bound to ${name} (${kind}).`;
}
