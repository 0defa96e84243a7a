import { ServiceError } from '../../domain/errors.ts';
import type { Caller } from '../http/define-route.ts';

/** For decisions that a member takes in person. `needsUser` refuses keys; this refuses apps. @throws {ServiceError} AUTHORIZATION_ERROR. */
export function requireSession(caller: Caller): void {
  if (caller.type === 'session') return;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message: 'This is decided by an admin in person: sign in, and send the session. An app cannot do it for them.',
  });
}
