import type { CallerEnvironment } from '../../db/environments/callers.ts';
import type { Tenant } from '../../db/client.ts';
import type { SessionAuthentication } from '../../domain/passkeys/authentication.ts';
import type { Role } from '../../domain/roles.ts';
import type { Scope } from '../../domain/scopes.ts';

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

export interface SessionCaller extends EnvironmentCaller {
  type: 'session';
  userId: string;
  sessionId: string;
  authentication: SessionAuthentication;
  role: Role;
  expiresAt: Date;
  /** The environment has `requireSecondFactor`. */
  requiresSecondFactor: boolean;
}

/** An app acting for a member in this environment: within the member's consent and never beyond the member's role. */
export interface OAuthCaller extends EnvironmentCaller {
  type: 'oauth';
  userId: string;
  /** The member's current role. */
  role: Role;
  /** The consented scopes that the role still allows. */
  scopes: ReadonlySet<Scope>;
  grantId: string;
  clientId: string;
  expiresAt: Date;
}

export type BearerCaller = KeyCaller | OAuthCaller;

export type Caller = KeyCaller | SessionCaller | OAuthCaller;

export interface UserCaller {
  type: 'session';
  userId: string;
  email: string;
  name: string;
  sessionId: string;
  authentication: SessionAuthentication;
  csrfToken: string;
  expiresAt: Date;
}

export interface MemberCaller {
  type: 'session';
  userId: string;
  email: string;
  sessionId: string;
  authentication: SessionAuthentication;
  role: Role;
  workspaceId: string;
}

export interface Actor {
  type: 'api_key' | 'user';
  id: string;
  clientId?: string;
}
