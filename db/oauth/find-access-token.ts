import type { Role } from '../../domain/roles.ts';
import { isScope, type Scope } from '../../domain/scopes.ts';
import type { Database } from '../client.ts';
import {
  type CallerEnvironment,
  callerEnvironmentOf,
  type CallerEnvironmentRow,
} from '../environments/caller-environment.ts';
import { hashOfArtifact } from './artifacts.ts';

/** What the holder of an access token may do now. It does not contain the token. */
export interface AccessTokenGrant {
  grantId: string;
  userId: string;
  clientId: string;
  role: Role;
  workspaceId: string;
  environment: CallerEnvironment;
  /** The URL of the resource that the token is for. */
  audience: string;
  scopes: ReadonlySet<Scope>;
  expiresAt: Date;
  lastUsedAt: Date | null;
}

interface Row extends CallerEnvironmentRow {
  grant_id: string;
  user_id: string;
  client_id: string;
  role: Role;
  workspace_id: string;
  resource: string;
  scope: string | null;
  expires_at: Date;
  last_used_at: Date | null;
}

/** Null where it is unknown or expired, its grant has ended, or its user is no longer the member who consented. */
export async function findAccessToken(db: Database, token: string): Promise<AccessTokenGrant | null> {
  const { rows } = await db.directory.raw<{ rows: Row[] }>('SELECT * FROM find_oauth_access_token(?)', [
    hashOfArtifact(token),
  ]);
  const row = rows[0];
  if (row === undefined) return null;
  return {
    grantId: row.grant_id,
    userId: row.user_id,
    clientId: row.client_id,
    role: row.role,
    workspaceId: row.workspace_id,
    environment: callerEnvironmentOf(row),
    audience: row.resource,
    scopes: new Set((row.scope ?? '').split(' ').filter(isScope)),
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
  };
}
