import type { Role } from '../../domain/roles.ts';
import { type Page, pageOf, type Range } from '../page.ts';
import type { Database, UserTransaction } from '../client.ts';
import { recordAudit } from '../audit/record-audit.ts';
import { type EndedBy, endGrant, findGrant, type ResourceKind } from './grants.ts';

/** A grant as its user sees it. */
export interface ConnectedApp {
  id: string;
  clientId: string;
  name: string;
  resource: ResourceKind;
  workspaceId: string;
  workspaceName: string;
  environmentId: string;
  environmentName: string;
  environmentKind: 'development' | 'staging' | 'production';
  scopes: string[];
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date;
}

/** The apps that the transaction's user has connected and not disconnected, newest first. One of a workspace that they left is over. */
export async function listConnectedApps(
  tx: UserTransaction,
  userId: string,
  range: Range,
): Promise<Page<ConnectedApp>> {
  return pageOf(tx, {
    name: 'list_connected_apps',
    columns: `g.id, g.client_id AS "clientId", g.client_name AS name, g.resource, g.scopes, g.created_at AS "createdAt",
        g.last_used_at AS "lastUsedAt", g.expires_at AS "expiresAt", e.workspace_id AS "workspaceId", e.workspace_name AS "workspaceName",
        e.id AS "environmentId", e.name AS "environmentName", e.kind AS "environmentKind"`,
    from: 'oauth_grants g JOIN list_environments_of_user(:userId) e ON e.id = g.environment_id',
    where: 'g.user_id = :userId AND g.ended_at IS NULL AND g.expires_at > now()',
    order: 'g.created_at DESC, g.id DESC',
    asked: { userId, ...range },
  });
}

/** Ends it, in the transaction of its user. Null where it is not theirs, or has ended. */
export async function endConnectedApp(
  tx: UserTransaction,
  id: string,
): Promise<{ workspaceId: string; environmentId: string; clientId: string } | null> {
  return tx.row<{ workspaceId: string; environmentId: string; clientId: string }>(
    'end_connected_app',
    `UPDATE oauth_grants SET ended_at = now(), ended_by = 'user' WHERE id = ? AND user_id = current_user_id() AND ended_at IS NULL
     RETURNING workspace_id AS "workspaceId", environment_id AS "environmentId", client_id AS "clientId"`,
    [id],
  );
}

/**
 * Ends a grant that its user did not end: the app gave its token back, or somebody presented a code or a refresh token that was used before.
 * With the commit every token of the grant is refused, and changes under way have been waited for.
 */
export async function disconnectApp(db: Database, grantId: string, endedBy: EndedBy): Promise<void> {
  const grant = await findGrant(db, grantId);
  if (grant === null) return; // it has ended, or its user left
  const { tenant, userId, clientId } = grant;
  await db.withEnvironment(tenant, async (tx) => {
    if (!(await endGrant(tx, grantId, endedBy))) return;
    await recordAudit(tx, {
      workspaceId: tenant.workspaceId,
      actor: { type: 'system', id: null },
      action: 'app.disconnected',
      target: { type: 'connected_app', id: grantId },
      details: { endedBy, userId, clientId },
    });
  });
}

export interface EnvironmentOfUser {
  workspaceId: string;
  workspaceName: string;
  id: string;
  name: string;
  kind: string;
  /** The user's, in the workspace. */
  role: Role;
}

/** The environments of the user's workspaces, by name. */
export async function listEnvironmentsOfUser(tx: UserTransaction, userId: string): Promise<EnvironmentOfUser[]> {
  return tx.rows<EnvironmentOfUser>(
    'list_environments_of_user',
    `SELECT e.workspace_id AS "workspaceId", e.workspace_name AS "workspaceName", e.id, e.name, e.kind, w.role
     FROM list_environments_of_user(:userId) e JOIN list_workspaces_of_user(:userId) w ON w.id = e.workspace_id
     ORDER BY e.workspace_name, e.workspace_id, e.name, e.id`,
    { userId },
  );
}
