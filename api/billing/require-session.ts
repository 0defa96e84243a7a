import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../http/define-route.ts';

/**
 * For what a member decides in person. The machinery has refused keys before (`needsUser`); an app that acts for a member is refused here.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR.
 */
export function requireSession(caller: Caller): void {
  if (caller.type === 'session') return;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message: 'This is decided by an admin in person: sign in, and send the session. An app cannot do it for them.',
  });
}
