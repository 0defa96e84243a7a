import { ServiceError } from '../../domain/errors.ts';
import type { MemberCaller, Role } from '../http/define-route.ts';

/** Only an owner creates, changes or removes owners. @throws {ServiceError} AUTHORIZATION_ERROR. */
export function requireOwnerFor(caller: MemberCaller, ...roles: Role[]): void {
  if (caller.role === 'owner' || !roles.includes('owner')) return;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message: 'Only an owner makes, changes or removes an owner: this needs the role owner in the workspace.',
  });
}

export function lastOwner(): ServiceError {
  return new ServiceError('CONFLICT', {
    message: 'A workspace keeps at least one owner. Make another member an owner first.',
  });
}
