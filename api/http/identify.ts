import { notThisEnvironment } from './missing.ts';
import { notFound, ServiceError, validationError } from '../../domain/errors.ts';
import { OFFERED_SCOPES } from '../../domain/oauth/offered-scopes.ts';
import { roleSuffices } from '../../domain/roles.ts';
import { isScopeForRole, leastRoleOf, type Scope } from '../../domain/scopes.ts';
import type { FoundSession } from '../../db/auth/find-sign-in-session.ts';
import { type SessionAuthenticator, userOf } from './authenticate-session.ts';
import type { AssumedCaller, Authenticator } from './authenticate.ts';
import type { HttpContext } from './context.ts';
import type { AnyRoute, Caller, MemberCaller, Role, SessionCaller, UserCaller } from './define-route.ts';
import { readSessionCookie } from './session-cookie.ts';
import { uuidOf } from '../../domain/uuid.ts';

export interface Authenticators {
  keys: Authenticator;
  sessions: SessionAuthenticator;
}

const ENVIRONMENT_HEADER = 'X-Environment-Id';

/** An Authorization header decides; the cookie counts where there is none. Without either it is a missing key. */
function bringsSession(ctx: HttpContext): boolean {
  return ctx.get('Authorization') === '' && readSessionCookie(ctx) !== null;
}

/**
 * The caller of a route of an environment.
 *
 * @throws {ServiceError} AUTHENTICATION_ERROR, AUTHORIZATION_ERROR (cross-site), VALIDATION_ERROR without X-Environment-Id,
 *   NOT_FOUND for an environment that is not of a workspace of the user.
 */
export async function identifyCaller(
  authenticators: Authenticators,
  ctx: HttpContext,
  route: Pick<AnyRoute, 'scope' | 'role'>,
): Promise<Caller> {
  if (!bringsSession(ctx)) return authenticators.keys.authenticate(ctx.get('Authorization'));
  const named = ctx.get(ENVIRONMENT_HEADER);
  const environmentId = uuidOf(named);
  const session = await authenticators.sessions.authenticate(ctx, environmentId === null ? {} : { environmentId });
  if (route.scope !== null && route.role === undefined) throw needsKey(route.scope);
  if (environmentId === null) throw environmentMissing(named);
  return sessionCallerOf(session);
}

/** The holder of a key who reads, where the read itself finds out whether they still hold it. Null: they have to be identified. */
export function assumeReader(authenticators: Authenticators, ctx: HttpContext, route: AnyRoute): AssumedCaller | null {
  if (route.of !== 'environment' || route.environmentFromPath === true) return null;
  if (route.read === undefined && route.list === undefined) return null;
  const authorization = ctx.get('Authorization');
  return authorization === '' ? null : authenticators.keys.assume(authorization);
}

/**
 * The caller of a route whose path names the environment: a member of its workspace, or a key of that very environment.
 *
 * @throws {ServiceError} as above; NOT_FOUND to a key of another environment too.
 */
export async function identifyCallerOfPath(authenticators: Authenticators, ctx: HttpContext): Promise<Caller> {
  const named = ctx['params'] as Record<string, string>;
  const [workspaceId, environmentId] = [uuidOf(named['workspaceId']), uuidOf(named['environmentId'])];
  const caller = bringsSession(ctx)
    ? await authenticators.sessions.authenticate(ctx, environmentId === null ? {} : { environmentId })
    : await authenticators.keys.authenticate(ctx.get('Authorization'));
  const issues = [
    ...(workspaceId === null ? [{ path: 'params.workspaceId', message: 'must be a UUID' }] : []),
    ...(environmentId === null ? [{ path: 'params.environmentId', message: 'must be a UUID' }] : []),
  ];
  if (issues.length > 0) throw validationError(issues);
  const known = 'membership' in caller ? sessionCallerOf(caller) : caller;
  if (known.workspaceId !== workspaceId || known.environment.id !== environmentId) {
    if (known.type === 'session') throw notFound('environment');
    throw new ServiceError('NOT_FOUND', { message: notThisEnvironment(known.environment) });
  }
  return known;
}

/** The caller of a route for any credential: a session that names no environment is only its user. */
export async function identifyCredential(
  authenticators: Authenticators,
  ctx: HttpContext,
  route: Pick<AnyRoute, 'scope' | 'role'>,
): Promise<Caller | UserCaller> {
  if (!bringsSession(ctx) || ctx.get(ENVIRONMENT_HEADER) !== '') return identifyCaller(authenticators, ctx, route);
  return userOf(await authenticators.sessions.authenticate(ctx, {}));
}

/** The member whose session was looked up with this environment. @throws {ServiceError} NOT_FOUND for everybody else. */
export function sessionCallerOf(session: FoundSession): SessionCaller {
  const { membership, environment } = session;
  if (membership === null || environment === null) throw notFound('environment');
  return {
    type: 'session',
    userId: session.userId,
    sessionId: session.id,
    role: membership.role,
    workspaceId: membership.workspaceId,
    tenant: { workspaceId: membership.workspaceId, environmentId: environment.id },
    environment,
    scopes: new Set(),
    expiresAt: session.expiresAt,
  };
}

/**
 * The member who calls a route of the workspace that is `named`; `role` is the least one that the route takes.
 *
 * @throws {ServiceError} as above; NOT_FOUND for a workspace that the user is no member of; 403 for an API key.
 */
export async function identifyMember(
  authenticators: Authenticators,
  ctx: HttpContext,
  { named, role }: { named: string; role: Role | undefined },
): Promise<MemberCaller> {
  await refuseKey(authenticators, ctx, role);
  const workspaceId = uuidOf(named);
  const session = await authenticators.sessions.authenticate(ctx, workspaceId === null ? {} : { workspaceId });
  if (workspaceId === null) throw validationError([{ path: 'params.workspaceId', message: 'must be a UUID' }]);
  if (session.membership === null) throw new ServiceError('NOT_FOUND', { message: 'You are in no such workspace.' });
  const { userId, email, id: sessionId } = session;
  return { type: 'session', userId, email, sessionId, role: session.membership.role, workspaceId };
}

/** The signed-in user, whatever their workspaces. */
export async function identifyUser(authenticators: Authenticators, ctx: HttpContext): Promise<UserCaller> {
  await refuseKey(authenticators, ctx);
  return userOf(await authenticators.sessions.authenticate(ctx, {}));
}

/** A valid key is answered that it is the wrong kind of credential. An invalid one gets the 401 of every route. */
async function refuseKey(authenticators: Authenticators, ctx: HttpContext, role?: Role): Promise<void> {
  if (ctx.get('Authorization') === '') return;
  await authenticators.keys.authenticate(ctx.get('Authorization'));
  const who = role === undefined ? 'a signed-in user' : `a signed-in member ${WITH_ROLE[role]}`;
  throw new ServiceError('AUTHORIZATION_ERROR', {
    message: `This needs ${who}: an API key or an app works inside its environment only. Sign in at POST /api/v2/auth/session.`,
  });
}

const WITH_ROLE: Readonly<Record<Role, string>> = {
  member: 'of the workspace',
  admin: 'with the role admin or owner in the workspace',
  owner: 'with the role owner in the workspace',
};

/**
 * A key needs the route's scope. A session has no scopes: it needs the route to name a role, and to have it. An app needs the scope, whose
 * least role its user has now, and where the route names a role its user needs that.
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
  needsUser?: true;
};

/** Null where `requireScope` lets the caller pass. */
export function refusalOf(caller: Caller, route: NeededByRoute): ServiceError | null {
  const { scope, role, ownWithScope, alsoScope } = route;
  if (caller.type === 'session') {
    if (role !== undefined) return roleRefusal(caller.role, role);
    return scope === null ? null : needsKey(scope);
  }
  const holds =
    scope === null || caller.scopes.has(scope) || (ownWithScope !== undefined && caller.scopes.has(ownWithScope));
  if (!holds) return lacksScope(scope, caller);
  if (alsoScope !== undefined && !caller.scopes.has(alsoScope)) return lacksScope(alsoScope, caller);
  // An app does no more than its user could.
  if (caller.type === 'oauth') return role === undefined ? null : roleRefusal(caller.role, role);
  if (route.needsUser !== true) return null;
  return new ServiceError('USER_IDENTITY_REQUIRED', {
    message: 'This is of one member: sign in, and send the session. An API key has no user.',
  });
}

/** What a caller holds: a key and an app have scopes, a session has a role instead. The role of an app's user bounds its scopes. */
export type Credential = Pick<Caller, 'type' | 'scopes'> & { role?: Role };

/**
 * For a scope that only some requests of a route need beside its own. A scope that all of them need is the route's `alsoScope`.
 *
 * @throws {ServiceError} AUTHORIZATION_ERROR, naming the scope.
 */
export function requireAlso(credential: Credential, scope: Scope): void {
  if (credential.type !== 'session' && !credential.scopes.has(scope)) throw lacksScope(scope, credential);
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
function needsKey(scope: Scope): ServiceError {
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

function environmentMissing(named: string): ServiceError {
  const message = named === '' ? 'is missing: a session names the environment that it works in' : 'must be a UUID';
  return validationError([{ path: `headers.${ENVIRONMENT_HEADER}`, message }]);
}
