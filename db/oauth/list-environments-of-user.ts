import type { Role } from '../../domain/roles.ts';
import type { UserTransaction } from '../client.ts';

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
  const { rows } = await tx.raw<{ rows: EnvironmentOfUser[] }>(
    `SELECT e.workspace_id AS "workspaceId", e.workspace_name AS "workspaceName", e.id, e.name, e.kind, w.role
     FROM list_environments_of_user(:userId) e JOIN list_workspaces_of_user(:userId) w ON w.id = e.workspace_id
     ORDER BY e.workspace_name, e.workspace_id, e.name, e.id`,
    { userId },
  );
  return rows;
}
