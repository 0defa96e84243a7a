import type { CallerEnvironment } from '../../db/environments/callers.ts';
import type { Tenant } from '../../db/client.ts';
import type { Role } from '../../domain/roles.ts';
import type { Scope } from '../../domain/scopes.ts';

/** What every credential that works in an environment has. */
interface EnvironmentCaller {
  workspaceId: string;
  tenant: Tenant;
  environment: CallerEnvironment;
  /** Empty for sessions, which have a role instead. */
  scopes: ReadonlySet<Scope>;
}

export interface KeyCaller extends EnvironmentCaller {
  type: 'api_key';
  keyId: string;
  preset: string | null;
  expiresAt: Date | null;
}

/** A signed-in member of the workspace who named this environment (`X-Environment-Id`). */
export interface SessionCaller extends EnvironmentCaller {
  type: 'session';
  userId: string;
  sessionId: string;
  role: Role;
  expiresAt: Date;
}

/**
 * An app that a member has let act for them in this environment. It may do what the member consented to, and never more than the member's role
 * allows a session.
 */
export interface OAuthCaller extends EnvironmentCaller {
  type: 'oauth';
  userId: string;
  /** What the member has now. */
  role: Role;
  /** What the member consented to, without what their role does not allow now. */
  scopes: ReadonlySet<Scope>;
  grantId: string;
  clientId: string;
  expiresAt: Date;
}

/** Who calls by an Authorization header. */
export type BearerCaller = KeyCaller | OAuthCaller;

/** The authenticated caller of a route of an environment. */
export type Caller = KeyCaller | SessionCaller | OAuthCaller;

/** A signed-in user, of whichever workspaces. */
export interface UserCaller {
  type: 'session';
  userId: string;
  email: string;
  name: string;
  sessionId: string;
  csrfToken: string;
  expiresAt: Date;
}

/** A signed-in member of the workspace that the path names. */
export interface MemberCaller {
  type: 'session';
  userId: string;
  email: string;
  sessionId: string;
  role: Role;
  workspaceId: string;
}

/** Who did it, as records keep it (`requestedBy`, `createdBy`, evidence actors). */
export interface Actor {
  type: 'api_key' | 'user';
  id: string;
  /** The app through which the user asked. */
  clientId?: string;
}
