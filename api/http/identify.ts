import { notThisEnvironment } from './failures.ts';
import { notFound, ServiceError, validationError } from '../../domain/errors.ts';
import type { FoundSession } from '../../db/auth/directory.ts';
import type { ResourceKind } from '../../db/oauth/grants.ts';
import { readSessionCookie, type SessionAuthenticator, userOf } from './sessions.ts';
import type { Authenticator } from './authenticate.ts';
import type { HttpContext } from './context.ts';
import type {
  AnyRoute,
  BearerCaller,
  Caller,
  EnvironmentRoute,
  MemberCaller,
  Role,
  SessionCaller,
} from './define-route.ts';
import { needsKey } from './rights.ts';
import type { AnyCaller } from './route-transaction.ts';
import { uuidOf } from '../../domain/uuid.ts';

export interface Authenticators {
  keys: Authenticator;
  sessions: SessionAuthenticator;
}

const ENVIRONMENT_HEADER = 'X-Environment-Id';

/** What a request says about its caller. */
export interface Presented {
  /** The Authorization header, which decides. Where it is empty the session cookie counts; null: that cookie alone. */
  authorization: string | null;
  /** What a token must be for. */
  resource: ResourceKind;
  /** What a session names by `X-Environment-Id`; empty: nothing. */
  environmentId: string;
  /** The parameters of the path, as they were sent. */
  params: Readonly<Record<string, string | undefined>>;
}

/** What a request of REST presents. */
export function presentedBy(ctx: HttpContext): Presented {
  return {
    authorization: ctx.get('Authorization'),
    resource: 'api',
    environmentId: ctx.get(ENVIRONMENT_HEADER),
    params: ctx['params'] as Record<string, string>,
  };
}

/**
 * Who calls the route. Null for a public one.
 *
 * @throws {ServiceError} AUTHENTICATION_ERROR; AUTHORIZATION_ERROR for the wrong kind of credential and for a request of another site;
 *   VALIDATION_ERROR where a session names no environment; NOT_FOUND for an environment or a workspace that is not the caller's.
 */
export function identify(
  authenticators: Authenticators,
  ctx: HttpContext,
  route: AnyRoute,
  presented: Presented,
): Promise<AnyCaller | null> {
  return new Identification(authenticators, ctx, presented).of(route);
}

class Identification {
  private readonly authenticators: Authenticators;
  private readonly ctx: HttpContext;
  private readonly presented: Presented;

  constructor(authenticators: Authenticators, ctx: HttpContext, presented: Presented) {
    this.authenticators = authenticators;
    this.ctx = ctx;
    this.presented = presented;
  }

  async of(route: AnyRoute): Promise<AnyCaller | null> {
    switch (route.of) {
      case 'public':
        this.authenticators.sessions.refuseOtherSite(this.ctx);
        return null;
      case 'user':
        await this.refuseKey();
        return userOf(await this.session({}, route.finishesSignIn));
      case 'workspace':
        return this.member(route.role);
      case 'environment':
        if (route.environmentFromPath === true) return this.callerOfPath();
        if (route.environmentOptional === true && this.bringsSession() && this.presented.environmentId === '') {
          return userOf(await this.session({}));
        }
        return this.caller(route);
    }
  }

  /** A member of the environment that the session names, or a key of its own. */
  private async caller({ scope, role }: EnvironmentRoute): Promise<Caller> {
    if (!this.bringsSession()) return this.bearer();
    const named = this.presented.environmentId;
    const environmentId = uuidOf(named);
    const session = await this.session(environmentId === null ? {} : { environmentId });
    if (scope !== null && role === undefined) throw needsKey(scope);
    if (environmentId === null) throw environmentMissing(named);
    return sessionCallerOf(session);
  }

  /** The same where the path names the environment: a key of that very environment. */
  private async callerOfPath(): Promise<Caller> {
    const { params } = this.presented;
    const [workspaceId, environmentId] = [uuidOf(params['workspaceId']), uuidOf(params['environmentId'])];
    const caller = this.bringsSession()
      ? await this.session(environmentId === null ? {} : { environmentId })
      : await this.bearer();
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

  /** A member of the workspace that the path names; `role` is the least one that the route takes. */
  private async member(role: Role | undefined): Promise<MemberCaller> {
    await this.refuseKey(role);
    const workspaceId = uuidOf(this.presented.params['workspaceId']);
    const session = await this.session(workspaceId === null ? {} : { workspaceId });
    if (workspaceId === null) throw validationError([{ path: 'params.workspaceId', message: 'must be a UUID' }]);
    if (session.membership === null) throw new ServiceError('NOT_FOUND', { message: 'You are in no such workspace.' });
    const { userId, email, id: sessionId, authentication } = session;
    return { type: 'session', userId, email, sessionId, authentication, role: session.membership.role, workspaceId };
  }

  /** Without a header and a cookie it is a missing key. */
  private bringsSession(): boolean {
    const { authorization } = this.presented;
    return authorization === null || (authorization === '' && readSessionCookie(this.ctx) !== null);
  }

  private session(
    memberOf: { workspaceId?: string; environmentId?: string },
    takesHalf?: boolean,
  ): Promise<FoundSession> {
    return this.authenticators.sessions.authenticate(this.ctx, memberOf, takesHalf);
  }

  private bearer(): Promise<BearerCaller> {
    const { authorization, resource } = this.presented;
    return this.authenticators.keys.authenticate(authorization ?? '', resource);
  }

  /** A valid key is answered that it is the wrong kind of credential. An invalid one gets the 401 of every route. */
  private async refuseKey(role?: Role): Promise<void> {
    if ((this.presented.authorization ?? '') === '') return;
    await this.bearer();
    const who = role === undefined ? 'a signed-in user' : `a signed-in member ${WITH_ROLE[role]}`;
    throw new ServiceError('AUTHORIZATION_ERROR', {
      message: `This needs ${who}: an API key or an app works inside its environment only. Sign in at POST /api/v2/auth/session.`,
    });
  }
}

/** The member whose session was looked up with this environment. @throws {ServiceError} NOT_FOUND for everybody else. */
export function sessionCallerOf(session: FoundSession): SessionCaller {
  const { membership, environment } = session;
  if (membership === null || environment === null) throw notFound('environment');
  return {
    type: 'session',
    userId: session.userId,
    sessionId: session.id,
    authentication: session.authentication,
    requiresSecondFactor: session.requiresSecondFactor,
    role: membership.role,
    workspaceId: membership.workspaceId,
    tenant: { workspaceId: membership.workspaceId, environmentId: environment.id },
    environment,
    scopes: new Set(),
    expiresAt: session.expiresAt,
  };
}

const WITH_ROLE: Readonly<Record<Role, string>> = {
  member: 'of the workspace',
  admin: 'with the role admin or owner in the workspace',
  owner: 'with the role owner in the workspace',
};

function environmentMissing(named: string): ServiceError {
  const message = named === '' ? 'is missing: a session names the environment that it works in' : 'must be a UUID';
  return validationError([{ path: `headers.${ENVIRONMENT_HEADER}`, message }]);
}
