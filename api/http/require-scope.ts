import { ServiceError } from '../../domain/errors.ts';
import type { Scope } from '../../domain/scopes.ts';
import type { Caller } from './callers.ts';

/**
 * For what a request needs beside its route's own scope. `what` ends the sentence "which … needs". A key and an app have scopes; a
 * session has a role instead.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR
 */
export function requireScope(caller: Caller, scope: Scope, what: string): void {
  if (caller.type === 'session' || caller.scopes.has(scope)) return;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message: `This credential lacks the scope ${scope}, which ${what} needs.`,
  });
}
