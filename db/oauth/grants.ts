import type { Tenant, Database, EnvironmentTransaction, UserTransaction } from '../client.ts';

/** What a token is for: the MCP endpoint, or the REST API. */
export type ResourceKind = 'mcp' | 'api';

/** Who ended it: the user, the app itself, or the replay of a code or a refresh token. */
export type EndedBy = 'user' | 'app' | 'reuse';

export interface OAuthGrant {
  id: string;
  userId: string;
  tenant: Tenant;
  clientId: string;
  resource: ResourceKind;
  scopes: string[];
  openid: boolean;
  createdAt: Date;
  expiresAt: Date;
}

export interface NewGrant {
  id: string;
  userId: string;
  workspaceId: string;
  clientId: string;
  clientName: string;
  resource: ResourceKind;
  scopes: readonly string[];
  openid: boolean;
  /** Identifies the authorization request that the user consented to. */
  requestHash: Buffer;
  lifetimeDays: number;
}

interface Row extends Omit<OAuthGrant, 'tenant'> {
  workspaceId: string;
  environmentId: string;
}

/** The grant where it still holds and its user has been a member of the workspace since. */
export async function findGrant(db: Database, id: string): Promise<OAuthGrant | null> {
  const row = await db.directory.row<Row>(
    'find_grant',
    `SELECT id, user_id AS "userId", workspace_id AS "workspaceId", environment_id AS "environmentId", client_id AS "clientId", resource,
       scopes, openid, created_at AS "createdAt", expires_at AS "expiresAt" FROM find_oauth_grant(?)`,
    [id],
  );
  if (row === null) return null;
  const { workspaceId, environmentId, ...grant } = row;
  return { ...grant, tenant: { workspaceId, environmentId } };
}

/** In the transaction of the environment that it is for. */
export async function createGrant(tx: EnvironmentTransaction, grant: NewGrant): Promise<void> {
  await tx.raw(
    'create_grant',
    `INSERT INTO oauth_grants (id, user_id, workspace_id, environment_id, client_id, client_name, resource, scopes, openid, request_hash, expires_at)
     VALUES (:id, :userId, :workspaceId, current_environment_id(), :clientId, :clientName, :resource, :scopes, :openid, :requestHash,
       now() + :lifetimeDays * interval '1 day')`,
    { ...grant, scopes: [...grant.scopes] },
  );
}

/** Whether the request was consented to before. The caller holds its transaction open: a second consent of the same moment waits here. */
export async function isConsentedTo(tx: EnvironmentTransaction, requestHash: Buffer): Promise<boolean> {
  await tx.raw('is_consented_to', "SELECT pg_advisory_xact_lock(hashtextextended('oauth-consent/' || ?, 0))", [
    requestHash.toString('hex'),
  ]);
  const rows = await tx.rows<unknown>('is_consented_to_2', 'SELECT FROM oauth_grants WHERE request_hash = ?', [
    requestHash,
  ]);
  return rows.length > 0;
}

/**
 * How many apps the user has connected and not disconnected, in every workspace. The caller keeps its transaction open: another consent
 * of the user waits here, and then counts the grant of this one too.
 */
export async function countGrantsOfUser(tx: EnvironmentTransaction, userId: string): Promise<number> {
  const row = await tx.row<{ count: number }>('count_grants_of_user', 'SELECT hold_oauth_grants_of_user(?) AS count', [
    userId,
  ]);
  return row?.count ?? 0;
}

/** False where it had ended before, or is of somebody else. */
export async function endGrant(
  tx: EnvironmentTransaction | UserTransaction,
  id: string,
  endedBy: EndedBy,
): Promise<boolean> {
  const rows = await tx.rows<unknown>(
    'end_grant',
    'UPDATE oauth_grants SET ended_at = now(), ended_by = :endedBy WHERE id = :id AND ended_at IS NULL RETURNING id',
    { id, endedBy },
  );
  return rows.length > 0;
}

export async function touchGrant(tx: EnvironmentTransaction, id: string): Promise<void> {
  await tx.raw('touch_grant', 'UPDATE oauth_grants SET last_used_at = now() WHERE id = ?', [id]);
}
