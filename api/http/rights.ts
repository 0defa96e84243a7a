import { ServiceError } from '../../domain/errors.ts';
import { OFFERED_SCOPES } from '../../domain/oauth/offered-scopes.ts';
import { roleSuffices } from '../../domain/roles.ts';
import { isScopeForRole, leastRoleOf, type Scope } from '../../domain/scopes.ts';
import type { AnyRoute, Caller, Role } from './define-route.ts';

/**
 * A key needs the route's scope. A session has no scopes: it needs the route to name a role, and to have it. An app needs the scope, whose
 * least role its user has now, and where the route names a role (`appRole`, else `role`) its user needs that.
 * The rules: docs/identity.md.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR, naming the scope or the role.
 */
export function requireScope(caller: Caller, route: NeededByRoute): void {
  const refusal = refusalOf(caller, route);
  if (refusal !== null) throw refusal;
}

/** The requirements of a route for its caller. */
export type NeededByRoute = Pick<AnyRoute, 'scope' | 'role'> & {
  ownWithScope?: Scope;
  alsoScope?: Scope;
  appRole?: Role;
  needsUser?: true;
};

/** Null where `requireScope` lets the caller pass. */
export function refusalOf(caller: Caller, route: NeededByRoute): ServiceError | null {
  const { scope, role, ownWithScope, alsoScope, appRole = role } = route;
  if (caller.type === 'session') {
    if (role !== undefined) return roleRefusal(caller.role, role);
    return scope === null ? null : needsKey(scope);
  }
  const holds =
    scope === null || caller.scopes.has(scope) || (ownWithScope !== undefined && caller.scopes.has(ownWithScope));
  if (!holds) return lacksScope(scope, caller);
  if (alsoScope !== undefined && !caller.scopes.has(alsoScope)) return lacksScope(alsoScope, caller);
  // An app does no more than its user could.
  if (caller.type === 'oauth') return appRole === undefined ? null : roleRefusal(caller.role, appRole);
  if (route.needsUser !== true) return null;
  return new ServiceError('USER_IDENTITY_REQUIRED', {
    message: 'This is of one member: sign in, and send the session. An API key has no user.',
  });
}

/** What a caller holds: a key and an app have scopes, a session has a role instead. The role of an app's user bounds its scopes. */
export type Credential = Pick<Caller, 'type' | 'scopes'> & { role?: Role };

/** Whether the caller of a route may also do what takes this scope. The role that the route names stands for the scopes of a session. */
export function holdsAlso({ type, scopes }: Pick<Credential, 'type' | 'scopes'>, scope: Scope): boolean {
  return type === 'session' || scopes.has(scope);
}

/**
 * For a scope that only some requests of a route need beside its own. A scope that all of them need is the route's `alsoScope`.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR, naming the scope.
 */
export function requireAlso(credential: Credential, scope: Scope): void {
  if (!holdsAlso(credential, scope)) throw lacksScope(scope, credential);
}

export function lacksScope(scope: Scope, caller: Pick<Credential, 'type' | 'role'>): ServiceError {
  const lackedScope = scope;
  if (caller.type !== 'oauth') {
    const message = `This API key lacks the scope ${scope}. Create a key that holds it: the scopes of a key cannot change.`;
    return new ServiceError('AUTHORIZATION_ERROR', { message, lackedScope });
  }
  // The next two are without `lackedScope`: a client that asked its user for the scope once more would be refused again.
  if (!OFFERED_SCOPES.includes(scope)) {
    const message = `No app gets the scope ${scope}: use an API key that holds it.`;
    return new ServiceError('AUTHORIZATION_ERROR', { message });
  }
  if (caller.role !== undefined && !isScopeForRole(scope, caller.role)) {
    const message = `An app uses the scope ${scope} only for a user with the role ${leastRoleOf(scope)} in the workspace; its user's is ${caller.role}.`;
    return new ServiceError('AUTHORIZATION_ERROR', { message });
  }
  const message = `This app was not allowed the scope ${scope}. Connect it again and allow it.`;
  return new ServiceError('AUTHORIZATION_ERROR', { message, lackedScope });
}

/** docs/identity.md: a session cannot satisfy a non-empty required-scope list. */
export function needsKey(scope: Scope): ServiceError {
  return new ServiceError('AUTHORIZATION_ERROR', {
    message: `A session cannot do this: it needs an API key that holds the scope ${scope}.`,
  });
}

/** @throws {ServiceError} AUTHORIZATION_ERROR, naming the role. */
export function requireRole(role: Role, least: Role): void {
  const refusal = roleRefusal(role, least);
  if (refusal !== null) throw refusal;
}

function roleRefusal(role: Role, least: Role): ServiceError | null {
  if (roleSuffices(role, least)) return null;
  return new ServiceError('AUTHORIZATION_ERROR', {
    message: `This needs the role ${least} in the workspace; yours is ${role}.`,
  });
}
